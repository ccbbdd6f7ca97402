# SPDX-License-Identifier: Apache-2.0
"""Hostile descriptions, as dictionaries and as files: one of the named errors, or a mechanism that describes itself."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick import description
from hockeystick.cli.files import load_description

VALID = [
    hs.dpsgd(noise_multiplier=1.1, sampling_rate=0.01, steps=100),
    hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=10, participations=2),
    hs.compose([hs.Laplace(noise_multiplier=2.0).poisson(0.1), hs.ZCDP(rho=0.1)]),
    hs.TabulatedPair.from_probabilities([0.7, 0.3], [0.3, 0.7]),
    hs.MixtureOfGaussians(noise_std=2.0, sensitivities=[0, 1], probabilities=[0.9, 0.1]),
]
KINDS = sorted(description.kinds())
ENTRIES = sorted({name for each in VALID for name in json.dumps(hs.to_dict(each)).split('"')[1::2]})

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**400), 10**400),
    st.integers(-2, 12),
    st.floats(),
    st.floats(0.0, 1.0),
    st.text(max_size=8),
    st.sampled_from([*KINDS, *ENTRIES, "inf", "-inf", "nan"]),
)
names = st.one_of(st.sampled_from([*ENTRIES, "kind", "version", "mechanism"]), st.text(max_size=6))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=6)),
    max_leaves=12,
)


@st.composite
def bent(draw):
    """A valid description with some of its values replaced, dropped or added."""
    described = hs.to_dict(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(1, 3))):
        place = described
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and draw(st.booleans()):
                place = place[key]
                continue
            what = draw(st.sampled_from(["replace", "drop", "add"]))
            if what == "replace":
                place[key] = draw(values)
            elif what == "drop":
                del place[key]
            elif isinstance(place, dict):
                place[draw(names)] = draw(values)
            else:
                place.append(draw(values))
            break
    return described


def check(described):
    try:
        mechanism = hs.from_dict(described)
    except (TypeError, ValueError):
        return
    assert isinstance(mechanism, hs.Mechanism)
    assert hs.from_dict(hs.to_dict(mechanism)) == mechanism


@settings(max_examples=150, deadline=None)
@given(values)
def test_anything_at_all(described):
    check(described)


@settings(max_examples=300, deadline=None)
@given(bent())
def test_almost_right(described):
    check(described)


@pytest.mark.parametrize("form", ["json", "yaml", "toml"])
@settings(max_examples=60, deadline=None)
@given(st.one_of(bent().map(json.dumps), st.binary(max_size=60), st.text(max_size=60)))
def test_any_file(tmp_path_factory, form, content):
    path = tmp_path_factory.mktemp("fuzz") / f"run.{form}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    said = str(path)
    try:
        mechanism = load_description(path)
    except ValueError as error:
        said = str(error)
    else:
        assert isinstance(mechanism, hs.Mechanism)
    assert str(path) in said
