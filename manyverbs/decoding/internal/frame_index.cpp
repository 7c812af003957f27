// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/frame_index.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "manyverbs/dataset/internal/shared_data.h"
#include "manyverbs/decoding/internal/picture_source.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/remark.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

const std::vector<std::string>& columns() {
  static const std::vector<std::string> names = {"clip",       "video", "start",  "stop",
                                                 "content",    "state", "first",  "count",
                                                 "first_time", "width", "height", "frame_rate"};
  return names;
}
constexpr std::size_t kContentColumn = 4;
constexpr std::size_t kStateColumn = 5;

std::filesystem::path index_file(const Dataset& dataset) { return dataset.folder / "frames.csv"; }
std::filesystem::path partial_file(const Dataset& dataset) {
  return dataset.folder / "frames.partial.csv";
}

std::filesystem::path tar_folder(const Dataset& dataset) { return dataset.folder / "tars"; }

std::string time_text(const std::optional<double>& time) {
  return time ? fmt::format("{}", *time) : "";
}

std::string frame_text(const std::optional<int>& frame) {
  return frame ? fmt::format("frame {}", *frame) : "";
}

std::vector<std::string> key_fields(const Clip& clip) {
  const bool has_frames = clip.start_frame || clip.stop_frame;
  std::string start = has_frames ? frame_text(clip.start_frame) : time_text(clip.start);
  if (clip.frame_rate) start += fmt::format(" at {}", *clip.frame_rate);
  return {clip.name, clip.video, start,
          has_frames ? frame_text(clip.stop_frame) : time_text(clip.stop)};
}

// A row of frames.csv. The state of the video must be read before its content.
std::string index_line(const Clip& clip, const ClipFrames& frames, const std::string& state) {
  std::vector<std::string> fields = key_fields(clip);
  fields.push_back(frames.content);
  fields.push_back(state);
  for (const int number : {frames.first, frames.count}) fields.push_back(std::to_string(number));
  fields.push_back(fmt::format("{}", frames.first_time));
  for (const int number : {frames.width, frames.height}) fields.push_back(std::to_string(number));
  fields.push_back(fmt::format("{}", frames.frame_rate));
  return csv_line(fields);
}

template <typename T>
bool parse(const std::string& text, T* value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return problem == std::errc() && end == text.data() + text.size();
}

using KnownRows = std::unordered_map<std::string, std::vector<std::string>>;

// The rows of a file by clip; empty if the file is not valid, because it can be computed again. The
// last row may be truncated by a kill.
void read_known(const std::filesystem::path& path, KnownRows* rows) {
  if (!std::filesystem::is_regular_file(path)) return;
  try {
    std::string text = read_file(path);
    text.resize(text.rfind('\n') + 1);
    CsvTable table = parse_csv(text, path);
    if (table.header != columns()) return;
    for (CsvRow& row : table.rows) (*rows)[row.fields.front()] = std::move(row.fields);
  } catch (const Error&) {
  }
}

// The stored frames of a clip if they belong to this video: same file state, or else same content.
std::optional<ClipFrames> known_frames(const KnownRows& rows, const Clip& clip,
                                       const std::filesystem::path& path, std::size_t column,
                                       const std::string& value) {
  const auto found = rows.find(clip.name);
  if (value.empty() || found == rows.end()) return {};
  const std::vector<std::string>& fields = found->second;
  const std::vector<std::string> key = key_fields(clip);
  if (!std::equal(key.begin(), key.end(), fields.begin()) || fields[column] != value) return {};
  ClipFrames frames;
  frames.path = path;
  frames.content = fields[kContentColumn];
  const bool whole = parse(fields[6], &frames.first) && parse(fields[7], &frames.count) &&
                     parse(fields[8], &frames.first_time) && parse(fields[9], &frames.width) &&
                     parse(fields[10], &frames.height) && parse(fields[11], &frames.frame_rate) &&
                     frames.first >= 0 && frames.count > 0 && frames.width > 0 && frames.height > 0;
  return whole ? std::optional(frames) : std::nullopt;
}

// A video and its requested clips.
struct Video {
  std::filesystem::path path;
  std::string state;
  std::vector<int> clips;
};

