// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/metrics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "manyverbs/metrics/internal/clip_values.h"
#include "manyverbs/metrics/internal/score_key.h"
#include "manyverbs/metrics/internal/undefined.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/parallel.h"

namespace manyverbs {
namespace {

using metrics_internal::kUndefined;

// Minimum number of clips per thread.
std::size_t clips_a_piece(const Matrix<float>& scores) {
  constexpr std::size_t kScoresAPiece = 1 << 16;
  return 1 + kScoresAPiece / std::max<std::size_t>(scores.columns(), 1);
}

// The mean over clips with a defined value.
double mean(const std::vector<double>& values) {
  double sum = 0;
  std::size_t defined = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++defined;
  }
  return defined == 0 ? kUndefined : sum / static_cast<double>(defined);
}

// One value per clip, computed in parallel and then added in order, so that the sum does not depend
// on the number of threads.
template <typename ValueOfClip>
auto of_each_clip(const Matrix<float>& scores, ValueOfClip value_of) {
  std::vector<decltype(value_of(0))> values(scores.rows());
  parallel_for(scores.rows(), clips_a_piece(scores), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = value_of(i);
  });
  return values;
}

std::size_t count_true(std::span<const Label> truth) {
  return static_cast<std::size_t>(std::count(truth.begin(), truth.end(), Label::Present));
}

double top_set_share(std::span<const float> scores, std::span<const Label> truth) {
  const std::size_t k = count_true(truth);
  if (k == 0) return kUndefined;
  std::vector<std::uint64_t> keys(scores.size());
  for (std::size_t j = 0; j < keys.size(); ++j) {
    keys[j] = std::uint64_t{falling_key(scores[j])} << 32 | j;
  }
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(k - 1), keys.end());
  std::size_t hits = 0;
  for (std::size_t rank = 0; rank < k; ++rank) {
    if (truth[static_cast<std::uint32_t>(keys[rank])] == Label::Present) ++hits;
  }
  return static_cast<double>(hits) / static_cast<double>(k);
}

// Overlap of predicted and true labels of one clip.
struct Overlap {
  int truth = 0;
  int predicted = 0;
  int both = 0;
};

Overlap overlap(std::span<const float> scores, std::span<const Label> truth, double threshold) {
  Overlap counts;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const int is_true = truth[j] == Label::Present ? 1 : 0;
    const int is_predicted = static_cast<double>(scores[j]) > threshold ? 1 : 0;
    counts.truth += is_true;
    counts.predicted += is_predicted;
    counts.both += is_true & is_predicted;
  }
  return counts;
}

// A step of a precision-recall curve.
struct Step {
  double precision;
  double recall_gain;
};

// The steps in descending order of score. Only true clips are sorted, because they are few; each
// other clip is counted at the highest true score that it reaches, where it starts to lower
// precision.
std::vector<Step> precision_steps(std::span<const float> scores, std::span<const Label> truth) {
  assert(scores.size() == truth.size());
  std::vector<float> hits;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (truth[i] == Label::Present) hits.push_back(scores[i]);
  }
  if (hits.empty()) return {};
  std::sort(hits.begin(), hits.end(), std::greater<>());
  std::vector<std::size_t> misses(hits.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (truth[i] == Label::Present || scores[i] < hits.back()) continue;
    ++misses[std::lower_bound(hits.begin(), hits.end(), scores[i], std::greater<>()) -
             hits.begin()];
  }
  std::vector<Step> steps;
  std::size_t missed = 0;
  for (std::size_t begin = 0, end = 0; begin < hits.size(); begin = end) {
    missed += misses[begin];
    while (end < hits.size() && hits[end] == hits[begin]) ++end;
    steps.push_back({static_cast<double>(end) / static_cast<double>(end + missed),
                     static_cast<double>(end - begin) / static_cast<double>(hits.size())});
  }
  return steps;
}

double area(const std::vector<Step>& steps) {
  if (steps.empty()) return kUndefined;
  double sum = 0;
  for (const Step& step : steps) sum += step.recall_gain * step.precision;
  return sum;
}

std::vector<Step> interpolated(std::vector<Step> steps) {
  for (std::size_t i = steps.size(); i > 1; --i) {
    steps[i - 2].precision = std::max(steps[i - 2].precision, steps[i - 1].precision);
  }
  return steps;
}

double ratio(int part, int whole) {
  return whole == 0 ? kUndefined : static_cast<double>(part) / whole;
}

ClassMetrics metrics_of_class(std::span<const float> scores, std::span<const Label> truth,
                              double threshold) {
  const Overlap counts = overlap(scores, truth, threshold);
  std::vector<Step> steps = precision_steps(scores, truth);
  ClassMetrics metrics{};
  metrics.positives = counts.truth;
  metrics.precision = ratio(counts.both, counts.predicted);
  metrics.recall = ratio(counts.both, counts.truth);
  metrics.average_precision = area(steps);
  metrics.interpolated_average_precision = area(interpolated(std::move(steps)));
  return metrics;
}

