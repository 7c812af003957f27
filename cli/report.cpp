// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "manyverbs/reports/report.h"

namespace manyverbs::cli {
namespace {

std::string size_text(std::size_t bytes) {
  const double kilobytes = static_cast<double>(bytes) / 1000;
  return kilobytes < 1000 ? fmt::format("{:.0f} kB", kilobytes)
                          : fmt::format("{:.1f} MB", kilobytes / 1000);
}

void report_command(const Arguments& arguments) {
  CommandLine line("report",
                   "manyverbs report tables/first --out report.html\n"
                   "manyverbs report tables/first tables/ablation tables/sweep --title Kitchens "
                   "--out all.html");
  std::vector<std::string> folders;
  std::string out = "report.html";
  ReportSettings settings;
  settings.program = fmt::format("manyverbs {}", program_version());
  line.app
      .add_option("EXPERIMENT", folders,
                  "Experiment folders of compare, ablate or sweep, in this order")
      ->required();
  line.app.add_option("--out", out, "The HTML file; an existing one is replaced");
  line.app.add_option("--title", settings.title, "Title; default: the names of the folders");
  line.app.add_option("--examples", settings.examples, "Test clips to show per experiment")
      ->check(from_to(0, 100));
  if (!line.parse(arguments)) return;

  const WrittenReport report = write_report({folders.begin(), folders.end()}, out, settings);
  fmt::print("{}: {}, open it in a browser\n", out, size_text(report.bytes));
  for (const std::string& text : report.remarks) remark(text);
  suggest("xdg-open " + shell_word(out));
}

const Registration kReport("report", report_command);

}  // namespace
}  // namespace manyverbs::cli
