// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/frames.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <numeric>
#include <tuple>

#include "manyverbs/decoding/internal/picture_source.h"
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

// The frames of a part given by frame numbers; the first frame of the video has the number
// `first`.
FoundPart numbered_part(const VideoPart& part, int first, const ClipFrames& whole) {
  const int last = first + whole.count - 1;
  const int start = part.start_frame.value_or(first);
  const int stop = part.stop_frame.value_or(last);
  if (start < first) {
    return {{},
            fmt::format("the clip starts at frame {}, but the first frame is {}", start, first)};
  }
  if (start > last) {
    return {{}, fmt::format("the clip starts at frame {}, but the last frame is {}", start, last)};
  }
  if (stop < start) {
    return {{},
            fmt::format("the clip stops at frame {}, before its start at frame {}", stop, start)};
  }
  const std::int64_t wanted = std::int64_t{stop} - start + 1;
  if (last - start + 1 < decoding_internal::kEnough * static_cast<double>(wanted)) {
    return {{}, fmt::format("the clip stops at frame {}, but the last frame is {}", stop, last)};
  }
  ClipFrames frames = whole;
  frames.first = start - first;
  frames.count = std::min(stop, last) - start + 1;
  return {frames, ""};
}

FoundPart part_of(const decoding_internal::Timeline& timeline, const VideoPart& part,
                  const ClipFrames& whole) {
  if (part.start_frame || part.stop_frame) {
    FoundPart found = numbered_part(part, 1, whole);
    if (found.frames) found.frames->first_time = timeline.times[found.frames->first];
    return found;
  }
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

// The times of images at a constant rate.
decoding_internal::Timeline even_timeline(int count, double frame_rate) {
  decoding_internal::Timeline timeline;
  for (int i = 0; i < count; ++i) timeline.times.push_back(i / frame_rate);
  timeline.end = count / frame_rate;
  return timeline;
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

void check_end(const PictureSource& source, const ClipFrames& clip, int last) {
  const int count = source.sequence(PictureKind::Frames).names.count;
  if (clip.first + last < count) return;
  throw Error("{}: has changed: it has {} images, but had at least {} when they were counted",
              clip.path.string(), count, clip.first + last + 1);
}

// Calls use(position, get_picture) for the positions 0 to `last` of the clip.
template <typename Use>
void walk(const ClipFrames& clip, int last, const FrameFormat& format, Use use) {
  if (clip.pictures || holds_pictures(clip.path)) {
    const auto source =
        clip.pictures ? clip.pictures : std::make_shared<const PictureSource>(clip.path);
    check_end(*source, clip, last);
    const PictureSize size = size_with_short_side({clip.width, clip.height}, format.short_side);
    for (int i = 0; i <= last; ++i) {
      stop_if_interrupted();
      use(i, [&](Image* image) {
        *image = source->read(PictureKind::Frames, clip.first + i, format.colour);
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

bool ClipFrames::operator==(const ClipFrames& other) const {
  const auto fields = [](const ClipFrames& clip) {
    return std::tie(clip.path, clip.first, clip.count, clip.first_time, clip.width, clip.height,
                    clip.frame_rate, clip.content);
  };
  return fields(*this) == fields(other);
}

std::vector<FoundPart> find_parts(const std::shared_ptr<const PictureSource>& source,
                                  std::span<const VideoPart> parts) {
  const NumberedFiles& names = source->sequence(PictureKind::Frames).names;
  const Image first = source->read(PictureKind::Frames, 0, Colour::Grey);
  ClipFrames whole{source->path(), 0, names.count, 0, first.width, first.height, 0, "", source};
  std::vector<FoundPart> found;
  for (const VideoPart& part : parts) {
    whole.frame_rate = part.frame_rate;
    if (!part.start && !part.stop) {
      found.push_back(numbered_part(part, names.first, whole));
    } else if (part.frame_rate > 0) {
      found.push_back(part_of(even_timeline(names.count, part.frame_rate), part, whole));
    } else {
      found.push_back({{}, "a folder of images has no times; remove start and stop"});
    }
  }
  return found;
}

std::vector<FoundPart> find_parts(const std::filesystem::path& path,
                                  std::span<const VideoPart> parts) {
  if (holds_pictures(path)) {
    return find_parts(std::make_shared<const PictureSource>(path), parts);
  }
  VideoFile video(path);
  const decoding_internal::Timeline timeline = decoding_internal::pass_over(&video, path);
  const PictureSize size = video.size();
  const ClipFrames whole{path,
                         0,
                         static_cast<int>(timeline.times.size()),
                         0,
                         size.width,
                         size.height,
                         video.frame_rate(),
                         ""};
  std::vector<FoundPart> found;
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
