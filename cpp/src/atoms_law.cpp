// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/atoms_law.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "hockeystick/gaussian.hpp"
#include "hockeystick/special.hpp"
#include "interval.hpp"

namespace hockeystick {
namespace {

using detail::scaled;
using detail::sum;

// Losses this close are one: less than what just_below steps over.
constexpr double k_same = 8.0 * k_unit_roundoff;
constexpr double k_least_sum_error = 1e-9;
// A common spacing is looked for down to this part of the range.
constexpr double k_finest_spacing = 1.0 / (1 << 22);

// Covers the roundings of a tilted sum, relative to its log.
constexpr double k_tilt_slack = 1e-9;

double tolerance_at(double loss) { return k_same * std::fabs(loss); }

// sums[i] = values[0] + ... + values[i - 1], compensated; from the back for suffixes.
template <class Iterator>
std::vector<double> running_sums(Iterator begin, Iterator end) {
    std::vector<double> sums{0.0};
    double sum = 0.0, rest = 0.0;
    for (Iterator it = begin; it != end; ++it) {
        const double next = sum + *it;
        rest += std::fabs(sum) >= std::fabs(*it) ? (sum - next) + *it : (*it - next) + sum;
        sum = next;
        sums.push_back(sum + rest);
    }
    return sums;
}

// The largest step of which all gaps are multiples, by Euclid; 0 if there is none as coarse as asked.
double gap_divisor(std::span<const Atom> atoms) {
    const double range = atoms.back().loss - atoms.front().loss;
    const double rounding =
        16.0 * k_unit_roundoff * std::max(std::fabs(atoms.back().loss), std::fabs(atoms.front().loss));
    double step = range;
    for (std::size_t i = 1; i < atoms.size(); ++i) {
        double a = step, b = std::fabs(std::remainder(atoms[i].loss - atoms.front().loss, step));
        while (b > std::max(k_finest_spacing * range, 64.0 * rounding)) {
            const double rest = std::fabs(std::remainder(a, b));
            a = b;
            b = rest;
        }
        if (b > 64.0 * rounding) return 0.0;
        step = a;
    }
    return step;
}

class AtomsLaw final : public LossLaw {
public:
    explicit AtomsLaw(AtomTable table);

    TailMasses tails(double loss) const override {
        const auto beyond = std::upper_bound(atoms_.begin(), atoms_.end(), loss + tolerance_at(loss),
                                             [](double value, const Atom& atom) { return value < atom.loss; });
        const auto at = static_cast<std::size_t>(beyond - atoms_.begin());
        return {p_below_[at], p_above_[atoms_.size() - at], q_below_[at], q_above_[atoms_.size() - at],
                relative_error_};
    }
    double least_loss() const override { return atoms_.empty() ? 0.0 : atoms_.front().loss; }
    double greatest_loss() const override { return atoms_.empty() ? 0.0 : atoms_.back().loss; }
    Interval infinity_mass() const override { return infinity_mass_; }
    Interval vanishing_mass() const override { return vanishing_mass_; }
    double log_tilted_mass_above_upper(double loss, double theta) const override;
    double log_tilted_mass_below_upper(double loss, double theta) const override;
    double loss_error() const override { return loss_error_; }
    double gaussian_mu() const override { return gaussian_mu_; }
    Interval log_delta_bounds(double epsilon) const override {
        Interval bounds = LossLaw::log_delta_bounds(epsilon);
        if (std::isfinite(gaussian_mu_)) {
            bounds.upper = std::min(bounds.upper, gaussian_log_delta_bounds(epsilon, gaussian_mu_).upper);
        }
        return bounds;
    }
    Spacing spacing() const override { return spacing_; }
    std::span<const Atom> atoms() const override { return atoms_; }

private:
    std::vector<Atom> atoms_;
    std::vector<double> p_below_, p_above_, q_below_, q_above_;
    Interval infinity_mass_;
    Interval vanishing_mass_;
    double relative_error_;
    double loss_error_;
    double gaussian_mu_;
    Spacing spacing_;
};

// Sorted by loss, empty ones dropped, equal ones merged.
std::vector<Atom> merged_atoms(const AtomTable& table) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < table.loss.size(); ++i) {
        if (table.log_p[i] > -k_infinity) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return table.loss[a] < table.loss[b]; });
    std::vector<Atom> atoms;
    for (const std::size_t i : order) {
        if (!atoms.empty() && table.loss[i] - atoms.back().loss <= tolerance_at(table.loss[i])) {
            atoms.back().log_mass = logaddexp(atoms.back().log_mass, table.log_p[i]);
        } else {
            atoms.push_back({table.loss[i], table.log_p[i]});
        }
    }
    return atoms;
}

void check_sum(const char* name, double sum, double error) {
    if (!(std::fabs(sum - 1.0) <= k_least_sum_error + error)) {
        throw std::invalid_argument(std::string("the masses of ") + name + " must sum to 1, got " +
                                    std::to_string(sum));
    }
}

