// SPDX-License-Identifier: MIT
#include "manyverbs/learning/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <fmt/ranges.h>

#include "manyverbs/features/safetensors.h"
#include "manyverbs/learning/adam.h"
#include "manyverbs/learning/event_file.h"
#include "manyverbs/learning/log_file.h"
#include "manyverbs/learning/mlp.h"
#include "manyverbs/support/files.h"
#include "manyverbs/support/json.h"
#include "manyverbs/support/progress.h"
#include "manyverbs/support/random.h"

namespace manyverbs {
namespace {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Where batches begin and end in n shuffled clips. BatchNorm needs two clips, so a last clip on its
// own joins the batch before it; the released code drops every last batch that is not full.
std::vector<std::pair<std::size_t, std::size_t>> batch_ranges(std::size_t n, std::size_t batch,
                                                              Recipe recipe) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t begin = 0; begin < n; begin += batch) {
    const std::size_t end = std::min(begin + batch, n);
    const bool is_first = ranges.empty();
    if (recipe == Recipe::Released && end - begin < batch && !is_first) break;
    if (end - begin == 1 && !is_first) {
      ranges.back().second = end;
    } else {
      ranges.emplace_back(begin, end);
    }
  }
  return ranges;
}

Json to_json(const EpochRecord& record) {
  Json values = Json::array();
  for (const double value : record.values) values.push_back(number_or_null(value));
  return {{"epoch", record.epoch},
          {"train_loss", record.train_loss},
          {"validation_loss", record.validation_loss},
          {"values", values}};
}

EpochRecord record_of(const Json& json, const std::filesystem::path& path) {
  EpochRecord record;
  record.epoch = json_value<int>(json, "epoch", path);
  record.train_loss = json_value<double>(json, "train_loss", path);
  record.validation_loss = json_value<double>(json, "validation_loss", path);
  for (const Json& value : json_value<Json>(json, "values", path)) {
    record.values.push_back(value.is_null() ? NAN : value.get<double>());
  }
  return record;
}

// One training under way: the model, its optimiser, and what is written of them.
class Training {
 public:
  Training(const TrainingData& data, const TrainingSettings& settings, const Judge& judge,
           std::filesystem::path folder)
      : data_(data),
        settings_(settings),
        judge_(judge),
        loss_(find_loss(settings.loss)),
        folder_(std::move(folder)),
        events_(folder_),
        device_(at::hasCUDA() ? at::kCUDA : at::kCPU),
        mlp_({static_cast<int>(data.features->columns()), settings.hidden,
              static_cast<int>(data.targets.columns())},
             settings.seed),
        adam_(mlp_.parameters(), AdamSettings{.learning_rate = settings.learning_rate}) {
    if (std::filesystem::exists(checkpoint_path())) load_checkpoint();
    mlp_.to(device_);
    for (at::Tensor& moment : adam_.first_moments) moment = moment.to(device_);
    for (at::Tensor& moment : adam_.second_moments) moment = moment.to(device_);
  }

