// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/server/internal/preparation.h"

namespace manyverbs::cli {
namespace {

Model open_model_for(const Dataset& dataset, const std::filesystem::path& run) {
  Model model = Model::open(run);
  if (dataset.classes.names() != model.classes()) {
    throw Error("{}: has other classes than {}", run.string(), dataset.folder.string());
  }
  model.check_features(dataset);
  return model;
}

void print_prepared(const PreparationReport& report) {
  const AnnotationProject& project = report.project;
  fmt::print("{}: {} to annotate of {} {} clips, {} to practise on\n", project.folder.string(),
             counted(std::ssize(project.tasks), "clip", "clips"), grouped(report.eligible),
             split_name(project.split), std::ssize(project.practice));
  fmt::print("  top prediction wrong: {} ({})\n", counted(report.wrong, "clip", "clips"),
             percent(static_cast<double>(report.wrong) / report.eligible));
  if (project.runs.size() > 1) {
    fmt::print("  top predictions of the runs differ: {} ({})\n",
               counted(report.disputed, "clip", "clips"),
               percent(static_cast<double>(report.disputed) / report.eligible));
  }
  if (report.without_original > 0) {
    fmt::print("  {} without a known original label: all {} verbs come from the model\n",
               counted(report.without_original, "clip", "clips"),
               report.without_original == 1 ? "its" : "their");
  }
  if (!project.gold.empty()) {
    fmt::print("  {} with known labels",
               counted(std::ssize(project.gold), "gold clip", "gold clips"));
    if (report.gold_without_verb > 0) {
      fmt::print("; in {} none of them is among the verbs", report.gold_without_verb);
    }
    fmt::print("\n");
  }
  fmt::print("  {} written", counted(report.made, "video", "videos"));
  if (report.kept > 0) fmt::print(", {} existed already", grouped(report.kept));
  if (!report.skipped.empty()) fmt::print(", {} skipped", grouped(std::ssize(report.skipped)));
  fmt::print("\n");
  for (const std::string& skipped : report.skipped) fmt::print("  {}\n", skipped);
  fmt::print("  instructions for annotators, to edit: {}\n",
             (project.folder / "instructions.md").string());
}

void annotate_prepare_command(const Arguments& arguments) {
  CommandLine line(
      "annotate prepare",
      "manyverbs annotate prepare kitchen --run runs/an --out project\n"
      "manyverbs annotate prepare kitchen --run runs/an --choose sample --count 200 "
      "--out project\n"
      "manyverbs annotate prepare kitchen --run runs/an --run runs/p+s --choose disagreement "
      "--out project");
  std::filesystem::path folder;
  PreparationSettings settings;
  std::string split = "test";
  std::string on_error = "stop";
  bool as_json = false;
  line.app.add_option("DATASET", folder, "The data set")->required();
  line.app
      .add_option("--run", settings.runs,
                  "The run or bundle whose top predictions people choose from; can be repeated, "
                  "then the mean "
                  "of their probabilities counts")
      ->required();
  line.app.add_option("--out", settings.out, "The project folder to create, or to resume")
      ->required();
  line.app.add_option("--split", split, "The split to annotate")->check(one_of({"test", "val"}));
  line.app
      .add_option(
          "--choose", settings.choice,
          "Clips to annotate: those whose top prediction is wrong, as in the paper, which "
          "biases an evaluation of this run; those on which several runs disagree; a random "
          "sample of --count; or all")
      ->check(one_of({"wrong", "disagreement", "sample", "all"}));
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
  line.app
      .add_option("--language", settings.language,
                  "Language of the annotator's page; default: en, or that of the existing project")
      ->check(one_of(annotation_languages()));
  line.app.add_option("--definitions", settings.definitions,
                      "CSV file with the columns class,definition: what the verbs mean, shown to "
                      "annotators");
  line.app.add_option(
      "--gold", settings.gold,
      "CSV file with the columns clip,labels: clips whose labels are known, mixed "
      "among the others to check how often people are right; not part of the result");
  line.app.add_option("--seed", settings.seed, "Seed of the selection and the order")
      ->check(from_up(0));
  line.app
      .add_option("--on-error", on_error,
                  "If a video cannot be read: stop, or skip it and list it at the end")
      ->check(one_of({"stop", "skip"}));
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;
  if (settings.choice == "disagreement" && settings.runs.size() < 2) {
    throw UsageError(
        "manyverbs annotate prepare: --choose disagreement: expected several --run, found one");
  }

  settings.split = find_split(split);
  settings.on_error = find_on_error(on_error);
  if (settings.choice == "sample" && settings.count == 0) settings.count = 100;
  const Dataset dataset = read_dataset(folder);
  std::vector<Model> models;
  for (const auto& run : settings.runs) models.push_back(open_model_for(dataset, run));
  std::vector<ClipScores> scores;
  for (const Model& model : models) {
    scores.emplace_back(
        [&](const std::vector<ClipRow>& clips) { return model.probabilities(dataset, clips); });
  }
  const PreparationReport report = prepare_project(settings, dataset, scores);
  if (as_json) {
    print_json({{"project", report.project.folder.string()},
                {"tasks", report.project.tasks.size()},
                {"practice", report.project.practice.size()},
                {"eligible", report.eligible},
                {"wrong", report.wrong},
                {"disputed", report.disputed},
                {"without_original", report.without_original},
                {"gold", report.project.gold.size()},
                {"gold_without_verb", report.gold_without_verb},
                {"made", report.made},
                {"kept", report.kept},
                {"skipped", report.skipped}});
    return;
  }
  print_prepared(report);
  suggest(fmt::format("manyverbs annotate serve {}", shell_word(settings.out)));
}

const Registration kAnnotatePrepare("annotate prepare", annotate_prepare_command);

}  // namespace
}  // namespace manyverbs::cli
