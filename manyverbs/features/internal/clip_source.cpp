// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/clip_source.h"

#include <algorithm>
#include <cassert>

#include <ATen/ATen.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

// Positions where a complete stack starts; one for clips shorter than a stack.
int num_starts(int pictures, Stream stream) {
  return std::max(1, pictures - pictures_per_segment(stream) + 1);
}

// The pictures of the segments with these starts.
std::vector<int> pictures_from(const std::vector<int>& starts, int pictures, Stream stream) {
  return stacked(starts, pictures, pictures_per_segment(stream));
}

// Flow smaller than the image that the input is cropped from would have to be enlarged, which
// cannot restore motion that was not computed.
void check_flow_size(const Dataset& dataset, const InputSettings& input) {
  const int stored = flow_settings(dataset).short_side;
  if (stored == 0 || stored >= input.test_short_side) return;
  const int fitting = stored * input.size / input.test_short_side;
  if (has_given_flow(dataset)) {
    throw Error(
        "{}: the given flow has a short side of {} pixels; --size {} requires {}; use "
        "--size {} or less",
        dataset.folder.string(), stored, input.size, input.test_short_side, fitting);
  }
  throw Error(
      "{}: the flow has a short side of {} pixels; --size {} requires {}; use --size {} or less, "
      "or "
      "compute the flow again: manyverbs flow {} --short-side {} --replace",
      flow_root(dataset).string(), stored, input.size, input.test_short_side, fitting,
      dataset.folder.string(), input.test_short_side);
}

}  // namespace

ClipSource::ClipSource(const Dataset& dataset, ClipSettings settings, OnError on_error)
    : settings_(std::move(settings)), usable_(dataset.clips.size(), true) {
  if (settings_.input.stream == Stream::Rgb) {
    FrameIndex found = index_frames(dataset, on_error);
    frames_ = std::move(found.clips);
    problems_ = std::move(found.problems);
  } else {
    check_flow_size(dataset, settings_.input);  // also throws if there is no flow
    FlowIndex found = index_flow(dataset, on_error);
    flow_ = std::move(found.clips);
    problems_ = std::move(found.problems);
  }
  for (const ClipProblem& problem : problems_) usable_[index(problem.clip)] = false;
}

std::string ClipSource::content(std::span<const ClipRow> clips) const {
  std::string text;
  for (const ClipRow clip : clips) {
    const std::size_t i = index(clip);
    if (frames_.empty()) {
      text += fmt::format("{} {} {}", flow_[i]->count, flow_[i]->width, flow_[i]->height);
      // Only of given flow, so that runs on computed flow stay valid.
      if (flow_[i]->first > 0) text += fmt::format(" {}", flow_[i]->first);
      text += "\n";
    } else {
      text += fmt::format("{} {} {}\n", frames_[i]->content, frames_[i]->first, frames_[i]->count);
    }
  }
  return text_hash(text);
}

int ClipSource::num_pictures(ClipRow clip) const {
  return frames_.empty() ? flow_[index(clip)]->count : frames_[index(clip)]->count;
}

std::vector<Image> ClipSource::read(ClipRow clip, const std::vector<int>& pictures,
                                    int short_side) const {
  if (!frames_.empty())
    return read_frames(*frames_[index(clip)], pictures, {Colour::Rgb, short_side});
  return read_flow(*flow_[index(clip)], pictures, short_side);
}

at::Tensor ClipSource::test_clip(ClipRow clip) const {
  assert(has(clip));
  const View view = test_view(settings_.input);
  const std::vector<int> pictures = test_pictures(num_pictures(clip), settings_);
  return clip_tensor(read(clip, pictures, view.short_side), settings_.input, view);
}

at::Tensor ClipSource::training_clip(ClipRow clip, Random* random) const {
  assert(has(clip));
  const View view = random_view(settings_.input, random);
  const Stream stream = settings_.input.stream;
  const int count = num_pictures(clip);
  const std::vector<int> starts =
      random_frames(num_starts(count, stream), settings_.segments, random);
  return clip_tensor(read(clip, pictures_from(starts, count, stream), view.short_side),
                     settings_.input, view);
}

std::vector<int> test_pictures(int pictures, const ClipSettings& settings) {
  const Stream stream = settings.input.stream;
  const std::vector<int> starts =
      fixed_frames(num_starts(pictures, stream), settings.segments, settings.point);
  return pictures_from(starts, pictures, stream);
}

std::vector<std::filesystem::path> peek_at_clips(const Dataset& dataset, const ClipSource& source,
                                                 int count, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const InputSettings& input = source.settings().input;
  const bool is_flow = input.stream == Stream::Flow;
  const double bound = is_flow ? flow_settings(dataset).bound : 0;
  std::vector<std::filesystem::path> files;
  for (const ClipRow row : first_rows(dataset.clips.size())) {
    if (static_cast<int>(files.size()) == count) break;
    if (!source.has(row)) continue;
    const Image strip = strip_of(source.test_clip(row), input);
    const std::string name = flow_folder(dataset, dataset.clip(row)).filename().string();
    files.push_back(folder / fmt::format("{}-{}.jpg", name, stream_name(input.stream)));
    write_picture(files.back(), is_flow ? coloured_flow(strip, bound, bound / 4) : strip);
  }
  return files;
}

}  // namespace manyverbs
