// SPDX-License-Identifier: MIT
#include <climits>
#include <optional>

#include <fmt/format.h>

#include "cli/imported.h"
#include "manyverbs/decoding/internal/import_videos.h"

namespace manyverbs::cli {
namespace {

// Of a ClipFrames or a PictureSize.
std::int64_t pixels(const auto& picture) { return std::int64_t{picture.width} * picture.height; }

void print_videos(const VideosImported& imported) {
  std::int64_t frames = 0;
  PictureSize smallest = {INT_MAX, INT_MAX};
  PictureSize largest;
  for (const std::optional<ClipFrames>& clip : imported.index.clips) {
    frames += clip->count;
    if (pixels(*clip) < pixels(smallest)) smallest = {clip->width, clip->height};
    if (pixels(*clip) > pixels(largest)) largest = {clip->width, clip->height};
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
  print_imported(imported.dataset);
  print_videos(imported);
  suggest_inspect(settings.out);
}

const Registration kImportVideos("import videos", import_videos_command);

}  // namespace
}  // namespace manyverbs::cli