  TrainingHistory run() {
    const auto steps = static_cast<std::int64_t>(batches().size());
    Progress progress(fmt::format("training {}", loss_.title), 0);
    progress.advance(static_cast<std::int64_t>(history_.epochs.size()) * steps);
    auto last_checkpoint = std::chrono::steady_clock::now();
    while (!history_.finished) {
      // As far as can be known: until patience ends, should no epoch be better than the best so
      // far.
      progress.expect(steps * std::min(settings_.epochs, history_.best_epoch + settings_.patience));
      run_epoch(progress);
      const auto now = std::chrono::steady_clock::now();
      const double waited = std::chrono::duration<double>(now - last_checkpoint).count();
      if (history_.finished || waited >= settings_.checkpoint_seconds) {
        save();
        last_checkpoint = now;
      }
    }
    return history_;
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> batches() const {
    return batch_ranges(data_.clips.size(), settings_.batch, settings_.loss_settings.recipe);
  }

  void run_epoch(Progress& progress) {
    EpochRecord record;
    record.epoch = static_cast<int>(history_.epochs.size()) + 1;
    record.train_loss = learn(record.epoch, progress);
    const Matrix<float> scores = score_rows(mlp_, *data_.features, data_.validation_clips);
    Matrix<float> unused(scores.rows(), scores.columns());
    record.validation_loss =
        loss_.compute(scores, data_.validation_targets, settings_.loss_settings, &unused);
    if (!std::isfinite(record.train_loss) || !std::isfinite(record.validation_loss)) {
      throw Error("{}: the loss is not a number any more in epoch {}; try a learning rate below {}",
                  folder_.string(), record.epoch, settings_.learning_rate);
    }
    record.values = judge_.measure(probabilities(scores, activation_of(settings_)));
    const bool is_best = history_.epochs.empty() ||
                         record.values[0] > history_.epochs[history_.best_epoch - 1].values[0];
    history_.epochs.push_back(record);
    if (is_best) keep_best();
    append_events(record);
    history_.finished =
        record.epoch >= settings_.epochs ||
        should_stop(history_.epochs, settings_.patience, settings_.loss_settings.recipe);
    progress.note(fmt::format("epoch {}, {} {:.4f}, best {:.4f}", record.epoch, judge_.names[0],
                              record.values[0],
                              history_.epochs[history_.best_epoch - 1].values[0]));
  }

  // One pass over the training clips in an order that follows from seed and epoch alone.
  double learn(int epoch, Progress& progress) {
    std::vector<int> order(data_.clips.size());
    std::iota(order.begin(), order.end(), 0);
    Random(settings_.seed, static_cast<std::uint64_t>(epoch)).shuffle(std::span(order));
    double sum = 0;
    std::size_t clips = 0;
    const auto ranges = batches();
    for (std::size_t b = 0; b < ranges.size(); ++b) {
      const auto [begin, end] = ranges[b];
      if (b + 1 < ranges.size()) {
        const auto next = std::span(order).subspan(ranges[b + 1].first,
                                                   ranges[b + 1].second - ranges[b + 1].first);
        data_.features->prefetch(rows_of(next));
      }
      sum += step(std::span(order).subspan(begin, end - begin)) * static_cast<double>(end - begin);
      clips += end - begin;
      progress.advance();
    }
    return sum / static_cast<double>(clips);
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
    // Most parameters are the first layer's weight: its gradient is used piece by piece.
    const at::Tensor scores = mlp_.train_scores(
        batch, [&](const at::Tensor& slopes) { adam_.step_weight(0, slopes, batch); });

    const at::Tensor plain = scores.detach().to(at::kCPU).contiguous();
    Matrix<float> values(chosen.size(), plain.size(1));
    Matrix<float> gradient(chosen.size(), plain.size(1));
    LabelMatrix targets(chosen.size(), plain.size(1));
    std::memcpy(values.data(), plain.data_ptr<float>(), plain.numel() * sizeof(float));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto row = data_.targets.row(chosen[i]);
      std::copy(row.begin(), row.end(), targets.row(i).begin());
    }
    const double loss = loss_.compute(values, targets, settings_.loss_settings, &gradient);
    scores.backward(at::from_blob(gradient.data(), plain.sizes(), at::kFloat).to(device_));
    adam_.step();
    return loss;
  }

  void keep_best() {
    history_.best_epoch = static_cast<int>(history_.epochs.size());
    best_.clear();
    for (const auto& [name, tensor] : mlp_.state()) {
      best_.emplace_back(name, tensor.detach().to(at::kCPU).clone());
    }
    best_is_written_ = false;
  }

