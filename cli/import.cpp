// SPDX-License-Identifier: MIT
#include <algorithm>
#include <climits>
#include <optional>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "manyverbs/dataset/import_arrays.h"
#include "manyverbs/dataset/inspection.h"
#include "manyverbs/dataset/internal/epic100.h"
#include "manyverbs/dataset/internal/hmdb51.h"
#include "manyverbs/decoding/import_videos.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs::cli {
namespace {

// Printed at import, because each spelling becomes a separate class.
void note_alike_classes(const Dataset& dataset) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> alike = alike_classes(dataset);
  for (std::size_t i = 0; i < std::min(kShown, alike.size()); ++i) {
    remark(fmt::format("note: separate classes with similar names: {}", alike[i]));
  }
  if (alike.size() > kShown) {
    remark(fmt::format("note: and {} more similar names", alike.size() - kShown));
  }
}

void print_summary(const Dataset& dataset) {
  fmt::print("{}: {}, {}\n{}", titled(dataset),
             counted(static_cast<std::int64_t>(dataset.clips.size()), "clip", "clips"),
             counted(dataset.classes.size(), "class", "classes"), split_lines(dataset));
  note_alike_classes(dataset);
}

void suggest_inspect(const std::filesystem::path& folder) {
  suggest(fmt::format("manyverbs inspect {}", shell_word(folder)));
}

void describe(CommandLine* line, std::string_view kind);

void import_arrays_command(const Arguments& arguments) {
  CommandLine line("import arrays",
                   "manyverbs import arrays --clips clips.csv --features rgb.npy --out kitchen\n"
                   "manyverbs import arrays --clips clips.csv --classes classes.csv "
                   "--features rgb.npy --features flow=both.npz:flow --out kitchen");
  describe(&line, "arrays");
  ArraysImport settings;
  std::vector<std::string> features;
  line.app
      .add_option("--clips", settings.clips, "CSV file with the columns clip, split and labels")
      ->required();
  line.app.add_option(
      "--classes", settings.classes,
      "CSV file with the columns id and name; default: the labels of the clips, sorted");
  line.app
      .add_option("--features", features,
                  "Features with one row per clip: [NAME=]FILE.npy or [NAME=]FILE.npz[:ARRAY]; may be "
                  "repeated")
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
  print_summary(imported.dataset);
  for (const ImportedStream& stream : imported.streams) {
    fmt::print("  stream {}: {} x {} {}{}\n", stream.name,
               grouped(static_cast<std::int64_t>(stream.rows)),
               grouped(static_cast<std::int64_t>(stream.columns)), type_name(stream.type),
               stream.linked ? ", linked" : "");
  }
  suggest_inspect(settings.out);
}

void print_videos(const VideosImported& imported) {
  std::int64_t frames = 0;
  PictureSize smallest = {INT_MAX, INT_MAX};
  PictureSize largest;
  for (const std::optional<ClipFrames>& clip : imported.index.clips) {
    frames += clip->count;
    if (clip->width * clip->height < smallest.width * std::int64_t{smallest.height}) {
      smallest = {clip->width, clip->height};
    }
    if (clip->width * clip->height > largest.width * largest.height) {
      largest = {clip->width, clip->height};
    }
  }
  fmt::print("  {} of {} x {}", counted(frames, "frame", "frames"), smallest.width,
             smallest.height);
  if (smallest != largest) fmt::print(" to {} x {}", largest.width, largest.height);
  fmt::print("\n");
  if (imported.skipped.empty()) return;
  fmt::print("skipped {}:\n", counted(std::ssize(imported.skipped), "clip", "clips"));
  for (const std::string& clip : imported.skipped) fmt::print("  {}\n", clip);
}

