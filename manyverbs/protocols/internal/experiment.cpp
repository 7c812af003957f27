// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/experiment.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/protocols/internal/best_per_metric.h"
#include "manyverbs/protocols/internal/clip_runs.h"
#include "manyverbs/protocols/internal/published.h"
#include "manyverbs/protocols/internal/results_file.h"
#include "manyverbs/protocols/internal/run_claims.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

double mean_test_labels(const std::vector<Dataset>& datasets) {
  double labels = 0;
  double clips = 0;
  for (const Dataset& dataset : datasets) {
    for (const ClipRow row : dataset.clips_of(Split::Test)) {
      labels += static_cast<double>(dataset.clip(row).labels.size());
      clips += 1;
    }
  }
  return labels / clips;
}

bool chooses_on_test(const Experiment& experiment, const std::vector<Dataset>& datasets) {
  return std::any_of(experiment.runs.begin(), experiment.runs.end(), [&](const PlannedRun& run) {
    return run.settings.protocol == Protocol::Paper &&
           datasets[run.dataset].clips_of(Split::Val).empty();
  });
}

// The pseudo-labels of an experiment, by data set and name.
using MadePseudoLabels = std::map<std::pair<std::size_t, std::string>, Suggestions>;

// The pseudo-labels of a run; null if it reads existing ones or the loss does not use them.
const Suggestions* pseudo_labels_of(const PlannedRun& run, const MadePseudoLabels& made) {
  return run.pseudo_labels ? &made.at({run.dataset, run.pseudo_labels->name}) : nullptr;
}

// Makes every set of pseudo-labels once, starting with the largest K: smaller K then need no
// search.
MadePseudoLabels make_all_pseudo_labels(const Experiment& experiment,
                                        const std::vector<Dataset>& datasets) {
  std::map<std::pair<std::size_t, std::string>, PseudoLabelSettings> wanted;
  for (const PlannedRun& run : experiment.runs) {
    if (run.pseudo_labels) wanted[{run.dataset, run.pseudo_labels->name}] = *run.pseudo_labels;
  }
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    std::optional<NeighbourSettings> most;
    for (const auto& [key, settings] : wanted) {
      if (key.first != i || settings.method != PseudoLabelMethod::Instance) continue;
      if (!most || settings.neighbours.k > most->k) most = settings.neighbours;
    }
    if (most) find_neighbours(datasets[i], *most);
  }
  MadePseudoLabels made;
  Progress progress("pseudo-labels", static_cast<std::int64_t>(wanted.size()));
  for (const auto& [key, settings] : wanted) {
    stop_if_interrupted();
    made[key] = make_pseudo_labels(datasets[key.first], settings).suggestions;
    progress.advance();
  }
  return made;
}

void claim(const Dataset& dataset, const RunSettings& settings, const std::filesystem::path& folder,
           const Suggestions* pseudo_labels) {
  if (settings.kind == RunKind::Clips) {
    claim_clip_run(dataset, settings, folder, pseudo_labels);
  } else {
    claim_run(dataset, settings, folder, pseudo_labels);
  }
}

TrainingHistory train_any_run(const Dataset& dataset, const RunSettings& settings,
                              const std::filesystem::path& folder,
                              const Suggestions* pseudo_labels) {
  if (settings.kind == RunKind::Features) {
    return train_run(dataset, settings, folder, pseudo_labels);
  }
  return finetune_run(dataset, settings, folder, {.pseudo_labels = pseudo_labels}).history;
}

// Trains a run, or resumes it, and computes its metrics on test.
void do_run(const Experiment& experiment, const PlannedRun& run, const Dataset& dataset,
            const Suggestions* pseudo_labels, const std::filesystem::path& folder,
            RunResult* result) {
  const auto start = std::chrono::steady_clock::now();
  const TrainingHistory history = train_any_run(dataset, run.settings, folder, pseudo_labels);
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result->epochs = static_cast<int>(history.epochs.size());
  result->best_epoch = history.best_epoch;
  if (const std::optional<TableValues> chosen_on_test = best_per_metric(folder)) {
    result->values = *chosen_on_test;
    return;
  }
  result->validation_score = history.epochs[history.best_epoch - 1].values[0];
  const Evaluation evaluation =
      Model::open(folder).evaluate(dataset, Split::Test, experiment.evaluation);
  result->values = table_values(evaluation);
  result->clips = clip_table_values(evaluation);
  write_array(clip_metrics_file(folder), result->clips);
}

// "" is also allowed.
void require_row(const std::vector<ExperimentRow>& rows, const std::string& key) {
  std::vector<std::string> keys;
  for (const ExperimentRow& row : rows) keys.push_back(row.key);
  if (!key.empty() && std::find(keys.begin(), keys.end(), key) == keys.end()) {
    throw Error("the reference '{}' is not a row{}", key, did_you_mean_or_list(key, keys));
  }
}

// Whether the folder has only files of an experiment that stopped before its first results.
bool is_free_for_experiment(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder)) return true;
  if (!std::filesystem::is_directory(folder)) return false;
  const std::filesystem::directory_iterator entries(folder);
  return std::all_of(begin(entries), end(entries), [](const auto& entry) {
    return entry.path().filename() == "runs" || is_temporary(entry.path());
  });
}

// Creates and locks the folder of an experiment. Waits for another process that uses it, whose
// finished runs are then reused.
FileLock claim_experiment(const std::filesystem::path& folder) {
  // Checked twice, since another process may write its first results in between.
  if (!is_experiment(folder) && !is_free_for_experiment(folder) && !is_experiment(folder)) {
    throw Error("{}: contains other files and is not an experiment; choose another --out",
                folder.string());
  }
  std::filesystem::create_directories(folder / "runs");
  FileLock lock = FileLock::when_free(folder / "runs");
  remove_leftovers(folder);
  return lock;
}