  // The model first: a crash in between leaves an older checkpoint, which leads to the same model.
  void save() {
    if (!best_is_written_) {
      write_tensors(folder_ / "model.safetensors",
                    {best_, {{"epoch", std::to_string(history_.best_epoch)}}});
      best_is_written_ = true;
    }
    write_log(folder_, {judge_.names, history_.epochs});
    Json epochs = Json::array();
    for (const EpochRecord& record : history_.epochs) epochs.push_back(to_json(record));
    const Json state = {{"steps", adam_.steps},
                        {"best_epoch", history_.best_epoch},
                        {"finished", history_.finished},
                        {"epochs", epochs}};
    write_tensors(checkpoint_path(), {checkpoint_tensors(), {{"training", state.dump()}}});
  }

  void load_checkpoint() {
    const TensorFile file = read_tensors(checkpoint_path());
    file.copy_into(checkpoint_tensors(), checkpoint_path());
    const auto training = file.metadata.find("training");
    const Json state =
        Json::parse(training == file.metadata.end() ? "" : training->second, nullptr, false);
    adam_.steps = json_value<std::int64_t>(state, "steps", checkpoint_path());
    history_.best_epoch = json_value<int>(state, "best_epoch", checkpoint_path());
    history_.finished = json_value<bool>(state, "finished", checkpoint_path());
    for (const Json& record : json_value<Json>(state, "epochs", checkpoint_path())) {
      history_.epochs.push_back(record_of(record, checkpoint_path()));
    }
    if (history_.best_epoch < 1 || history_.best_epoch > static_cast<int>(history_.epochs.size())) {
      throw Error("{}: is damaged: epoch {} is the best of {}", checkpoint_path().string(),
                  history_.best_epoch, history_.epochs.size());
    }
  }

  void append_events(const EpochRecord& record) {
    std::vector<Scalar> scalars = {{"loss/train", record.train_loss},
                                   {"loss/validation", record.validation_loss}};
    for (std::size_t i = 0; i < judge_.names.size(); ++i) {
      scalars.push_back({"validation/" + judge_.names[i], record.values[i]});
    }
    events_.append(record.epoch, scalars);
  }

  NamedTensors checkpoint_tensors() const {
    NamedTensors named = mlp_.state();
    for (std::size_t i = 0; i < adam_.first_moments.size(); ++i) {
      named.emplace_back(fmt::format("adam.first.{}", i), adam_.first_moments[i]);
      named.emplace_back(fmt::format("adam.second.{}", i), adam_.second_moments[i]);
    }
    return named;
  }

  std::filesystem::path checkpoint_path() const { return folder_ / "checkpoint.safetensors"; }

  const TrainingData& data_;
  const TrainingSettings& settings_;
  const Judge& judge_;
  const Loss& loss_;
  std::filesystem::path folder_;
  EventFile events_;
  at::Device device_;
  Mlp mlp_;
  Adam adam_;
  TrainingHistory history_;
  NamedTensors best_;
  bool best_is_written_ = true;
};

}  // namespace

bool should_stop(const std::vector<EpochRecord>& epochs, int patience, Recipe recipe) {
  const int last = static_cast<int>(epochs.size()) - 1;
  int best = 0;
  int least_loss = 0;
  for (int i = 1; i <= last; ++i) {
    const double value = epochs[i].values[0];
    const double so_far = epochs[best].values[0];
    if (value > so_far || (recipe == Recipe::Released && value == so_far)) best = i;
    if (epochs[i].validation_loss <= epochs[least_loss].validation_loss) least_loss = i;
  }
  const bool value_is_stale = last - best >= patience;
  const bool loss_is_stale = last - least_loss >= patience;
  return value_is_stale && (recipe == Recipe::Paper || loss_is_stale);
}

Activation activation_of(const TrainingSettings& settings) {
  return settings.loss_settings.recipe == Recipe::Released ? Activation::Sigmoid
                                                           : find_loss(settings.loss).activation;
}

TrainingHistory train(const TrainingData& data, const TrainingSettings& settings,
                      const Judge& judge, const std::filesystem::path& folder) {
  return Training(data, settings, judge, folder).run();
}

}  // namespace manyverbs