// Appends rows of frames.csv as they become known, to resume after a kill. Errors are ignored.
class PartialIndex {
 public:
  explicit PartialIndex(const Dataset& dataset) : path_(partial_file(dataset)) {
    if (!std::filesystem::is_regular_file(path_)) return;
    try {
      std::filesystem::resize_file(path_, read_file(path_).rfind('\n') + 1);
    } catch (const std::exception&) {  // not writable
    }
  }
  void append(const std::string& lines) {
    if (lines.empty()) return;
    const std::lock_guard lock(mutex_);
    std::ofstream file(path_, std::ios::binary | std::ios::app | std::ios::ate);
    if (file.tellp() == 0) file << csv_line(columns());
    file << lines << std::flush;
  }

 private:
  std::filesystem::path path_;
  std::mutex mutex_;
};

// Builds an index video by video.
class FrameCounter {
 public:
  FrameCounter(const Dataset& dataset, const KnownRows& known, FrameIndex* index)
      : dataset_(dataset),
        known_(known),
        index_(index),
        problems_(dataset.clips.size()),
        partial_(dataset) {}

  // Finds the frames of the clips of a video; false if there is a problem with one of them.
  bool look_into(const Video& video) {
    try {
      look_for(video);
    } catch (const Error& problem) {
      for (const int i : video.clips) problems_[i] = problem.what();
    } catch (const std::filesystem::filesystem_error& problem) {
      for (const int i : video.clips) {
        problems_[i] = fmt::format("{}: {}", video.path.string(), problem.code().message());
      }
    }
    return std::all_of(video.clips.begin(), video.clips.end(),
                       [&](int i) { return problems_[i].empty(); });
  }

  int videos_known() const { return videos_known_; }
  std::vector<std::string>& problems() { return problems_; }

 private:
  // Images are looked up once for all clips of their video.
  std::shared_ptr<const PictureSource> pictures_of(const Video& video) const {
    if (!holds_pictures(video.path)) return nullptr;
    return std::make_shared<const PictureSource>(video.path, tar_folder(dataset_));
  }

  void look_for(const Video& video) {
    const std::shared_ptr<const PictureSource> pictures = pictures_of(video);
    std::string content;
    if (pictures) {
      content = pictures->content();
    } else if (std::filesystem::exists(video.path)) {
      content = content_hash(video.path);
    }
    std::vector<int> unknown;
    std::vector<VideoPart> parts;
    for (const int i : video.clips) {
      const Clip& clip = dataset_.clips[i];
      index_->clips[i] = known_frames(known_, clip, video.path, kContentColumn, content);
      if (index_->clips[i]) {
        index_->clips[i]->pictures = pictures;
        continue;
      }
      unknown.push_back(i);
      parts.push_back(
          {clip.start, clip.stop, clip.start_frame, clip.stop_frame, clip.frame_rate.value_or(0)});
    }
    if (unknown.empty()) {
      ++videos_known_;
      return;
    }
    const std::vector<FoundPart> found =
        pictures ? find_parts(pictures, parts) : find_parts(video.path, parts);
    std::string lines;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      std::optional<ClipFrames>& frames = index_->clips[unknown[i]];
      frames = found[i].frames;
      if (frames) {
        frames->content = content;
        lines += index_line(dataset_.clips[unknown[i]], *frames, video.state);
      } else {
        problems_[unknown[i]] = fmt::format("{}: {}", video.path.string(), found[i].problem);
      }
    }
    partial_.append(lines);
  }

  const Dataset& dataset_;
  const KnownRows& known_;
  FrameIndex* index_;
  std::vector<std::string> problems_;
  PartialIndex partial_;
  std::atomic<int> videos_known_ = 0;
};

void look_into_all(const std::vector<Video>& videos, OnError on_error, FrameCounter* counter) {
  Progress progress("frames", std::ssize(videos));
  std::atomic<std::size_t> first_bad = videos.size();
  side_by_side(videos.size(), num_threads(), [&](std::size_t i) {
    // Earlier videos are still processed, so that the first problem is always the same.
    if (on_error == OnError::Stop && i > first_bad) return;
    if (!counter->look_into(videos[i])) {
      std::size_t seen = first_bad;
      while (i < seen && !first_bad.compare_exchange_weak(seen, i)) {
      }
    }
    progress.advance();
  });
}

// What is known of a video before it is read.
struct VideoState {
  std::string state;
  std::shared_ptr<const PictureSource> pictures;
};

