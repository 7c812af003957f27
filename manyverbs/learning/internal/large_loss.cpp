// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "manyverbs/learning/internal/loss_costs.h"
#include "manyverbs/learning/internal/loss_functions.h"
#include "manyverbs/learning/internal/loss_memory.h"

// Large Loss Matters in Weakly Supervised Multi-Label Classification (Kim et al. 2022): the absent
// classes with the largest losses of a batch are probably missing labels.

namespace manyverbs::learning_internal {
namespace {

// Assume Negative, but absent classes with at least the score `limit` count as present or not at
// all.
struct LargeLossCost {
  float limit;
  float cost_if_large;  // factor: 1 corrects, 0 rejects

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const bool large = !present && s.z >= limit;
    const float factor = large ? cost_if_large : 1.0F;
    return {factor * (present || large ? s.cost_present : s.cost_absent),
            factor * (s.p - (present || large ? 1.0F : 0.0F))};
  }
};

// The score of the k-th largest loss of absent classes, where k is a share of all targets; infinite
// for none. The loss -log(1 - p) increases with the score.
float large_loss_limit(const LossInput& input, double share) {
  std::vector<float> absent;
  absent.reserve(input.scores.values().size());
  double counted = 0;
  for (std::size_t i = 0; i < input.scores.values().size(); ++i) {
    const Label target = input.targets.data()[i];
    const float score = input.scores.data()[i];
    counted += target != Label::Unknown ? 1 : 0;
    if (target == Label::Absent && !std::isnan(score)) absent.push_back(score);
  }
  // Less than a rounding error above an integer is that integer.
  const double wanted = std::ceil(counted * share - 1e-9);
  const auto k = static_cast<std::size_t>(std::min(wanted, static_cast<double>(absent.size())));
  if (k == 0) return INFINITY;
  const auto kth = absent.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(absent.begin(), kth, absent.end(), std::greater<>());
  return *kth;
}

// The share grows by the rate in each epoch after the first.
float growing_limit(const LossInput& input) {
  return large_loss_limit(input, (input.epoch - 1) * input.settings.large_loss_rate / 100);
}

float constant_limit(const LossInput& input) {
  return input.epoch == 1 ? INFINITY
                          : large_loss_limit(input, input.settings.large_loss_rate / 100);
}

// The labels that LL-Cp has corrected: 1, otherwise 0.
class CorrectedLabels : public LossMemory {
 public:
  explicit CorrectedLabels(const LabelMatrix& targets)
      : corrected_(targets.rows(), targets.columns()) {}

  double compute(const LossInput& input, std::span<const int> clips,
                 Matrix<float>* gradient) override {
    LabelMatrix targets = input.targets;
    for (std::size_t i = 0; i < clips.size(); ++i) {
      const auto corrected = corrected_.row(clips[i]);
      for (std::size_t c = 0; c < targets.columns(); ++c) {
        if (corrected[c] > 0) targets(i, c) = Label::Present;
      }
    }
    const LossInput current{input.scores, targets,     input.settings,
                            input.recipe, input.epoch, input.epochs};
    const float limit = constant_limit(current);
    // Those equal to the limit are corrected in this step only, as in the code of the authors.
    for (std::size_t i = 0; i < clips.size(); ++i) {
      for (std::size_t c = 0; c < targets.columns(); ++c) {
        const bool large = targets(i, c) == Label::Absent && input.scores(i, c) > limit;
        if (large) corrected_(clips[i], c) = 1;
      }
    }
    return mean_loss(current, LargeLossCost{limit, 1.0F}, gradient);
  }

  std::vector<std::pair<std::string, Matrix<float>*>> state() override {
    return {{"corrected_labels", &corrected_}};
  }

 private:
  Matrix<float> corrected_;
};

}  // namespace

double reject_large_losses(const LossInput& input, Matrix<float>* gradient) {
  return mean_loss(input, LargeLossCost{growing_limit(input), 0.0F}, gradient);
}

double correct_large_losses(const LossInput& input, Matrix<float>* gradient) {
  return mean_loss(input, LargeLossCost{growing_limit(input), 1.0F}, gradient);
}

double correct_permanently(const LossInput& input, Matrix<float>* gradient) {
  return mean_loss(input, LargeLossCost{constant_limit(input), 1.0F}, gradient);
}

std::unique_ptr<LossMemory> corrected_labels(const LabelMatrix& targets,
                                             const RunSettings& /*settings*/) {
  return std::make_unique<CorrectedLabels>(targets);
}

}  // namespace manyverbs::learning_internal
