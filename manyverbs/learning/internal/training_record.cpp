// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/training_record.h"

#include <cmath>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

double number_at(const Json& json, const std::string& key, const std::filesystem::path& path) {
  const Json value = json_value<Json>(json, key, path);
  return value.is_null() ? NAN : json_value<double>(json, key, path);
}

Json to_json(const EpochRecord& record) {
  Json values = Json::array();
  for (const double value : record.values) values.push_back(number_or_null(value));
  return {{"epoch", record.epoch},
          {"train_loss", record.train_loss},
          {"validation_loss", record.validation_loss},
          {"values", values}};
}

EpochRecord epoch_of(const Json& json, const std::filesystem::path& path) {
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
  for (const Json& clip : json.value("skipped", Json::array())) {
    history.skipped.push_back({ClipRow(json_value<int>(clip, "clip", path)),
                               json_value<std::string>(clip, "problem", path)});
  }
  for (const Json& record : json_value<Json>(json, "epochs", path)) {
    history.epochs.push_back(epoch_of(record, path));
  }
  const int least = history.epochs.empty() ? 0 : 1;
  if (history.best_epoch < least || history.best_epoch > std::ssize(history.epochs)) {
    throw Error("{}: is damaged: best epoch {} of {} epochs", path.string(), history.best_epoch,
                history.epochs.size());
  }
  return history;
}

Json to_json(const PartialEpoch& partial) {
  return {{"steps", partial.steps},
          {"clips", partial.clips},
          {"loss_sum", number_or_null(partial.loss_sum)},
          {"random_state", partial.random_state}};
}

PartialEpoch partial_of(const Json& json, const std::filesystem::path& path) {
  return {json_value<std::int64_t>(json, "steps", path),
          json_value<std::int64_t>(json, "clips", path), number_at(json, "loss_sum", path),
          json_value<std::vector<std::uint32_t>>(json, "random_state", path)};
}

}  // namespace

std::string text_of(const TrainingRecord& record) {
  Json epochs = Json::array();
  for (const EpochRecord& epoch : record.history.epochs) epochs.push_back(to_json(epoch));
  Json json = {
      {"steps", record.steps}, {"best_epoch", record.history.best_epoch}, {"epochs", epochs}};
  for (const ClipProblem& clip : record.history.skipped) {
    json["skipped"].push_back({{"clip", clip.clip}, {"problem", clip.what}});
  }
  if (record.partial.steps > 0) json["partial_epoch"] = to_json(record.partial);
  // File names may be invalid UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

TrainingRecord read_training_record(const TensorFile& file, const std::filesystem::path& path) {
  const auto training = file.metadata.find("training");
  const Json json =
      Json::parse(training == file.metadata.end() ? "" : training->second, nullptr, false);
  TrainingRecord record;
  record.steps = json_value<std::int64_t>(json, "steps", path);
  record.history = history_of(json, path);
  if (json.contains("partial_epoch")) record.partial = partial_of(json["partial_epoch"], path);
  return record;
}

}  // namespace manyverbs
