// SPDX-License-Identifier: MIT
#include <optional>

#include "cli/imported.h"
#include "cli/imported_videos.h"
#include "manyverbs/decoding/internal/import_videos.h"

namespace manyverbs::cli {
namespace {

// The options that name lists of clips.
struct ListOptions {
  std::string clips;
  std::string train;
  std::string val;
  std::string test;
  std::string layout = "auto";
};

void add_list_options(CommandLine* line, ListOptions* lists, VideosImport* settings) {
  line->app.add_option(
      "--clips", lists->clips,
      "CSV file with the columns clip, split, labels and video, and start and stop "
      "in seconds for parts of videos; or the CSV file of Kinetics");
  line->app.add_option("--train", lists->train,
                       "List of the training clips, as of TSN, mmaction2, PySlowFast, Kinetics or "
                       "Label Studio");
  line->app.add_option("--val", lists->val, "List of the validation clips");
  line->app.add_option("--test", lists->test, "List of the test clips");
  std::vector<std::string> layouts = layout_names();
  layouts.insert(layouts.begin(), "auto");
  line->app
      .add_option("--layout", lists->layout,
                  "Layout of the lists: auto, videos, frames, segments, offsets, kinetics, json, "
                  "label-studio or clips")
      ->check(one_of(layouts));
  line->app.add_option("--classes", settings->clips.classes,
                       "CSV file with the columns id and name, or one name per line; default: the "
                       "labels of the clips, sorted");
  line->app.add_option("--videos", settings->clips.videos,
                       "Folder of relative video paths; default: the folder of each list");
}

void set_lists(const ListOptions& options, ClipListImport* clips) {
  const auto add = [&](const std::string& file, std::optional<Split> split) {
    if (!file.empty()) clips->lists.push_back({file, split});
  };
  add(options.clips, std::nullopt);
  add(options.train, Split::Train);
  add(options.val, Split::Val);
  add(options.test, Split::Test);
  if (clips->lists.empty())
    throw UsageError("manyverbs import videos: --clips, --train, --val or --test is required");
  if (options.layout != "auto") clips->layout = find_layout(options.layout);
}

void import_videos_command(const Arguments& arguments) {
  CommandLine line("import videos",
                   "manyverbs import videos --clips clips.csv --out kitchen\n"
                   "manyverbs import videos --train train.txt --val val.txt --classes names.txt "
                   "--videos /data/frames --out kitchen\n"
                   "manyverbs import videos --clips clips.csv --videos /data/epic "
                   "--on-error skip --out kitchen");
  VideosImport settings;
  ListOptions lists;
  std::string on_error = "stop";
  bool copy = false;
  bool link = false;
  add_list_options(&line, &lists, &settings);
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

  set_lists(lists, &settings.clips);
  settings.on_error = find_on_error(on_error);
  if (copy) settings.place = VideoPlace::Copied;
  if (link) settings.place = VideoPlace::Linked;
  const VideosImported imported = import_videos(settings);
  for (const std::string& text : imported.remarks) remark(text);
  note_resumed(imported.index.videos_known);
  print_imported(imported.dataset);
  print_frames(imported.index);
  print_skipped(imported.skipped);
  suggest_inspect(settings.out);
}

const Registration kImportVideos("import videos", import_videos_command);

}  // namespace
}  // namespace manyverbs::cli
