// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/trainer.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <fmt/format.h>

#include "manyverbs/features/internal/dropout.h"
#include "manyverbs/learning/internal/adam.h"
#include "manyverbs/learning/internal/batch.h"
#include "manyverbs/learning/internal/loss_functions.h"
#include "manyverbs/learning/internal/loss_memory.h"
#include "manyverbs/learning/internal/mixup.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/learning/internal/schedule.h"

namespace manyverbs {
namespace {

// An MLP trained with Adam.
class FeatureLearner : public Learner {
 public:
  FeatureLearner(const TrainingData& data, const RunSettings& settings)
      : data_(data),
        settings_(settings),
        loss_(find_loss(settings.loss)),
        memory_(loss_.memory != nullptr ? loss_.memory(data.targets, settings) : nullptr),
        device_(at::hasCUDA() ? at::kCUDA : at::kCPU),
        mixup_(loss_.takes_shares() ? settings.features.mixup : 0),
        mlp_({static_cast<int>(data.features->columns()), settings.features.hidden,
              static_cast<int>(data.targets.columns()), settings.features.members},
             settings.seed),
        adam_(mlp_.parameters(), AdamSettings{.learning_rate = settings.learning_rate}) {
    mlp_.to(device_);
    for (at::Tensor& moment : adam_.first_moments) moment = moment.to(device_);
    for (at::Tensor& moment : adam_.second_moments) moment = moment.to(device_);
  }

  std::string title() const override { return fmt::format("training {}", loss_.title); }
  std::size_t num_clips() const override { return data_.clips.size(); }

  void begin_epoch(const std::vector<EpochRecord>& before, const PartialEpoch& partial) override {
    epoch_ = static_cast<int>(before.size()) + 1;
    adam_.learning_rate =
        settings_.learning_rate * rate_factor(settings_.schedule, before, settings_.epochs);
    if (uses_random()) {
      random_ = partial.steps == 0 ? Random(settings_.seed, dropout_sequence(epoch_))
                                   : Random(partial.random_state);
    }
    if (memory_ != nullptr && memory_->needs_scores(epoch_)) {
      memory_->begin_epoch(epoch_, score_rows(mlp_, *data_.features, data_.clips));
    }
  }
  std::vector<std::uint32_t> random_state() const override {
    return uses_random() ? random_.state() : std::vector<std::uint32_t>();
  }

  Step step(std::span<const int> batch, std::span<const int> next) override {
    if (!next.empty()) data_.features->prefetch(rows_of(next));
    const auto n = static_cast<std::int64_t>(batch.size());
    at::Tensor rows =
        at::empty({n, static_cast<std::int64_t>(data_.features->columns())}, at::kFloat);
    data_.features->read(rows_of(batch), rows.data_ptr<float>());
    Matrix<float> shares = shares_of(batch);
    if (mixup_ > 0) mix(draw_mixture(batch.size(), mixup_, random_), &rows, &shares);
    std::vector<LayerGradient> layers;
    const at::Tensor scores =
        mlp_.train_scores(rows.to(device_), {settings_.dropout, &random_}, &layers);
    const double loss = backward(scores, [&](const Matrix<float>& values, Matrix<float>* gradient) {
      return shares.rows() > 0
                 ? learning_internal::cross_entropy_of_shares(values, for_members(shares), gradient)
                 : label_loss(values, batch, gradient);
    });
    for (const LayerGradient& layer : layers) {
      adam_.step_weight(layer.place, layer.output_gradient, layer.inputs);
    }
    adam_.step();
    return {loss, n};
  }

  Matrix<float> validation_scores() override {
    return score_rows(mlp_, *data_.features, data_.validation_clips);
  }
  const LabelMatrix& validation_targets() const override { return data_.validation_targets; }

  NamedTensors model() const override { return mlp_.state(); }
  NamedTensors state() const override {
    NamedTensors named = mlp_.state();
    for (std::size_t i = 0; i < adam_.first_moments.size(); ++i) {
      named.emplace_back(fmt::format("adam.first.{}", i), adam_.first_moments[i]);
      named.emplace_back(fmt::format("adam.second.{}", i), adam_.second_moments[i]);
    }
    for (auto& tensor : memory_tensors(memory_.get())) named.push_back(std::move(tensor));
    return named;
  }
  void resumed(std::int64_t steps) override { adam_.steps = steps; }

 private:
  bool uses_random() const { return settings_.dropout > 0 || mixup_ > 0; }

  // The target distributions of a batch; empty if the loss is computed from labels.
  Matrix<float> shares_of(std::span<const int> batch) const {
    if (data_.shares.rows() == 0 && mixup_ == 0) return {};
    Matrix<float> shares(batch.size(), data_.targets.columns());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (data_.shares.rows() > 0) {
        std::ranges::copy(data_.shares.row(batch[i]), shares.row(i).begin());
        continue;
      }
      const auto labels = data_.targets.row(batch[i]);
      shares(i, std::ranges::find(labels, Label::Present) - labels.begin()) = 1;
    }
    return shares;
  }

  static void mix(const Mixture& mixture, at::Tensor* rows, Matrix<float>* shares) {
    const auto weight = static_cast<float>(mixture.weight);
    const at::Tensor partners =
        at::tensor(at::ArrayRef<int>(mixture.partners.data(), mixture.partners.size()), at::kLong);
    *rows = *rows * weight + rows->index_select(0, partners) * (1 - weight);
    const Matrix<float> before = *shares;
    for (std::size_t i = 0; i < before.rows(); ++i) {
      for (std::size_t c = 0; c < before.columns(); ++c) {
        (*shares)(i, c) = weight * before(i, c) + (1 - weight) * before(mixture.partners[i], c);
      }
    }
  }

  // The rows once for each member of the network.
  Matrix<float> for_members(const Matrix<float>& shares) const {
    std::vector<float> values;
    values.reserve(shares.values().size() * settings_.features.members);
    for (int member = 0; member < settings_.features.members; ++member) {
      values.insert(values.end(), shares.values().begin(), shares.values().end());
    }
    return {shares.rows() * settings_.features.members, shares.columns(), std::move(values)};
  }

  double label_loss(const Matrix<float>& scores, std::span<const int> batch,
                    Matrix<float>* gradient) {
    std::vector<int> clips;
    for (int member = 0; member < settings_.features.members; ++member) {
      clips.insert(clips.end(), batch.begin(), batch.end());
    }
    const LabelMatrix targets = target_rows(data_.targets, clips);
    const LossInput input = loss_input(scores, targets, settings_, epoch_);
    return memory_ != nullptr ? memory_->compute(input, clips, gradient)
                              : loss_.compute(input, gradient);
  }

  std::vector<ClipRow> rows_of(std::span<const int> batch) const {
    std::vector<ClipRow> rows;
    rows.reserve(batch.size());
    for (const int i : batch) rows.push_back(data_.clips[i]);
    return rows;
  }

  const TrainingData& data_;
  const RunSettings& settings_;
  const Loss& loss_;
  std::unique_ptr<LossMemory> memory_;  // null if the loss has none
  int epoch_ = 0;
  at::Device device_;
  double mixup_;  // 0 if the loss has none
  Mlp mlp_;
  Adam adam_;
  Random random_{0};  // of dropout and mixup
};

}  // namespace

TrainingHistory train(const TrainingData& data, const RunSettings& settings,
                      const EpochScorer& scorer, const std::filesystem::path& folder) {
  FeatureLearner learner(data, settings);
  return run_training(learner, settings, scorer, folder);
}

}  // namespace manyverbs
