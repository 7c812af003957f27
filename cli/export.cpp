// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "manyverbs/protocols/internal/bundle.h"

namespace manyverbs::cli {
namespace {

void export_command(const Arguments& arguments) {
  CommandLine line("export",
                   "manyverbs export runs/p+s --out verbs\n"
                   "manyverbs predict verbs clip.mp4");
  std::string run;
  std::string out;
  bool as_json = false;
  line.app.add_option("RUN", run, "The run folder, or a bundle")->required();
  line.app.add_option("--out", out, "The bundle: a folder to create")->required();
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  const BundleReport report = export_run(run, out);
  if (as_json) {
    print_json({{"bundle", out},
                {"files", report.files},
                {"bytes", report.bytes},
                {"existed", report.existed},
                {"reads_videos", report.no_recipe.empty()}});
    return;
  }
  fmt::print("{}: {}, {:.1f} MB{}\n", out, counted(report.files, "file", "files"),
             static_cast<double>(report.bytes) / 1e6, report.existed ? ", existed already" : "");
  if (!report.no_recipe.empty()) {
    remark(fmt::format(
        "note: this model cannot label videos, only feature files: it was not trained on features "
        "of 'manyverbs extract': {}",
        fmt::join(report.no_recipe, ", ")));
  }
}

const Registration kExport("export", export_command);

}  // namespace
}  // namespace manyverbs::cli
