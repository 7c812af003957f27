// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/frames.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "manyverbs/decoding/internal/numbered_files.h"
#include "manyverbs/decoding/internal/timeline.h"
#include "manyverbs/decoding/internal/video_file.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {
namespace {

// Times in files are rounded: a frame this close before the start belongs to the clip.
constexpr double kSameTime = 1e-3;
// Up to this number, decoding unused frames is faster than seeking.
constexpr int kFewFrames = 48;

NumberedFiles pictures_in(const std::filesystem::path& folder) {
  const std::optional<NumberedFiles> files = find_numbered_files(folder);
  if (!files) {
    throw Error("{}: expected numbered images such as img_00001.jpg, img_00002.jpg …, found none",
                folder.string());
  }
  return *files;
}

ClipFrames find_in_folder(const std::filesystem::path& folder) {
  const NumberedFiles files = pictures_in(folder);
  const Image first = read_picture(files.path(0), Colour::Grey);
  return {folder, 0, files.count, 0, first.width, first.height, 0, ""};
}

FoundPart part_of(const decoding_internal::Timeline& timeline, const VideoPart& part,
                  const ClipFrames& whole) {
  const double start = part.start.value_or(0);
  const double stop = part.stop.value_or(timeline.end);
  if (start >= timeline.end) {
    return {{},
            fmt::format("the clip starts at {} s, but the video ends at {:.2f} s", start,
                        timeline.end)};
  }
  if (timeline.end - start < decoding_internal::kEnough * (stop - start)) {
    return {
        {},
        fmt::format("the clip stops at {} s, but the video ends at {:.2f} s", stop, timeline.end)};
  }
  const auto position_of = [&](double time) {
    return std::lower_bound(timeline.times.begin(), timeline.times.end(), time - kSameTime) -
           timeline.times.begin();
  };
  ClipFrames frames = whole;
  frames.first = static_cast<int>(position_of(start));
  const auto end = part.stop ? position_of(stop) : std::ssize(timeline.times);
  frames.count = static_cast<int>(end) - frames.first;
  if (frames.count < 1) {
    return {{}, fmt::format("there is no frame from {} to {} s", start, stop)};
  }
  frames.first_time = timeline.times[frames.first];
  return {frames, ""};
}

// Seeks to the first frame of a clip; next() then returns the second.
void go_to_first(std::unique_ptr<VideoFile>* video, const ClipFrames& clip) {
  if (clip.first > kFewFrames) {
    if ((*video)->jump_to(clip.first_time)) return;
    *video = std::make_unique<VideoFile>(clip.path);
  }
  for (int i = 0; i <= clip.first; ++i) {
    if (!(*video)->next()) {
      throw Error("{}: has changed: it ends after {} frames, but had more when they were counted",
                  clip.path.string(), i);
    }
  }
}

// Calls use(position, get_picture) for the positions 0 to `last` of the clip.
template <typename Use>
void walk(const ClipFrames& clip, int last, const FrameFormat& format, Use use) {
  if (std::filesystem::is_directory(clip.path)) {
    const NumberedFiles files = pictures_in(clip.path);
    const PictureSize size = size_with_short_side({clip.width, clip.height}, format.short_side);
    for (int i = 0; i <= last; ++i) {
      stop_if_interrupted();
      use(i, [&](Image* image) {
        *image = read_picture(files.path(i), format.colour);
        if (image->width != size.width || image->height != size.height) {
          *image = resized(*image, size);
        }
      });
    }
    return;
  }
  auto video = std::make_unique<VideoFile>(clip.path);
  go_to_first(&video, clip);
  for (int i = 0; i <= last; ++i) {
    stop_if_interrupted();
    if (i > 0 && !video->next()) {
      throw Error("{}: has changed: expected {} frames of the clip, found {}", clip.path.string(),
                  clip.count, i);
    }
    use(i, [&](Image* image) { video->picture(format, image); });
  }
}

}  // namespace

std::vector<FoundPart> find_parts(const std::filesystem::path& path,
                                  std::span<const VideoPart> parts) {
  std::vector<FoundPart> found;
  if (std::filesystem::is_directory(path)) {
    const ClipFrames whole = find_in_folder(path);
    for (const VideoPart& part : parts) {
      if (part.start || part.stop) {
        found.push_back({{}, "a folder of images has no times; remove start and stop"});
      } else {
        found.push_back({whole, ""});
      }
    }
    return found;
  }
  VideoFile video(path);
  const decoding_internal::Timeline timeline = decoding_internal::pass_over(&video, path);
  const PictureSize size = video.size();
  const ClipFrames whole{path, 0, 0, 0, size.width, size.height, video.frame_rate(), ""};
  for (const VideoPart& part : parts) found.push_back(part_of(timeline, part, whole));
  return found;
}

ClipFrames find_frames(const std::filesystem::path& path, std::optional<double> start,
                       std::optional<double> stop) {
  const VideoPart part{start, stop};
  const FoundPart found = find_parts(path, {&part, 1}).front();
  if (!found.frames) throw Error("{}: {}", path.string(), found.problem);
  return *found.frames;
}

std::vector<Image> read_frames(const ClipFrames& clip, std::span<const int> positions,
                               const FrameFormat& format) {
  if (positions.empty()) return {};
  std::vector<int> order(positions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return positions[a] < positions[b]; });
  assert(positions[order.front()] >= 0 && positions[order.back()] < clip.count);
  std::vector<Image> images(positions.size());
  std::size_t next = 0;
  walk(clip, positions[order.back()], format, [&](int position, const auto& get_picture) {
    if (positions[order[next]] != position) return;
    Image& image = images[order[next]];
    get_picture(&image);
    for (++next; next < order.size() && positions[order[next]] == position; ++next) {
      images[order[next]] = image;
    }
  });
  return images;
}

void for_each_frame(const ClipFrames& clip, const FrameFormat& format,
                    const std::function<void(int, const Image&)>& use) {
  Image image;
  walk(clip, clip.count - 1, format, [&](int position, const auto& get_picture) {
    get_picture(&image);
    use(position, image);
  });
}

}  // namespace manyverbs
