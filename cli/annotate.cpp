// SPDX-License-Identifier: MIT
#include "cli/annotate.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/dataset_text.h"
#include "manyverbs/server/exports.h"
#include "manyverbs/server/preparation.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs::cli {
namespace {

void print_prepared(const PreparationReport& report) {
  const AnnotationProject& project = report.project;
  fmt::print("{}: {} to annotate of {} {} clips, {} to practise on\n", project.folder.string(),
             counted(std::ssize(project.tasks), "clip", "clips"), grouped(report.eligible),
             split_name(project.split), std::ssize(project.practice));
  fmt::print("  top prediction wrong: {} ({})\n", counted(report.wrong, "clip", "clips"),
             percent(static_cast<double>(report.wrong) / report.eligible));
  if (report.without_original > 0) {
    fmt::print("  {} without a known original label: all {} verbs come from the model\n",
               counted(report.without_original, "clip", "clips"),
               report.without_original == 1 ? "its" : "their");
  }
  fmt::print("  {} written", counted(report.made, "video", "videos"));
  if (report.kept > 0) fmt::print(", {} existed already", grouped(report.kept));
  if (!report.skipped.empty()) fmt::print(", {} skipped", grouped(std::ssize(report.skipped)));
  fmt::print("\n");
  for (const std::string& skipped : report.skipped) fmt::print("  {}\n", skipped);
}

void prepare_command(const Arguments& arguments) {
  CommandLine line("annotate prepare",
                   "manyverbs annotate prepare kitchen --run runs/an --out project\n"
                   "manyverbs annotate prepare kitchen --run runs/an --choose sample --count 200 "
                   "--out project");
  describe_annotate(&line, "prepare");
  PreparationSettings settings;
  std::string split = "test";
  std::string on_error = "stop";
  bool as_json = false;
  line.app.add_option("DATASET", settings.dataset, "The data set")->required();
  line.app.add_option("--run", settings.run, "The run whose top predictions people choose from")
      ->required();
  line.app.add_option("--out", settings.out, "The project folder to create, or to resume")
      ->required();
  line.app.add_option("--split", split, "The split to annotate")->check(one_of({"test", "val"}));
  line.app
      .add_option("--choose", settings.choice,
                  "Clips to annotate: those whose top prediction is wrong, as in the paper; all; "
                  "or a sample of "
                  "--count")
      ->check(one_of({"wrong", "all", "sample"}));
  line.app
      .add_option("--count", settings.count,
                  "Maximum number of clips, sampled at random; 0: all, or 100 for a sample")
      ->check(from_up(0));
  line.app
      .add_option(
          "--candidates", settings.candidates,
          "Verbs per clip, the same number for every clip: the model's top predictions and the "
          "original label")
      ->check(from_to(2, 11));
  line.app.add_option("--practice", settings.practice, "Clips of another split to practise on")
      ->check(from_to(0, 20));
  line.app.add_option("--name", settings.name,
                      "Project name shown to annotators; default: the name of the data set");
  line.app.add_option("--seed", settings.seed, "Seed of the selection and the order")
      ->check(from_up(0));
  line.app
      .add_option("--on-error", on_error,
                  "If a video cannot be read: stop, or skip it and list it at the end")
      ->check(one_of({"stop", "skip"}));
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  settings.split = find_split(split);
  settings.on_error = find_on_error(on_error);
  if (settings.choice == "sample" && settings.count == 0) settings.count = 100;
  const PreparationReport report = prepare_project(settings);
  if (as_json) {
    print_json({{"project", report.project.folder.string()},
                {"tasks", report.project.tasks.size()},
                {"practice", report.project.practice.size()},
                {"eligible", report.eligible},
                {"wrong", report.wrong},
                {"without_original", report.without_original},
                {"made", report.made},
                {"kept", report.kept},
                {"skipped", report.skipped}});
    return;
  }
  print_prepared(report);
  suggest(fmt::format("manyverbs annotate serve {}", shell_word(settings.out)));
}

using Exporter = ExportReport (*)(const AnnotationResult&, const std::filesystem::path&);

const std::vector<std::pair<std::string, Exporter>>& exporters() {
  static const std::vector<std::pair<std::string, Exporter>> table = {
      {"dataset", export_dataset},
      {"spmv", export_spmv},
      {"jsonl", export_answers},
      {"label-studio", export_label_studio},
  };
  return table;
}

Json export_json(const std::string& out, const std::string& format, const ExportReport& report) {
  Json json = {{"out", out}, {"format", format}, {"written", report.written}};
  for (const Outcome outcome : kLeftOut) {
    const auto count = report.left_out.find(outcome);
    json[std::string(outcome_name(outcome))] = count == report.left_out.end() ? 0 : count->second;
  }
  json["dropped"] = report.dropped;
  return json;
}

void print_exported(const std::string& out, const std::string& format, const ExportReport& report) {
  const bool answers = format == "jsonl";
  fmt::print("{}: {}\n", out,
             counted(report.written, answers ? "answer" : "clip", answers ? "answers" : "clips"));
  for (const auto& [outcome, clips] : report.left_out) {
    fmt::print("  {} left out: {}\n", counted(clips, "clip", "clips"), outcome_reason(outcome));
  }
  if (report.dropped > 0) {
    fmt::print(
        "  {} dropped from the data set: several labels and no known original, so {} cannot be in "
        "val\n",
        counted(report.dropped, "clip", "clips"), report.dropped == 1 ? "it" : "they");
  }
}

void export_command(const Arguments& arguments) {
  CommandLine line("annotate export",
                   "manyverbs annotate export project --out kitchen-spmv\n"
                   "manyverbs annotate export project --format jsonl --out answers.jsonl");
  describe_annotate(&line, "export");
  ProjectOptions options;
  std::string format = "dataset";
  std::string out;
  int people = 0;
  bool as_json = false;
  add_project_options(line, &options);
  std::vector<std::string> formats;
  for (const auto& [name, exporter] : exporters()) formats.push_back(name);
  line.app
      .add_option(
          "--format", format,
          "dataset: a data set with a new test split; spmv: CSV in the paper's format; jsonl: "
          "all answers; label-studio: JSON for Label Studio")
      ->check(one_of(formats));
  line.app
      .add_option("--people", people,
                  "Leave out clips with fewer answers; 0: the setting of the leader's page")
      ->check(from_up(0));
  line.counts_if({"--people"}, "without --format dataset or spmv",
                 [&] { return format == "dataset" || format == "spmv"; });
  line.app.add_option("--out", out, "File to write, or folder for a data set")->required();
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  const AnnotationProject project = read_project(options.folder);
  const std::unique_ptr<AnnotationStore> store = open_store(options, project);
  AnnotationResult result;
  result.project = &project;
  result.answers =
      store->answers();  // before people: somebody who joins in between has no answers here
  result.people = store->people();
  result.reports = store->reports();
  result.people_per_clip = people > 0 ? people : store->settings().people;
  const auto exporter = std::find_if(exporters().begin(), exporters().end(),
                                     [&](const auto& entry) { return entry.first == format; });
  const ExportReport report = exporter->second(result, out);
  if (as_json) {
    print_json(export_json(out, format, report));
  } else {
    print_exported(out, format, report);
  }
}

const std::vector<Command>& all_steps() {
  static const std::vector<Command> steps = {
      {"prepare", "select clips and verbs, convert videos for browsers", prepare_command},
      {"serve", "run the web server for annotators and leaders", annotate_serve_command},
      {"status", "show progress, agreement and statistics per person", annotate_status_command},
      {"export", "write the result: data set, SPMV CSV, JSONL, Label Studio", export_command},
  };
  return steps;
}

}  // namespace

