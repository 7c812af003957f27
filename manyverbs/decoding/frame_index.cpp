// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/frame_index.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <unordered_map>

#include "manyverbs/support/csv.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/files.h"
#include "manyverbs/support/interruption.h"
#include "manyverbs/support/parallel.h"
#include "manyverbs/support/progress.h"
#include "manyverbs/support/spelling.h"

namespace manyverbs {
namespace {

const std::vector<std::string>& columns() {
  static const std::vector<std::string> names = {"clip",  "video",  "start",     "stop",
                                                 "stamp", "first",  "count",     "first_time",
                                                 "width", "height", "frame_rate"};
  return names;
}

std::string time_text(const std::optional<double>& time) {
  return time ? fmt::format("{}", *time) : "";
}

// "" where there is no file.
std::string stamp_of(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? file_stamp(path) : "";
}

std::vector<std::string> key_fields(const Clip& clip, const std::string& stamp) {
  return {clip.name, clip.video, time_text(clip.start), time_text(clip.stop), stamp};
}

template <typename T>
bool parse(const std::string& text, T* value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return problem == std::errc() && end == text.data() + text.size();
}

using KnownRows = std::unordered_map<std::string, std::vector<std::string>>;

// The rows of frames.csv by clip; none when it is not as this program writes it, since it can be
// made again.
KnownRows read_known(const std::filesystem::path& path) {
  KnownRows rows;
  if (!std::filesystem::exists(path)) return rows;
  try {
    CsvTable table = read_csv(path);
    if (table.header != columns()) return rows;
    for (CsvRow& row : table.rows) rows[row.fields.front()] = std::move(row.fields);
  } catch (const Error&) {
    rows.clear();
  }
  return rows;
}

std::optional<ClipFrames> known_frames(const KnownRows& rows, const std::vector<std::string>& key,
                                       const std::filesystem::path& path) {
  const auto found = rows.find(key.front());
  if (key.back().empty() || found == rows.end()) return {};
  const std::vector<std::string>& fields = found->second;
  if (!std::equal(key.begin(), key.end(), fields.begin())) return {};
  ClipFrames frames;
  frames.path = path;
  const bool whole = parse(fields[5], &frames.first) && parse(fields[6], &frames.count) &&
                     parse(fields[7], &frames.first_time) && parse(fields[8], &frames.width) &&
                     parse(fields[9], &frames.height) && parse(fields[10], &frames.frame_rate) &&
                     frames.first >= 0 && frames.count > 0 && frames.width > 0 && frames.height > 0;
  return whole ? std::optional(frames) : std::nullopt;
}

// Looks for the frames of some clips, all of one video.
void look_into(const std::filesystem::path& path, const std::vector<int>& clips,
               const Dataset& dataset, FrameIndex* index, std::vector<std::string>* problems) {
  std::vector<VideoPart> parts;
  parts.reserve(clips.size());
  for (const int i : clips) parts.push_back({dataset.clips[i].start, dataset.clips[i].stop});
  try {
    const std::vector<FoundPart> found = find_parts(path, parts);
    for (std::size_t i = 0; i < clips.size(); ++i) {
      index->clips[clips[i]] = found[i].frames;
      if (!found[i].frames) {
        (*problems)[clips[i]] = fmt::format("{}: {}", path.string(), found[i].problem);
      }
    }
  } catch (const Error& problem) {
    for (const int i : clips) (*problems)[i] = problem.what();
  } catch (const std::filesystem::filesystem_error& problem) {
    for (const int i : clips) {
      (*problems)[i] = fmt::format("{}: {}", path.string(), problem.code().message());
    }
  }
}

// Videos in the order of their first clips, each with its clips.
using Videos = std::vector<std::pair<std::filesystem::path, std::vector<int>>>;

void look_into_all(const Videos& videos, const Dataset& dataset, OnError on_error,
                   FrameIndex* index, std::vector<std::string>* problems) {
  Progress progress("frames", std::ssize(videos));
  std::atomic<std::size_t> first_bad = videos.size();
  side_by_side(videos.size(), num_threads(), [&](std::size_t i) {
    // Those before a bad one are still looked at, so that the first problem is always the same.
    if (on_error == OnError::Stop && i > first_bad) return;
    const auto& [path, clips] = videos[i];
    look_into(path, clips, dataset, index, problems);
    const bool bad = std::any_of(clips.begin(), clips.end(),
                                 [&](int clip) { return !(*problems)[clip].empty(); });
    if (bad) {
      std::size_t seen = first_bad;
      while (i < seen && !first_bad.compare_exchange_weak(seen, i)) {
      }
    }
    progress.advance();
  });
}

}  // namespace

OnError find_on_error(std::string_view name) {
  if (name == "stop") return OnError::Stop;
  if (name == "skip") return OnError::Skip;
  throw Error("no '{}' among stop and skip{}", name, did_you_mean(name, {"stop", "skip"}));
}

std::filesystem::path video_path(const Dataset& dataset, const Clip& clip) {
  if (clip.video.empty()) {
    throw Error("{}: the clip '{}' names no video", (dataset.folder / "clips.csv").string(),
                clip.name);
  }
  // ".." behind a link leads up from where the link leads, not from where it stands.
  const std::filesystem::path path = dataset.folder / clip.video;
  const std::filesystem::path plain = path.lexically_normal();
  std::error_code ignored;
  if (plain == path || std::filesystem::equivalent(plain, path, ignored)) return plain;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  const auto plainly = std::filesystem::weakly_canonical(std::filesystem::absolute(plain));
  return plainly == real ? plain : real;
}

FrameIndex index_frames(const Dataset& dataset, OnError on_error) {
  const std::size_t num_clips = dataset.clips.size();
  const KnownRows known = read_known(dataset.folder / "frames.csv");
  FrameIndex index;
  index.clips.resize(num_clips);
  std::vector<std::string> problems(num_clips);
  Videos videos;
  std::map<std::filesystem::path, std::size_t> place_of;
  for (std::size_t i = 0; i < num_clips; ++i) {
    const Clip& clip = dataset.clips[i];
    if (clip.video.empty()) {
      problems[i] = "clips.csv names no video";
      continue;
    }
    const std::filesystem::path path = video_path(dataset, clip);
    index.clips[i] = known_frames(known, key_fields(clip, stamp_of(path)), path);
    if (index.clips[i]) continue;
    const auto [place, is_new] = place_of.emplace(path, videos.size());
    if (is_new) videos.push_back({path, {}});
    videos[place->second].second.push_back(static_cast<int>(i));
  }
  try {
    look_into_all(videos, dataset, on_error, &index, &problems);
  } catch (const Interrupted&) {
    write_frame_index(dataset, index);
    const auto done = std::count_if(index.clips.begin(), index.clips.end(),
                                    [](const auto& frames) { return frames.has_value(); });
    throw Interrupted(fmt::format("the frames of {} of {} clips are counted", done, num_clips));
  }
  if (!videos.empty()) write_frame_index(dataset, index);
  for (std::size_t i = 0; i < num_clips; ++i) {
    if (problems[i].empty()) continue;
    index.problems.push_back({static_cast<int>(i), problems[i]});
    if (on_error == OnError::Stop) {
      throw Error("clip '{}': {}", dataset.clips[i].name, problems[i]);
    }
  }
  return index;
}

void write_frame_index(const Dataset& dataset, const FrameIndex& index) {
  std::string text = csv_line(columns());
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    if (!index.clips[i]) continue;
    const ClipFrames& frames = *index.clips[i];
    std::vector<std::string> fields =
        key_fields(dataset.clips[i], stamp_of(video_path(dataset, dataset.clips[i])));
    for (const int number : {frames.first, frames.count}) fields.push_back(std::to_string(number));
    fields.push_back(fmt::format("{}", frames.first_time));
    for (const int number : {frames.width, frames.height}) fields.push_back(std::to_string(number));
    fields.push_back(fmt::format("{}", frames.frame_rate));
    text += csv_line(fields);
  }
  write_file(dataset.folder / "frames.csv", text);
}

std::string problem_lines(const Dataset& dataset, const std::vector<ClipProblem>& problems) {
  std::string lines;
  for (const ClipProblem& problem : problems) {
    lines += fmt::format("  {}: {}\n", dataset.clips[problem.clip].name, problem.what);
  }
  return lines;
}

}  // namespace manyverbs
