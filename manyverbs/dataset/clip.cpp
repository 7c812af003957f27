// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/clip.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/numbers.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

std::vector<std::string> split_names() {
  std::vector<std::string> names;
  for (const Split split : kSplits) names.emplace_back(split_name(split));
  return names;
}

// The names in "cut; peel" without surrounding spaces; none in "". Throws Error for an empty name,
// as in "cut;;peel" and "cut;".
std::vector<std::string_view> label_names(const CsvTable& table, const CsvRow& row, int column) {
  std::string_view text = trimmed(row.fields[column]);
  std::vector<std::string_view> names;
  if (text.empty()) return names;
  while (true) {
    const std::size_t end = text.find(';');
    names.push_back(trimmed(text.substr(0, end)));
    if (names.back().empty()) {
      throw Error("{}:{}: {} '{}' contains an empty name; labels are separated by one ';'",
                  table.path.string(), row.line, table.header[column], row.fields[column]);
    }
    if (end == std::string_view::npos) return names;
    text.remove_prefix(end + 1);
  }
}

// Reads rows of clips.csv. Column numbers are -1 for missing columns.
class ClipReader {
 public:
  ClipReader(const CsvTable& table, const Vocabulary& classes)
      : table_(table),
        classes_(classes),
        clip_(table.column("clip")),
        split_(table.column("split")),
        labels_(table.column("labels")),
        original_(table.find_column("original")),
        truth_(table.find_column("truth")),
        video_(table.find_column("video")),
        start_(table.find_column("start")),
        stop_(table.find_column("stop")),
        start_frame_(table.find_column("start_frame")),
        stop_frame_(table.find_column("stop_frame")),
        frame_rate_(table.find_column("frame_rate")),
        flow_(table.find_column("flow")) {}

  Clip read(const CsvRow& row) const {
    Clip clip;
    clip.name = row.fields[clip_];
    if (clip.name.empty()) fail(row, "the clip has no name");
    try {
      clip.split = find_split(row.fields[split_]);
    } catch (const Error& problem) {
      fail(row, problem.what());
    }
    clip.labels = classes_of(row, labels_);
    if (clip.split == Split::Train && clip.labels.size() != 1) {
      fail(row, fmt::format("the train clip '{}' has {} labels, expected exactly one", clip.name,
                            clip.labels.size()));
    }
    if (clip.labels.empty()) {
      fail(row, fmt::format("the {} clip '{}' has no label", split_name(clip.split), clip.name));
    }
    read_original(row, &clip);
    if (truth_ >= 0) clip.truth = classes_of(row, truth_);
    if (video_ >= 0) clip.video = row.fields[video_];
    if (flow_ >= 0) clip.flow = row.fields[flow_];
    read_part(row, &clip);
    return clip;
  }

  [[noreturn]] void fail(const CsvRow& row, std::string_view problem) const {
    throw Error("{}:{}: {}", table_.path.string(), row.line, problem);
  }

 private:
  void read_original(const CsvRow& row, Clip* clip) const {
    if (original_ < 0) return;
    const std::vector<ClassId> originals = classes_of(row, original_);
    if (originals.empty()) return;
    if (originals.size() > 1) {
      fail(row, fmt::format("the clip '{}' has {} original labels, expected one or none",
                            clip->name, originals.size()));
    }
    if (clip->split == Split::Train && originals != clip->labels) {
      fail(row, fmt::format("the train clip '{}' has the label '{}' and the original '{}'; the "
                            "original of a train clip must be its label",
                            clip->name, classes_.name(clip->labels.front()),
                            classes_.name(originals.front())));
    }
    clip->original = originals.front();
  }

