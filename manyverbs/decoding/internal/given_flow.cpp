// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/given_flow.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <unordered_map>

#include "manyverbs/decoding/internal/picture_source.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/numbers.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/remark.h"

namespace manyverbs {
namespace {

constexpr int kLargestStride = 8;

// What is known of the flow of a video.
struct GivenFlow {
  std::string state;
  std::string content;
  FlowFrames flow;
  int stride = 1;
  std::string problem;
};

const std::vector<std::string>& given_columns() {
  static const std::vector<std::string> names = {
      "flow", "video", "content", "state", "count", "stride", "width", "height", "video_content"};
  return names;
}

std::filesystem::path given_file(const Dataset& dataset) {
  return dataset.folder / "flow" / "given.csv";
}
std::filesystem::path given_tars(const Dataset& dataset) { return dataset.folder / "tars"; }

using GivenRows = std::unordered_map<std::string, std::vector<std::string>>;

// The stored rows by the text of the column flow; none if the file is not valid, because it can be
// made again.
GivenRows read_given(const Dataset& dataset) {
  GivenRows rows;
  const std::filesystem::path file = given_file(dataset);
  if (!std::filesystem::is_regular_file(file)) return rows;
  try {
    CsvTable table = read_csv(file);
    if (table.header != given_columns()) return rows;
    for (CsvRow& row : table.rows) rows[row.fields.front()] = std::move(row.fields);
  } catch (const Error&) {
  }
  return rows;
}

// A stored row, if it belongs to these files. The stride depends on the frames of the video, too.
std::optional<GivenFlow> known_flow(const GivenRows& rows, const Clip& clip,
                                    const ClipFrames& frames, const std::filesystem::path& path,
                                    const Dataset& dataset) {
  const auto found = rows.find(clip.flow);
  const std::string state = video_state(path);
  if (state.empty() || found == rows.end()) return {};
  const std::vector<std::string>& fields = found->second;
  if (fields[1] != clip.video || fields[3] != state || fields[8] != frames.content) return {};
  const auto number = [&](std::size_t column) {
    return number_in<int>(fields[column]).value_or(0);
  };
  GivenFlow given{state, fields[2], {}, number(5), ""};
  given.flow = {std::make_shared<const PictureSource>(path, given_tars(dataset), given.content), 0,
                number(4), number(6), number(7)};
  const bool is_whole =
      given.stride > 0 && given.flow.count > 0 && given.flow.width > 0 && given.flow.height > 0;
  return is_whole ? std::optional(given) : std::nullopt;
}

// The number of frames of a whole video.
int frames_of_video(const ClipFrames& clip) {
  if (clip.pictures) return clip.pictures->sequence(PictureKind::Frames).names.count;
  return find_frames(clip.path).count;
}

GivenFlow look_up(const std::filesystem::path& path, const ClipFrames& clip,
                  const Dataset& dataset) {
  GivenFlow given;
  try {
    given.state = video_state(path);
    if (!holds_pictures(path)) throw Error("{}: the folder of flow does not exist", path.string());
    const auto pictures = std::make_shared<const PictureSource>(path, given_tars(dataset));
    given.content = pictures->content();
    given.flow = find_flow(pictures);
    const int frames = frames_of_video(clip);
    const std::optional<int> stride = flow_stride(frames, given.flow.count);
    if (!stride) {
      throw Error("{}: has {} flow images for {} frames; expected one for each, or one for 2 to {}",
                  path.string(), given.flow.count, frames, kLargestStride);
    }
    given.stride = *stride;
  } catch (const Error& problem) {
    given.problem = problem.what();
  } catch (const std::filesystem::filesystem_error& problem) {
    given.problem = fmt::format("{}: {}", path.string(), problem.code().message());
  }
  return given;
}

// A video with given flow, and its first clip with known frames.
struct FlowVideo {
  std::filesystem::path path;
  std::size_t clip = 0;
};

void store_given(const Dataset& dataset, const FrameIndex& frames,
                 const std::map<std::string, FlowVideo>& videos,
                 const std::unordered_map<std::string, GivenFlow>& known) {
  std::string text = csv_line(given_columns());
  for (const auto& [flow, video] : videos) {
    const GivenFlow& given = known.at(flow);
    if (!given.problem.empty()) continue;
    text += csv_line({flow, dataset.clips[video.clip].video, given.content, given.state,
                      std::to_string(given.flow.count), std::to_string(given.stride),
                      std::to_string(given.flow.width), std::to_string(given.flow.height),
                      frames.clips[video.clip]->content});
  }
  try {
    std::filesystem::create_directories(dataset.folder / "flow");
    const std::filesystem::path file = given_file(dataset);
    if (!std::filesystem::exists(file) || read_file(file) != text) write_file(file, text);
  } catch (const std::exception& problem) {
    remark(fmt::format("the index of the flow cannot be stored: {}", problem.what()));
  }
}

// The flow of every video with given flow, looked up in parallel if it is not known.
std::unordered_map<std::string, GivenFlow> flow_of_videos(const Dataset& dataset,
                                                          const FrameIndex& frames) {
  std::map<std::string, FlowVideo> videos;
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    const Clip& clip = dataset.clips[i];
    if (clip.flow.empty() || !frames.clips[i] || videos.contains(clip.flow)) continue;
    videos[clip.flow] = {flow_path(dataset, clip), i};
  }
  const GivenRows rows = read_given(dataset);
  std::unordered_map<std::string, GivenFlow> known;
  std::vector<std::string> unknown;
  for (const auto& [flow, video] : videos) {
    std::optional<GivenFlow> given =
        known_flow(rows, dataset.clips[video.clip], *frames.clips[video.clip], video.path, dataset);
    if (!given) unknown.push_back(flow);
    known[flow] = given.value_or(GivenFlow());
  }
  if (unknown.empty()) return known;
  Progress progress("flow", std::ssize(unknown));
  side_by_side(unknown.size(), num_threads(), [&](std::size_t i) {
    const FlowVideo& video = videos.at(unknown[i]);
    known.at(unknown[i]) = look_up(video.path, *frames.clips[video.clip], dataset);
    progress.advance();
  });
  store_given(dataset, frames, videos, known);
  return known;
}

}  // namespace

