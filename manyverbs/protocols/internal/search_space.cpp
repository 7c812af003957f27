// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/search_space.h"

#include <algorithm>
#include <array>

namespace manyverbs {
namespace {

constexpr std::array kRates = {2.5e-5, 5e-5,   1e-4,   2e-4,    4e-4,    8e-4,
                               1.6e-3, 3.2e-3, 6.4e-3, 1.28e-2, 2.56e-2, 5.12e-2};
constexpr std::array kEpochs = {3., 4., 6., 9., 13., 20., 30., 45., 70., 100., 150., 220.};
constexpr std::array kDropout = {0., 0.25, 0.5, 0.7};
constexpr std::array kMembers = {1., 2., 4., 8., 16., 32.};

constexpr std::array<Axis, 4> kAxes = {{
    {"learning rate", "learning_rate", kRates,
     [](const RunSettings& settings) { return settings.learning_rate; },
     [](RunSettings& settings, double value) { settings.learning_rate = value; }},
    {"epochs", "epochs", kEpochs,
     [](const RunSettings& settings) { return static_cast<double>(settings.epochs); },
     [](RunSettings& settings, double value) {
       settings.epochs = settings.patience = static_cast<int>(value);
     }},
    {"dropout", "dropout", kDropout, [](const RunSettings& settings) { return settings.dropout; },
     [](RunSettings& settings, double value) { settings.dropout = value; }},
    {"members", "members", kMembers,
     [](const RunSettings& settings) { return static_cast<double>(settings.features.members); },
     [](RunSettings& settings, double value) {
       settings.features.members = static_cast<int>(value);
     }},
}};

bool can_be_divided(const FeatureRunSettings& features) {
  return std::all_of(features.hidden.begin(), features.hidden.end(),
                     [&](int size) { return size % features.members == 0; });
}

// The first value of an axis that is not less, or the last one.
double rounded_up(std::span<const double> values, double least) {
  return *std::lower_bound(values.begin(), std::prev(values.end()), least);
}

}  // namespace

std::span<const Axis> search_axes(std::string_view loss) {
  return std::span(kAxes).first(find_loss(loss).cross_fitted ? 2 : kAxes.size());
}

Json trial_json(const Trial& trial) {
  Json json = {{"loss", trial.settings.loss}};
  for (const Axis& axis : search_axes(trial.settings.loss)) {
    json[std::string(axis.key)] = axis.get(trial.settings);
  }
  json["label_rank"] = trial.label_rank;
  json["seconds"] = trial.seconds;
  return json;
}

RunSettings first_settings(std::size_t training_clips, const std::vector<int>& hidden) {
  constexpr double kSteps = 800;
  constexpr double kLeastEpochs = 9;
  RunSettings start;
  start.loss = "ce";
  start.schedule = Schedule::Cosine;
  start.learning_rate = 8e-4;
  start.dropout = 0.5;
  start.features.hidden = hidden;
  start.features.mixup = 0.4;
  start.features.members = 8;
  while (!can_be_divided(start.features)) start.features.members /= 2;
  start.batch = 128;
  const auto clips = static_cast<double>(training_clips);
  while (start.batch > 16 && clips < 32.0 * start.batch) start.batch /= 2;
  const double epochs = std::max(kLeastEpochs, kSteps * start.batch / clips);
  start.patience = start.epochs = static_cast<int>(rounded_up(kEpochs, epochs));
  return start;
}

RunSettings first_final_settings(std::string_view loss, const RunSettings& folds, int rounds) {
  constexpr double kMaskRate = 1.28e-2;
  constexpr double kMoreEpochs = 2;
  RunSettings start = folds;
  start.loss = loss;
  start.features.cross_fit.rounds = rounds;
  start.features.cross_fit.fold_learning_rate = folds.learning_rate;
  start.features.cross_fit.fold_epochs = folds.epochs;
  if (find_loss(loss).takes_shares()) return start;
  start.learning_rate = kMaskRate;
  start.patience = start.epochs = static_cast<int>(rounded_up(kEpochs, kMoreEpochs * folds.epochs));
  return start;
}

std::vector<RunSettings> next_to(const RunSettings& settings) {
  std::vector<RunSettings> all;
  for (const Axis& axis : search_axes(settings.loss)) {
    const auto& values = axis.values;
    const auto here = std::find(values.begin(), values.end(), axis.get(settings));
    const auto add = [&](double value) {
      RunSettings other = settings;
      axis.set(other, value);
      if (can_be_divided(other.features)) all.push_back(std::move(other));
    };
    if (here != values.begin()) add(*std::prev(here));
    if (std::next(here) != values.end()) add(*std::next(here));
  }
  return all;
}

bool are_at_one_place(const RunSettings& one, const RunSettings& other) {
  return one.loss == other.loss && std::all_of(kAxes.begin(), kAxes.end(), [&](const Axis& axis) {
           return axis.get(one) == axis.get(other);
         });
}

int affordable_rounds(double seconds, double fold_seconds, int folds, int threads) {
  constexpr int kMost = 4;
  int rounds = 0;
  const auto time_of = [&](int count) {
    return (count * folds + threads - 1) / threads * fold_seconds;
  };
  while (rounds < kMost && time_of(rounds + 1) <= seconds) ++rounds;
  return rounds;
}

}  // namespace manyverbs
