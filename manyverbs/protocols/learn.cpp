// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/learn.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "manyverbs/learning/internal/cross_fit.h"
#include "manyverbs/learning/internal/run.h"
#include "manyverbs/learning/internal/setting_table.h"
#include "manyverbs/metrics/metrics.h"
#include "manyverbs/protocols/internal/run_claims.h"
#include "manyverbs/protocols/internal/search_space.h"
#include "manyverbs/protocols/runs.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/remark.h"

namespace manyverbs {
namespace {

constexpr int kLearnFormat = 3;  // of learn.json

// Shares of the time after which each part ends.
constexpr double kFoldSearchEnd = 0.2;
constexpr double kFoldsEnd = 0.4;
constexpr double kFinalSearchEnd = 0.7;

// Without time to compare them, the first one; on real videos it is the better one.
constexpr std::array<std::string_view, 2> kFinalLosses = {"cross-mask", "cross-fit"};

std::string folder_name(const RunSettings& settings) {
  std::string name = settings.loss;
  for (const Axis& axis : search_axes(settings.loss)) {
    name += fmt::format("-{}-{}", axis.key, axis.get(settings));
  }
  return name;
}

// The search in a run folder, recorded in learn.json after every trial.
class Search {
 public:
  Search(const Dataset& dataset, const LearnSettings& settings, std::filesystem::path folder)
      : settings_(settings),
        folder_(std::move(folder)),
        features_(open_features(dataset, settings.streams)),
        choice_(choose_clips(dataset, Protocol::Clean, settings.seed)),
        data_(training_data(dataset, features_, choice_, Suggestions(choice_.training.size()),
                            Label::Absent)),
        made_from_(features_content(dataset, settings.streams)) {
    check_loss(start_settings(), dataset.classes.size());
    require_enough_clips(data_.clips.size(), start_settings());
  }

  // Creates the folder, or continues in it.
  Learned run() {
    std::filesystem::create_directories(folder_);
    const FileLock lock(folder_);
    read();
    if (!is_chosen_) {
      write();  // so that a later call knows the data of the trials
      try {
        search();
      } catch (const Interrupted&) {
        throw Interrupted("the search is saved");
      }
      choose();
      is_chosen_ = true;
      write();
      std::filesystem::remove_all(folder_ / "trials");
    }
    return learned_;
  }

 private:
  std::filesystem::path file() const { return folder_ / "learn.json"; }
  RunSettings start_settings() const {
    RunSettings start = first_settings(data_.clips.size(), settings_.hidden);
    start.seed = settings_.seed;
    start.features.streams = settings_.streams;
    start.features.refit = true;
    start.loss_settings.expected_labels = settings_.expected_labels;
    return start;
  }
  double elapsed() const {
    const std::chrono::duration<double> now = std::chrono::steady_clock::now() - start_;
    return before_ + now.count();
  }
  double seconds_until(double share) const { return share * 60 * settings_.minutes - elapsed(); }

  void search() {
    if (!rounds_) {
      try_all({start_settings()}, kFoldSearchEnd);
      learned_.is_complete = improve("ce", kFoldSearchEnd);
      choose_rounds();
    }
    if (*rounds_ > 0) search_final();
    learned_.seconds = elapsed();
  }

  // Moves to the best neighbour until none is better; false if time was up before.
  bool improve(std::string_view loss, double end) {
    while (seconds_until(end) > 0) {
      const std::size_t before = *best_of(loss);
      try_all(next_to(learned_.trials[before].settings), end);
      if (*best_of(loss) == before && seconds_until(end) > 0) return true;
    }
    return false;
  }

  // As many as there is time for. One is worth more than the search after it.
  void choose_rounds() {
    const Trial& best = learned_.trials[learned_.best];
    const auto affordable = [&](double end) {
      return affordable_rounds(seconds_until(end),
                               best.seconds / held_out_folds(data_, best.settings),
                               best.settings.features.cross_fit.folds, num_threads());
    };
    rounds_ = std::max(affordable(kFoldsEnd), std::min(1, affordable(kFinalSearchEnd)));
    write();
  }

