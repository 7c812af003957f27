// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/kitchen_clips.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "manyverbs/decoding/internal/video_writer.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs {
namespace {

// Every action once per round, in random order.
std::vector<std::size_t> shuffled_actions(int clips, Random* random) {
  std::vector<std::size_t> actions(clips);
  for (int i = 0; i < clips; ++i) actions[i] = i % kitchen_actions().size();
  random->shuffle(std::span(actions));
  return actions;
}

void write_video(const std::filesystem::path& path, const KitchenScene& scene, int frame_rate) {
  const ScenePainter painter(scene);
  VideoWriter video(path, {.size = scene.size, .frame_rate = frame_rate});
  for (int frame = 0; frame < scene.frames; ++frame) {
    stop_if_interrupted();
    video.write(painter.draw(frame));
  }
  video.commit();
}

}  // namespace

KitchenClips choose_kitchen_clips(const KitchenSettings& settings) {
  KitchenClips made{{{}, "rendered kitchen", kitchen_verbs(), {}}, {}};
  const std::array counts = {settings.train, settings.val, settings.test};
  Random order(settings.seed);
  for (const Split split : kSplits) {
    for (const std::size_t action : shuffled_actions(counts[static_cast<int>(split)], &order)) {
      const std::size_t number = made.scenes.size();
      Random random(settings.seed, 1 + number);
      Clip clip;
      clip.name = fmt::format("clip_{:05}", number);
      clip.split = split;
      clip.video = fmt::format("videos/{}.mp4", clip.name);
      clip.truth = kitchen_actions()[action].verbs;
      std::sort(clip.truth.begin(), clip.truth.end());
      made.scenes.push_back(choose_scene(kitchen_actions()[action], settings.scenes, &random));
      const ClassId written = draw_verb(clip.truth, &random);
      clip.labels = split == Split::Test ? clip.truth : std::vector{written};
      if (split == Split::Test) clip.original = written;
      made.dataset.clips.push_back(std::move(clip));
    }
  }
  return made;
}

void write_kitchen_clips(const std::filesystem::path& folder, const KitchenSettings& settings) {
  FolderWriter writer(folder);
  const KitchenClips made = choose_kitchen_clips(settings);
  write_dataset(writer.path(), made.dataset);
  std::filesystem::create_directory(writer.path() / "videos");
  Progress progress("clips", std::ssize(made.scenes));
  side_by_side(made.scenes.size(), num_threads(), [&](std::size_t i) {
    write_video(writer.path() / made.dataset.clips[i].video, made.scenes[i], settings.frame_rate);
    progress.advance();
  });
  writer.commit();
}

}  // namespace manyverbs
