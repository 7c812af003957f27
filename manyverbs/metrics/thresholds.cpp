// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/thresholds.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "manyverbs/metrics/internal/score_key.h"
#include "manyverbs/metrics/internal/undefined.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

using metrics_internal::kUndefined;

// Strictly between the two: double has enough precision for the middle of any two floats.
double half_way(float a, float b) {
  return static_cast<double>(a) / 2 + static_cast<double>(b) / 2;
}

// Lower by a round number instead of the last bit, for readability.
double below(float least) {
  const double value = least;
  return value - std::max(1.0, std::abs(value));
}

// A score with its clip and truth, packed into one number that sorts the highest score first.
std::uint64_t packed(float score, std::size_t clip, bool is_true) {
  return std::uint64_t{falling_key(score)} << 32 | clip << 1 | (is_true ? 1 : 0);
}

// Iterates over the scores in descending order and updates the sums of IOU and F1 over clips. The
// sums are integer multiples of 1 / one_, so additions and subtractions are exact.
class Sweep {
 public:
  explicit Sweep(const LabelMatrix& truth) : clips_(truth.rows()) {
    one_ = static_cast<double>(std::int64_t{1} << (61 - std::bit_width(truth.rows())));
    for (std::size_t i = 0; i < truth.rows(); ++i) {
      const std::span<const Label> row = truth.row(i);
      clips_[i].truth = static_cast<int>(std::count(row.begin(), row.end(), Label::Present));
      if (clips_[i].truth > 0) reachable_f1_ += fraction(1, 1);
    }
    reachable_iou_ = reachable_f1_;
  }

  void add(std::uint64_t entry) {
    const float score = score_of(static_cast<std::uint32_t>(entry >> 32));
    if (!started_) {
      started_ = true;
    } else if (score != last_) {
      consider(half_way(last_, score));
    }
    last_ = score;
    ClipState& clip = clips_[static_cast<std::uint32_t>(entry) >> 1];
    if (clip.truth == 0) return;
    f1_ -= f1(clip);
    iou_ -= iou(clip);
    reachable_f1_ -= reachable_f1(clip);
    reachable_iou_ -= reachable_iou(clip);
    ++clip.predicted;
    clip.both += static_cast<int>(entry & 1);
    f1_ += f1(clip);
    iou_ += iou(clip);
    reachable_f1_ += reachable_f1(clip);
    reachable_iou_ += reachable_iou(clip);
  }

  // No lower threshold can be better than the best so far.
  bool settled() const { return reachable_f1_ <= best_f1_ && reachable_iou_ <= best_iou_; }
  void finish() { consider(below(last_)); }

  double best_f1_threshold() const { return best_f1_threshold_; }
  double best_iou_threshold() const { return best_iou_threshold_; }

 private:
  struct ClipState {
    int truth = 0;
    int predicted = 0;
    int both = 0;
  };

  std::int64_t fraction(int part, int whole) const {
    return static_cast<std::int64_t>(one_ * part / whole);
  }
  std::int64_t f1(const ClipState& c) const { return fraction(2 * c.both, c.truth + c.predicted); }
  std::int64_t iou(const ClipState& c) const {
    return fraction(c.both, c.truth + c.predicted - c.both);
  }
  // An upper bound: all missing true classes come next.
  std::int64_t reachable_f1(const ClipState& c) const {
    return fraction(2 * c.truth, c.truth + c.predicted + c.truth - c.both);
  }
  std::int64_t reachable_iou(const ClipState& c) const {
    return fraction(c.truth, c.truth + c.predicted - c.both);
  }

  void consider(double threshold) {
    if (f1_ > best_f1_) {
      best_f1_ = f1_;
      best_f1_threshold_ = threshold;
    }
    if (iou_ > best_iou_) {
      best_iou_ = iou_;
      best_iou_threshold_ = threshold;
    }
  }

  std::vector<ClipState> clips_;
  double one_;
  bool started_ = false;
  float last_ = 0;
  std::int64_t f1_ = 0;
  std::int64_t iou_ = 0;
  std::int64_t reachable_f1_ = 0;
  std::int64_t reachable_iou_ = 0;
  std::int64_t best_f1_ = 0;
  std::int64_t best_iou_ = 0;
  double best_f1_threshold_ = kUndefined;
  double best_iou_threshold_ = kUndefined;
};

std::vector<std::uint64_t> packed_scores(const Matrix<float>& scores, const LabelMatrix& truth) {
  std::vector<std::uint64_t> entries;
  entries.reserve(scores.values().size());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t j = 0; j < scores.columns(); ++j) {
      entries.push_back(packed(scores(i, j), i, truth(i, j) == Label::Present));
    }
  }
  return entries;
}

}  // namespace

double threshold_for_count(const Matrix<float>& scores, double labels) {
  if (!(labels > 0 && labels <= static_cast<double>(scores.columns()))) {
    throw Error(
        "invalid number of expected labels per clip {} for {} classes; expected a number above 0 "
        "and "
        "at most {}",
        labels, scores.columns(), scores.columns());
  }
  std::vector<float> values = scores.values();
  if (values.empty()) return kUndefined;
  require_finite(scores);
  const double wanted = labels * static_cast<double>(scores.rows());
  const std::size_t rank = std::min(static_cast<std::size_t>(wanted), values.size() - 1);
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), place, values.end(), std::greater<>());
  const float score = *place;

  // The threshold is just above or just below all scores equal to this one.
  std::size_t above = 0;
  std::size_t equal = 0;
  float next_above = std::numeric_limits<float>::infinity();
  float next_below = -std::numeric_limits<float>::infinity();
  for (const float value : values) {
    if (value > score) {
      ++above;
      next_above = std::min(next_above, value);
    } else if (value < score) {
      next_below = std::max(next_below, value);
    } else {
      ++equal;
    }
  }
  const double too_few = wanted - static_cast<double>(above);
  const double too_many = static_cast<double>(above + equal) - wanted;
  if (too_few <= too_many) return above == 0 ? score : half_way(score, next_above);
  return above + equal == values.size() ? below(score) : half_way(score, next_below);
}

BestThresholds best_thresholds(const Matrix<float>& scores, const LabelMatrix& truth) {
  assert(scores.rows() == truth.rows() && scores.columns() == truth.columns());
  std::vector<std::uint64_t> entries = packed_scores(scores, truth);
  Sweep sweep(truth);
  // The best thresholds are usually near the top, so scores are sorted only as far as needed.
  std::size_t batch = 8 * scores.rows() + 1024;
  auto begin = entries.begin();
  while (begin != entries.end() && !sweep.settled()) {
    const auto left = static_cast<std::size_t>(entries.end() - begin);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(batch, left));
    if (end != entries.end()) std::nth_element(begin, end, entries.end());
    std::sort(begin, end);
    for (; begin != end; ++begin) sweep.add(*begin);
    batch *= 4;
  }
  if (begin == entries.end()) sweep.finish();
  const auto measured = [&](double threshold) {
    if (!std::isnan(threshold)) return at_threshold(scores, truth, threshold);
    return ThresholdMetrics{kUndefined, kUndefined, kUndefined, kUndefined};
  };
  return {measured(sweep.best_f1_threshold()), measured(sweep.best_iou_threshold())};
}

}  // namespace manyverbs
