// SPDX-License-Identifier: Apache-2.0
// Balancing reaches p >= f in every group, and the result is dominated by the input at every epsilon.
#include "hockeystick/merge.hpp"

#include <cmath>
#include <ctime>
#include <random>

#include "check.hpp"

namespace {

using namespace hockeystick;

double hockey_stick(const Groups& groups, double epsilon) {
    double sum = 0.0;
    for (std::size_t i = 0; i < groups.p.size(); ++i) {
        const double loss = static_cast<double>(groups.index[i]) * groups.step;
        const double p = groups.p[i] * std::exp(-groups.theta * loss);
        const double q = groups.f[i] * std::exp(-(groups.theta + 1.0) * loss);
        sum += std::max(p - std::exp(epsilon) * q, 0.0);
    }
    return sum;
}

Groups random_groups(unsigned seed, double theta) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    Groups groups{theta, 0.1, {}, {}, {}};
    for (std::int64_t i = -20; i <= 20; ++i) {
        groups.index.push_back(i);
        groups.p.push_back(uniform(random) * std::exp(-0.02 * static_cast<double>(i * i)));
        groups.f.push_back(groups.p.back() * std::exp(0.08 * (uniform(random) - 0.5)));
    }
    return groups;
}

void test_balanced_and_dominated() {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const Groups before = random_groups(seed, seed % 2 ? 0.0 : 3.0);
        Groups after = before;
        balance(after);
        for (std::size_t i = 0; i < after.p.size(); ++i) CHECK(after.p[i] >= after.f[i]);
        // As it is read afterwards: group i at its label, with mass p, so f = p.
        Groups labelled = after;
        labelled.f = labelled.p;
        for (double epsilon = -2.5; epsilon < 2.5; epsilon += 0.03) {
            CHECK(hockey_stick(labelled, epsilon) <= hockey_stick(before, epsilon) * (1.0 + 1e-12) + 1e-15);
        }
    }
}

void test_balanced_input_stays() {
    Groups groups{0.0, 0.1, {0, 1}, {0.5, 0.5}, {0.5, 0.5}};
    balance(groups);
    CHECK_CLOSE(groups.p[0], 0.5, 1e-13);
    CHECK_CLOSE(groups.p[1], 0.5, 1e-13);
}

// Nothing above to borrow from: the group merges downwards instead of claiming its label.
void test_top_group_short_of_its_label() {
    Groups groups{0.0, 0.1, {0, 1}, {0.5, 0.5}, {0.4, 0.52}};
    balance(groups);
    CHECK(groups.p[1] == 0.0 && groups.f[1] == 0.0);
    CHECK_CLOSE(groups.p[0], 1.0, 1e-12);
}

// Losses thousands apart: factors overflow, and no mass may be made of it.
void test_huge_distances() {
    Groups groups{0.001, 1.0, {0, 500, 2000, 4000}, {0.9, 1e-3, 1e-3, 1e-9}, {0.9, 1e-4, 0.0, 0.0}};
    const double before = 0.9 + 1e-3 * std::exp(-0.5) + 1e-3 * std::exp(-2.0) + 1e-9 * std::exp(-4.0);
    balance(groups);
    double after = 0.0;
    for (std::size_t i = 0; i < groups.p.size(); ++i) {
        CHECK(groups.p[i] >= groups.f[i]);
        after += groups.p[i] * std::exp(-0.001 * static_cast<double>(groups.index[i]));
    }
    CHECK(after <= before * (1.0 + 1e-12));
}

// Processor seconds to balance groups between which there is nothing but rounding to trade: no neighbour helps, and
// each would ask all the others.
double seconds_without_partners(std::size_t size) {
    Groups groups{0.0, 1e-22, {}, std::vector<double>(size, 1e-5), std::vector<double>(size, 1e-5)};
    for (std::size_t i = 0; i < size; ++i) groups.index.push_back(static_cast<std::int64_t>(i));
    const std::clock_t start = std::clock();
    balance(groups);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    for (std::size_t i = 0; i < size; ++i) CHECK(groups.p[i] >= groups.f[i]);
    return seconds;
}

// Eight times the groups are eight times the work, not sixty-four times.
void test_work_is_linear_in_the_groups() {
    const double few = seconds_without_partners(5000), many = seconds_without_partners(40000);
    CHECK(many < 24.0 * few + 0.01);
}

}  // namespace

int main() {
    test_work_is_linear_in_the_groups();
    test_huge_distances();
    test_balanced_and_dominated();
    test_balanced_input_stays();
    test_top_group_short_of_its_label();
    return hockeystick_test::failures();
}
