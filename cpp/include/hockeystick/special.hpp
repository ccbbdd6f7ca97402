// SPDX-License-Identifier: Apache-2.0
#pragma once

// Normal-distribution functions in the log domain.
//
// Errors are stated in u = 2^-53 and hold for inputs taken as exact, on a libm whose exp, expm1, log, log1p and sqrt
// err by at most 2u relative (glibc, musl, macOS and MSVC do); each statement is proved by counting roundings in
// special.cpp, and tests/cpp/test_special.cpp measures it. All functions are pure and may run on any thread; each
// costs 5 to 40 ns. NaN in, or an argument outside the domain, gives NaN. A result whose magnitude is below the least
// normal double is right to one denormal only.

namespace hockeystick {

// log(1 - e^x), x <= 0 (log1mexp(0) = -inf). Relative error 6u.
double log1mexp(double x);

// log(e^a + e^b); -inf and +inf are allowed. Absolute error 4u max(1, |result|).
double logaddexp(double a, double b);

// R(t) = (1 - Phi(t)) / phi(t). Relative error 4u for t >= -1 and 8u below; +inf where R overflows (t < -37.6).
double mills_ratio(double t);

// -R'(t) = 1 - t R(t) > 0, for t >= -1 without cancellation. Relative error 5u. NaN for t < -1.
double mills_slope(double t);

// e^{x^2} erfc(x). Relative error 8u; +inf where it overflows (x < -26.6).
double erfcx(double x);

// log Phi(x), all x. Relative error 12u.
double log_normal_cdf(double x);

// x with log Phi(x) = log_p, log_p in [-inf, 0]. Absolute error 16u max(1, |x|).
double normal_quantile_of_log(double log_p);

// x with log(1 - Phi(x)) = log_q, for probabilities whose complement is what is known: -normal_quantile_of_log(log_q).
double normal_quantile_of_log_complement(double log_q);

}  // namespace hockeystick
