// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/decoding/internal/peek.h"

namespace manyverbs::cli {
namespace {

void print_report(const Dataset& dataset, const FlowReport& report) {
  if (report.given > 0) {
    fmt::print("{}: the flow of {} is given; nothing to compute", dataset.folder.string(),
               counted(report.given, "clip", "clips"));
    if (!report.problems.empty()) fmt::print(", {} skipped", grouped(std::ssize(report.problems)));
    fmt::print("\n{}", problem_lines(dataset, report.problems));
    return;
  }
  fmt::print("{}: {}", flow_root(dataset).lexically_normal().string(),
             counted(report.computed, "clip", "clips"));
  if (report.computed > 0) fmt::print(", {}", counted(report.pairs, "pair", "pairs"));
  fmt::print(" computed");
  if (report.kept > 0) fmt::print(", {} existed already", grouped(report.kept));
  if (!report.problems.empty()) fmt::print(", {} skipped", grouped(std::ssize(report.problems)));
  fmt::print("\n{}", problem_lines(dataset, report.problems));
}

void flow_command(const Arguments& arguments) {
  CommandLine line("flow",
                   "manyverbs flow kitchen\n"
                   "manyverbs flow kitchen --method dis --short-side 128 --peek 4\n"
                   "manyverbs flow kitchen --on-error skip");
  std::string folder;
  FlowSettings settings;
  std::string method = "tvl1";
  std::string on_error = "stop";
  bool replace = false;
  int peek = 0;
  bool as_json = false;
  line.app.add_option("DATASET", folder, "The data set")->required();
  line.app
      .add_option("--method", method,
                  "tvl1, as in the end-to-end experiments of the paper, or dis, many times faster")
      ->check(one_of({"tvl1", "dis"}));
  line.app.add_option("--bound", settings.bound, "Pixels per frame; faster motion is clipped")
      ->check(above_zero());
  line.app
      .add_option("--short-side", settings.short_side,
                  "Resize frames to this shorter side in pixels; 0: original size")
      ->check(zero_or(kSmallestFlowSide, 8192));
  line.app
      .add_option("--on-error", on_error,
                  "If a video cannot be read: stop, or skip it and list it at the end")
      ->check(one_of({"stop", "skip"}));
  line.app.add_flag("--replace", replace, "Replace existing flow that has other settings");
  line.app
      .add_option("--peek", peek,
                  "Write frames and flow of this number of clips as images to DATASET/peek")
      ->check(from_up(0));
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  settings.method = find_flow_method(method);
  const Dataset dataset = read_dataset(folder);
  const FlowReport report = compute_flow(dataset, settings, find_on_error(on_error), replace);
  std::vector<std::string> pictures;
  if (peek > 0) {
    for (const auto& file : peek_at_flow(dataset, peek, dataset.folder / "peek")) {
      pictures.push_back(file.string());
    }
  }
  if (as_json) {
    print_json({{"folder", flow_root(dataset).lexically_normal().string()},
                {"computed", report.computed},
                {"pairs", report.pairs},
                {"kept", report.kept},
                {"given", report.given},
                {"skipped", problems_json(dataset, report.problems)},
                {"pictures", pictures}});
    return;
  }
  print_report(dataset, report);
  for (const std::string& picture : pictures) fmt::print("{}\n", picture);
}

const Registration kFlow("flow", flow_command);

}  // namespace
}  // namespace manyverbs::cli
