// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/trainer.h"

#include <numeric>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <fmt/ranges.h>

#include "manyverbs/learning/internal/adam.h"
#include "manyverbs/learning/internal/batch.h"
#include "manyverbs/learning/internal/mlp.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

// One training under way: the model, its optimiser, and what is written of them.
class Training {
 public:
  Training(const TrainingData& data, const RunSettings& settings, const Judge& judge,
           std::filesystem::path folder)
      : data_(data),
        settings_(settings),
        loss_(find_loss(settings.loss)),
        course_(std::move(folder), judge, settings),
        device_(at::hasCUDA() ? at::kCUDA : at::kCPU),
        mlp_({static_cast<int>(data.features->columns()), settings.features.hidden,
              static_cast<int>(data.targets.columns())},
             settings.seed),
        adam_(mlp_.parameters(), AdamSettings{.learning_rate = settings.learning_rate}) {
    adam_.steps = course_.resume(state());
    mlp_.to(device_);
    for (at::Tensor& moment : adam_.first_moments) moment = moment.to(device_);
    for (at::Tensor& moment : adam_.second_moments) moment = moment.to(device_);
  }

  TrainingHistory run() {
    try {
      run_epochs();
    } catch (const Interrupted&) {
      course_.save_interrupted(state(), adam_.steps);
    }
    return course_.history();
  }

 private:
  void run_epochs() {
    const auto steps = static_cast<std::int64_t>(batches().size());
    Progress progress(fmt::format("training {}", loss_.title), 0);
    progress.advance(adam_.steps);
    while (!course_.history().finished) {
      progress.expect_at_least(steps * course_.expected_epochs());
      run_epoch(progress);
      if (course_.is_save_due()) course_.save(state(), adam_.steps);
    }
  }

  std::vector<std::pair<std::size_t, std::size_t>> batches() const {
    return batch_ranges(data_.clips.size(), settings_.batch, settings_.recipe);
  }

  void run_epoch(Progress& progress) {
    const double train_loss = learn(course_.next_epoch(), progress);
    const Matrix<float> scores = score_rows(mlp_, *data_.features, data_.validation_clips);
    Matrix<float> unused(scores.rows(), scores.columns());
    const double validation_loss = loss_.compute(scores, data_.validation_targets, settings_.recipe,
                                                 settings_.loss_settings, &unused);
    if (course_.add(train_loss, validation_loss, probabilities(scores, activation_of(settings_)))) {
      course_.keep_best(mlp_.state(), {});
    }
    progress.note(course_.note());
  }

  // One pass, or the rest of one, over the training clips in an order that follows from seed and
  // epoch alone.
  double learn(int epoch, Progress& progress) {
    std::vector<int> order(data_.clips.size());
    std::iota(order.begin(), order.end(), 0);
    Random(settings_.seed, static_cast<std::uint64_t>(epoch)).shuffle(std::span(order));
    const auto ranges = batches();
    PartialEpoch& partial = course_.partial();
    for (std::size_t b = partial.steps; b < ranges.size(); ++b) {
      stop_if_interrupted();
      const auto [begin, end] = ranges[b];
      if (b + 1 < ranges.size()) {
        const auto next = std::span(order).subspan(ranges[b + 1].first,
                                                   ranges[b + 1].second - ranges[b + 1].first);
        data_.features->prefetch(rows_of(next));
      }
      partial.loss_sum +=
          step(std::span(order).subspan(begin, end - begin)) * static_cast<double>(end - begin);
      ++partial.steps;
      progress.advance();
    }
    return partial.loss_sum / static_cast<double>(ranges.back().second);
  }

  std::vector<int> rows_of(std::span<const int> chosen) const {
    std::vector<int> rows;
    rows.reserve(chosen.size());
    for (const int i : chosen) rows.push_back(data_.clips[i]);
    return rows;
  }

  double step(std::span<const int> chosen) {
    const auto n = static_cast<std::int64_t>(chosen.size());
    at::Tensor batch =
        at::empty({n, static_cast<std::int64_t>(data_.features->columns())}, at::kFloat);
    data_.features->read(rows_of(chosen), batch.data_ptr<float>());
    batch = batch.to(device_);
    std::vector<LayerSlopes> layers;
    const at::Tensor scores = mlp_.train_scores(batch, &layers);
    const double loss = send_back(scores, target_rows(data_.targets, chosen), loss_, settings_);
    for (const LayerSlopes& layer : layers) {
      adam_.step_weight(layer.place, layer.slopes, layer.inputs);
    }
    adam_.step();
    return loss;
  }

  // What a checkpoint holds.
  NamedTensors state() const {
    NamedTensors named = mlp_.state();
    for (std::size_t i = 0; i < adam_.first_moments.size(); ++i) {
      named.emplace_back(fmt::format("adam.first.{}", i), adam_.first_moments[i]);
      named.emplace_back(fmt::format("adam.second.{}", i), adam_.second_moments[i]);
    }
    return named;
  }

  const TrainingData& data_;
  const RunSettings& settings_;
  const Loss& loss_;
  Course course_;
  at::Device device_;
  Mlp mlp_;
  Adam adam_;
};

}  // namespace

TrainingHistory train(const TrainingData& data, const RunSettings& settings, const Judge& judge,
                      const std::filesystem::path& folder) {
  return Training(data, settings, judge, folder).run();
}

}  // namespace manyverbs
