# SPDX-License-Identifier: Apache-2.0
"""Calls that stand in for another tool's take its arguments, by name and by place."""

import inspect

import pytest

from hockeystick.interop import gdpnum, prv_accountant, riskcal, tf_privacy


def names(call) -> list[str]:
    return list(inspect.signature(call).parameters)


@pytest.mark.parametrize(
    ("module", "bridge", "call"),
    [
        ("gdpnum.dpsgd", gdpnum, "get_mu_and_regret_for_dpsgd"),
        ("riskcal.calibration.dpsgd", riskcal, "get_beta_for_dpsgd"),
        ("riskcal.calibration.dpsgd", riskcal, "get_advantage_for_dpsgd"),
        ("riskcal.calibration.dpsgd", riskcal, "find_noise_multiplier_for_advantage"),
        ("riskcal.calibration.dpsgd", riskcal, "find_noise_multiplier_for_err_rates"),
        ("prv_accountant.dpsgd", prv_accountant, "DPSGDAccountant"),
        ("prv_accountant.dpsgd", prv_accountant, "find_noise_multiplier"),
    ],
)
def test_arguments_are_theirs_in_their_order(module, bridge, call):
    theirs = getattr(pytest.importorskip(module), call)
    taken = names(getattr(bridge, call))
    assert taken == names(theirs)[: len(taken)]
    # What is left out stands at the end there and is None: arguments of older versions.
    assert all(each.default is None for each in list(inspect.signature(theirs).parameters.values())[len(taken) :])


def test_the_statement_takes_what_tensorflow_privacy_takes():
    assert names(tf_privacy.compute_dp_sgd_privacy_statement) == [
        "number_of_examples",
        "batch_size",
        "num_epochs",
        "noise_multiplier",
        "delta",
        "used_microbatching",
        "max_examples_per_user",
        "accountant_type",
    ]


def test_what_is_not_needed_changes_nothing_and_is_checked():
    assert gdpnum.get_mu_and_regret_for_dpsgd(1.0, 0.01, 1000, 1e-3, 1e-6) == gdpnum.get_mu_and_regret_for_dpsgd(
        1.0, 0.01, 1000, err=1e-6
    )
    assert riskcal.get_advantage_for_dpsgd(1.0, 0.01, 10, 1e-3) == riskcal.get_advantage_for_dpsgd(1.0, 0.01, 10)
    for wrong in (0.0, float("nan"), -1.0):
        with pytest.raises(ValueError, match="grid_step must be"):
            riskcal.get_beta_for_dpsgd(1.0, 0.01, 10, 0.1, wrong)
    with pytest.raises(ValueError, match="eps_error must be"):
        prv_accountant.DPSGDAccountant(1.0, 0.01, 10, eps_error=float("nan"))
