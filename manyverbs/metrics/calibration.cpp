// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/calibration.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "manyverbs/metrics/internal/shares.h"
#include "manyverbs/metrics/internal/undefined.h"
#include "manyverbs/metrics/metrics.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

using metrics_internal::kUndefined;
using metrics_internal::shares;

// Clips with a label at which its own function counts as much as the common one.
constexpr double kClipsOfHalfWeight = 20;
constexpr std::size_t kBins = 15;

// Scores from `from` upwards that have one value.
struct Block {
  float from;
  double hits;
  double count;
  double mean() const { return hits / count; }
};

Matrix<float> share_rows(const Matrix<float>& numbers) {
  Matrix<float> rows(numbers.rows(), numbers.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::vector<double> row = shares(numbers.row(i));
    std::transform(row.begin(), row.end(), rows.row(i).begin(),
                   [](double share) { return static_cast<float>(share); });
  }
  return rows;
}

// The mean over the labels of a clip.
double brier(std::span<const float> row, const std::vector<ClassId>& labels) {
  double squares = 0;
  for (const float value : row) squares += double{value} * value;
  double of_labels = 0;
  for (const ClassId label : labels) of_labels += row[label];
  return squares - 2 * of_labels / static_cast<double>(labels.size()) + 1;
}

}  // namespace

double StepFunction::at(float x) const {
  const auto next = std::upper_bound(from.begin(), from.end(), x);
  return values[next == from.begin() ? 0 : next - from.begin() - 1];
}

// Adjacent blocks are pooled until their means ascend.
StepFunction isotonic_fit(std::span<const float> scores, const std::vector<bool>& hits) {
  assert(!scores.empty() && scores.size() == hits.size());
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < order.size();) {
    Block block{scores[order[i]], 0, 0};
    for (; i < order.size() && scores[order[i]] == block.from; ++i) {
      block.hits += hits[order[i]] ? 1 : 0;
      ++block.count;
    }
    while (!blocks.empty() && blocks.back().mean() >= block.mean()) {
      block = {blocks.back().from, blocks.back().hits + block.hits,
               blocks.back().count + block.count};
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  StepFunction fit;
  for (const Block& block : blocks) {
    fit.from.push_back(block.from);
    fit.values.push_back(block.mean());
  }
  return fit;
}

Calibration calibration(const Matrix<float>& probabilities, std::span<const ClassId> labels) {
  assert(probabilities.rows() == labels.size());
  if (labels.empty()) throw Error("a calibration requires validation clips, found none");
  require_finite(probabilities);
  std::vector<bool> all_hits;
  for (const ClassId label : labels) {
    for (std::size_t c = 0; c < probabilities.columns(); ++c) {
      all_hits.push_back(static_cast<ClassId>(c) == label);
    }
  }
  Calibration made{isotonic_fit(probabilities.values(), all_hits), {}, {}};
  for (std::size_t c = 0; c < probabilities.columns(); ++c) {
    std::vector<float> scores;
    std::vector<bool> hits;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      scores.push_back(probabilities(i, c));
      hits.push_back(static_cast<ClassId>(c) == labels[i]);
    }
    const auto clips = static_cast<double>(std::count(hits.begin(), hits.end(), true));
    made.classes.push_back(isotonic_fit(scores, hits));
    made.weights.push_back(clips / (clips + kClipsOfHalfWeight));
  }
  return made;
}

Matrix<float> label_probabilities(const Matrix<float>& probabilities,
                                  const Calibration& calibration) {
  assert(probabilities.columns() == calibration.classes.size());
  require_finite(probabilities);
  Matrix<float> mixed(probabilities.rows(), probabilities.columns());
  for (std::size_t i = 0; i < mixed.rows(); ++i) {
    for (std::size_t c = 0; c < mixed.columns(); ++c) {
      const float x = probabilities(i, c);
      const double weight = calibration.weights[c];
      mixed(i, c) = static_cast<float>(weight * calibration.classes[c].at(x) +
                                       (1 - weight) * calibration.common.at(x));
    }
  }
  return share_rows(mixed);
}

double presence_factor(const Matrix<float>& probabilities, double labels) {
  const auto classes = static_cast<double>(probabilities.columns());
  if (!(labels > 0 && labels <= classes)) {
    throw Error("expected a number of labels per clip above 0 and at most {}, found {}", classes,
                labels);
  }
  if (probabilities.rows() == 0) return kUndefined;
  // With a factor of 1 / s, shares from s upwards have presence 1. So the smallest shares, which
  // sum to `below`, have below * factor, and each of the other ones, `present`, has 1.
  std::vector<float> sorted = share_rows(probabilities).values();
  std::sort(sorted.begin(), sorted.end());
  const double wanted = labels * static_cast<double>(probabilities.rows());
  auto present = static_cast<double>(sorted.size());
  double below = 0;
  double factor = std::numeric_limits<double>::infinity();
  for (const float share : sorted) {
    if (share > 0 && present + below / share < wanted) break;
    --present;
    below += share;
    if (below > 0) factor = (wanted - present) / below;
  }
  return factor;
}

Matrix<float> presences(const Matrix<float>& probabilities, double factor) {
  Matrix<float> made = share_rows(probabilities);
  for (std::size_t i = 0; i < made.rows(); ++i) {
    for (float& value : made.row(i)) {
      value = value > 0 ? static_cast<float>(std::min(1.0, value * factor)) : 0.0F;
    }
  }
  return made;
}

LabelProbabilityErrors label_probability_errors(const Matrix<float>& label_probabilities,
                                                std::span<const std::vector<ClassId>> labels) {
  assert(label_probabilities.rows() == labels.size());
  if (labels.empty()) return {kUndefined, kUndefined};
  std::array<double, kBins> excess{};  // sum of highest label probability - right
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    assert(!labels[i].empty());
    const std::span<const float> row = label_probabilities.row(i);
    const auto best = std::max_element(row.begin(), row.end());
    const auto right = static_cast<double>(
        std::count(labels[i].begin(), labels[i].end(), static_cast<ClassId>(best - row.begin())));
    const double bin = std::clamp(std::ceil(double{*best} * kBins) - 1, 0.0, kBins - 1.0);
    excess[static_cast<std::size_t>(bin)] += *best - right / static_cast<double>(labels[i].size());
    sum += brier(row, labels[i]);
  }
  const auto clips = static_cast<double>(labels.size());
  return {std::accumulate(excess.begin(), excess.end(), 0.0,
                          [](double total, double value) { return total + std::abs(value); }) /
              clips,
          sum / clips};
}

MeasuredCalibration measured_calibration(const Matrix<float>& probabilities,
                                         std::span<const std::vector<ClassId>> labels,
                                         const Calibration& calibration) {
  return {label_probability_errors(share_rows(probabilities), labels),
          label_probability_errors(label_probabilities(probabilities, calibration), labels)};
}

}  // namespace manyverbs
