# SPDX-License-Identifier: Apache-2.0
"""The error terms: where each stands in the source, what is left without it, and the tests that are to notice."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """One error term; `certified` selects cases of test_certified.py for what no C++ test notices.

    `small` says why none notices yet: the term then counts as known to go unnoticed.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    certified: str = ""
    small: str = ""


TABLE = "cpp/src/contour_table.cpp"
LOWER = "value - both - error.aliasing - error.tiny_gaussian"
BOTH = "error.cut_off + error.inner_rule + error.rounding;"
PROFILE, COMPOSE = "cpp/src/profile.cpp", "cpp/src/compose.cpp"
DOTS, LATTICE = "cpp/src/dots.cpp", "cpp/src/lattice.cpp"
FFT = ("profile", "compose", "fft_engine")

TERMS = (
    Term("contour: repetition", TABLE, LOWER, "value - both - error.tiny_gaussian", ("contour",)),
    Term("contour: tiny Gaussian", TABLE, LOWER, "value - both - error.aliasing", ("contour",)),
    Term("contour: cut-off", TABLE, BOTH, "error.inner_rule + error.rounding;", ("contour",)),
    Term("contour: inner rule", TABLE, BOTH, "error.cut_off + error.rounding;", ("contour",)),
    Term("contour: rounding", TABLE, BOTH, "error.cut_off + error.inner_rule;", ("contour",)),
    Term(
        "contour: rounding of the scale",
        TABLE,
        "const double slack = log_scale_error(epsilon) + 4.0 * k_unit_roundoff;",
        "const double slack = 0.0;",
        ("contour",),
        small="some 1e-14 in a bracket of 1e-10",
    ),
    Term(
        "contour: mass left out above the ceiling",
        TABLE,
        "truncated > -k_infinity ? logaddexp",
        "false ? logaddexp",
        ("contour",),
        small="below every tolerance by construction",
    ),
    Term(
        "nodes: identities used for M(0) and M(-1)",
        "cpp/src/node_error.cpp",
        "return std::exp(log_add(rule, tails)) + identities;",
        "return std::exp(log_add(rule, tails));",
        ("nodes",),
        small="far below the rule's error",
    ),
    Term(
        "nodes: trapezoid rule",
        "cpp/src/node_error.cpp",
        "return std::exp(log_add(rule, tails)) + identities;",
        "return std::exp(tails) + identities;",
        ("nodes",),
    ),
    Term(
        "nodes: tails",
        "cpp/src/node_error.cpp",
        "return std::exp(log_add(rule, tails)) + identities;",
        "return std::exp(rule) + identities;",
        ("nodes",),
        small="far below the rule's error",
    ),
    Term("fft: mass above the window", PROFILE, "law.outside_above + law.truncated;", "law.truncated;", FFT),
    Term("fft: mass that the dots left out", PROFILE, "law.outside_above + law.truncated;", "law.outside_above;", FFT),
    Term("fft: mass below the window", PROFILE, "truncation += law.outside_below;", "truncation += 0.0;", FFT),
    Term("fft: rounding of the dots", PROFILE, "std::expm1(law.rounding);", "0.0 * law.rounding;", FFT),
    Term("fft: noise of the transforms", PROFILE, "weight_norm(law.theta, law.step) * law.noise", "0.0", FFT),
    Term("fft: noise bound", COMPOSE, "law.noise = noise_bound(product, n, two_norm(law.weights));", "", ("compose",)),
    Term("fft: offset of atoms", PROFILE, "law.offset.upper : law.offset.lower;\n    if", "0.0 : 0.0;\n    if", FFT),
    Term(
        "fft: sums of the scan",
        PROFILE,
        "return 8.0 * k_unit_roundoff * static_cast<double>(law_.weights.size() - index_) * by_p_;",
        "return 0.0;",
        FFT,
    ),
    Term(
        "fft: windows by the cumulant",
        COMPOSE,
        "total += static_cast<double>(factor.count) * std::log1p(excess + error);",
        "total += 0.0 * (excess + error);",
        ("compose",),
    ),
    Term("dots: truncated mass", LATTICE, "complete ? 0.0 : std::exp(log_mass_above(high))", "0.0", ("dots",)),
    Term(
        "dots: P mass rounded up",
        DOTS,
        "cell.p + cell.p_error;\n    const double up",
        "cell.p;\n    const double up",
        ("dots",),
    ),
    Term("dots: up-share rounded up", DOTS, "(cell.p - shifted + error)", "(cell.p - shifted)", ("dots",)),
    Term("dots: optimistic P rounded down", DOTS, "std::max(cell.p - cell.p_error, 0.0)", "cell.p", ("dots",)),
    Term("merge: margin", "cpp/src/merge.cpp", "16.0 * k_unit_roundoff", "0.0", ("merge", "dots")),
    Term(
        "Gaussian profile: rounding",
        "cpp/src/gaussian.cpp",
        "part.relative_error + rounding + truncation",
        "truncation",
        ("gaussian",),
        "gaussian_closed or one_sampled",
    ),
    Term(
        "Gaussian profile: what the low word leaves out",
        "cpp/src/gaussian.cpp",
        "part.relative_error + rounding + truncation",
        "part.relative_error + rounding",
        ("gaussian",),
        "gaussian_closed or one_sampled",
        small="second order in a rounding",
    ),
    Term(
        "one release: amplified epsilon",
        "cpp/src/subsampled.cpp",
        "k_amplified_error = 10.0 * k_u",
        "k_amplified_error = 0.0 * k_u",
        ("gaussian",),
        "one_sampled",
        small="the Gaussian profile's own rounding covers it where tested",
    ),
    Term(
        "Renyi: rule",
        "cpp/src/renyi_sum.cpp",
        "k_rule + 3.0 * k_tail + rounding",
        "3.0 * k_tail + rounding",
        ("renyi",),
        "renyi",
        small="a bound on what is some 1e-18 in truth",
    ),
    Term(
        "Renyi: tails",
        "cpp/src/renyi_sum.cpp",
        "k_rule + 3.0 * k_tail + rounding",
        "k_rule + rounding",
        ("renyi",),
        "renyi",
        small="a bound on what is some 1e-18 in truth",
    ),
    Term(
        "Renyi: rounding",
        "cpp/src/renyi_sum.cpp",
        "k_rule + 3.0 * k_tail + rounding",
        "k_rule + 3.0 * k_tail",
        ("renyi",),
        "renyi",
    ),
    Term(
        "Renyi closed forms: rounding",
        "cpp/src/renyi_closed_forms.cpp",
        "roundoffs * k_unit_roundoff",
        "0.0 * roundoffs",
        ("renyi",),
        "laplace",
    ),
    Term(
        "trade-off curve: outward rounding",
        "cpp/src/rounding.hpp",
        "const double padded = error + 2.0 * k_u * std::abs(value) + std::numeric_limits<double>::denorm_min();",
        "const double padded = 0.0 * error;",
        ("tradeoff", "conjugate"),
        "tradeoff",
        small="the lines' own roundings cover it where tested",
    ),
    Term(
        "mu: quantile of the rates",
        "cpp/src/gdp.cpp",
        "return std::isinf(x) ? x : x + quantile_error(x);",
        "return x;",
        ("gdp",),
        "pure",
        small="the rounding of the curve covers it where tested",
    ),
    Term(
        "mu from below: quantiles",
        "cpp/src/mu_lower.cpp",
        "const double m = x + z - quantile_error(x) - quantile_error(z) - 2.0 * k_u * std::abs(x + z);",
        "const double m = x + z;",
        ("gdp",),
        "pure",
        small="the rounding of the curve covers it where tested",
    ),
)
