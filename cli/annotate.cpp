// SPDX-License-Identifier: MIT
#include "cli/annotate.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/dataset_text.h"
#include "manyverbs/http/internal/address.h"
#include "manyverbs/server/internal/download.h"

namespace manyverbs::cli {
namespace {

Json export_json(const std::string& out, const std::string& format, const ExportReport& report) {
  Json json = {
      {"out", out}, {"format", format}, {"written", report.written}, {"settled", report.settled}};
  for (const Outcome outcome : kLeftOut) {
    const auto count = report.left_out.find(outcome);
    json[std::string(outcome_name(outcome))] = count == report.left_out.end() ? 0 : count->second;
  }
  json["dropped"] = report.dropped;
  return json;
}

void print_exported(const std::string& out, const std::string& format, const ExportReport& report) {
  static const std::map<std::string, std::string> lines = {
      {"jsonl", "answer"}, {"verbs", "verb"}, {"comments", "comment or flag"}};
  const auto line = lines.find(format);
  const std::string one = line == lines.end() ? "clip" : line->second;
  const std::string several = format == "comments" ? "comments or flags" : one + "s";
  fmt::print("{}: {}\n", out, counted(report.written, one, several));
  if (report.settled > 0) {
    fmt::print("  {} with labels settled by the leader\n",
               counted(report.settled, "clip", "clips"));
  }
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

}  // namespace

void add_project_options(CommandLine& line, ProjectOptions* options) {
  line.app
      .add_option("PROJECT", options->folder, "The project folder, created by 'annotate prepare'")
      ->required();
  line.app.add_option(
      "--database", options->database,
      "postgresql://USER@HOST/NAME or an SQLite file; default: PROJECT/answers.sqlite");
}

CLI::Validator public_url() { return CLI::Validator(public_url_problem, "URL"); }

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

namespace {

void annotate_export_command(const Arguments& arguments) {
  CommandLine line("annotate export",
                   "manyverbs annotate export project --out kitchen-spmv\n"
                   "manyverbs annotate export project --rule model --out kitchen-model\n"
                   "manyverbs annotate export project --format jsonl --out answers.jsonl");
  ProjectOptions options;
  std::string format = "dataset";
  std::string rule = "half";
  std::string out;
  int people = 0;
  bool pseudonyms = false;
  std::string videos;
  bool as_json = false;
  add_project_options(line, &options);
  std::vector<std::string> formats;
  for (const ExportFormat& each : export_formats()) formats.push_back(each.name);
  line.app
      .add_option(
          "--format", format,
          "dataset: a data set with a new test split; spmv: CSV in the paper's format; "
          "posteriors: CSV with the probability of each verb by the model; jsonl: all answers; "
          "label-studio: JSON for Label Studio; cvat: a folder for CVAT; verbs: CSV with the verbs "
          "that people entered; comments: CSV with comments and flags")
      ->check(one_of(formats));
  line.app
      .add_option("--people", people,
                  "Leave out clips with fewer answers; 0: the setting of the leader's page")
      ->check(from_up(0));
  line.app
      .add_option(
          "--rule", rule,
          "half: labels are the verbs chosen by at least half; model: those that apply with a "
          "probability of at least 1/2, by a model of how often each person is right")
      ->check(one_of({"half", "model"}));
  const auto ruled = [&] { return format == "dataset" || format == "spmv" || format == "cvat"; };
  line.counts_if({"--people"}, "without --format dataset, spmv, posteriors or cvat",
                 [&] { return ruled() || format == "posteriors"; });
  line.counts_if({"--rule"}, "without --format dataset, spmv or cvat", ruled);
  line.app.add_flag("--pseudonyms", pseudonyms,
                    "Replace the names of people by pseudonyms, which are the same in all exports");
  line.app.add_option("--videos", videos,
                      "What to write before the paths of videos (clips/1.mp4): a URL, or "
                      "'/data/local-files/?d=project/' for local files of Label Studio");
  line.counts_if({"--videos"}, "without --format label-studio",
                 [&] { return format == "label-studio"; });
  line.app.add_option("--out", out, "File to write, or folder for a data set or CVAT")->required();
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  const AnnotationProject project = read_project(options.folder);
  const std::unique_ptr<AnnotationStore> store = open_store(options, project);
  AnnotationResult result = read_result(project, store.get(), people);
  result.videos = videos;
  result.rule = rule == "model" ? LabelRule::Model : LabelRule::Half;
  if (pseudonyms) use_pseudonyms(store->pseudonym_secret(), &result);
  const auto exporter = std::find_if(export_formats().begin(), export_formats().end(),
                                     [&](const ExportFormat& each) { return each.name == format; });
  const ExportReport report = exporter->write(result, out);
  if (as_json) {
    print_json(export_json(out, format, report));
  } else {
    print_exported(out, format, report);
  }
}

const Registration kAnnotateExport("annotate export", annotate_export_command);

}  // namespace
}  // namespace manyverbs::cli