  // How the final network should use the predictions of the networks of folds.
  void search_final() {
    shares_ = cross_fit(data_, final_settings(kFinalLosses[0]), folder_);
    std::vector<RunSettings> first;
    for (const std::string_view loss : kFinalLosses) first.push_back(final_settings(loss));
    try_all(first, kFinalSearchEnd);
    // The better one first, in case that there is no time for both.
    auto losses = kFinalLosses;
    if (learned_.trials[learned_.chosen].settings.loss == losses[1])
      std::swap(losses[0], losses[1]);
    for (const std::string_view loss : losses) {
      learned_.is_complete =
          best_of(loss) && improve(loss, kFinalSearchEnd) && learned_.is_complete;
    }
  }
  RunSettings final_settings(std::string_view loss) const {
    return first_final_settings(loss, learned_.trials[learned_.best].settings, *rounds_);
  }

  bool was_tried(const RunSettings& settings) const {
    return std::any_of(learned_.trials.begin(), learned_.trials.end(), [&](const Trial& trial) {
      return are_at_one_place(trial.settings, settings);
    });
  }

  // Tries those that were not tried yet, as many as there is time for; the very first in any case.
  void try_all(std::vector<RunSettings> wanted, double end) {
    std::erase_if(wanted, [&](const RunSettings& settings) { return was_tried(settings); });
    std::vector<std::optional<Trial>> trials(wanted.size());
    Progress progress("searching", static_cast<std::int64_t>(wanted.size()));
    const std::size_t before = learned_.trials.size();
    side_by_side(wanted.size(), num_threads(), [&](std::size_t i) {
      const Progress::Step step(&progress);
      if (before > 0 && seconds_until(end) <= 0) return;
      const auto start = std::chrono::steady_clock::now();
      const double rank = label_rank(wanted[i]);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      const std::lock_guard lock(mutex_);
      trials[i] = {wanted[i], rank, time.count()};
      keep(trials, before);
    });
  }

  // The worst one if the learning rate is too high.
  double label_rank(const RunSettings& settings) const {
    const std::filesystem::path folder = folder_ / "trials" / folder_name(settings);
    try {
      if (find_loss(settings.loss).cross_fitted) return validation_rank(settings, folder);
      const HeldOut predicted = predict_held_out(data_, settings, folder);
      return 1 / reciprocal_rank(predicted.probabilities, predicted.labels);
    } catch (const Diverged&) {
      return static_cast<double>(data_.targets.columns());
    }
  }

  // That of the best epoch of a final network.
  double validation_rank(const RunSettings& settings, const std::filesystem::path& folder) const {
    TrainingData data = data_;
    set_cross_fitted(shares_, settings, &data);
    const EpochScorer scorer{
        {"reciprocal_rank"}, [&](const Matrix<float>& probabilities) {
          return std::vector{reciprocal_rank(probabilities, data.validation_targets)};
        }};
    std::filesystem::create_directories(folder);
    const TrainingHistory history = train(data, settings, scorer, folder);
    std::filesystem::remove_all(folder);
    return 1 / history.epochs[history.best_epoch - 1].values[0];
  }

  // Records the trials so far of a wave, in its order.
  void keep(const std::vector<std::optional<Trial>>& trials, std::size_t before) {
    learned_.trials.resize(before);
    for (const auto& trial : trials) {
      if (trial) learned_.trials.push_back(*trial);
    }
    find_best();
    write();
  }

  // The trial of a loss with the best label rank, the first of equal ones.
  std::optional<std::size_t> best_of(std::string_view loss) const {
    const std::vector<Trial>& trials = learned_.trials;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (trials[i].settings.loss != loss) continue;
      if (!best || trials[i].label_rank < trials[*best].label_rank) best = i;
    }
    return best;
  }

  void find_best() {
    learned_.best = best_of("ce").value_or(0);
    learned_.chosen = learned_.best;
    for (const std::string_view loss : kFinalLosses) {
      const auto best = best_of(loss);
      const bool is_first = learned_.chosen == learned_.best;
      if (best && (is_first || learned_.trials[*best].label_rank <
                                   learned_.trials[learned_.chosen].label_rank)) {
        learned_.chosen = *best;
      }
    }
  }

  void choose() {
    learned_.settings = learned_.trials[learned_.chosen].settings;
    // There was time for the networks of folds, but not for a trial of the final one.
    if (*rounds_ > 0 && learned_.chosen == learned_.best) {
      learned_.settings = final_settings(kFinalLosses[0]);
    }
  }

  void write() const {
    Json trials = Json::array();
    for (const Trial& trial : learned_.trials) trials.push_back(trial_json(trial));
    Json json = {{"format", kLearnFormat},           {"made_from", to_json(made_from_)},
                 {"seed", settings_.seed},           {"hidden", settings_.hidden},
                 {"streams", settings_.streams},     {"expected_labels", settings_.expected_labels},
                 {"minutes", settings_.minutes},     {"seconds", elapsed()},
                 {"complete", learned_.is_complete}, {"trials", trials}};
    if (rounds_) json["rounds"] = *rounds_;
    if (is_chosen_) json["chosen"] = to_json(learned_.settings);
    write_json(file(), json);
  }