// The state of an experiment, written to results.json whenever a run ends.
class Record {
 public:
  Record(const Experiment& experiment, std::filesystem::path folder)
      : runs_(experiment.runs.size()) {
    results_.folder = std::move(folder);
    results_.kind = experiment.kind;
    results_.from = experiment.from;
    results_.recipe = experiment.recipe;
    results_.rows = experiment.rows;
    results_.planned = experiment.runs.size();
    results_.command = experiment.command;
    results_.published = experiment.published;
    results_.reference = experiment.reference;
    for (const auto& dataset : experiment.datasets) {
      results_.datasets.push_back(std::filesystem::absolute(dataset).lexically_normal());
    }
    if (is_experiment(results_.folder)) take_over(experiment, read_results(results_.folder));
  }

  Results& results() { return results_; }
  std::filesystem::path run_folder(const PlannedRun& run) const {
    return results_.folder / "runs" / run.name;
  }

  auto finished() const {
    return std::count_if(runs_.begin(), runs_.end(),
                         [](const auto& run) { return run && run->problem.empty(); });
  }

  void put(std::size_t place, RunResult result) {
    const std::lock_guard lock(mutex_);
    // For a run finished in an earlier call, keep its time.
    if (runs_[place]) result.seconds = runs_[place]->seconds;
    runs_[place] = std::move(result);
    write();
  }

  void write() {
    results_.runs.clear();
    for (const auto& run : runs_) {
      if (run) results_.runs.push_back(*run);
    }
    write_results(results_);
  }

 private:
  void take_over(const Experiment& experiment, const Results& before) {
    if (before.kind != results_.kind || before.from != results_.from ||
        before.datasets.size() != results_.datasets.size()) {
      throw Error("{}: contains another experiment, '{}' from {} on {}; choose another --out",
                  results_.folder.string(), kind_name(before.kind), run_kind_name(before.from),
                  before.datasets[0].string());
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      for (const RunResult& run : before.runs) {
        if (run.name == experiment.runs[i].name && run.problem.empty()) runs_[i] = run;
      }
    }
  }

  Results results_;
  std::vector<std::optional<RunResult>> runs_;  // in the order of the plan
  std::mutex mutex_;
};

// Trains all runs; a failure is recorded in the result.
void do_runs(const Experiment& experiment, const std::vector<Dataset>& datasets,
             const MadePseudoLabels& pseudo_labels, int jobs, Record* record) {
  Progress progress(std::string(kind_name(experiment.kind)),
                    static_cast<std::int64_t>(experiment.runs.size()));
  const auto train = [&](std::size_t i) {
    const Progress::Step step(&progress);
    const PlannedRun& run = experiment.runs[i];
    RunResult result;
    result.name = run.name;
    result.row = run.row;
    result.dataset = run.dataset;
    result.seed = run.settings.seed;
    try {
      do_run(experiment, run, datasets[run.dataset], pseudo_labels_of(run, pseudo_labels),
             record->run_folder(run), &result);
    } catch (const std::exception& problem) {
      result.problem = problem.what();
    }
    record->put(i, std::move(result));
  };
  const bool from_clips = experiment.from == RunKind::Clips;
  side_by_side(experiment.runs.size(), jobs, train,
               from_clips ? std::max(1, num_threads() / jobs) : 1);
}

}  // namespace

Results run_experiment(const Experiment& experiment, const std::filesystem::path& folder,
                       int jobs) {
  require_row(experiment.rows, experiment.reference);
  require_published(experiment.published, experiment.kind, experiment.from);
  std::vector<Dataset> datasets;
  for (const auto& path : experiment.datasets) {
    datasets.push_back(read_dataset(path));
    if (datasets.back().clips_of(Split::Test).empty()) {
      throw Error("{}: has no test clips", (path / "clips.csv").string());
    }
    if (datasets.back().classes.names() != datasets.front().classes.names()) {
      throw Error("{}: has other classes than {}; only splits of one data set can be averaged",
                  path.string(), experiment.datasets.front().string());
    }
  }
  const bool on_test = chooses_on_test(experiment, datasets);
  const bool losses_use_it = std::any_of(
      experiment.runs.begin(), experiment.runs.end(),
      [](const PlannedRun& run) { return find_loss(run.settings.loss).uses_expected_labels; });
  if (on_test && experiment.evaluation.expected_labels > 0 && !losses_use_it) {
    throw Error(
        "{}: without val clips, --protocol paper uses the best value per metric over all epochs on "
        "test, with the ground-truth mean as expected labels; remove --expected-labels",
        experiment.datasets.front().string());
  }
  const FileLock lock = claim_experiment(folder);
  Record record(experiment, folder);
  record.results().true_labels = mean_test_labels(datasets);
  record.results().chosen_on_test = on_test;
  try {
    const MadePseudoLabels pseudo_labels = make_all_pseudo_labels(experiment, datasets);
    for (const PlannedRun& run : experiment.runs) {
      claim(datasets[run.dataset], run.settings, record.run_folder(run),
            pseudo_labels_of(run, pseudo_labels));
    }
    record.write();
    do_runs(experiment, datasets, pseudo_labels, jobs, &record);
  } catch (const Interrupted&) {
    throw Interrupted(fmt::format("{} of {} runs are finished and the others saved",
                                  record.finished(), experiment.runs.size()));
  }
  return record.results();
}

}  // namespace manyverbs