bool has_given_flow(const Dataset& dataset) {
  return std::any_of(dataset.clips.begin(), dataset.clips.end(),
                     [](const Clip& clip) { return !clip.flow.empty(); });
}

std::optional<int> flow_stride(int frames, int images) {
  // The last frames of a video have no flow.
  constexpr int kLastFrames = 4;
  for (int stride = 1; stride <= kLargestStride; ++stride) {
    const int most = (frames + stride - 1) / stride;
    const int fewest = std::max(1, (frames - kLastFrames + stride - 1) / stride);
    if (images >= fewest && images <= most) return stride;
  }
  // Some programs lose a few more.
  constexpr double kTolerance = 0.02;
  for (int stride = 1; stride <= kLargestStride; ++stride) {
    if (std::abs(frames - stride * images) <= kTolerance * frames) return stride;
  }
  return {};
}

FlowFrames flow_of_part(const FlowFrames& flow, int stride, const ClipFrames& frames) {
  FlowFrames part = flow;
  const int last = (frames.first + frames.count - 1) / stride;
  part.first = std::min(frames.first / stride, flow.count - 1);
  part.count = std::clamp(last - part.first, 1, flow.count - part.first);
  return part;
}

FlowIndex index_given_flow(const Dataset& dataset, const FrameIndex& frames, OnError on_error) {
  const std::unordered_map<std::string, GivenFlow> known = flow_of_videos(dataset, frames);
  FlowIndex index;
  index.clips.resize(dataset.clips.size());
  index.contents.resize(dataset.clips.size());
  for (const ClipRow row : first_rows(dataset.clips.size())) {
    const std::size_t i = manyverbs::index(row);
    std::string problem;
    if (!frames.clips[i]) continue;  // a problem of the frame index
    if (dataset.clips[i].flow.empty()) {
      problem = "it has no flow in clips.csv, but other clips have";
    } else {
      const GivenFlow& given = known.at(dataset.clips[i].flow);
      problem = given.problem;
      if (problem.empty()) {
        index.clips[i] = flow_of_part(given.flow, given.stride, *frames.clips[i]);
        index.contents[i] = given.content;
      }
    }
    if (problem.empty()) continue;
    if (on_error == OnError::Stop) {
      throw Error("clip '{}': {}", dataset.clips[i].name, problem);
    }
    index.problems.push_back({row, problem});
  }
  return index;
}

}  // namespace manyverbs