  // Continues the search in the folder, if there is one.
  void read() {
    if (!std::filesystem::exists(file())) {
      if (!is_free_for_run(folder_)) {
        throw Error(
            "{}: contains other files and is not from 'manyverbs learn'; choose another --out",
            folder_.string());
      }
      return;
    }
    const Json json = read_json(file());
    if (json_value<int>(json, "format", file()) != kLearnFormat) {
      throw Error("{}: has another format; choose another --out", file().string());
    }
    require_same(json, "seed", settings_.seed);
    require_same(json, "hidden", settings_.hidden);
    require_same(json, "streams", settings_.streams);
    if (content_at(json, "made_from", file()) != made_from_) {
      throw Error("{}: labels or features of the data set have changed since; choose another --out",
                  file().string());
    }
    if (json.contains("rounds")) rounds_ = json_value<int>(json, "rounds", file());
    for (const Json& entry : json_value<Json>(json, "trials", file())) {
      learned_.trials.push_back(trial_of(entry));
      find_best();
    }
    before_ = learned_.seconds = json_value<double>(json, "seconds", file());
    learned_.is_complete = json_value<bool>(json, "complete", file());
    is_chosen_ = json.contains("chosen");
    if (!is_chosen_) return;
    learned_.settings = settings_of(json["chosen"], RunKind::Features, file());
    learned_.settings.loss_settings.expected_labels = settings_.expected_labels;
    if (settings_.minutes > json_value<double>(json, "minutes", file())) {
      remark(fmt::format("note: {} has its settings already; more time needs another --out",
                         folder_.string()));
    }
  }

  Trial trial_of(const Json& entry) const {
    const auto loss = json_value<std::string>(entry, "loss", file());
    const bool is_final = find_loss(loss).cross_fitted;
    if (is_final && (learned_.trials.empty() || !rounds_)) {
      throw Error("{}: expected a trial with the loss ce before that with {}, and the key 'rounds'",
                  file().string(), loss);
    }
    Trial trial{is_final ? final_settings(loss) : start_settings()};
    for (const Axis& axis : search_axes(loss)) {
      axis.set(trial.settings, json_value<double>(entry, std::string(axis.key), file()));
    }
    trial.label_rank = json_value<double>(entry, "label_rank", file());
    trial.seconds = json_value<double>(entry, "seconds", file());
    return trial;
  }

  void require_same(const Json& json, const std::string& key, const Json& wanted) const {
    const Json found = json_value<Json>(json, key, file());
    if (found == wanted) return;
    throw Error("{}: its {} is {}, requested {}; choose another --out", file().string(), key,
                found.dump(), wanted.dump());
  }

  LearnSettings settings_;
  std::filesystem::path folder_;
  FeatureTable features_;
  ClipChoice choice_;
  TrainingData data_;
  DatasetContent made_from_;
  std::optional<int> rounds_;  // of the networks of folds; empty until chosen
  Matrix<float> shares_;       // that they predict
  Learned learned_;
  bool is_chosen_ = false;
  double before_ = 0;  // seconds of earlier calls
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
};

}  // namespace

std::vector<Choice> choices(const std::vector<Trial>& trials, std::size_t trial) {
  const RunSettings& settings = trials[trial].settings;
  std::vector<Choice> all;
  for (const Axis& axis : search_axes(settings.loss)) {
    Choice choice{std::string(axis.title), fmt::format("{}", axis.get(settings)), {}};
    for (const double value : axis.values) {
      RunSettings other = settings;
      axis.set(other, value);
      for (std::size_t i = 0; i < trials.size(); ++i) {
        if (i == trial || !are_at_one_place(trials[i].settings, other)) continue;
        choice.alternatives.push_back({fmt::format("{}", value), trials[i].label_rank});
      }
    }
    all.push_back(std::move(choice));
  }
  return all;
}

Learned learn_run(const Dataset& dataset, const LearnSettings& settings,
                  const std::filesystem::path& folder,
                  const std::function<void(const Learned& so_far)>& searched) {
  Learned learned = Search(dataset, settings, folder).run();
  if (searched) searched(learned);
  learned.history = train_run(dataset, learned.settings, folder);
  return learned;
}

}  // namespace manyverbs