AtomsLaw::AtomsLaw(AtomTable table)
    : atoms_(merged_atoms(table)), infinity_mass_(table.infinity_mass), vanishing_mass_(table.vanishing_mass) {
    std::vector<double> p, q;
    double largest = 0.0;
    for (const Atom& atom : atoms_) {
        p.push_back(std::exp(atom.log_mass));
        q.push_back(std::exp(atom.log_mass - atom.loss));
        // What is far below the least double has no say.
        largest = std::max(largest, std::min(std::fabs(atom.log_mass), 800.0) + std::min(std::fabs(atom.loss), 800.0));
    }
    p_below_ = running_sums(p.begin(), p.end());
    p_above_ = running_sums(p.rbegin(), p.rend());
    q_below_ = running_sums(q.begin(), q.end());
    q_above_ = running_sums(q.rbegin(), q.rend());
    check_sum("P", p_below_.back() + infinity_mass_.upper, table.relative_error);
    check_sum("Q", q_below_.back() + vanishing_mass_.upper, table.relative_error + 2.0 * table.loss_error);
    loss_error_ = table.loss_error;
    gaussian_mu_ = table.gaussian_mu;
    // Compensated sums of non-negative terms; exponents of size `largest` in the masses.
    // An atom may be taken to sit up to tolerance_at away, too.
    relative_error_ = table.relative_error + k_unit_roundoff * (8.0 + 12.0 * largest);
    if (atoms_.size() == 1) spacing_ = {atoms_.front().loss, 0.0};
    if (atoms_.size() > 1) spacing_ = {atoms_.back().loss, gap_divisor(atoms_)};
}

double AtomsLaw::log_tilted_mass_above_upper(double loss, double theta) const {
    double total = -k_infinity;
    for (auto it = atoms_.rbegin(); it != atoms_.rend() && it->loss > loss; ++it) {
        total = logaddexp(total, it->log_mass + theta * it->loss);
    }
    return detail::padded(total, k_tilt_slack);
}

double AtomsLaw::log_tilted_mass_below_upper(double loss, double theta) const {
    double total = -k_infinity;
    for (auto it = atoms_.begin(); it != atoms_.end() && it->loss <= loss + tolerance_at(loss); ++it) {
        total = logaddexp(total, it->log_mass - (1.0 + theta) * it->loss);
    }
    return detail::padded(total, k_tilt_slack);
}

}  // namespace

LawHandle atoms_law(AtomTable table) { return std::make_shared<AtomsLaw>(std::move(table)); }

AtomTable table_of(const LossLaw& law) {
    AtomTable table;
    for (const Atom& atom : law.atoms()) {
        table.loss.push_back(atom.loss);
        table.log_p.push_back(atom.log_mass);
    }
    table.infinity_mass = law.infinity_mass();
    table.vanishing_mass = law.vanishing_mass();
    table.relative_error = law.tails(0.0).relative_error;
    table.loss_error = law.loss_error();
    return table;
}

AtomTable reversed_table(const AtomTable& table) {
    AtomTable result{{}, {}, table.vanishing_mass, table.infinity_mass, table.relative_error, table.loss_error};
    for (std::size_t i = 0; i < table.loss.size(); ++i) {
        result.loss.push_back(-table.loss[i]);
        result.log_p.push_back(table.log_p[i] - table.loss[i]);
    }
    return result;
}

AtomTable poisson_table(const AtomTable& base, double sampling_rate) {
    AtomTable result{
        {}, {}, scaled(base.infinity_mass, sampling_rate), {0.0, 0.0}, base.relative_error, base.loss_error};
    result.relative_error += 8.0 * k_unit_roundoff;
    for (std::size_t i = 0; i < base.loss.size(); ++i) {
        const double loss = std::log1p(sampling_rate * std::expm1(base.loss[i]));
        result.loss.push_back(loss);
        result.log_p.push_back(base.log_p[i] - base.loss[i] + loss);
    }
    if (base.vanishing_mass.upper > 0.0) {
        result.loss.push_back(std::log1p(-sampling_rate));
        result.log_p.push_back(std::log(base.vanishing_mass.upper) + result.loss.back());
    }
    return result;
}

AtomTable merged_table(const AtomTable& remove) {
    AtomTable result{{}, {}, remove.infinity_mass, remove.infinity_mass, remove.relative_error, remove.loss_error};
    std::vector<double> balance{1.0, -remove.infinity_mass.upper};
    for (std::size_t i = 0; i < remove.loss.size(); ++i) {
        if (!(remove.loss[i] > 0.0)) continue;
        for (const double sign : {1.0, -1.0}) {
            result.loss.push_back(sign * remove.loss[i]);
            result.log_p.push_back(sign > 0.0 ? remove.log_p[i] : remove.log_p[i] - remove.loss[i]);
            balance.push_back(-std::exp(result.log_p.back()));
        }
    }
    const double rest = running_sums(balance.begin(), balance.end()).back();
    if (rest > 0.0) {
        result.loss.push_back(0.0);
        result.log_p.push_back(std::log(rest));
        // What is left of 1 carries the roundings of all the others.
        result.relative_error += 8.0 * k_unit_roundoff / rest;
    }
    return result;
}

AtomTable mixture_table(const std::vector<AtomTable>& tables, const std::vector<double>& weights) {
    AtomTable result;
    for (std::size_t k = 0; k < tables.size(); ++k) {
        for (std::size_t i = 0; i < tables[k].loss.size(); ++i) {
            result.loss.push_back(tables[k].loss[i]);
            result.log_p.push_back(tables[k].log_p[i] + std::log(weights[k]));
        }
        result.infinity_mass = sum(result.infinity_mass, scaled(tables[k].infinity_mass, weights[k]));
        result.vanishing_mass = sum(result.vanishing_mass, scaled(tables[k].vanishing_mass, weights[k]));
        result.relative_error = std::max(result.relative_error, tables[k].relative_error);
        result.loss_error = std::max(result.loss_error, tables[k].loss_error);
    }
    result.relative_error += 4.0 * k_unit_roundoff;
    return result;
}

}  // namespace hockeystick
