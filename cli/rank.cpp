// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <fmt/format.h>

#include "cli/command.h"
#include "manyverbs/reports/internal/ranking_text.h"

namespace manyverbs::cli {
namespace {

void rank_command(const Arguments& arguments) {
  CommandLine line("rank", "manyverbs rank tables/kitchen tables/hmdb tables/yt8m");
  std::vector<std::string> folders;
  bool as_json = false;
  line.app
      .add_option("EXPERIMENT", folders,
                  "Experiment folders of compare or ablate, at least 3, each on another data set")
      ->required();
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  std::vector<Results> experiments;
  experiments.reserve(folders.size());
  for (const std::string& folder : folders) experiments.push_back(read_results(folder));
  const Ranking ranking = rank_rows(experiments);
  if (as_json) {
    print_json(ranking_json(ranking));
  } else {
    fmt::print("{}",
               ranking_text(ranking, isatty(STDOUT_FILENO) != 0 ? Emphasis::Ansi : Emphasis::None));
  }
}

const Registration kRank("rank", rank_command);

}  // namespace
}  // namespace manyverbs::cli
