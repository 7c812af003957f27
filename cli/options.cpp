// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "cli/dataset_text.h"
#include "manyverbs/learning/internal/clip_choice.h"
#include "manyverbs/learning/internal/log_file.h"
#include "manyverbs/learning/internal/refit.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/protocols/internal/best_per_metric.h"

namespace manyverbs::cli {
namespace {

// "focal,hill,splc" becomes "focal, hill or splc".
std::string either(std::string_view words) {
  std::string text(words);
  const std::size_t last = text.rfind(',');
  if (last == std::string::npos) return text;
  text.replace(last, 1, " or ");
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1)) {
    text.insert(at + 1, " ");
  }
  return text;
}

bool trains_any(std::string_view losses, const std::function<bool(std::string_view)>& trains) {
  while (!losses.empty()) {
    const std::size_t end = std::min(losses.find(','), losses.size());
    if (trains(losses.substr(0, end))) return true;
    losses.remove_prefix(std::min(end + 1, losses.size()));
  }
  return false;
}

// The validator of a numeric setting.
CLI::Validator number_check(const SettingRange& range) {
  if (range.without_low) return above_zero();
  return std::isinf(range.high) ? from_up(range.low) : from_to(range.low, range.high);
}

// Adds an option with a text value; `store` receives the value.
CLI::Option* add_word(CLI::App& app, const Setting& setting, const std::string& preset,
                      const std::function<void(const std::string&)>& store) {
  CLI::Option* option = app.add_option_function<std::string>(std::string(setting.flag), store,
                                                             std::string(setting.help))
                            ->default_str(preset);
  if (setting.words != nullptr) option->transform(one_of(setting.words()));
  return option;
}

template <typename T>
void add_setting(CLI::App& app, const Setting& setting, const std::string& preset, T* value) {
  const std::string flag(setting.flag);
  const std::string help(setting.help);
  if constexpr (std::is_same_v<T, bool>) {
    app.add_flag_callback(
        flag, [value, changed = !*value] { *value = changed; }, help);
  } else if constexpr (std::is_enum_v<T>) {
    add_word(app, setting, preset, [value, words = setting.words()](const std::string& word) {
      *value = static_cast<T>(std::find(words.begin(), words.end(), word) - words.begin());
    });
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>) {
    add_word(app, setting, preset, [value](const std::string& word) { *value = word; });
  } else {
    CLI::Option* option = app.add_option(flag, *value, help);
    if constexpr (std::is_arithmetic_v<T>) {
      // A default outside the range means that the option is not given.
      if (!setting.range.has(static_cast<double>(*value))) option->default_str("");
    } else {
      option->delimiter(',');
    }
    if (!std::is_same_v<T, std::vector<std::string>>) option->check(number_check(setting.range));
  }
}

}  // namespace

NeighbourSettings neighbour_settings(const SpaceOptions& options) {
  NeighbourSettings settings;
  settings.k = options.k;
  settings.space.space = options.space;
  settings.space.streams = options.streams;
  settings.space.learned.seed = options.seed;
  settings.metric = chosen_metric(options);
  return settings;
}

void note_slow_rate(const RunSettings& settings, int best_epoch, std::size_t clips) {
  constexpr double kUsual = 1e-4;
  constexpr int kEarly = 2;
  // Adam changes a weight by at most about the learning rate per step; initial weights are near
  // 0.03.
  constexpr double kHardly = 0.01;
  const auto batch = static_cast<std::size_t>(settings.batch);
  const auto steps = static_cast<std::size_t>(best_epoch) * ((clips + batch - 1) / batch);
  const bool hardly_moved = settings.learning_rate * static_cast<double>(steps) < kHardly;
  if (settings.learning_rate >= kUsual || (best_epoch > kEarly && !hardly_moved)) return;
  remark(fmt::format(
      "note: the best epoch is {}, after {} at a learning rate of {}, which hardly change the "
      "weights; try --lr 1e-4",
      best_epoch, counted(static_cast<std::int64_t>(steps), "step", "steps"),
      settings.learning_rate));
}

std::set<std::string> given_settings(const CommandLine& line, RunKind kind) {
  std::set<std::string> given;
  for (const Setting& setting : all_settings()) {
    const CLI::Option* option =
        setting.is_of(kind) ? line.app.get_option_no_throw(std::string(setting.flag)) : nullptr;
    if (option != nullptr && option->count() > 0) given.emplace(setting.key);
  }
  return given;
}

std::string best_epoch_text(const TrainingHistory& history, const std::filesystem::path& run) {
  const std::vector<std::string> names = read_log(run).names;
  const std::vector<double>& values = history.epochs[history.best_epoch - 1].values;
  std::string score;
  if (names[0] == "reciprocal_rank") {
    score = fmt::format("label rank {:.2f} (geometric mean), top-1 accuracy {}", 1 / values[0],
                        percent(values[1]));
  } else {
    const std::string title = names[0] == "iou"       ? "IOU"
                              : names[0] == "top_set" ? "Top-set accuracy"
                              : names[0] == "best_f1" ? "F1 at the best threshold"
                                                      : "top-1 accuracy";
    score = fmt::format("{} {}", title, percent(values[0]));
  }
  return fmt::format("epoch {} of {} is best: {} on the {} clips", history.best_epoch,
                     history.epochs.size(), score, best_per_metric(run) ? "test" : "validation");
}

std::string refit_text(const Dataset& dataset, const RunSettings& settings,
                       const TrainingHistory& history) {
  if (!settings.features.refit) return "";
  const ClipChoice clips = choose_clips(dataset, settings.protocol, settings.seed);
  return fmt::format("  then trained for {} on {} and {} together\n",
                     counted(refit_epochs(history), "epoch", "epochs"),
                     counted(std::ssize(clips.training), "training clip", "training clips"),
                     counted(std::ssize(clips.validation), "validation clip", "validation clips"));
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const Loss& loss : all_losses()) names.emplace_back(loss.name);
  return names;
}

std::vector<std::string> compared_loss_names() {
  return {"an", "wan", "ls", "n-ls", "focal", "em", "ce", "mask", "p+s"};
}

bool uses_instance_level_labels(std::string_view row) {
  const std::span<const Loss> losses = all_losses();
  return std::any_of(losses.begin(), losses.end(), [&](const Loss& loss) {
    return loss.name == row && loss.uses_pseudo_labels();
  });
}

void add_run_settings(CommandLine& line, RunSettings* settings,
                      const std::function<bool(std::string_view loss)>& trains,
                      const std::set<std::string_view>& without) {
  for (const Setting& setting : all_settings()) {
    if (!setting.is_of(settings->kind) || without.count(setting.key) > 0) continue;
    const Json preset = setting_value(setting, *settings);
    std::visit(
        [&](auto* value) {
          add_setting(line.app, setting, preset.is_string() ? preset.get<std::string>() : "",
                      value);
        },
        setting.place(*settings));
    if (setting.losses.empty()) continue;
    line.counts_if({std::string(setting.flag)}, "without the loss " + either(setting.losses),
                   [trains, losses = setting.losses] { return trains_any(losses, trains); });
  }
}

}  // namespace manyverbs::cli
