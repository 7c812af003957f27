// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "manyverbs/learning/internal/loss_costs.h"
#include "manyverbs/learning/internal/loss_functions.h"
#include "manyverbs/learning/internal/loss_memory.h"
#include "manyverbs/learning/internal/sparse_adam.h"
#include "manyverbs/learning/settings.h"
#include "manyverbs/support/internal/random.h"

// Multi-Label Learning from Single Positive Labels (Cole et al. 2021): the expected number of
// labels per clip replaces labels of absent classes.

namespace manyverbs::learning_internal {
namespace {

// R = D^2 / n, where D is how far the mean number of labels of a batch exceeds the expected one,
// and n the number of classes; with the mean over classes, D is also divided by n.
struct CountPenalty {
  double value;
  float pull;  // times p (1 - p): the gradient, in the units of a Cost
};

CountPenalty count_penalty(const Matrix<float>& probabilities, const LossInput& input) {
  double excess = 0;
  double classes = 0;
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    const auto targets = input.targets.row(i);
    const auto row = probabilities.row(i);
    double sum = 0;
    double counted = 0;
    for (std::size_t c = 0; c < targets.size(); ++c) {
      const bool counts = targets[c] != Label::Unknown;
      sum += counts ? row[c] : 0.0F;
      counted += counts ? 1 : 0;
    }
    const double weight = class_weight(targets, usual_reduction(input.recipe));
    excess += weight * (sum - input.settings.expected_labels);
    classes += weight * counted;
  }
  const auto clips = static_cast<double>(probabilities.rows());
  excess /= clips;
  classes /= clips;
  return {excess * excess / classes, static_cast<float>(2 * excess / classes)};
}

[[gnu::always_inline]] inline void replace_by_sigmoids(Matrix<float>* scores) {
  const Sigmoids sigmoids = sigmoids_of(*scores);
  std::copy_n(sigmoids.p.get(), scores->values().size(), scores->data());
}

Matrix<float> probabilities_of(const Matrix<float>& scores) {
  Matrix<float> probabilities = scores;
  Matrix<float>* place = &probabilities;
  vectorised<replace_by_sigmoids>(place);
  return probabilities;
}

// Cross-entropy for own labels only, and the penalty.
struct PositiveCost {
  float pull;

  [[gnu::always_inline]] Cost operator()(Score s, bool present) const {
    const float penalty = pull * s.p * (1.0F - s.p);
    return {present ? s.cost_present : 0.0F, penalty + (present ? s.p - 1.0F : 0.0F)};
  }
};

// Half of ROLE: as above, and cross-entropy with the probabilities of the other half as targets.
struct HalfCost {
  PositiveCost positive;

  [[gnu::always_inline]] Cost operator()(Score s, bool present, float other) const {
    const Cost cost = positive(s, present);
    const float agreement = other * s.cost_present + (1.0F - other) * s.cost_absent;
    return {0.5F * (cost.value + agreement), 0.5F * (cost.gradient + s.p - other)};
  }
};

double half_of_role(const LossInput& input, const Matrix<float>& own, const Matrix<float>& other,
                    Matrix<float>* gradient) {
  const CountPenalty penalty = count_penalty(own, input);
  return mean_loss(input, HalfCost{{penalty.pull}}, gradient, &other) + 0.5 * penalty.value;
}

double logit(double p) { return std::log(p / (1 - p)); }

// The scores theta of the label estimates q = sigmoid(theta), trained beside the model.
class EstimatedLabels : public LossMemory {
 public:
  EstimatedLabels(const LabelMatrix& targets, const RunSettings& settings)
      : scores_(targets.rows(), targets.columns()),
        adam_(&scores_, kRateFactor * settings.learning_rate) {
    Random random(settings.seed, kSequence);
    for (std::size_t i = 0; i < targets.values().size(); ++i) {
      const double noise = logit(0.6) * (2 * random.uniform() - 1);
      const bool present = targets.data()[i] == Label::Present;
      scores_.data()[i] = static_cast<float>(present ? logit(0.995) : noise);
    }
  }

  double compute(const LossInput& input, std::span<const int> clips,
                 Matrix<float>* gradient) override {
    adam_.begin_step(clips);
    Matrix<float> scores(clips.size(), scores_.columns());
    for (std::size_t i = 0; i < clips.size(); ++i) {
      const auto row = scores_.row(clips[i]);
      std::copy(row.begin(), row.end(), scores.row(i).begin());
    }
    const Matrix<float> p = probabilities_of(input.scores);
    const Matrix<float> q = probabilities_of(scores);
    const LossInput of_estimates{scores, input.targets, input.settings, input.recipe};
    Matrix<float> step(scores.rows(), scores.columns());
    const double loss =
        half_of_role(input, p, q, gradient) + half_of_role(of_estimates, q, p, &step);
    // Adam does not depend on the scale of gradients, except for its epsilon, which is negligible
    // for gradients that are not divided by the numbers of clips and classes.
    for (std::size_t i = 0; i < clips.size(); ++i) {
      const double weight = class_weight(input.targets.row(i), usual_reduction(input.recipe));
      const auto scale = static_cast<float>(static_cast<double>(clips.size()) / weight);
      for (float& derivative : step.row(i)) derivative *= scale;
    }
    adam_.step(clips, step);
    return loss;
  }

  std::vector<std::pair<std::string, Matrix<float>*>> state() override {
    return {{"label_scores", &scores_},
            {"label_scores.first_moments", &adam_.first_moments},
            {"label_scores.second_moments", &adam_.second_moments},
            {"label_scores.last_steps", &adam_.last_steps}};
  }

 private:
  static constexpr double kRateFactor = 10;
  // Of random numbers: 0 is for the initial weights, the epochs use their number, and UINT64_MAX is
  // for held-out clips.
  static constexpr std::uint64_t kSequence = UINT64_MAX - 1;

  Matrix<float> scores_;
  SparseAdam adam_;
};

}  // namespace

double expected_positive_regularisation(const LossInput& input, Matrix<float>* gradient) {
  const CountPenalty penalty = count_penalty(probabilities_of(input.scores), input);
  return mean_loss(input, PositiveCost{penalty.pull}, gradient) + penalty.value;
}

std::unique_ptr<LossMemory> estimated_labels(const LabelMatrix& targets,
                                             const RunSettings& settings) {
  return std::make_unique<EstimatedLabels>(targets, settings);
}

}  // namespace manyverbs::learning_internal
