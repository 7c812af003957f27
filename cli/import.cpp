// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/imported.h"
#include "manyverbs/dataset/import_arrays.h"
#include "manyverbs/dataset/internal/epic100.h"
#include "manyverbs/dataset/internal/hmdb51.h"

namespace manyverbs::cli {

namespace {

void import_arrays_command(const Arguments& arguments) {
  CommandLine line("import arrays",
                   "manyverbs import arrays --clips clips.csv --features rgb.npy --out kitchen\n"
                   "manyverbs import arrays --clips clips.csv --classes classes.csv "
                   "--features rgb.npy --features flow=both.npz:flow --out kitchen");
  ArraysImport settings;
  std::vector<std::string> features;
  line.app
      .add_option("--clips", settings.clips, "CSV file with the columns clip, split and labels")
      ->required();
  line.app.add_option(
      "--classes", settings.classes,
      "CSV file with the columns id and name; default: the labels of the clips, sorted");
  line.app
      .add_option(
          "--features", features,
          "Features as NPY, NPZ, pickle, safetensors, HDF5 or CSV: [NAME=]FILE[:ARRAY]; may be "
          "repeated. Rows are found by "
          "the names of the clips if the file has them, otherwise by their order")
      ->required()
      ->type_name("FILE")
      ->default_str("");
  line.app.add_option("--name", settings.name,
                      "Name of the data set; default: the name of its folder");
  line.app.add_flag("--link", settings.link,
                    "Link feature files instead of copying them, if they need no conversion");
  line.app.add_option("--out", settings.out, "Folder to create")->required();
  if (!line.parse(arguments)) return;

  for (const std::string& text : features) settings.features.push_back(parse_feature_source(text));
  const ArraysImported imported = import_arrays(settings);
  print_imported(imported.dataset);
  for (const ImportedStream& stream : imported.streams) {
    fmt::print("  stream {}: {} x {} {}{}\n", stream.name,
               grouped(static_cast<std::int64_t>(stream.rows)),
               grouped(static_cast<std::int64_t>(stream.columns)), type_name(stream.type),
               stream.linked ? ", linked" : "");
    if (!stream.layout.empty()) fmt::print("    from {}\n", stream.layout);
    if (stream.unused > 0) {
      remark(fmt::format("note: {} of stream {} {} to no clip",
                         counted(static_cast<std::int64_t>(stream.unused), "row", "rows"),
                         stream.name, stream.unused == 1 ? "belongs" : "belong"));
    }
  }
  suggest_inspect(settings.out);
}

void import_hmdb51_command(const Arguments& arguments) {
  CommandLine line("import hmdb51",
                   "manyverbs import hmdb51 --splits testTrainMulti_7030_splits --out hmdb51\n"
                   "manyverbs import hmdb51 --splits testTrainMulti_7030_splits --confuse 2 "
                   "--seed 12 --out confusing");
  Hmdb51Import settings;
  line.app.add_option("--splits", settings.splits, "Folder of the files CLASS_test_split1.txt …")
      ->required();
  line.app.add_option("--videos", settings.videos, "Folder of the videos CLASS/FILE.avi");
  line.app
      .add_option("--confuse", settings.ways,
                  "Number of classes that each class is split into; 2 makes Confusing-HMDB-102")
      ->check(from_to(1, 100));
  line.app.add_option("--seed", settings.seed, "Random seed of --confuse")->check(from_up(0));
  line.counts_if({"--seed"}, "without --confuse 2 or more", [&] { return settings.ways > 1; });
  line.app.add_option("--out", settings.out, "Folder to create, with split1, split2 and split3")
      ->required();
  if (!line.parse(arguments)) return;

  const std::vector<Hmdb51Split> splits = import_hmdb51(settings);
  fmt::print("{}: {}\n{:<10}{:>8}{:>8}{:>8}\n", settings.out.string(),
             counted(splits.front().dataset.classes.size(), "class", "classes"), "", "train",
             "test", "unused");
  for (const Hmdb51Split& split : splits) {
    const auto clips = [&](Split which) {
      return grouped(static_cast<std::int64_t>(split.dataset.clips_of(which).size()));
    };
    fmt::print("  {:<8}{:>8}{:>8}{:>8}\n", split.dataset.folder.filename().string(),
               clips(Split::Train), clips(Split::Test), grouped(split.unused));
  }
  note_alike_classes(splits.front().dataset);
  suggest_inspect(splits.front().dataset.folder);
}

void import_epic100_command(const Arguments& arguments) {
  CommandLine line(
      "import epic100",
      "manyverbs import epic100 --annotations epic-kitchens-100-annotations --out epic\n"
      "manyverbs import epic100 --annotations epic-kitchens-100-annotations "
      "--spmv spmv.csv --out epic");
  Epic100Import settings;
  double fps = 0;
  line.app.add_option("--annotations", settings.annotations, "Folder of EPIC_100_train.csv …")
      ->required();
  line.app.add_option(
      "--spmv", settings.spmv,
      "CSV file with the columns narration_id and verb_labels; its clips become the test split");
  line.app.add_option("--videos", settings.videos, "Folder of the videos VIDEO_ID.MP4");
  CLI::Option* fps_option =
      line.app.add_option("--fps", fps, "Frames per second, for clips without timestamps")
          ->default_str("")
          ->check(above_zero());
  line.app.add_option("--out", settings.out, "Folder to create")->required();
  if (!line.parse(arguments)) return;

  if (fps_option->count() > 0) settings.fps = fps;
  const Epic100Imported imported = import_epic100(settings);
  if (imported.without_times > 0) {
    remark(fmt::format("note: {} without timestamps; use --fps to convert frame numbers to seconds",
                       counted(imported.without_times, "clip", "clips")));
  }
  print_imported(imported.dataset);
  suggest_inspect(settings.out);
}

const Registration kImportArrays("import arrays", import_arrays_command);
const Registration kImportHmdb51("import hmdb51", import_hmdb51_command);
const Registration kImportEpic100("import epic100", import_epic100_command);

}  // namespace
}  // namespace manyverbs::cli
