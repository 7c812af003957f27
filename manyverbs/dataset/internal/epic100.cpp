// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/epic100.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "manyverbs/dataset/internal/epic_folders.h"
#include "manyverbs/dataset/internal/reference_features.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/numbers.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

// Microseconds are precise enough for video and keep clips.csv readable.
double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

Vocabulary read_verbs(const std::filesystem::path& path) {
  const CsvTable table = read_csv(path);
  const int id = table.column("id");
  const int key = table.column("key");
  std::vector<std::string> names;
  for (const CsvRow& row : table.rows) {
    if (row.fields[id] != std::to_string(names.size())) {
      throw Error("{}:{}: expected verb id {}, found '{}'; ids must be 0, 1, 2 …", path.string(),
                  row.line, names.size(), row.fields[id]);
    }
    names.push_back(row.fields[key]);
  }
  if (names.empty()) throw Error("{}: contains no verbs", path.string());
  try {
    return Vocabulary(std::move(names));
  } catch (const Error& problem) {
    throw Error("{}: {}", path.string(), problem.what());
  }
}

// Reads the narrations of annotation files as clips.
class NarrationReader {
 public:
  NarrationReader(const Epic100Import& settings, Epic100Imported* result)
      : settings_(settings),
        result_(*result),
        frames_(settings.frames, "rgb"),
        flow_(settings.flow.empty() ? settings.frames : settings.flow, "flow") {}

  void read(const std::string& file, Split split) {
    const CsvTable table = read_csv(settings_.annotations / file);
    const int id = table.column("narration_id");
    const int video = table.column("video_id");
    const int verb = table.column("verb_class");
    if (table.rows.empty()) throw Error("{}: contains no narrations", table.path.string());
    for (const CsvRow& row : table.rows) {
      stop_if_interrupted();
      const std::string place = fmt::format("{}:{}", table.path.string(), row.line);
      Clip clip;
      clip.name = row.fields[id];
      clip.split = split;
      clip.labels = {verb_id(row.fields[verb], place)};
      if (settings_.frames.empty()) {
        clip.video = video_file(row.fields[video]);
        read_times(table, row, place, &clip);
      } else {
        read_frames(table, row, row.fields[video], place, &clip);
      }
      if (clip.name.empty()) throw Error("{}: the narration has no id", place);
      const auto [earlier, is_new] = place_of_.emplace(clip.name, place);
      if (!is_new) {
        throw Error("{}: duplicate narration '{}', see {}", place, clip.name, earlier->second);
      }
      result_.dataset.clips.push_back(std::move(clip));
    }
  }

  // Flow must be there for all videos or for none.
  void complete_flow() {
    if (!result_.has_flow) return;
    for (Clip& clip : result_.dataset.clips) {
      if (clip.flow.empty()) clip.flow = flow_.expected(video_of_[clip.video]);
    }
  }

 private:
  void read_frames(const CsvTable& table, const CsvRow& row, const std::string& video,
                   const std::string& place, Clip* clip) {
    const auto [found, is_new] = places_.try_emplace(video);
    if (is_new) {
      const std::string path = frames_.find(video);
      found->second = {path.empty() ? frames_.expected(video) : path, flow_.find(video)};
      video_of_[found->second.frames] = video;
      if (!found->second.flow.empty()) result_.has_flow = true;
    }
    clip->video = found->second.frames;
    clip->flow = found->second.flow;
    clip->frame_rate = epic_frame_rate(video);
    clip->start_frame = frame_in(row.fields[table.column("start_frame")], place);
    clip->stop_frame = frame_in(row.fields[table.column("stop_frame")], place);
    if (*clip->stop_frame < *clip->start_frame) {
      throw Error("{}: narration '{}' stops at frame {}, before its start at frame {}", place,
                  clip->name, *clip->stop_frame, *clip->start_frame);
    }
  }

