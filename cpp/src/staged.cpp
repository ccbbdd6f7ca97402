// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/staged.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/alignment.hpp"
#include "hockeystick/fft.hpp"
#include "stage_plan.hpp"

namespace hockeystick {
namespace {

using namespace stage_plan;

// One question on its way through the stages: the dots of each term, then those of the block and the remainder.
struct Work {
    const TiltedQuestion* question;
    Prepared* prepared;
    Plan plan;
    std::vector<DotsPair> dots;
    std::vector<DotsPair> coarse;

    void connect() {
        for (int attempt = 0; attempt < k_most_retries; ++attempt) {
            dots.clear();
            double inflation = 0.0;
            for (std::size_t i = 0; i < question->terms.size(); ++i) {
                dots.push_back(connect_the_dots(*question->terms[i].law,
                                                request_for(*question, i, plan.step, prepared->negligible)));
                inflation += static_cast<double>(question->terms[i].count) *
                             (dots.back().pessimistic.log_mass - dots.back().optimistic.log_mass);
            }
            const double softer = question->tilt.theta / (question->saddle * prepared->refinement);
            const double allowed = prepared->width * (plan.factor > 1 ? 0.5 : 1.0) * softer * softer;
            // The last dots stand, whatever they cost: the step must be the one that they were made with.
            if (plan.exact || inflation <= k_overrun * allowed || attempt + 1 == k_most_retries) return;
            const double ratio = std::clamp(std::sqrt(0.8 * allowed / inflation), 1.0 / 16.0, 0.8);
            if (length_of(plan.total, plan.step * ratio) > k_longest_window) return;
            plan.step = aligned_step(question->terms, plan.step * ratio);
            if (plan.factor > 1) plan.factor = static_cast<std::int64_t>(static_cast<double>(plan.factor) / ratio);
        }
    }
};

enum class Side { pessimistic, optimistic };

const TiltedAtoms& side_of(const DotsPair& pair, Side side) {
    return side == Side::pessimistic ? pair.pessimistic : pair.optimistic;
}

Composition whole(const Work& work, Product product, double step) {
    const TiltedQuestion& question = *work.question;
    return on_window(std::move(product), question.tilt.theta, step, work.plan.total.orders, work.prepared->negligible,
                     question.least_epsilon, question.most_epsilon);
}

Composition single_stage(const Work& work, Side side) {
    Product product;
    for (std::size_t i = 0; i < work.dots.size(); ++i) {
        product.push_back({&side_of(work.dots[i], side), work.question->terms[i].count});
    }
    return whole(work, std::move(product), work.plan.step);
}

// The block (floor(T_i / blocks) copies of each law) or the remainder (the rest, perhaps nothing).
Product first_stage_product(const Work& work, Side side, std::uint64_t blocks, bool remainder) {
    Product product;
    for (std::size_t i = 0; i < work.dots.size(); ++i) {
        const std::uint64_t count = work.question->terms[i].count;
        const std::uint64_t share = remainder ? count % blocks : count / blocks;
        if (share > 0) product.push_back({&side_of(work.dots[i], side), share});
    }
    return product;
}

// Coarsens one first-stage law and carries its ledger over: all that was missing or misplaced in one block.
TiltedAtoms coarsened(ComposedLaw& law, Side side, std::int64_t factor) {
    for (double& weight : law.weights) weight = std::max(weight, 0.0);
    TiltedAtoms atoms = side == Side::pessimistic
                            ? coarsen_pessimistic(law.weights, law.first, law.theta, law.step, factor)
                            : coarsen_optimistic(law.weights, law.first, law.theta, law.step, factor);
    const double spread = std::sqrt(static_cast<double>(law.weights.size())) * law.noise;
    atoms.log_mass += law.log_mass;
    atoms.offset = law.offset;
    atoms.truncated += law.outside_above + law.outside_below + law.truncated;
    atoms.rounding += std::expm1(law.rounding) + spread;
    return atoms;
}

std::vector<ComposedLaw> compose_all(std::span<const Composition> compositions) {
    std::size_t longest = 0;
    for (const Composition& composition : compositions) longest = std::max(longest, composition.length);
    return compose(compositions, good_fft_size(longest));
}

std::vector<Bracket> pair_up(std::vector<ComposedLaw> laws) {
    std::vector<Bracket> brackets;
    for (std::size_t i = 0; i + 1 < laws.size(); i += 2) {
        brackets.push_back({std::move(laws[i]), std::move(laws[i + 1])});
    }
    return brackets;
}

std::vector<Bracket> one_stage(const std::vector<Work>& works) {
    std::vector<Composition> compositions;
    for (const Work& work : works) {
        compositions.push_back(single_stage(work, Side::pessimistic));
        compositions.push_back(single_stage(work, Side::optimistic));
    }
    std::vector<Bracket> brackets = pair_up(compose_all(compositions));
    for (std::size_t i = 0; i < works.size(); ++i) brackets[i].exact = works[i].plan.exact;
    return brackets;
}

void run_first_stage(std::vector<Work>& works, std::uint64_t blocks) {
    std::vector<Composition> compositions;
    for (const Work& work : works) {
        for (const Side side : {Side::pessimistic, Side::optimistic}) {
            for (const bool remainder : {false, true}) {
                Product product = first_stage_product(work, side, blocks, remainder);
                if (product.empty()) continue;
                const double negligible = work.prepared->negligible / static_cast<double>(remainder ? 1 : blocks);
                compositions.push_back(on_window(std::move(product), work.question->tilt.theta, work.plan.step,
                                                 work.plan.block.orders, negligible, k_infinity, -k_infinity));
            }
        }
    }
    std::vector<ComposedLaw> laws = compose_all(compositions);
    const std::size_t each = laws.size() / works.size() / 2;
    for (std::size_t w = 0; w < works.size(); ++w) {
        for (std::size_t k = 0; k < each; ++k) {
            works[w].coarse.push_back(
                {coarsened(laws[2 * each * w + k], Side::pessimistic, works[w].plan.factor),
                 coarsened(laws[2 * each * w + each + k], Side::optimistic, works[w].plan.factor)});
        }
    }
}

std::vector<Bracket> second_stage(const std::vector<Work>& works, std::uint64_t blocks) {
    std::vector<Composition> compositions;
    for (const Work& work : works) {
        const double step = work.plan.step * static_cast<double>(work.plan.factor);
        for (const Side side : {Side::pessimistic, Side::optimistic}) {
            Product product{{&side_of(work.coarse[0], side), blocks}};
            if (work.coarse.size() > 1) product.push_back({&side_of(work.coarse[1], side), 1});
            compositions.push_back(whole(work, std::move(product), step));
        }
    }
    return pair_up(compose_all(compositions));
}

}  // namespace

std::vector<Bracket> compose_in_stages(std::span<const TiltedQuestion> questions, double refinement) {
    std::vector<Prepared> prepared;
    prepared.reserve(questions.size());
    double blocks = 1.0;
    for (const TiltedQuestion& question : questions) {
        prepared.emplace_back(question, refinement);
        blocks = std::max(blocks, best_blocks(prepared.back()));
    }
    std::vector<Work> works;
    for (Prepared& each : prepared) {
        works.push_back({each.question, &each, plan_for(each, blocks), {}, {}});
        works.back().connect();
    }
    if (blocks == 1.0) return one_stage(works);
    run_first_stage(works, static_cast<std::uint64_t>(blocks));
    return second_stage(works, static_cast<std::uint64_t>(blocks));
}

}  // namespace hockeystick
