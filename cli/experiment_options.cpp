// SPDX-License-Identifier: MIT
#include "cli/experiment_options.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/dataset_text.h"
#include "manyverbs/protocols/internal/published.h"
#include "manyverbs/reports/internal/tables.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/parallel.h"

namespace manyverbs::cli {
namespace {

// For the run with the latest best epoch: if it is early, all are.
void note_slow_rates(const ExperimentOptions& options, const Results& results) {
  int latest = 0;
  for (const RunResult& run : results.runs) latest = std::max(latest, run.best_epoch);
  const Dataset dataset = read_dataset(options.datasets.front());
  if (latest > 0) {
    note_slow_rate(options.run, latest, dataset.clips_of(Split::Train).size());
  }
}

// A folder with split1, split2 … becomes these data sets.
void expand_splits(std::vector<std::string>* datasets) {
  std::vector<std::string> expanded;
  for (const std::string& folder : *datasets) {
    const std::filesystem::path path = folder;
    const auto split = [&](int n) { return path / fmt::format("split{}", n); };
    if (std::filesystem::exists(path / "dataset.json") ||
        !std::filesystem::exists(split(1) / "dataset.json")) {
      expanded.push_back(folder);
      continue;
    }
    for (int n = 1; std::filesystem::exists(split(n) / "dataset.json"); ++n) {
      expanded.push_back(split(n).string());
    }
  }
  *datasets = std::move(expanded);
}

bool has_val(const std::string& dataset) {
  return !read_dataset(dataset).clips_of(Split::Val).empty();
}

// What the paper does for one of its data sets; given options have precedence.
struct PaperRules {
  std::size_t datasets;
  bool val;             // whether there are val clips, which select the epoch
  int seeds;            // per data set
  std::string_view of;  // for messages
};
PaperRules paper_rules(const std::string& name, ExperimentKind kind) {
  if (name == "hmdb")
    return {3, false, 1, "the three splits of Confusing-HMDB-102, without val clips"};
  return {1, true, kind == ExperimentKind::Sweep ? 1 : 5, "EPIC-Kitchens-100-SPMV, with val clips"};
}

void apply_paper(const CommandLine& line, ExperimentKind kind, ExperimentOptions* options) {
  const PaperRules rules = paper_rules(options->paper, kind);
  if (options->run.kind == RunKind::Clips && rules.val) {
    throw UsageError(
        "manyverbs compare: --paper epic: the paper has no end-to-end results on EPIC-Kitchens");
  }
  const auto wrong =
      std::find_if(options->datasets.begin(), options->datasets.end(),
                   [&](const std::string& each) { return has_val(each) != rules.val; });
  if (options->datasets.size() != rules.datasets || wrong != options->datasets.end()) {
    throw Error("--paper {}: expected {}; found {}{}", options->paper, rules.of,
                counted(std::ssize(options->datasets), "data set", "data sets"),
                wrong == options->datasets.end() ? ""
                : rules.val                      ? ", " + *wrong + " without val clips"
                                                 : ", " + *wrong + " with val clips");
  }
  const auto is_given = [&](const char* option) { return line.app.count(option) > 0; };
  if (!is_given("--seeds")) options->seeds = rules.seeds;
  if (!is_given("--protocol")) options->run.protocol = Protocol::Paper;
  if (options->run.kind == RunKind::Clips && !is_given("--stream")) {
    options->run.clips.stream = Stream::Flow;
  }
  if (is_given("--published")) return;
  for (const std::string& name : published_names(kind, options->run.kind)) {
    if (name.starts_with(options->paper)) options->published = name;
  }
}

}  // namespace

bool parse_experiment(CommandLine& line, const Arguments& arguments, ExperimentKind kind,
                      ExperimentOptions* options) {
  if (!line.parse(arguments)) return false;
  expand_splits(&options->datasets);
  if (!options->paper.empty()) apply_paper(line, kind, options);
  apply_recipe(&options->run, given_settings(line, options->run.kind),
               has_val(options->datasets.front()));
  return true;
}

void add_experiment_options(CommandLine& line, ExperimentOptions* options,
                            const std::vector<std::string>& losses) {
  CLI::App& app = line.app;
  app.add_option("DATASET", options->datasets,
                 "The data set; several data sets are splits of one and are averaged, as are those "
                 "in a folder with split1, split2 …")
      ->required();
  app.add_option("--out", options->out, "Folder for tables and runs; an existing one is resumed")
      ->required();
  app.add_option("--losses", options->losses, "Losses, comma-separated")
      ->delimiter(',')
      ->check(one_of(losses));
  app.add_option("--seeds", options->seeds, "Runs per row, each with another seed")
      ->check(from_to(1, 1000));
  app.add_option("--seed", options->run.seed, "The first seed")->check(from_up(0));
  app.add_option(
         "--paper", options->paper,
         "Do as the paper for this data set; other options given have precedence. hmdb: three "
         "splits, one run each, test selects the epoch per metric; epic: five runs, val "
         "selects the epoch; both with the published values")
      ->check(one_of({"epic", "hmdb"}));
  app.add_option("--published", options->published,
                 "Show the published values for this data set beside the measured ones")
      ->check(one_of(published_names()));
  app.add_option("--expected-labels", options->evaluation.expected_labels,
                 "Expected labels per clip, for the second threshold and for the losses role and "
                 "epr, which require it; 0: the ground-truth mean")
      ->check(from_up(0));
  if (options->run.kind == RunKind::Clips) {
    app.add_option("--jobs", options->jobs,
                   "Runs trained at the same time, with an equal share of the threads each")
        ->check(from_to(1, 1024));
  } else {
    add_space_options(line, &options->space);
    add_space_seed(line, "--space-seed", &options->space);
  }
  const auto trains = [options](std::string_view loss) {
    return std::find(options->losses.begin(), options->losses.end(), loss) != options->losses.end();
  };
  add_run_settings(line, &options->run, trains,
                   {"loss", "seed", "pseudo_labels", "expected_labels"});
  app.add_flag("--json", options->as_json, "Print one JSON object instead");
}

void add_reference_option(CommandLine& line, ExperimentOptions* options) {
  line.app.add_option("--reference", options->reference,
                      "Show differences to this row; default: the best row without pseudo-labels");
}

void add_vote_options(CommandLine& line, ExperimentOptions* options) {
  line.app.add_option("--k", options->space.k, "Neighbours per clip")->check(from_up(1));
  line.app
      .add_option("--tau", options->tau,
                  "Vote threshold: a class is suggested if its share of the votes is greater")
      ->check(from_to(0.0, 1.0));
}

ExperimentSettings experiment_settings(const ExperimentOptions& options) {
  ExperimentSettings settings;
  settings.datasets.assign(options.datasets.begin(), options.datasets.end());
  settings.seeds = options.seeds;
  settings.run = options.run;
  settings.evaluation = options.evaluation;
  SpaceOptions space = options.space;
  space.streams = settings.run.features.streams;
  settings.pseudo_labels.neighbours = neighbour_settings(space);
  settings.pseudo_labels.tau = options.tau;
  settings.pseudo_labels.recipe = settings.run.recipe;
  return settings;
}

void require_all_runs(const Results& results) {
  const auto failed = std::count_if(results.runs.begin(), results.runs.end(),
                                    [](const RunResult& run) { return !run.problem.empty(); });
  if (failed > 0) {
    throw Error("{}: {} of {} runs failed; fix the cause and run the command again",
                results.folder.string(), failed, results.planned);
  }
}

void run_and_print(Experiment experiment, const ExperimentOptions& options,
                   const Arguments& arguments) {
  experiment.published = options.published;
  experiment.reference = options.reference;
  experiment.command = fmt::format("manyverbs {}", kind_name(experiment.kind));
  for (const std::string& word : arguments) experiment.command += " " + shell_word(word);
  const bool from_clips = experiment.from == RunKind::Clips;
  const Results results =
      run_experiment(experiment, options.out, from_clips ? options.jobs : num_threads());
  write_tables(results);
  if (options.as_json) {
    print_json(table_json(results));
  } else {
    fmt::print("{}",
               table_text(results, isatty(STDOUT_FILENO) != 0 ? Emphasis::Ansi : Emphasis::None));
    if (!from_clips) note_slow_rates(options, results);
    suggest(fmt::format("manyverbs report {} --out report.html", shell_word(options.out)));
  }
  require_all_runs(results);
}

}  // namespace manyverbs::cli