  std::string video_file(const std::string& video) {
    if (settings_.videos.empty()) return video + ".MP4";
    const auto [found, is_new] = places_.try_emplace(video);
    if (is_new) {
      found->second.frames = epic_video(std::filesystem::absolute(settings_.videos), video);
      if (!std::filesystem::exists(found->second.frames)) {
        result_.missing_videos.push_back(found->second.frames);
      }
    }
    return found->second.frames;
  }

  static int frame_in(const std::string& text, const std::string& place) {
    const auto frame = number_in<int>(text);
    if (!frame || *frame < 0) throw Error("{}: expected a frame number, found '{}'", place, text);
    return *frame;
  }

  ClassId verb_id(const std::string& text, const std::string& place) const {
    const auto id = number_in<ClassId>(text);
    const int count = result_.dataset.classes.size();
    if (!id || *id < 0 || *id >= count) {
      throw Error("{}: expected a verb_class from 0 to {}, found '{}'", place, count - 1, text);
    }
    return *id;
  }

  void read_times(const CsvTable& table, const CsvRow& row, const std::string& place, Clip* clip) {
    const std::string& start = row.fields[table.column("start_timestamp")];
    const std::string& stop = row.fields[table.column("stop_timestamp")];
    if (!start.empty() && !stop.empty()) {
      clip->start = seconds(start, place);
      clip->stop = seconds(stop, place);
    } else if (settings_.fps) {
      clip->start = seconds_of_frame(row.fields[table.column("start_frame")], place);
      clip->stop = seconds_of_frame(row.fields[table.column("stop_frame")], place);
    } else {
      ++result_.without_times;
      return;
    }
    if (*clip->stop <= *clip->start) {
      throw Error("{}: narration '{}' stops at {} s, expected a time after its start at {} s",
                  place, clip->name, *clip->stop, *clip->start);
    }
  }

  static double seconds(const std::string& text, const std::string& place) {
    const auto value = timestamp_seconds(text);
    if (!value) throw Error("{}: expected a time such as 00:01:02.50, found '{}'", place, text);
    return *value;
  }

  double seconds_of_frame(const std::string& text, const std::string& place) const {
    return rounded(frame_in(text, place) / *settings_.fps);
  }

  const Epic100Import& settings_;
  Epic100Imported& result_;
  struct Places {
    std::string frames;
    std::string flow;
  };
  EpicFolders frames_;
  EpicFolders flow_;
  std::unordered_map<std::string, Places> places_;
  std::unordered_map<std::string, std::string> video_of_;
  std::unordered_map<std::string, std::string> place_of_;
};

std::vector<ClassId> verb_list(const std::string& text, int num_verbs, const std::string& place) {
  const Json list = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array() || list.empty()) {
    throw Error("{}: verb_labels: expected a JSON list such as [3, 17], found '{}'", place, text);
  }
  std::vector<ClassId> verbs;
  for (const Json& item : list) {
    const std::int64_t id = item.is_number_integer() ? item.get<std::int64_t>() : -1;
    if (id < 0 || id >= num_verbs) {
      throw Error("{}: verb_labels: expected verbs from 0 to {}, found {}", place, num_verbs - 1,
                  item.dump());
    }
    if (std::find(verbs.begin(), verbs.end(), id) != verbs.end()) {
      throw Error("{}: duplicate verb {}", place, id);
    }
    verbs.push_back(static_cast<ClassId>(id));
  }
  return verbs;
}

std::string nearest_clip(const std::string& name, const std::vector<Clip>& clips) {
  std::vector<std::string> names;
  for (const Clip& clip : clips) {
    if (clip.split != Split::Train) names.push_back(clip.name);
  }
  return did_you_mean(name, names);
}