// The images of a video whose frames are known; looked up when they are read.
void set_pictures(const Dataset& dataset, VideoState* video, ClipFrames* frames) {
  if (!video->pictures && holds_pictures(frames->path)) {
    video->pictures =
        std::make_shared<const PictureSource>(frames->path, tar_folder(dataset), frames->content);
  }
  frames->pictures = video->pictures;
}

// Uses all results that are valid without reading the videos; returns the other videos, in the
// order of their first clips.
std::vector<Video> unknown_videos(const Dataset& dataset, const KnownRows& known,
                                  FrameIndex* index) {
  std::vector<Video> videos;
  std::unordered_map<std::string, std::filesystem::path> paths;
  std::map<std::filesystem::path, VideoState> states;
  std::map<std::filesystem::path, std::size_t> place_of;
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    const Clip& clip = dataset.clips[i];
    if (clip.video.empty()) continue;
    const auto [path, is_new_path] = paths.try_emplace(clip.video);
    if (is_new_path) path->second = video_path(dataset, clip);
    const auto [video, is_first] = states.try_emplace(path->second);
    VideoState& state = video->second;
    if (is_first) state.state = video_state(path->second);
    index->states[i] = state.state;
    index->clips[i] = known_frames(known, clip, path->second, kStateColumn, state.state);
    if (index->clips[i]) {
      set_pictures(dataset, &state, &*index->clips[i]);
      continue;
    }
    const auto [place, is_new] = place_of.emplace(path->second, videos.size());
    if (is_new) videos.push_back({path->second, state.state, {}});
    videos[place->second].clips.push_back(static_cast<int>(i));
  }
  index->videos_known = static_cast<int>(states.size() - videos.size());
  return videos;
}

// The number of clips with known frames.
std::ptrdiff_t counted(const FrameIndex& index) {
  return std::count_if(index.clips.begin(), index.clips.end(),
                       [](const auto& frames) { return frames.has_value(); });
}

// Writes the index if possible.
void keep(const Dataset& dataset, const FrameIndex& index) {
  if (counted(index) == 0) return;
  try {
    write_frame_index(dataset, index);
  } catch (const std::exception& problem) {
    remark(fmt::format("the frame index cannot be stored: {}", problem.what()));
  }
}

}  // namespace

FrameIndex index_frames(const Dataset& dataset, OnError on_error) {
  KnownRows known;
  for (const std::filesystem::path& other : sharing_datasets(dataset)) {
    read_known(other / "frames.csv", &known);
  }
  read_known(index_file(dataset), &known);
  read_known(partial_file(dataset), &known);
  FrameIndex index;
  index.clips.resize(dataset.clips.size());
  index.states.resize(dataset.clips.size());
  const std::vector<Video> videos = unknown_videos(dataset, known, &index);
  std::vector<std::string> problems(dataset.clips.size());
  if (!videos.empty()) {
    FrameCounter counter(dataset, known, &index);
    try {
      look_into_all(videos, on_error, &counter);
    } catch (const Interrupted&) {  // the partial index has all results so far
      throw Interrupted(fmt::format("the frames of {} of {} clips are counted", counted(index),
                                    dataset.clips.size()));
    }
    problems = std::move(counter.problems());
    index.videos_known += counter.videos_known();
    keep(dataset, index);
  }
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    if (dataset.clips[i].video.empty()) problems[i] = "it has no video in clips.csv";
    if (problems[i].empty()) continue;
    index.problems.push_back({ClipRow(i), problems[i]});
    if (on_error == OnError::Stop) {
      throw Error("clip '{}': {}", dataset.clips[i].name, problems[i]);
    }
  }
  return index;
}

void write_frame_index(const Dataset& dataset, const FrameIndex& index) {
  std::string text = csv_line(columns());
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    if (index.clips[i]) text += index_line(dataset.clips[i], *index.clips[i], index.states[i]);
  }
  const std::filesystem::path file = index_file(dataset);
  if (!std::filesystem::is_regular_file(file) || read_file(file) != text) write_file(file, text);
  std::filesystem::remove(partial_file(dataset));
}

std::string problem_lines(const Dataset& dataset, const std::vector<ClipProblem>& problems) {
  std::string lines;
  for (const ClipProblem& problem : problems) {
    lines += fmt::format("  {}: {}\n", dataset.clip(problem.clip).name, problem.what);
  }
  return lines;
}

}  // namespace manyverbs
