// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/imported.h"
#include "manyverbs/dataset/internal/youtube8m.h"

namespace manyverbs::cli {
namespace {

void import_youtube8m_command(const Arguments& arguments) {
  CommandLine line(
      "import youtube8m",
      "manyverbs import youtube8m --records yt8m/video --classes vocabulary.csv --out yt8m\n"
      "manyverbs import youtube8m --records train0000.tfrecord --records "
      "train0001.tfrecord --min-count 20 --train 1500 --val 200 --test 300 --out small");
  Youtube8mImport settings;
  line.app
      .add_option("--records", settings.records,
                  "TFRecord file at video level, or a folder of *.tfrecord; may be repeated")
      ->required()
      ->type_name("PATH")
      ->default_str("");
  line.app.add_option("--classes", settings.classes,
                      "Class names: vocabulary.csv, or one name per line; default: numbers");
  line.app
      .add_option("--min-count", settings.min_count,
                  "Classes with fewer videos in the records are left out")
      ->check(from_up(1));
  line.app.add_option("--train", settings.train, "Number of training videos")->check(from_up(1));
  line.app.add_option("--val", settings.val, "Number of validation videos")->check(from_up(0));
  line.app.add_option("--test", settings.test, "Number of test videos")->check(from_up(0));
  line.app.add_option("--seed", settings.seed, "Random seed of the choice of videos and labels")
      ->check(from_up(0));
  line.app.add_option("--out", settings.out, "Folder to create")->required();
  if (!line.parse(arguments)) return;

  const Youtube8mImported imported = import_youtube8m(settings);
  print_imported(imported.dataset);
  for (const auto& [stream, columns] : imported.streams) {
    fmt::print("  stream {}: {} x {} float32\n", stream,
               grouped(static_cast<std::int64_t>(imported.dataset.clips.size())),
               grouped(static_cast<std::int64_t>(columns)));
  }
  remark(
      fmt::format("note: {} in the records, {} without a label of the remaining classes; {} "
                  "with fewer than {} left out",
                  counted(imported.videos, "video", "videos"), grouped(imported.unlabelled),
                  counted(imported.left_out, "class", "classes"),
                  counted(settings.min_count, "video", "videos")));
  suggest_inspect(settings.out);
}

const Registration kImportYoutube8m("import youtube8m", import_youtube8m_command);

}  // namespace
}  // namespace manyverbs::cli