// Turns the validation clips in the file into test clips.
void read_spmv(const std::filesystem::path& path, Dataset* dataset) {
  const CsvTable table = read_csv(path);
  const int id = table.column("narration_id");
  const int labels = table.column("verb_labels");
  std::unordered_map<std::string, Clip*> validation;
  for (Clip& clip : dataset->clips) {
    if (clip.split == Split::Val) validation.emplace(clip.name, &clip);
  }
  std::unordered_map<std::string, int> line_of;
  for (const CsvRow& row : table.rows) {
    const std::string place = fmt::format("{}:{}", path.string(), row.line);
    const std::string& name = row.fields[id];
    const auto found = validation.find(name);
    if (found == validation.end()) {
      throw Error("{}: narration '{}' is not one of the {} validation clips{}", place, name,
                  validation.size(), nearest_clip(name, dataset->clips));
    }
    const auto [earlier, is_new] = line_of.emplace(name, row.line);
    if (!is_new) {
      throw Error("{}: duplicate narration '{}', see line {}", place, name, earlier->second);
    }
    found->second->split = Split::Test;
    found->second->original = found->second->labels.front();
    found->second->labels = verb_list(row.fields[labels], dataset->classes.size(), place);
  }
}

// The numbers of participant, video and narration: 1, 109 and 3 of "P01_109_3".
std::array<int, 3> narration_numbers(const std::string& name) {
  std::array<int, 3> numbers{};
  std::string_view left = name;
  bool valid = left.starts_with('P');
  left.remove_prefix(valid ? 1 : 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_last = i + 1 == numbers.size();
    const std::size_t end = is_last ? left.size() : std::min(left.find('_'), left.size());
    const auto number = number_in<int>(left.substr(0, end));
    valid = valid && number && *number >= 0;
    numbers[i] = number.value_or(0);
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  if (!valid) throw Error("expected a narration id such as P01_109_3, found '{}'", name);
  return numbers;
}

}  // namespace

std::optional<double> timestamp_seconds(std::string_view text) {
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  const auto hours = number_in<int>(text.substr(0, first));
  const auto minutes = number_in<int>(text.substr(first + 1, second - first - 1));
  const auto seconds = number_in<double>(text.substr(second + 1));
  if (!hours || !minutes || !seconds) return std::nullopt;
  if (*hours < 0 || *minutes < 0 || *minutes > 59 || !(*seconds >= 0 && *seconds < 60)) {
    return std::nullopt;
  }
  return rounded(*hours * 3600.0 + *minutes * 60.0 + *seconds);
}

std::vector<std::int64_t> epic100_reference_ids(const Dataset& dataset) {
  struct Key {
    bool is_validation;
    std::array<int, 3> numbers;
    std::size_t row;
  };
  std::vector<Key> keys;
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    const Clip& clip = dataset.clips[i];
    keys.push_back({clip.split != Split::Train, narration_numbers(clip.name), i});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return std::tie(a.is_validation, a.numbers) < std::tie(b.is_validation, b.numbers);
  });
  std::vector<std::int64_t> ids(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) ids[keys[i].row] = static_cast<std::int64_t>(i);
  return ids;
}

Epic100Imported read_epic100(const Epic100Import& settings) {
  Epic100Imported result;
  result.dataset.folder = settings.out;
  result.dataset.name = "epic100";
  result.dataset.classes = read_verbs(settings.annotations / "EPIC_100_verb_classes.csv");
  NarrationReader reader(settings, &result);
  reader.read("EPIC_100_train.csv", Split::Train);
  reader.read("EPIC_100_validation.csv", Split::Val);
  reader.complete_flow();
  if (!settings.spmv.empty()) read_spmv(settings.spmv, &result.dataset);
  return result;
}

Epic100Imported import_epic100(const Epic100Import& settings) {
  FolderWriter out(settings.out);
  Epic100Imported result = read_epic100(settings);
  write_dataset(out.path(), result.dataset);
  if (!settings.features.empty()) {
    result.streams = import_reference_features(settings.features, result.dataset,
                                               epic100_reference_ids(result.dataset), out.path());
  }
  out.commit();
  return result;
}

}  // namespace manyverbs
