# SPDX-License-Identifier: Apache-2.0
"""mu and regret, from the mechanism."""

import pytest
from settings import MU_AT_1E_10, THOUSAND


@pytest.mark.parametrize(("floor", "mu"), [(1e-3, 0.4438963389), (1e-6, 0.4739677265), (1e-10, MU_AT_1E_10)])
def test_fit(benchmark, floor, mu):
    benchmark.group = "mu and regret"
    mechanism = THOUSAND.build()
    fit = benchmark(lambda: mechanism.gdp(fpr_floor=floor))
    assert mu <= fit.mu <= mu + 1e-3
    assert fit.regret_lower <= fit.regret
