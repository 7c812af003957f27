// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/agreement.h"

#include <algorithm>
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
  double units = 0;
  double ratings = 0;
  double agreement = 0;           // sum over units of the share of agreeing pairs
  double weighted_agreement = 0;  // the same, weighted by the number of ratings
  std::vector<double> categories;
};

Totals totals_of(const Matrix<int>& counts) {
  Totals totals;
  totals.categories.resize(counts.columns());
  for (std::size_t i = 0; i < counts.rows(); ++i) {
    const std::span<const int> row = counts.row(i);
    const double people = std::accumulate(row.begin(), row.end(), 0);
    if (people < 2) continue;
    const double pairs = agreeing_pairs(row);
    totals.units += 1;
    totals.ratings += people;
    totals.agreement += pairs / (people * (people - 1));
    totals.weighted_agreement += pairs / (people - 1);
    for (std::size_t j = 0; j < row.size(); ++j) totals.categories[j] += row[j];
  }
  return totals;
}

bool is_one_category(const Totals& totals) {
  return std::count_if(totals.categories.begin(), totals.categories.end(),
                       [](double count) { return count > 0; }) < 2;
}

Matrix<int> counts_of(const std::vector<std::pair<int, int>>& units) {
  Matrix<int> counts(units.size(), 2);
  for (std::size_t i = 0; i < units.size(); ++i) {
    counts(i, 0) = units[i].first;
    counts(i, 1) = units[i].second;
  }
  return counts;
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

double fleiss_kappa(const Matrix<int>& counts) {
  const Totals totals = totals_of(counts);
  if (is_one_category(totals)) return kUndefined;
  double chance = 0;
  for (const double count : totals.categories) {
    chance += (count / totals.ratings) * (count / totals.ratings);
  }
  return (totals.agreement / totals.units - chance) / (1 - chance);
}

double krippendorff_alpha(const Matrix<int>& counts) {
  const Totals totals = totals_of(counts);
  if (is_one_category(totals)) return kUndefined;
  const double all = totals.ratings;
  double same_by_chance = 0;
  for (const double count : totals.categories) same_by_chance += count * (count - 1);
  const double observed = 1 - totals.weighted_agreement / all;
  const double expected = 1 - same_by_chance / (all * (all - 1));
  return 1 - observed / expected;
}

Agreement agreement(std::span<const ClipChoices> clips, int num_classes) {
  std::vector<std::vector<std::pair<int, int>>> by_verb(num_classes);
  std::vector<std::pair<int, int>> all;
  Mean per_clip;
  for (const ClipChoices& clip : clips) {
    const int people = static_cast<int>(clip.chosen.size());
    std::vector<std::pair<int, int>> units;
    for (const ClassId verb : clip.candidates) {
      assert(verb >= 0 && verb < num_classes);
      const auto chose =
          std::count_if(clip.chosen.begin(), clip.chosen.end(),
                        [&](const std::vector<ClassId>& chosen) { return contains(chosen, verb); });
      units.emplace_back(static_cast<int>(chose), people - static_cast<int>(chose));
      by_verb[verb].push_back(units.back());
    }
    per_clip.add(fleiss_kappa(counts_of(units)));
    all.insert(all.end(), units.begin(), units.end());
  }
  Mean per_verb;
  for (const auto& units : by_verb) per_verb.add(fleiss_kappa(counts_of(units)));
  const Matrix<int> pooled = counts_of(all);
  return {per_verb.value(), fleiss_kappa(pooled), per_clip.value(), krippendorff_alpha(pooled)};
}

double kappa_with_others(std::span<const SharedClip> clips) {
  double units = 0;
  double same = 0;
  double chosen = 0;            // by the person
  double chosen_by_others = 0;  // mean over the others
  for (const SharedClip& clip : clips) {
    if (clip.others.empty()) continue;
    for (const ClassId verb : clip.candidates) {
      const auto count = static_cast<double>(
          std::count_if(clip.others.begin(), clip.others.end(),
                        [&](std::span<const ClassId> other) { return contains(other, verb); }));
      const double share = count / static_cast<double>(clip.others.size());
      const bool is_chosen = contains(clip.chosen, verb);
      units += 1;
      same += is_chosen ? share : 1 - share;
      chosen += is_chosen ? 1 : 0;
      chosen_by_others += share;
    }
  }
  const double p = chosen / units;
  const double q = chosen_by_others / units;
  const double chance = p * q + (1 - p) * (1 - q);
  // NaN without units, because p and q are NaN.
  return chance < 1 ? (same / units - chance) / (1 - chance) : kUndefined;
}

}  // namespace manyverbs
