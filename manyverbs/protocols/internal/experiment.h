// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
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

/// An experiment is a set of runs that become a table: rows of settings with several runs each, all
/// on the same data.
///
///   settings --plan_compare, plan_ablate, plan_sweep--> Experiment --run_experiment--> Results
///
/// Its folder:
///
///   results.json                 rows, runs and their metrics; rewritten after each run
///   runs/NAME/                   the run folders
///   runs/NAME/clip_metrics.npy   the metrics of each test clip

enum class ExperimentKind { Compare, Ablate, Sweep };
/// "compare", "ablate" or "sweep".
std::string_view kind_name(ExperimentKind kind);

/// A row of the table.
struct ExperimentRow {
  std::string key;    ///< "p+s", "mask-class", "mask-k15-tau0.1": also the start of folder names
  std::string title;  ///< "P+S", "Mask, class-level", "Mask, K 15, tau 0.1"
  std::string loss;
  bool pseudo_labelled = false;  ///< Mask or P+S, the losses proposed by the paper
  std::optional<int> k;          ///< of a sweep
  std::optional<double> tau;     ///< of a sweep

  bool operator==(const ExperimentRow&) const = default;
};

struct PlannedRun {
  std::string name;         ///< "p+s-1": its folder in runs/
  std::string row;          ///< key of its row
  std::size_t dataset = 0;  ///< position in Experiment::datasets
  RunSettings settings;
  /// The pseudo-labels to make for the run before the first run starts. They are passed in memory
  /// and also written as CSV. Nothing if the loss does not use them or if the settings name
  /// existing ones.
  std::optional<PseudoLabelSettings> pseudo_labels;
};

struct Experiment {
  ExperimentKind kind = ExperimentKind::Compare;
  RunKind from = RunKind::Features;  ///< what all of its runs are trained on
  Recipe recipe = Recipe::Paper;     ///< of all of its runs
  std::vector<std::filesystem::path> datasets;
  std::vector<ExperimentRow> rows;
  std::vector<PlannedRun> runs;
  EvaluationSettings evaluation;
  std::vector<std::string> remarks;  ///< what the plan left out, and why
  std::string command;               ///< the command line of the user
  std::string published;             ///< published values to show (published.h), or ""
  std::string reference;             ///< the row to show differences to; "": see references_of()
};

/// Common settings of all plans. The runs of a row differ only in seed and data set.
struct ExperimentSettings {
  std::vector<std::filesystem::path> datasets;  ///< several are splits of one and are averaged
  int seeds = 5;                                ///< per row and data set, starting at run.seed
  RunSettings run;                              ///< loss and pseudo-labels are set by the plan
  PseudoLabelSettings pseudo_labels;            ///< of runs on features
  std::string given_pseudo_labels;  ///< for compare: a name or file to use instead, or empty
  EvaluationSettings evaluation;
};

/// Compares losses, as in Table 1 of the paper; of runs on clips, as in the supplementary table of
/// end-to-end training. "mask" has instance-level pseudo-labels, which are made with the settings
/// unless given, "mask-class" class-level ones and "mask-ideal" those of the ground truth.
Experiment plan_compare(const ExperimentSettings& settings, const std::vector<std::string>& losses);
/// Mask and P+S with instance-level, class-level and ideal pseudo-labels, as in Table 2. Ideal ones
/// are left out if the ground truth of training clips is unknown. Class-level ones are left out if
/// they equal the ideal ones, as on Confusing-HMDB-102; the titles of the ideal rows say so.
Experiment plan_ablate(const ExperimentSettings& settings, const std::vector<std::string>& losses);
/// The valid words for plan_compare(): all losses, and those that use pseudo-labels with "-class"
/// and
/// "-ideal".
std::vector<std::string> comparable_losses();
/// Whether the ground truth of training clips is known, for at least one clip of each data set.
bool have_truth(const std::vector<std::filesystem::path>& datasets);
/// Every combination of K and tau, as in the supplement.
Experiment plan_sweep(const ExperimentSettings& settings, const std::vector<std::string>& losses,
                      const std::vector<int>& ks, const std::vector<double>& taus);

struct RunResult {
  std::string name;
  std::string row;
  std::size_t dataset = 0;
  std::uint64_t seed = 1;
  std::string problem;  ///< why it failed; empty if it did not
  double seconds = 0;   ///< training time in the call that finished it
  int epochs = 0;
  int best_epoch = 0;
  /// The score of the validation clips that selected the epoch, see epoch_scorer(). NaN if test
  /// clips selected it, and for runs of older versions until the command is called again.
  double validation_score = NAN;
  TableValues values{};  ///< on the test clips
  /// The values of each test clip: clips x kTableMetrics, NaN where undefined. Empty if unknown: if
  /// chosen_on_test, and for runs of older versions until the command is called again.
  Matrix<float> clips;
};

struct Results {
  ExperimentKind kind = ExperimentKind::Compare;
  RunKind from = RunKind::Features;             ///< of the experiment
  Recipe recipe = Recipe::Paper;                ///< of the experiment
  std::filesystem::path folder;                 ///< of the experiment
  std::vector<std::filesystem::path> datasets;  ///< absolute; also valid after moving data sets and
                                                ///< experiment together
  std::vector<ExperimentRow> rows;
  std::vector<RunResult> runs;  ///< finished and failed ones, in the order of the plan
  std::size_t planned = 0;      ///< total number of runs
  double true_labels = 0;       ///< ground-truth mean: labels per test clip
  /// The values of each run are best_per_metric(), the protocol of the paper for HMDB.
  bool chosen_on_test = false;
  std::string command;    ///< of the experiment
  std::string published;  ///< of the experiment
  std::string reference;  ///< of the experiment
};

/// Trains all runs that are not finished, `jobs` in parallel: on features with one thread each, on
/// clips with an equal share of the threads. After a kill, the next call resumes and gives the same
/// table. Called with other rows or seeds, it trains the
/// new runs and returns the requested ones. A failed run is recorded with its problem; the others
/// continue. Throws Error if the folder contains an experiment on other data.
Results run_experiment(const Experiment& experiment, const std::filesystem::path& folder, int jobs);

/// The results in a folder so far. Throws Error if it is not an experiment.
Results read_results(const std::filesystem::path& folder);

}  // namespace manyverbs
