# SPDX-License-Identifier: Apache-2.0
"""The error terms: where each stands in the source, what is left without it, and the tests that are to notice."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """One error term; `certified` selects cases of test_certified*.py for what no C++ test notices.

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
STAGED, LIMITS, LINE = "cpp/src/staged.cpp", "cpp/src/limits.cpp", "cpp/src/line_kernel.cpp"
NODE_ERROR, REAL = "cpp/src/node_error.cpp", "std::exp(log_add(log_add(rule, edges), tails)) + base"
CONVERSION = "cpp/src/renyi_conversion.cpp"

TERMS = (
    Term("contour: repetition", TABLE, LOWER, "value - both - error.tiny_gaussian", ("contour",)),
    Term("contour: tiny Gaussian", TABLE, LOWER, "value - both - error.aliasing", ("contour",)),
    Term("contour: cut-off", TABLE, BOTH, "error.inner_rule + error.rounding;", ("contour",)),
    Term("contour: inner rule", TABLE, BOTH, "error.cut_off + error.rounding;", ("contour",)),
    Term("contour: rounding", TABLE, BOTH, "error.cut_off + error.inner_rule;", ("contour",)),
    Term(
        "contour: rounding of the scale",
        TABLE,
        "const double slack = log_scale_error(at.point) + 4.0 * k_unit_roundoff;",
        "const double slack = 0.0;",
        ("contour",),
    ),
    Term(
        "contour: mass left out above the ceiling",
        TABLE,
        "truncated > -k_infinity ? logaddexp",
        "false ? logaddexp",
        ("contour",),
    ),
    Term(
        "nodes: identities used for M(0) and M(-1)",
        "cpp/src/node_error.cpp",
        "return std::exp(log_add(rule, tails)) + identities;",
        "return std::exp(log_add(rule, tails));",
        ("nodes",),
        small="the bounds on rule and tails are above what both leave out at every setting tried",
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
    ),
    Term(
        "one release: amplified epsilon",
        "cpp/src/subsampled.cpp",
        "k_amplified_error = 10.0 * k_u",
        "k_amplified_error = 0.0 * k_u",
        ("gaussian",),
        "one_sampled",
    ),
    Term(
        "Renyi: rule",
        "cpp/src/renyi_sum.cpp",
        "accuracy_.rule + 3.0 * accuracy_.tail + rounding",
        "3.0 * accuracy_.tail + rounding",
        ("renyi",),
        "renyi",
    ),
    Term(
        "Renyi: tails",
        "cpp/src/renyi_sum.cpp",
        "accuracy_.rule + 3.0 * accuracy_.tail + rounding",
        "accuracy_.rule + rounding",
        ("renyi",),
        "renyi",
    ),
    Term(
        "Renyi: rounding",
        "cpp/src/renyi_sum.cpp",
        "accuracy_.rule + 3.0 * accuracy_.tail + rounding",
        "accuracy_.rule + 3.0 * accuracy_.tail",
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
    ),
    Term(
        "mu: quantiles",
        "cpp/src/implied_mu.hpp",
        "16.0 * k_u * std::max(1.0, std::abs(x))",
        "0.0 * std::abs(x)",
        ("gdp",),
    ),
    Term(
        "mu from below: quantiles",
        "cpp/src/implied_mu.hpp",
        "const double m = x + z - quantile_error(x) - quantile_error(z) - 2.0 * k_u * std::abs(x + z);",
        "const double m = x + z;",
        ("gdp",),
    ),
    Term(
        "fft: left-out mass in company",
        COMPOSE,
        "std::exp(law.rounding) * std::expm1(log_whole)",
        "log_whole",
        ("compose",),
    ),
    Term(
        "dots: a tilt that leaves nothing",
        "cpp/src/finish_atoms.hpp",
        "if (truncated > 0.0) throw",
        "if (false) throw",
        ("fft_engine",),
    ),
    Term(
        "dots: losses in doubt",
        "cpp/src/dots.cpp",
        "{request.offset - error, request.offset + error}",
        "{0.0, 0.0}",
        ("dots",),
    ),
    Term(
        "staged: windows of the blocks",
        STAGED,
        "law.outside_above + law.outside_below + law.truncated",
        "0.0",
        ("staged",),
    ),
    Term("staged: rounding of the blocks", STAGED, "std::expm1(law.rounding) + spread", "0.0", ("staged",)),
    Term(
        "chernoff: mass at infinity",
        "cpp/src/chernoff.cpp",
        "if (log_infinity_mass_ == -k_infinity) return",
        "if (true) return",
        ("fft_engine",),
    ),
    Term(
        "directions: the other one",
        "cpp/src/directions.cpp",
        "if (i != leader && !is_at_most(",
        "if (false && !is_at_most(",
        ("fft_engine",),
    ),
    Term(
        "directions: points that no bound settles",
        "cpp/src/directions.cpp",
        "if (!settled[i]) left.push_back(i);",
        "if (false) left.push_back(i);",
        ("fft_engine",),
        "many_releases",
    ),
    Term(
        "limits: losses in doubt",
        LIMITS,
        "(term.law->greatest_loss() + term.law->loss_error());",
        "term.law->greatest_loss();",
        ("limits",),
    ),
    Term(
        "limits: mass at infinity",
        LIMITS,
        "result.push_back(infinite);",
        "result.push_back({-k_infinity, -k_infinity});",
        ("limits",),
    ),
    Term(
        "limits: every release has its total variation",
        LIMITS,
        "sum += static_cast<double>(term.count) * std::exp(term.law->log_delta_bounds(0.0).upper);",
        "sum += std::exp(term.law->log_delta_bounds(0.0).upper);",
        ("limits",),
    ),
    Term("limits: Pinsker", LIMITS, "std::sqrt(0.5 * divergence)", "std::sqrt(0.25 * divergence)", ("limits",)),
    Term(
        "pmf: what the lattice left out",
        "cpp/src/pmf.cpp",
        "{}, atoms.truncated + law.infinity_mass().upper};",
        "{}, law.infinity_mass().upper};",
        ("pmf",),
    ),
    Term(
        "pmf: mass at infinity",
        "cpp/src/pmf.cpp",
        "const double infinite = -std::expm1(",
        "const double infinite = -0.0 * std::expm1(",
        ("pmf",),
    ),
    Term(
        "jumps: more than are counted",
        "cpp/src/jumps.cpp",
        "if (bound == Bound::upper && most < releases)",
        "if (false && most < releases)",
        ("jumps",),
    ),
    Term(
        "jumps: mass at infinity",
        "cpp/src/jumps.cpp",
        "profile.count_as_infinite(log_infinity_mass(kept_).upper);",
        "",
        ("jumps",),
    ),
    Term(
        "jumps: numbers of jumps that matter little",
        "cpp/src/jumps.cpp",
        "if (line - theta * epsilon <= log_negligible) {",
        "if (line - theta * epsilon <= log_negligible + 9.0) {\n            if (bound_ == Bound::upper) return;",
        ("jumps",),
    ),
    Term(
        "line: rule of every copy",
        LINE,
        "part.count * lane::log_with(1.0 + rule, rule)",
        "0.0 * rule",
        ("line_kernel",),
    ),
    Term("line: sums", LINE, "(lane::log_with(1.0 + noise, noise) + functions)", "functions", ("line_kernel",)),
    Term(
        "line: rounding on top of the rule",
        LINE,
        "noise_of(log_modulus + rounding, inner)",
        "noise_of(log_modulus, inner)",
        ("line_kernel",),
    ),
    Term("line: the mean", LINE, "+ mean_error * t + (", "+ (", ("line_kernel",)),
    Term(
        "line: functions",
        LINE,
        "(lane::log_with(1.0 + noise, noise) + functions)",
        "lane::log_with(1.0 + noise, noise)",
        ("line_kernel",),
    ),
    Term(
        "line: turns",
        LINE,
        "(4.0 * k_unit_roundoff) * lane::absolute(turn)",
        "0.0 * lane::absolute(turn)",
        ("line_kernel",),
    ),
    Term("nodes, real axis: rule", NODE_ERROR, REAL, "std::exp(log_add(edges, tails)) + base", ("nodes",)),
    Term("nodes, real axis: tails", NODE_ERROR, REAL, "std::exp(log_add(rule, edges)) + base", ("nodes",)),
    Term("nodes, real axis: edges", NODE_ERROR, REAL, "std::exp(log_add(rule, tails)) + base", ("nodes",)),
    Term(
        "nodes, real axis: identities", NODE_ERROR, REAL, "std::exp(log_add(log_add(rule, edges), tails))", ("nodes",)
    ),
    Term(
        "Renyi conversion: rounding of the moment",
        CONVERSION,
        "result.rest_free = yes;\n            result.error = result.value * 8.0",
        "result.rest_free = yes;\n            result.error = result.value * 0.0",
        ("renyi",),
        "conversions",
    ),
    Term(
        "Renyi conversion: below the tangents",
        CONVERSION,
        "(usable ? meeting : width);",
        "0.0;",
        ("renyi",),
        "conversions",
    ),
    Term(
        "Renyi conversion: rounding of the improved one",
        CONVERSION,
        "value + 8.0 * k_unit_roundoff * (terms + 1.0 / (at.order - 1.0))",
        "value",
        ("renyi",),
        "conversions",
    ),
    Term(
        "Renyi of a law: errors of the masses",
        "cpp/src/renyi_of_law.cpp",
        "const double error = p_error + std::exp(low.loss) * q_error + 4.0 * k_unit_roundoff * (p + grown);",
        "const double error = 0.0 * (p_error + q_error);",
        ("renyi",),
    ),
    Term(
        "Renyi of a law: beyond the cells",
        "cpp/src/renyi_of_law.cpp",
        "double value = atoms.reverse_mass + std::exp(log_tail);",
        "double value = atoms.reverse_mass;",
        ("renyi",),
    ),
    Term(
        "regret: delta of the Gaussian",
        "cpp/src/gaussian.cpp",
        "const double error = k_u * (24.0 + 8.0 * (epsilon / mu + mu) * density);",
        "const double error = 0.0;",
        ("gdp",),
    ),
    Term(
        "regret: exp of the bounds on delta",
        "cpp/src/regret.cpp",
        "profile.lower[j] = std::exp(running) * (1.0 - 3.0 * k_u);",
        "profile.lower[j] = std::exp(running);",
        ("gdp",),
    ),
    Term(
        "regret: between the points",
        "cpp/src/regret.cpp",
        "if (points.between == Between::linear) {",
        "if (true) {",
        ("gdp",),
        "regret",
    ),
    Term(
        "Clopper-Pearson: rounding",
        "cpp/src/binomial.cpp",
        "return first + error + std::log(tail_over_first_upper(",
        "return first - error + std::log(tail_over_first_upper(",
        ("binomial",),
        "clopper",
    ),
)
