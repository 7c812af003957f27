// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <vector>

#include "manyverbs/learning/internal/loss_costs.h"
#include "manyverbs/learning/internal/loss_functions.h"
#include "manyverbs/learning/internal/loss_memory.h"
#include "manyverbs/learning/settings.h"

// Acknowledging the Unknown for Multi-Label Learning with Single Positive Labels (Zhou et al.
// 2022): entropy maximisation, and soft labels for the unchecked classes that are surely absent.

namespace manyverbs::learning_internal {
namespace {

constexpr float kNone = -1;

struct SoftLabelCost {
  EntropyCost unlabelled;
  float weight;

  [[gnu::always_inline]] Cost operator()(Score s, bool present, float soft) const {
    const Cost plain = unlabelled(s, present);
    const bool labelled = !present && soft >= 0;
    const float cost = soft * s.cost_present + (1.0F - soft) * s.cost_absent;
    return {labelled ? weight * cost : plain.value,
            labelled ? weight * (s.p - soft) : plain.gradient};
  }
};

// In each epoch after the warm-up, the clips with the lowest probability of a class get this
// probability as their soft label. Their number grows evenly, so that after the planned last epoch
// a share theta of the unchecked clips of each class has one.
class SoftLabels : public LossMemory {
 public:
  SoftLabels(const LabelMatrix& targets, const RunSettings& settings)
      : targets_(targets), settings_(settings), soft_(targets.rows(), targets.columns(), kNone) {}

  bool needs_scores(int epoch) const override {
    for (std::size_t c = 0; c < targets_.columns(); ++c) {
      if (missing(epoch, c) > 0) return true;
    }
    return false;
  }

  void begin_epoch(int epoch, const Matrix<float>& scores) override {
    for (std::size_t c = 0; c < targets_.columns(); ++c) {
      std::vector<std::pair<float, std::size_t>> lowest;
      for (std::size_t i = 0; i < targets_.rows(); ++i) {
        const bool unlabelled = targets_(i, c) == Label::Absent && soft_(i, c) == kNone;
        if (unlabelled && !std::isnan(scores(i, c))) lowest.emplace_back(scores(i, c), i);
      }
      const std::size_t count = std::min(missing(epoch, c), lowest.size());
      const auto end = lowest.begin() + static_cast<std::ptrdiff_t>(count);
      std::nth_element(lowest.begin(), end, lowest.end());
      std::for_each(lowest.begin(), end, [&](const auto& found) {
        const double e = std::exp(-std::abs(static_cast<double>(found.first)));
        soft_(found.second, c) = static_cast<float>((found.first < 0 ? e : 1.0) / (1.0 + e));
      });
    }
  }

  double compute(const LossInput& input, std::span<const int> clips,
                 Matrix<float>* gradient) override {
    Matrix<float> soft(clips.size(), soft_.columns());
    for (std::size_t i = 0; i < clips.size(); ++i) {
      const auto row = soft_.row(clips[i]);
      std::copy(row.begin(), row.end(), soft.row(i).begin());
    }
    const SoftLabelCost cost{{static_cast<float>(input.settings.entropy_weight)},
                             static_cast<float>(input.settings.apl_weight)};
    return mean_loss(input, cost, gradient, &soft);
  }

  std::vector<std::pair<std::string, Matrix<float>*>> state() override {
    return {{"soft_labels", &soft_}};
  }

 private:
  // How many soft labels of a class are still to be made before an epoch.
  std::size_t missing(int epoch, std::size_t c) const {
    const LossSettings& numbers = settings_.loss_settings;
    const int since = epoch - numbers.apl_warm_up;
    if (since <= 0) return 0;
    std::size_t unchecked = 0;
    std::size_t made = 0;
    for (std::size_t i = 0; i < targets_.rows(); ++i) {
      unchecked += targets_(i, c) == Label::Absent ? 1 : 0;
      made += soft_(i, c) != kNone ? 1 : 0;
    }
    const double part = static_cast<double>(since) / (settings_.epochs - numbers.apl_warm_up);
    const double wanted =
        std::floor(numbers.apl_share * part * static_cast<double>(unchecked) + 1e-9);
    return static_cast<std::size_t>(std::max(0.0, wanted - static_cast<double>(made)));
  }

  const LabelMatrix& targets_;
  const RunSettings& settings_;
  Matrix<float> soft_;
};

}  // namespace

std::unique_ptr<LossMemory> soft_labels(const LabelMatrix& targets, const RunSettings& settings) {
  return std::make_unique<SoftLabels>(targets, settings);
}

}  // namespace manyverbs::learning_internal