// 1 plus the number of higher scores and half of the number of other equal ones.
double rank_of(std::span<const float> scores, float score) {
  const auto higher =
      std::count_if(scores.begin(), scores.end(), [&](float s) { return s > score; });
  const auto equal = std::count(scores.begin(), scores.end(), score) - 1;
  return 1 + static_cast<double>(higher) + static_cast<double>(equal) / 2;
}

}  // namespace

void require_finite(const Matrix<float>& scores) {
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t j = 0; j < scores.columns(); ++j) {
      if (!std::isfinite(scores(i, j))) {
        throw Error(
            "the score of class {} for clip {} is {}, expected a finite number: training "
            "has diverged; try a lower learning rate",
            j, i, scores(i, j));
      }
    }
  }
}

std::vector<double> top1_of_clips(const Matrix<float>& scores, const LabelMatrix& truth) {
  assert(scores.rows() == truth.rows() && scores.columns() == truth.columns());
  return of_each_clip(scores, [&](std::size_t i) {
    if (count_true(truth.row(i)) == 0) return kUndefined;
    const std::span<const float> row = scores.row(i);
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    return truth(i, best) == Label::Present ? 1.0 : 0.0;
  });
}

std::vector<double> top_set_of_clips(const Matrix<float>& scores, const LabelMatrix& truth) {
  assert(scores.rows() == truth.rows() && scores.columns() == truth.columns());
  return of_each_clip(scores,
                      [&](std::size_t i) { return top_set_share(scores.row(i), truth.row(i)); });
}

OverlapOfClips overlap_of_clips(const Matrix<float>& scores, const LabelMatrix& truth,
                                double threshold) {
  assert(scores.rows() == truth.rows() && scores.columns() == truth.columns());
  const std::vector<Overlap> overlaps = of_each_clip(
      scores, [&](std::size_t i) { return overlap(scores.row(i), truth.row(i), threshold); });
  OverlapOfClips values;
  for (const Overlap& clip : overlaps) {
    values.predicted.push_back(clip.predicted);
    const bool defined = clip.truth > 0 && !std::isnan(threshold);
    values.iou.push_back(defined ? ratio(clip.both, clip.truth + clip.predicted - clip.both)
                                 : kUndefined);
    values.f1.push_back(defined ? ratio(2 * clip.both, clip.truth + clip.predicted) : kUndefined);
  }
  return values;
}

double top1_accuracy(const Matrix<float>& scores, const LabelMatrix& truth) {
  return mean(top1_of_clips(scores, truth));
}

double reciprocal_rank(const Matrix<float>& scores, const LabelMatrix& truth) {
  assert(scores.rows() == truth.rows() && scores.columns() == truth.columns());
  return std::exp(mean(of_each_clip(scores, [&](std::size_t i) {
    const std::span<const float> row = scores.row(i);
    double sum = 0;
    int count = 0;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (truth(i, c) != Label::Present) continue;
      sum -= std::log(rank_of(row, row[c]));
      ++count;
    }
    return count == 0 ? kUndefined : sum / count;
  })));
}

double top_set_accuracy(const Matrix<float>& scores, const LabelMatrix& truth) {
  return mean(top_set_of_clips(scores, truth));
}

ThresholdMetrics at_threshold(const Matrix<float>& scores, const LabelMatrix& truth,
                              double threshold) {
  const OverlapOfClips clips = overlap_of_clips(scores, truth, threshold);
  return {threshold, mean(clips.iou), mean(clips.f1), mean(clips.predicted)};
}

double average_precision(std::span<const float> scores, std::span<const Label> truth) {
  return area(precision_steps(scores, truth));
}

double interpolated_average_precision(std::span<const float> scores, std::span<const Label> truth) {
  return area(interpolated(precision_steps(scores, truth)));
}

std::vector<ClassMetrics> class_metrics(const Matrix<float>& scores, const LabelMatrix& truth,
                                        double threshold) {
  assert(scores.rows() == truth.rows() && scores.columns() == truth.columns());
  std::vector<ClassMetrics> metrics(scores.columns());
  parallel_for(scores.columns(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<float> column(scores.rows());
    std::vector<Label> truth_column(scores.rows());
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t i = 0; i < scores.rows(); ++i) {
        column[i] = scores(i, j);
        truth_column[i] = truth(i, j);
      }
      metrics[j] = metrics_of_class(column, truth_column, threshold);
    }
  });
  return metrics;
}

}  // namespace manyverbs