  void read_part(const CsvRow& row, Clip* clip) const {
    clip->start = seconds(row, start_);
    clip->stop = seconds(row, stop_);
    if (clip->start && clip->stop && *clip->stop <= *clip->start) {
      fail(row, fmt::format("the clip stops at {} s, expected a time after its start at {} s",
                            *clip->stop, *clip->start));
    }
    clip->start_frame = frame_number(row, start_frame_);
    clip->stop_frame = frame_number(row, stop_frame_);
    if (clip->start_frame && clip->stop_frame && *clip->stop_frame < *clip->start_frame) {
      fail(row, fmt::format("the clip stops at frame {}, before its start at frame {}",
                            *clip->stop_frame, *clip->start_frame));
    }
    clip->frame_rate = rate(row, frame_rate_);
    if ((clip->start || clip->stop) && (clip->start_frame || clip->stop_frame)) {
      fail(row, fmt::format("the clip '{}' has times and frame numbers, expected one of them",
                            clip->name));
    }
  }

  std::vector<ClassId> classes_of(const CsvRow& row, int column) const {
    std::vector<ClassId> ids;
    for (const std::string_view name : label_names(table_, row, column)) {
      const ClassId id = classes_.find(name);
      if (id < 0) {
        fail(row, fmt::format("unknown class '{}' (there are {} classes){}", name, classes_.size(),
                              did_you_mean(name, classes_.names())));
      }
      if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
        fail(row, fmt::format("duplicate label '{}'", name));
      }
      ids.push_back(id);
    }
    return ids;
  }

  std::optional<double> seconds(const CsvRow& row, int column) const {
    if (column < 0 || row.fields[column].empty()) return std::nullopt;
    const std::string& text = row.fields[column];
    const auto value = number_in<double>(text);
    if (!value || !(*value >= 0) || std::isinf(*value)) {
      fail(row, fmt::format("{}: expected seconds, found '{}'", table_.header[column], text));
    }
    return value;
  }

  std::optional<double> rate(const CsvRow& row, int column) const {
    if (column < 0 || row.fields[column].empty()) return std::nullopt;
    const auto value = number_in<double>(row.fields[column]);
    if (!value || !(*value > 0) || std::isinf(*value)) {
      fail(row, fmt::format("{}: expected frames per second, found '{}'", table_.header[column],
                            row.fields[column]));
    }
    return value;
  }

  std::optional<int> frame_number(const CsvRow& row, int column) const {
    if (column < 0 || row.fields[column].empty()) return std::nullopt;
    const auto value = number_in<int>(row.fields[column]);
    if (!value || *value < 0) {
      fail(row, fmt::format("{}: expected the number of a frame, found '{}'", table_.header[column],
                            row.fields[column]));
    }
    return value;
  }

  const CsvTable& table_;
  const Vocabulary& classes_;
  int clip_, split_, labels_, original_, truth_, video_, start_, stop_, start_frame_, stop_frame_,
      frame_rate_, flow_;
};

}  // namespace

std::vector<ClipRow> first_rows(std::size_t count) {
  std::vector<ClipRow> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = ClipRow(i);
  return rows;
}

std::string_view split_name(Split split) {
  switch (split) {
    case Split::Train:
      return "train";
    case Split::Val:
      return "val";
    case Split::Test:
      return "test";
  }
  return "";
}

Split find_split(std::string_view name) {
  for (const Split split : kSplits) {
    if (split_name(split) == name) return split;
  }
  const std::string hint = name.starts_with("val") || name.starts_with("Val")
                               ? ", did you mean 'val'?"
                               : did_you_mean(name, split_names());
  throw Error("expected the split train, val or test, found '{}'{}", name, hint);
}

OnError find_on_error(std::string_view name) {
  if (name == "stop") return OnError::Stop;
  if (name == "skip") return OnError::Skip;
  throw Error("expected stop or skip, found '{}'{}", name, did_you_mean(name, {"stop", "skip"}));
}

bool has_complete_validation(const std::vector<Clip>& clips) {
  return std::any_of(clips.begin(), clips.end(), [](const Clip& clip) {
    return clip.split == Split::Val && clip.labels.size() > 1;
  });
}

std::optional<ClassId> original_label(const Clip& clip) {
  if (clip.original) return clip.original;
  return clip.labels.size() == 1 ? std::optional(clip.labels.front()) : std::nullopt;
}

