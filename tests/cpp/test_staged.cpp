// SPDX-License-Identifier: Apache-2.0
// Two stages: what the first one left out, misplaced or rounded is in the ledger of the second, once a block.
#include "hockeystick/staged.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/profile.hpp"
#include "stage_plan.hpp"

namespace {

using namespace hockeystick;

void test_the_ledger_of_the_first_stage_is_carried_over() {
    const Term run{{0.8, 0.001}, 1000000};
    const std::vector<LawTerm> laws = laws_of(std::span(&run, 1), Direction::remove);
    CumulantEstimate cumulant(laws);
    const CumulantEstimate::Saddle saddle = cumulant.saddle_of_delta(-14.0);
    const TiltedQuestion question{laws,           {saddle.theta, 0.0}, saddle.theta, 1e-3,
                                  saddle.epsilon, saddle.epsilon,      &cumulant};
    stage_plan::Prepared prepared(question, 1.0);
    const double blocks = stage_plan::best_blocks(prepared);
    CHECK(blocks > 1.0);
    const Bracket bracket = compose_in_stages(std::span(&question, 1), 1.0).front();
    for (const ComposedLaw* law : {&bracket.pessimistic, &bracket.optimistic}) {
        // Both sides of the window of every block, and of the remainder; the dots add a part of one side.
        CHECK(law->truncated >= 2.0 * prepared.negligible);
        CHECK(law->truncated <= 6.0 * prepared.negligible);
        // At least the dozen roundings of every weight of every release, the noise of the blocks' transforms, and more.
        CHECK(law->rounding >= 12.0 * k_unit_roundoff * 1e6);
        CHECK(law->rounding < 1e-6);
    }
}

}  // namespace

int main() {
    test_the_ledger_of_the_first_stage_is_carried_over();
    return hockeystick_test::failures();
}
