// SPDX-License-Identifier: Apache-2.0
// The driver of instruction_sets.py: a line a question, "name|microseconds of processor time|bits of the answer".
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <vector>

#include "hockeystick/contour.hpp"

using namespace hockeystick;

namespace {

constexpr Direction k_both[] = {Direction::remove, Direction::add};
constexpr int k_rounds = 5;

double microseconds() { return 1e6 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The bits of all numbers of an answer in one.
struct Digest {
    std::uint64_t value = 14695981039346656037U;
    void add(double x) { value = (value ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211U; }
    void add(const Interval& x) { add(x.lower), add(x.upper); }
};

template <class Question>
void ask(const char* name, int repetitions, const Question& question) {
    double least = std::numeric_limits<double>::infinity();
    Digest digest;
    for (int round = 0; round < k_rounds; ++round) {
        const double start = microseconds();
        for (int i = 0; i < repetitions; ++i) digest = question();
        least = std::min(least, (microseconds() - start) / repetitions);
    }
    std::printf("%s|%.3f|%016llx\n", name, least, static_cast<unsigned long long>(digest.value));
}

Digest epsilon(const std::vector<Term>& terms, double delta) {
    Digest digest;
    digest.add(contour_epsilon_bounds(terms, k_both, std::log(delta), 1e-9));
    return digest;
}

Digest profile(const std::vector<Term>& terms, const std::vector<double>& epsilons) {
    Digest digest;
    for (const Interval& x : contour_log_delta_bounds(terms, k_both, epsilons, 1e-9)) digest.add(x);
    return digest;
}

}  // namespace

int main() {
    const std::vector<Term> thousand{{{1.0, 0.01}, 1000}};
    const std::vector<Term> wide{{{6.77, 0.0148}, 201}};
    std::vector<Term> twenty;
    for (int i = 0; i < 20; ++i) twenty.push_back({{1.0 + 0.05 * i, 0.01}, 20});
    std::vector<double> epsilons;
    for (int i = 0; i < 200; ++i) epsilons.push_back(0.02 * i);
    ask("epsilon, sigma 1, q .01, T 1000", 400, [&] { return epsilon(thousand, 1e-5); });
    ask("epsilon at delta 1e-40", 200, [&] { return epsilon(thousand, 1e-40); });
    ask("epsilon, sigma 6.77, q .0148, T 201", 400, [&] { return epsilon(wide, 7.4e-6); });
    ask("epsilon, 20 sigmas, 20 steps each", 20, [&] { return epsilon(twenty, 1e-5); });
    ask("200 points of a profile", 40, [&] { return profile(thousand, epsilons); });
    return 0;
}