std::vector<Clip> read_clips(const std::filesystem::path& path, const Vocabulary& classes) {
  const CsvTable table = read_csv(path);
  const ClipReader reader(table, classes);
  std::vector<Clip> clips;
  std::unordered_map<std::string, int> line_of;
  for (const CsvRow& row : table.rows) {
    clips.push_back(reader.read(row));
    const auto [earlier, is_new] = line_of.emplace(clips.back().name, row.line);
    if (!is_new) {
      reader.fail(
          row, fmt::format("duplicate clip '{}', see line {}", clips.back().name, earlier->second));
    }
  }
  if (clips.empty()) throw Error("{}: contains no clips", path.string());
  return clips;
}

void write_clips(const std::filesystem::path& path, const std::vector<Clip>& clips,
                 const Vocabulary& classes) {
  const auto some = [&](auto has) { return std::any_of(clips.begin(), clips.end(), has); };
  const bool with_original = some([](const Clip& clip) { return clip.original.has_value(); });
  const bool with_truth = some([](const Clip& clip) { return !clip.truth.empty(); });
  const bool with_video = some([](const Clip& clip) { return !clip.video.empty(); });
  const bool with_frames = some([](const Clip& c) { return c.start_frame || c.stop_frame; });
  const bool with_times = (with_video && !with_frames) ||
                          some([](const Clip& clip) { return clip.start || clip.stop; });
  const bool with_rate = some([](const Clip& clip) { return clip.frame_rate.has_value(); });
  const bool with_flow = some([](const Clip& clip) { return !clip.flow.empty(); });
  std::vector<std::string> header = {"clip", "split", "labels"};
  if (with_original) header.emplace_back("original");
  if (with_truth) header.emplace_back("truth");
  if (with_video) header.emplace_back("video");
  if (with_times) header.insert(header.end(), {"start", "stop"});
  if (with_frames) header.insert(header.end(), {"start_frame", "stop_frame"});
  if (with_rate) header.emplace_back("frame_rate");
  if (with_flow) header.emplace_back("flow");
  std::string text = csv_line(header);
  const auto text_of = [](const auto& number) {
    return number ? fmt::format("{}", *number) : std::string();
  };
  for (const Clip& clip : clips) {
    std::vector<std::string> fields = {clip.name, std::string(split_name(clip.split)),
                                       join_labels(clip.labels, classes)};
    if (with_original) fields.push_back(clip.original ? classes.name(*clip.original) : "");
    if (with_truth) fields.push_back(join_labels(clip.truth, classes));
    if (with_video) fields.push_back(clip.video);
    if (with_times) fields.insert(fields.end(), {text_of(clip.start), text_of(clip.stop)});
    if (with_frames) {
      fields.insert(fields.end(), {text_of(clip.start_frame), text_of(clip.stop_frame)});
    }
    if (with_rate) fields.push_back(text_of(clip.frame_rate));
    if (with_flow) fields.push_back(clip.flow);
    text += csv_line(fields);
  }
  write_file(path, text);
}

Vocabulary classes_in_clips(const std::filesystem::path& path) {
  const CsvTable table = read_csv(path);
  std::set<std::string> names;
  for (const int column :
       {table.column("labels"), table.find_column("original"), table.find_column("truth")}) {
    if (column < 0) continue;
    for (const CsvRow& row : table.rows) {
      for (const std::string_view name : label_names(table, row, column)) names.emplace(name);
    }
  }
  try {
    return Vocabulary({names.begin(), names.end()});
  } catch (const Error& problem) {
    throw Error("{}: {}", path.string(), problem.what());
  }
}

std::string join_labels(const std::vector<ClassId>& labels, const Vocabulary& classes) {
  std::string text;
  for (const ClassId label : labels) {
    if (!text.empty()) text += ';';
    text += classes.name(label);
  }
  return text;
}

}  // namespace manyverbs
