// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/confuse.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"

namespace manyverbs::cli {

namespace {

void confuse_command(const Arguments& arguments) {
  CommandLine line("confuse",
                   "manyverbs confuse kitchen --ways 2 --seed 12 --out confusing\n"
                   "manyverbs confuse hmdb51/split1 hmdb51/split2 hmdb51/split3 --ways 2 --seed 12 "
                   "--out confusing");
  ConfuseSettings settings;
  line.app
      .add_option(
          "DATASET", settings.folders,
          "The data set; several data sets share one random sequence and become folders in --out")
      ->required();
  line.app.add_option("--ways", settings.ways, "Number of classes that each class is split into")
      ->check(from_to(2, 100));
  line.app.add_option("--seed", settings.seed, "Random seed")->check(from_up(0));
  line.app.add_option("--out", settings.out, "Folder to create")->required();
  if (!line.parse(arguments)) return;

  const std::vector<Dataset> datasets = confuse(settings);
  for (const Dataset& dataset : datasets) {
    fmt::print("{}: {}, {} ({} per original class)\n", titled(dataset),
               counted(static_cast<std::int64_t>(dataset.clips.size()), "clip", "clips"),
               counted(dataset.classes.size(), "class", "classes"), settings.ways);
  }
  suggest(fmt::format("manyverbs inspect {}", shell_word(datasets.front().folder)));
}

const Registration kConfuse("confuse", confuse_command);

}  // namespace
}  // namespace manyverbs::cli
