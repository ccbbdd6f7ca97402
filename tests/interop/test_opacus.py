# SPDX-License-Identifier: Apache-2.0
"""The accountant in Opacus: its engine, its noise search, its hooks, its checkpoints, and a tiny training run."""

import warnings

import pytest

import hockeystick as hs

torch = pytest.importorskip("torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("opacus")
    from opacus import PrivacyEngine
    from opacus.accountants import create_accountant
    from opacus.accountants.utils import get_noise_multiplier

from hockeystick.interop import opacus as bridge

# PyTorch and Opacus warn of themselves (hooks, deprecations), with messages that change between versions.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def registered():
    bridge.register()


@pytest.fixture
def accountant():
    return create_accountant("hockeystick")


def test_registering_twice_changes_nothing(accountant):
    bridge.register()
    assert isinstance(accountant, bridge.Accountant)
    assert accountant.mechanism() == "hockeystick"


def test_steps_are_counted_and_answered(accountant):
    assert accountant.get_epsilon(delta=1e-5) == 0.0
    for noise_multiplier in (1.0, 1.0, 2.0):
        accountant.step(noise_multiplier=noise_multiplier, sample_rate=0.01)
    assert accountant.history == [(1.0, 0.01, 2), (2.0, 0.01, 1)]
    assert len(accountant) == 3
    expected = 2 * hs.Gaussian(noise_multiplier=1.0).poisson(0.01) + hs.Gaussian(noise_multiplier=2.0).poisson(0.01)
    assert accountant.composition() == expected
    assert accountant.get_epsilon(1e-5) == expected.epsilon(delta=1e-5)


@pytest.mark.parametrize("wrong", [{"noise_multiplier": float("nan")}, {"sample_rate": 1.5}, {"sample_rate": -0.1}])
def test_a_wrong_step_leaves_no_trace(accountant, wrong):
    with pytest.raises(ValueError, match="must be"):
        accountant.step(**{"noise_multiplier": 1.0, "sample_rate": 0.5, **wrong})
    assert accountant.history == []


def test_rounding_above_a_rate_of_one(accountant):
    accountant.step(noise_multiplier=1.0, sample_rate=1.0 + 2**-52)
    assert accountant.get_epsilon(1e-5) == hs.Gaussian(noise_multiplier=1.0).epsilon(delta=1e-5)


def test_their_noise_search():
    """It assigns the history; what it returns is on the safe side, within its tolerance."""
    noise = get_noise_multiplier(
        target_epsilon=8.0, target_delta=1e-5, sample_rate=0.01, steps=10000, accountant="hockeystick"
    )
    spent = hs.dpsgd(noise_multiplier=noise, sampling_rate=0.01, steps=10000).epsilon(delta=1e-5)
    assert 7.99 <= spent <= 8.0
    assert noise == pytest.approx(0.8825285, rel=1e-3)


def test_checkpoints(accountant):
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    restored = create_accountant("hockeystick")
    restored.load_state_dict(accountant.state_dict())
    assert restored.history == accountant.history
    state = accountant.state_dict()
    state["history"] = [list(entry) for entry in state["history"]]  # as JSON gives it back
    restored.load_state_dict(state)
    assert restored.get_epsilon(1e-5) == accountant.get_epsilon(1e-5)
    restored.step(noise_multiplier=1.0, sample_rate=0.01)
    assert len(restored) == 2
    with pytest.raises(ValueError, match="mechanism"):
        create_accountant("rdp").load_state_dict(accountant.state_dict())


def test_below_their_own_accountants():
    for name in ("rdp", "prv"):
        theirs = create_accountant(name)
        theirs.history = [(1.0, 0.01, 1000)]
        ours = create_accountant("hockeystick")
        ours.history = [(1.0, 0.01, 1000)]
        assert ours.get_epsilon(1e-5) <= theirs.get_epsilon(1e-5)


def test_a_tiny_training_run():
    torch.manual_seed(0)
    features = torch.randn(64, 3)
    dataset = torch.utils.data.TensorDataset(features, (features.sum(1, keepdim=True) > 0).float())
    model = torch.nn.Linear(3, 1)
    engine = PrivacyEngine(accountant="hockeystick")
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=torch.utils.data.DataLoader(dataset, batch_size=16),
        noise_multiplier=1.2,
        max_grad_norm=1.0,
    )
    loss = torch.nn.BCEWithLogitsLoss()
    steps = 0
    for _ in range(3):
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss(model(inputs), labels).backward()
            optimizer.step()
            steps += 1
    assert len(engine.accountant) == steps == 12
    run = hs.dpsgd(noise_multiplier=1.2, sampling_rate=0.25, steps=12)
    assert engine.get_epsilon(1e-5) == run.epsilon(delta=1e-5)
    assert engine.accountant.composition().gdp().mu == run.gdp().mu
