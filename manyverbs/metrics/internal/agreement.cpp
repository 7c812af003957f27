// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/agreement.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include "manyverbs/metrics/internal/undefined.h"

namespace manyverbs {
namespace {

using metrics_internal::kUndefined;

// The number of agreeing pairs of raters of a unit; each pair counts in both orders.
double agreeing_pairs(std::span<const int> counts) {
  double pairs = 0;
  for (const int count : counts) pairs += static_cast<double>(count) * (count - 1);
  return pairs;
}

// Sums shared by both measures, over units with at least two raters.
struct Totals {
  explicit Totals(std::size_t count) : categories(count) {}

  void add(std::span<const int> row) {
    const double people = std::accumulate(row.begin(), row.end(), 0);
    if (people < 2) return;
    const double pairs = agreeing_pairs(row);
    units += 1;
    ratings += people;
    agreement += pairs / (people * (people - 1));
    weighted_agreement += pairs / (people - 1);
    for (std::size_t j = 0; j < row.size(); ++j) categories[j] += row[j];
  }

  double units = 0;
  double ratings = 0;
  double agreement = 0;           // sum over units of the share of agreeing pairs
  double weighted_agreement = 0;  // the same, weighted by the number of ratings
  std::vector<double> categories;
};

Totals totals_of(const Matrix<int>& counts) {
  Totals totals(counts.columns());
  for (std::size_t i = 0; i < counts.rows(); ++i) totals.add(counts.row(i));
  return totals;
}

bool is_one_category(const Totals& totals) {
  return std::count_if(totals.categories.begin(), totals.categories.end(),
                       [](double count) { return count > 0; }) < 2;
}

double kappa_of(const Totals& totals) {
  if (is_one_category(totals)) return kUndefined;
  double chance = 0;
  for (const double count : totals.categories) {
    chance += (count / totals.ratings) * (count / totals.ratings);
  }
  return (totals.agreement / totals.units - chance) / (1 - chance);
}

double alpha_of(const Totals& totals) {
  if (is_one_category(totals)) return kUndefined;
  const double all = totals.ratings;
  double same_by_chance = 0;
  for (const double count : totals.categories) same_by_chance += count * (count - 1);
  const double observed = 1 - totals.weighted_agreement / all;
  const double expected = 1 - same_by_chance / (all * (all - 1));
  return 1 - observed / expected;
}

bool contains(std::span<const ClassId> verbs, ClassId verb) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

// The mean of the defined values.
class Mean {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    count_ += 1;
  }
  double value() const { return count_ > 0 ? sum_ / count_ : kUndefined; }

 private:
  double sum_ = 0;
  double count_ = 0;
};

}  // namespace

double fleiss_kappa(const Matrix<int>& counts) { return kappa_of(totals_of(counts)); }

double krippendorff_alpha(const Matrix<int>& counts) { return alpha_of(totals_of(counts)); }

Agreement agreement(std::span<const ClipChoices> clips, int num_classes) {
  std::vector<std::vector<int>> chosen;
  std::vector<ClipCounts> counts;
  for (const ClipChoices& clip : clips) {
    std::vector<int> times;
    for (const ClassId verb : clip.candidates) {
      times.push_back(static_cast<int>(
          std::count_if(clip.chosen.begin(), clip.chosen.end(),
                        [&](const std::vector<ClassId>& each) { return contains(each, verb); })));
    }
    chosen.push_back(std::move(times));
    counts.push_back({clip.candidates, chosen.back(), static_cast<int>(clip.chosen.size())});
  }
  return agreement_of_counts(counts, num_classes);
}

Agreement agreement_of_counts(std::span<const ClipCounts> clips, int num_classes) {
  std::vector<Totals> by_verb(num_classes, Totals(2));
  Totals pooled(2);
  Mean per_clip;
  for (const ClipCounts& clip : clips) {
    Totals own(2);
    for (std::size_t k = 0; k < clip.candidates.size(); ++k) {
      assert(clip.candidates[k] >= 0 && clip.candidates[k] < num_classes);
      const std::array<int, 2> unit = {clip.chosen[k], clip.people - clip.chosen[k]};
      own.add(unit);
      by_verb[clip.candidates[k]].add(unit);
      pooled.add(unit);
    }
    per_clip.add(kappa_of(own));
  }
  Mean per_verb;
  for (const Totals& totals : by_verb) per_verb.add(kappa_of(totals));
  return {per_verb.value(), kappa_of(pooled), per_clip.value(), alpha_of(pooled)};
}

SharedDecisions& SharedDecisions::operator+=(const SharedDecisions& more) {
  units += more.units;
  same += more.same;
  chosen += more.chosen;
  chosen_by_others += more.chosen_by_others;
  return *this;
}

double SharedDecisions::kappa() const {
  const double p = chosen / units;
  const double q = chosen_by_others / units;
  const double chance = p * q + (1 - p) * (1 - q);
  // NaN without units, because p and q are NaN.
  return chance < 1 ? (same / units - chance) / (1 - chance) : kUndefined;
}

SharedDecisions shared_decisions(const SharedClip& clip) {
  SharedDecisions sums;
  if (clip.others.empty()) return sums;
  for (const ClassId verb : clip.candidates) {
    const auto count = static_cast<double>(
        std::count_if(clip.others.begin(), clip.others.end(),
                      [&](std::span<const ClassId> other) { return contains(other, verb); }));
    const double share = count / static_cast<double>(clip.others.size());
    const bool is_chosen = contains(clip.chosen, verb);
    sums.units += 1;
    sums.same += is_chosen ? share : 1 - share;
    sums.chosen += is_chosen ? 1 : 0;
    sums.chosen_by_others += share;
  }
  return sums;
}

double kappa_with_others(std::span<const SharedClip> clips) {
  SharedDecisions sums;
  for (const SharedClip& clip : clips) sums += shared_decisions(clip);
  return sums.kappa();
}

}  // namespace manyverbs
