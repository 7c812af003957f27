// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/imported.h"
#include "cli/imported_videos.h"
#include "manyverbs/decoding/internal/import_benchmarks.h"

namespace manyverbs::cli {
namespace {

// A missing video of EPIC-Kitchens has hundreds of clips.
constexpr std::size_t kShownClips = 20;

// The options that both commands have.
struct BenchmarkOptions {
  std::vector<std::string> features;
  std::string on_error = "stop";

  std::vector<FeatureSource> sources() const {
    std::vector<FeatureSource> parsed;
    for (const std::string& text : features) parsed.push_back(parse_feature_source(text));
    return parsed;
  }
};

void add_benchmark_options(CommandLine* line, BenchmarkOptions* options) {
  line->app
      .add_option("--features", options->features,
                  "Feature file as of 'import arrays', with reference ids or names of clips, or in "
                  "the order of the released code; repeated for each stream, and as "
                  "STREAM=FILE for several files of one stream")
      ->type_name("FILE")
      ->default_str("");
  line->app
      .add_option("--on-error", options->on_error,
                  "If a video cannot be read: stop, or skip it and list it at the end")
      ->check(one_of({"stop", "skip"}));
}

void print_splits(const std::filesystem::path& out, const std::vector<Hmdb51Split>& splits) {
  fmt::print("{}: {}\n{:<10}{:>8}{:>8}{:>8}\n", out.string(),
             counted(splits.front().dataset.classes.size(), "class", "classes"), "", "train",
             "test", "unused");
  for (const Hmdb51Split& split : splits) {
    const auto clips = [&](Split which) {
      return grouped(static_cast<std::int64_t>(split.dataset.clips_of(which).size()));
    };
    fmt::print("  {:<8}{:>8}{:>8}{:>8}\n", split.dataset.folder.filename().string(),
               clips(Split::Train), clips(Split::Test), grouped(std::ssize(split.unused)));
  }
  print_streams(splits.front().streams);
}

void import_hmdb51_command(const Arguments& arguments) {
  CommandLine line(
      "import hmdb51",
      "manyverbs import hmdb51 --splits testTrainMulti_7030_splits --out hmdb51\n"
      "manyverbs import hmdb51 --splits testTrainMulti_7030_splits --videos hmdb51_org "
      "--confuse 2 --seed 12 --out confusing\n"
      "manyverbs import hmdb51 --splits testTrainMulti_7030_splits --features rgb.npy "
      "--features flow.npy --out hmdb51");
  Hmdb51Import settings;
  BenchmarkOptions options;
  line.app.add_option("--splits", settings.splits, "Folder of the files CLASS_test_split1.txt …")
      ->required();
  line.app.add_option("--videos", settings.videos,
                      "Folder of the videos CLASS/FILE.avi; each is decoded once for all splits");
  add_benchmark_options(&line, &options);
  line.app.add_option(
      "--video-list", settings.video_list,
      "List of all videos CLASS/FILE in the order of the features; default: sorted");
  line.app
      .add_option("--confuse", settings.ways,
                  "Number of classes that each class is split into; 2 makes Confusing-HMDB-102")
      ->check(from_to(1, 100));
  line.app.add_option("--seed", settings.seed, "Random seed of --confuse")->check(from_up(0));
  line.counts_if({"--seed"}, "without --confuse 2 or more", [&] { return settings.ways > 1; });
  line.counts_if({"--video-list"}, "without --features", [&] { return !options.features.empty(); });
  line.counts_if({"--on-error"}, "without --videos", [&] { return !settings.videos.empty(); });
  line.app.add_option("--out", settings.out, "Folder to create, with split1, split2 and split3")
      ->required();
  if (!line.parse(arguments)) return;

  settings.features = options.sources();
  Hmdb51Videos result;
  if (settings.videos.empty()) {
    result.splits = import_hmdb51(settings);
  } else {
    result = import_hmdb51_videos(settings, find_on_error(options.on_error));
  }
  note_resumed(result.videos_known);
  print_splits(settings.out, result.splits);
  print_skipped(result.skipped);
  note_alike_classes(result.splits.front().dataset);
  suggest_inspect(result.splits.front().dataset.folder);
}

void note_missing(const Epic100Imported& imported) {
  if (imported.without_times > 0) {
    remark(fmt::format("note: {} without timestamps; use --fps to convert frame numbers to seconds",
                       counted(imported.without_times, "clip", "clips")));
  }
  if (imported.missing_videos.empty()) return;
  remark(fmt::format("note: {} missing, such as {}",
                     counted(std::ssize(imported.missing_videos), "video is", "videos are"),
                     imported.missing_videos.front()));
}

void import_frames(const Epic100Import& settings, OnError on_error) {
  const Epic100Frames result = import_epic100_frames(settings, on_error);
  note_resumed(result.imported.index.videos_known);
  if (!result.has_flow) {
    remark(
        "note: no flow was found; extract --stream flow needs it: --flow FOLDER, or compute it "
        "with 'manyverbs flow'");
  }
  print_imported(result.imported.dataset);
  print_frames(result.imported.index);
  print_streams(result.streams);
  print_skipped(result.imported.skipped, kShownClips);
}

void import_epic100_command(const Arguments& arguments) {
  CommandLine line(
      "import epic100",
      "manyverbs import epic100 --annotations epic-kitchens-100-annotations --out epic\n"
      "manyverbs import epic100 --annotations epic-kitchens-100-annotations "
      "--spmv spmv.csv --frames EPIC-KITCHENS --out epic\n"
      "manyverbs import epic100 --annotations epic-kitchens-100-annotations "
      "--spmv spmv.csv --features rgb.npy --features flow.npy --out epic");
  Epic100Import settings;
  BenchmarkOptions options;
  double fps = 0;
  line.app.add_option("--annotations", settings.annotations, "Folder of EPIC_100_train.csv …")
      ->required();
  line.app.add_option(
      "--spmv", settings.spmv,
      "CSV file with the columns narration_id and verb_labels; its clips become the test split");
  CLI::Option* frames = line.app.add_option(
      "--frames", settings.frames,
      "Folder of frames and flow, unpacked or as tar files: P01/rgb_frames/P01_01[.tar], "
      "P01/flow_frames/P01_01[.tar]");
  line.app.add_option("--flow", settings.flow, "Folder of flow; default: that of --frames");
  line.app.add_option("--videos", settings.videos, "Folder of the videos VIDEO_ID.MP4")
      ->excludes(frames);
  add_benchmark_options(&line, &options);
  CLI::Option* fps_option =
      line.app.add_option("--fps", fps, "Frames per second, for clips without timestamps")
          ->default_str("")
          ->check(above_zero());
  line.counts_if({"--fps"}, "with --frames", [&] { return settings.frames.empty(); });
  line.counts_if({"--flow", "--on-error"}, "without --frames",
                 [&] { return !settings.frames.empty(); });
  line.app.add_option("--out", settings.out, "Folder to create")->required();
  if (!line.parse(arguments)) return;

  if (fps_option->count() > 0) settings.fps = fps;
  settings.features = options.sources();
  if (!settings.frames.empty()) {
    import_frames(settings, find_on_error(options.on_error));
  } else {
    const Epic100Imported imported = import_epic100(settings);
    note_missing(imported);
    print_imported(imported.dataset);
    print_streams(imported.streams);
  }
  suggest_inspect(settings.out);
}

const Registration kImportHmdb51("import hmdb51", import_hmdb51_command);
const Registration kImportEpic100("import epic100", import_epic100_command);

}  // namespace
}  // namespace manyverbs::cli
