// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/metrics/internal/metric_table.h"
#include "manyverbs/protocols/pseudo_labelling.h"
#include "manyverbs/protocols/runs.h"

namespace manyverbs {

/// An experiment is a table in the making: rows of settings, some runs of each, all on the same
/// data.
///
///   settings --plan_compare, plan_ablate, plan_sweep--> Experiment --run_experiment--> Results
///
/// It lives in a folder:
///
///   results.json   the rows, every run, and what it measured; written anew after each run
///   runs/NAME/     the run folders

enum class ExperimentKind { Compare, Ablate, Sweep };
/// "compare", "ablate" or "sweep".
std::string_view kind_name(ExperimentKind kind);

/// A line of the table.
struct ExperimentRow {
  std::string key;    ///< "p+s", "mask-class", "mask-k15-tau0.1": also the start of folder names
  std::string title;  ///< "P+S", "Mask, class-level", "Mask, K 15, tau 0.1"
  std::string loss;
  bool pseudo_labelled = false;  ///< Mask or P+S, the paper's own losses
  std::optional<int> k;          ///< of a sweep
  std::optional<double> tau;     ///< of a sweep

  bool operator==(const ExperimentRow&) const = default;
};

struct PlannedRun {
  std::string name;         ///< "p+s-1", under runs/
  std::string row;          ///< key of its row
  std::size_t dataset = 0;  ///< position in Experiment::datasets
  RunSettings settings;
  /// What the run learns from besides its labels; made before the first run starts, handed on in
  /// memory and kept as a table for people. Nothing where the loss takes none, or where the
  /// settings name pseudo-labels that are there.
  std::optional<PseudoLabelSettings> pseudo_labels;
};

struct Experiment {
  ExperimentKind kind = ExperimentKind::Compare;
  std::vector<std::filesystem::path> datasets;
  std::vector<ExperimentRow> rows;
  std::vector<PlannedRun> runs;
  EvaluationSettings evaluation;
  std::string command;    ///< what the user typed, for the record
  std::string published;  ///< whose figures stand beside the measured ones: "epic", "hmdb" or ""
};

/// What all plans share: the runs of each row differ in seed and data set only.
struct ExperimentSettings {
  std::vector<std::filesystem::path> datasets;  ///< several are splits of one: all are averaged
  int seeds = 5;    ///< of each row on each data set, from run's seed on
  RunSettings run;  ///< loss and pseudo-labels are set by the plan
  PseudoLabelSettings pseudo_labels;
  std::string given_pseudo_labels;  ///< of compare, a name or file to use instead; or empty
  EvaluationSettings evaluation;
};

/// Losses against each other, the paper's Table 1. Pseudo-labels that are not given are made as the
/// settings say.
Experiment plan_compare(const ExperimentSettings& settings, const std::vector<std::string>& losses);
/// Mask and P+S with instance-level, class-level and ideal pseudo-labels, as far as the data sets
/// allow: Table 2. Ideal ones need the truth of training clips.
Experiment plan_ablate(const ExperimentSettings& settings, const std::vector<std::string>& losses);
/// Every K with every tau: the supplementary table.
Experiment plan_sweep(const ExperimentSettings& settings, const std::vector<std::string>& losses,
                      const std::vector<int>& ks, const std::vector<double>& taus);

struct RunResult {
  std::string name;
  std::string row;
  std::size_t dataset = 0;
  std::uint64_t seed = 1;
  std::string problem;  ///< why it failed; empty when it did not
  double seconds = 0;   ///< of the training, in the call that ended it
  int epochs = 0;
  int best_epoch = 0;
  TableValues values{};  ///< on the test clips
};

struct Results {
  ExperimentKind kind = ExperimentKind::Compare;
  std::filesystem::path folder;                 ///< of the experiment
  std::vector<std::filesystem::path> datasets;  ///< absolute, found again after a move with the
                                                ///< experiment
  std::vector<ExperimentRow> rows;
  std::vector<RunResult> runs;  ///< in the order of the plan; those that are done or failed
  std::size_t planned = 0;      ///< runs in all
  double true_labels = 0;       ///< mean number of labels of a test clip
  /// The values of each run are best_per_metric(): the paper's protocol for HMDB.
  bool chosen_on_test = false;
  std::string command;    ///< of the experiment
  std::string published;  ///< of the experiment
};

/// Does every run that is not done yet, side by side, one thread each, `jobs` at a time. Called
/// again after a kill it resumes, to the same table; called with other rows or
/// seeds, it trains those that are new, and the results are of what is asked for. A run that fails
/// is put down with its problem and the others go on. Throws Error when the folder holds an
/// experiment on other data.
Results run_experiment(const Experiment& experiment, const std::filesystem::path& folder, int jobs);

/// What a folder holds so far. Throws Error when it is no experiment.
Results read_results(const std::filesystem::path& folder);

/// Mean and spread over the runs of a row.
struct Cell {
  double mean;       ///< NaN without a run
  double deviation;  ///< sample standard deviation; NaN for fewer than two runs
  int runs;
};
/// Values {1, 2, 4}: mean 7/3, deviation sqrt(7/3). NaN among the values is left out.
Cell summarise(const std::vector<double>& values);

struct TableRow {
  ExperimentRow row;
  std::array<Cell, kTableMetrics.size()> cells;
  std::array<int, kTableMetrics.size()> rank;  ///< 1 best, 2 second …; 0 where not defined
};
/// One entry a row of the experiment, in its order, over the runs that are done.
std::vector<TableRow> table_of(const Results& results);

}  // namespace manyverbs
