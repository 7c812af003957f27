// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/course.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/log_file.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

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

TrainingHistory history_of(const Json& json, const std::filesystem::path& path) {
  TrainingHistory history;
  history.best_epoch = json_value<int>(json, "best_epoch", path);
  history.finished = json_value<bool>(json, "finished", path);
  for (const Json& record : json_value<Json>(json, "epochs", path)) {
    history.epochs.push_back(record_of(record, path));
  }
  const int least = history.epochs.empty() ? 0 : 1;
  if (history.best_epoch < least || history.best_epoch > std::ssize(history.epochs)) {
    throw Error("{}: is damaged: epoch {} is the best of {}", path.string(), history.best_epoch,
                history.epochs.size());
  }
  return history;
}

Json to_json(const PartialEpoch& partial) {
  return {{"steps", partial.steps},
          {"loss_sum", number_or_null(partial.loss_sum)},
          {"random_state", partial.random_state}};
}

PartialEpoch partial_of(const Json& json, const std::filesystem::path& path) {
  const Json loss_sum = json_value<Json>(json, "loss_sum", path);
  return {json_value<std::int64_t>(json, "steps", path),
          loss_sum.is_null() ? NAN : loss_sum.get<double>(),
          json_value<std::vector<std::uint32_t>>(json, "random_state", path)};
}

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

Course::Course(std::filesystem::path folder, Judge judge, RunSettings settings)
    : folder_(std::move(folder)),
      judge_(std::move(judge)),
      settings_(std::move(settings)),
      events_(folder_),
      last_save_(std::chrono::steady_clock::now()) {}

int Course::expected_epochs() const {
  return std::min(settings_.epochs, history_.best_epoch + settings_.patience);
}

std::int64_t Course::resume(const NamedTensors& state) {
  if (!std::filesystem::exists(checkpoint_path())) return 0;
  const TensorFile file = read_tensors(checkpoint_path());
  file.copy_into(state, checkpoint_path());
  const auto training = file.metadata.find("training");
  const Json json =
      Json::parse(training == file.metadata.end() ? "" : training->second, nullptr, false);
  const auto steps = json_value<std::int64_t>(json, "steps", checkpoint_path());
  history_ = history_of(json, checkpoint_path());
  if (json.contains("partial_epoch")) {
    partial_ = partial_of(json["partial_epoch"], checkpoint_path());
  }
  return steps;
}

bool Course::add(double train_loss, double validation_loss, const Matrix<float>& probabilities) {
  if (!std::isfinite(train_loss) || !std::isfinite(validation_loss)) {
    throw Error("{}: the loss is not a number any more in epoch {}; try a learning rate below {}",
                folder_.string(), next_epoch(), settings_.learning_rate);
  }
  const EpochRecord record = {next_epoch(), train_loss, validation_loss,
                              judge_.measure(probabilities)};
  const bool is_best = history_.epochs.empty() ||
                       record.values[0] > history_.epochs[history_.best_epoch - 1].values[0];
  history_.epochs.push_back(record);
  partial_ = {};
  if (is_best) history_.best_epoch = record.epoch;
  history_.finished = record.epoch >= settings_.epochs ||
                      should_stop(history_.epochs, settings_.patience, settings_.recipe);
  std::vector<Scalar> scalars = {{"loss/train", record.train_loss},
                                 {"loss/validation", record.validation_loss}};
  for (std::size_t i = 0; i < judge_.names.size(); ++i) {
    scalars.push_back({"validation/" + judge_.names[i], record.values[i]});
  }
  events_.append(record.epoch, scalars);
  return is_best;
}

void Course::keep_best(const NamedTensors& model, std::map<std::string, std::string> metadata) {
  best_.clear();
  for (const auto& [name, tensor] : model) {
    best_.emplace_back(name, tensor.detach().to(at::kCPU).clone());
  }
  best_metadata_ = std::move(metadata);
  best_metadata_["epoch"] = std::to_string(history_.best_epoch);
  best_is_written_ = false;
}

bool Course::is_save_due() const {
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - last_save_;
  return history_.finished || waited.count() >= settings_.checkpoint_seconds;
}

// The model first: a crash in between leaves an older checkpoint, which leads to the same model.
void Course::save(const NamedTensors& state, std::int64_t steps) {
  if (!best_is_written_) {
    write_tensors(folder_ / "model.safetensors", {best_, best_metadata_});
    best_is_written_ = true;
  }
  write_log(folder_, {judge_.names, history_.epochs});
  Json epochs = Json::array();
  for (const EpochRecord& record : history_.epochs) epochs.push_back(to_json(record));
  Json training = {{"steps", steps},
                   {"best_epoch", history_.best_epoch},
                   {"finished", history_.finished},
                   {"epochs", epochs}};
  if (partial_.steps > 0) training["partial_epoch"] = to_json(partial_);
  write_tensors(checkpoint_path(), {state, {{"training", training.dump()}}});
  last_save_ = std::chrono::steady_clock::now();
}

void Course::save_interrupted(const NamedTensors& state, std::int64_t steps) {
  save(state, steps);
  throw Interrupted(
      partial_.steps == 0 && next_epoch() > 1
          ? fmt::format("saved after epoch {}", next_epoch() - 1)
          : fmt::format("saved after step {} of epoch {}", partial_.steps, next_epoch()));
}

std::string Course::note() const {
  const EpochRecord& last = history_.epochs.back();
  return fmt::format("epoch {}, {} {:.4f}, best {:.4f}", last.epoch, judge_.names[0],
                     last.values[0], history_.epochs[history_.best_epoch - 1].values[0]);
}

}  // namespace manyverbs