void describe_annotate(CommandLine* line, std::string_view step) {
  for (const Command& each : all_steps()) {
    if (each.name == step) {
      line->app.description(fmt::format("manyverbs annotate {}: {}", step, each.summary));
    }
  }
}

void add_project_options(CommandLine& line, ProjectOptions* options) {
  line.app
      .add_option("PROJECT", options->folder, "The project folder, created by 'annotate prepare'")
      ->required();
  line.app.add_option(
      "--database", options->database,
      "postgresql://USER@HOST/NAME or an SQLite file; default: PROJECT/answers.sqlite");
}

std::unique_ptr<AnnotationStore> open_store(const ProjectOptions& options,
                                            const AnnotationProject& project) {
  const std::string where =
      options.database.empty() ? answers_file(project).string() : options.database;
  const bool is_file = where.find("://") == std::string::npos;
  if (is_file && !std::filesystem::exists(where)) {
    throw Error(
        "{}: does not exist: there are no answers yet; start 'manyverbs annotate serve' first",
        where);
  }
  return std::make_unique<AnnotationStore>(where, project);
}

void annotate_command(const Arguments& arguments) {
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) {
    fmt::print(
        "manyverbs annotate: collect labels for the same clips from several people\n\n"
        "Usage: manyverbs annotate STEP [OPTIONS]\n\n");
    for (const Command& step : all_steps()) fmt::print("  {:<10}{}\n", step.name, step.summary);
    fmt::print("\n'manyverbs annotate STEP --help' shows the options of a step with examples.\n");
    return;
  }
  std::vector<std::string> names;
  for (const Command& step : all_steps()) {
    if (!arguments.empty() && step.name == arguments[0]) {
      step.run({arguments.begin() + 1, arguments.end()});
      return;
    }
    names.emplace_back(step.name);
  }
  if (arguments.empty()) {
    throw UsageError("manyverbs annotate: expected a step: prepare, serve, status or export");
  }
  throw UsageError(
      fmt::format("manyverbs annotate: expected prepare, serve, status or export, found '{}'{}",
                  arguments[0], did_you_mean(arguments[0], names)));
}

}  // namespace manyverbs::cli