void import_videos_command(const Arguments& arguments) {
  CommandLine line("import videos",
                   "manyverbs import videos --clips clips.csv --out kitchen\n"
                   "manyverbs import videos --clips clips.csv --videos /data/epic "
                   "--on-error skip --out kitchen");
  describe(&line, "videos");
  VideosImport settings;
  std::string on_error = "stop";
  bool copy = false;
  bool link = false;
  line.app
      .add_option("--clips", settings.clips,
                  "CSV file with the columns clip, split, labels and video, and start and stop in "
                  "seconds for parts of videos")
      ->required();
  line.app.add_option(
      "--classes", settings.classes,
      "CSV file with the columns id and name; default: the labels of the clips, sorted");
  line.app.add_option("--videos", settings.videos,
                      "Folder of relative video paths; default: the folder of --clips");
  line.app.add_option("--name", settings.name,
                      "Name of the data set; default: the name of its folder");
  line.app
      .add_option("--on-error", on_error,
                  "If a video cannot be read: stop, or skip it and list it at the end")
      ->check(one_of({"stop", "skip"}));
  CLI::Option* copied = line.app.add_flag("--copy", copy, "Copy the videos into the data set");
  line.app.add_flag("--link", link, "Link the videos from the data set")->excludes(copied);
  line.app.add_option("--out", settings.out, "Folder to create")->required();
  if (!line.parse(arguments)) return;

  settings.on_error = find_on_error(on_error);
  if (copy) settings.place = VideoPlace::Copied;
  if (link) settings.place = VideoPlace::Linked;
  const VideosImported imported = import_videos(settings);
  if (imported.index.videos_known > 0) {
    remark(fmt::format("resumed: {} counted by an earlier call",
                       counted(imported.index.videos_known, "video was", "videos were")));
  }
  print_summary(imported.dataset);
  print_videos(imported);
  suggest_inspect(settings.out);
}

void import_hmdb51_command(const Arguments& arguments) {
  CommandLine line("import hmdb51",
                   "manyverbs import hmdb51 --splits testTrainMulti_7030_splits --out hmdb51\n"
                   "manyverbs import hmdb51 --splits testTrainMulti_7030_splits --confuse 2 "
                   "--seed 12 --out confusing");
  describe(&line, "hmdb51");
  Hmdb51Import settings;
  line.app.add_option("--splits", settings.splits, "Folder of the files CLASS_test_split1.txt …")
      ->required();
  line.app.add_option("--videos", settings.videos, "Folder of the videos CLASS/FILE.avi");
  line.app
      .add_option("--confuse", settings.ways,
                  "Number of classes that each class is split into; 2 makes Confusing-HMDB-102")
      ->check(from_to(1, 100));
  line.app.add_option("--seed", settings.seed, "Random seed of --confuse")
      ->check(from_up(0));
  line.counts_if({"--seed"}, "without --confuse 2 or more", [&] { return settings.ways > 1; });
  line.app
      .add_option("--out", settings.out, "Folder to create, with split1, split2 and split3")
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
  describe(&line, "epic100");
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
  print_summary(imported.dataset);
  suggest_inspect(settings.out);
}

const std::vector<Command>& all_importers() {
  static const std::vector<Command> importers = {
      {"arrays", "clips.csv and features as NPY or NPZ", import_arrays_command},
      {"videos", "clips.csv and videos, or folders of frames", import_videos_command},
      {"hmdb51", "the split files of HMDB-51, also as Confusing-HMDB-102", import_hmdb51_command},
      {"epic100", "the annotations of EPIC-Kitchens-100, with SPMV labels", import_epic100_command},
  };
  return importers;
}

void describe(CommandLine* line, std::string_view kind) {
  for (const Command& importer : all_importers()) {
    if (importer.name == kind) {
      line->app.description(fmt::format("manyverbs import {}: {}", kind, importer.summary));
    }
  }
}

}  // namespace

void import_command(const Arguments& arguments) {
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) {
    fmt::print(
        "manyverbs import: create a data set folder\n\nUsage: manyverbs import KIND [OPTIONS]\n\n");
    for (const Command& importer : all_importers()) {
      fmt::print("  {:<10}{}\n", importer.name, importer.summary);
    }
    fmt::print("\n'manyverbs import KIND --help' shows the options of a kind with examples.\n");
    return;
  }
  std::vector<std::string> names;
  for (const Command& importer : all_importers()) {
    if (!arguments.empty() && importer.name == arguments[0]) {
      importer.run({arguments.begin() + 1, arguments.end()});
      return;
    }
    names.emplace_back(importer.name);
  }
  if (arguments.empty()) {
    throw UsageError("manyverbs import: expected a kind: arrays, videos, hmdb51 or epic100");
  }
  throw UsageError(
      fmt::format("manyverbs import: expected arrays, videos, hmdb51 or epic100, found '{}'{}",
                  arguments[0], did_you_mean(arguments[0], names)));
}

}  // namespace manyverbs::cli
