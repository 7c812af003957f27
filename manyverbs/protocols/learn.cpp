// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/learn.h"

#include <algorithm>
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

constexpr int kLearnFormat = 1;       // of learn.json
constexpr double kSearchShare = 0.4;  // of the time

std::string folder_name(const RunSettings& settings) {
  std::string name;
  for (const Axis& axis : search_axes()) {
    name += fmt::format("{}{}-{}", name.empty() ? "" : "-", axis.key, axis.get(settings));
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
    }
    return learned_;
  }

 private:
  std::filesystem::path file() const { return folder_ / "learn.json"; }
  RunSettings start_settings() const {
    RunSettings start = first_settings(data_.clips.size(), settings_.hidden);
    start.seed = settings_.seed;
    start.features.streams = settings_.streams;
    start.loss_settings.expected_labels = settings_.expected_labels;
    return start;
  }
  double elapsed() const {
    const std::chrono::duration<double> now = std::chrono::steady_clock::now() - start_;
    return before_ + now.count();
  }
  bool is_time_up() const { return elapsed() > kSearchShare * 60 * settings_.minutes; }

  void search() {
    try_all({start_settings()});
    while (!learned_.is_complete && !is_time_up()) {
      const std::size_t best = learned_.best;
      try_all(next_to(learned_.trials[best].settings));
      learned_.is_complete = learned_.best == best && !is_time_up();
    }
    learned_.seconds = elapsed();
  }

  bool was_tried(const RunSettings& settings) const {
    return std::any_of(learned_.trials.begin(), learned_.trials.end(), [&](const Trial& trial) {
      return are_at_one_place(trial.settings, settings);
    });
  }

  // Tries those that were not tried yet; after the first trial, as many as there is time for.
  void try_all(std::vector<RunSettings> wanted) {
    std::erase_if(wanted, [&](const RunSettings& settings) { return was_tried(settings); });
    std::vector<std::optional<Trial>> trials(wanted.size());
    Progress progress("searching", static_cast<std::int64_t>(wanted.size()));
    const std::size_t before = learned_.trials.size();
    side_by_side(wanted.size(), num_threads(), [&](std::size_t i) {
      const Progress::Step step(&progress);
      if (before > 0 && is_time_up()) return;
      const auto start = std::chrono::steady_clock::now();
      const double rank = label_rank(wanted[i]);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      const std::lock_guard lock(mutex_);
      trials[i] = {wanted[i], rank, time.count()};
      keep(trials, before);
    });
  }

  // Of held-out clips; the worst one if the learning rate is too high.
  double label_rank(const RunSettings& settings) const {
    try {
      const HeldOut predicted =
          predict_held_out(data_, settings, folder_ / "trials" / folder_name(settings));
      return 1 / reciprocal_rank(predicted.probabilities, predicted.labels);
    } catch (const Diverged&) {
      return static_cast<double>(data_.targets.columns());
    }
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

  void find_best() {
    learned_.best = 0;
    for (std::size_t i = 1; i < learned_.trials.size(); ++i) {
      if (learned_.trials[i].label_rank < learned_.trials[learned_.best].label_rank) {
        learned_.best = i;
      }
    }
  }

  // Cross-fit with as many rounds as there is time for; cross-entropy if there is none.
  void choose() {
    const Trial& best = learned_.trials[learned_.best];
    learned_.settings = best.settings;
    const double fold_seconds = best.seconds / held_out_folds(data_, best.settings);
    // One more for the final network.
    const double left = 60 * settings_.minutes - elapsed() - fold_seconds;
    const int rounds = affordable_rounds(left, fold_seconds, best.settings.features.cross_fit.folds,
                                         num_threads());
    if (rounds == 0) learned_.settings.loss = "ce";
    if (rounds > 0) learned_.settings.features.cross_fit.rounds = rounds;
    is_chosen_ = true;
    write();
    std::filesystem::remove_all(folder_ / "trials");
  }

  void write() const {
    Json trials = Json::array();
    for (const Trial& trial : learned_.trials) {
      Json json;
      for (const Axis& axis : search_axes()) json[std::string(axis.key)] = axis.get(trial.settings);
      json["label_rank"] = trial.label_rank;
      json["seconds"] = trial.seconds;
      trials.push_back(json);
    }
    Json json = {{"format", kLearnFormat},           {"made_from", to_json(made_from_)},
                 {"seed", settings_.seed},           {"hidden", settings_.hidden},
                 {"streams", settings_.streams},     {"expected_labels", settings_.expected_labels},
                 {"minutes", settings_.minutes},     {"seconds", elapsed()},
                 {"complete", learned_.is_complete}, {"trials", trials}};
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
    for (const Json& entry : json_value<Json>(json, "trials", file())) {
      Trial trial{start_settings()};
      for (const Axis& axis : search_axes()) {
        axis.set(trial.settings, json_value<double>(entry, std::string(axis.key), file()));
      }
      trial.label_rank = json_value<double>(entry, "label_rank", file());
      trial.seconds = json_value<double>(entry, "seconds", file());
      learned_.trials.push_back(trial);
    }
    find_best();
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
  Learned learned_;
  bool is_chosen_ = false;
  double before_ = 0;  // seconds of earlier calls
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
};

}  // namespace

std::vector<Choice> choices(const Learned& learned) {
  const Trial& best = learned.trials[learned.best];
  std::vector<Choice> all;
  for (const Axis& axis : search_axes()) {
    Choice choice{std::string(axis.title), fmt::format("{}", axis.get(best.settings)), {}};
    for (const double value : axis.values) {
      RunSettings other = best.settings;
      axis.set(other, value);
      for (const Trial& trial : learned.trials) {
        if (&trial == &best || !are_at_one_place(trial.settings, other)) continue;
        choice.alternatives.push_back({fmt::format("{}", value), trial.label_rank});
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
