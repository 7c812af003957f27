// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/list_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr std::array<std::string_view, 8> kVideoEndings = {".mp4", ".avi", ".mkv", ".webm",
                                                           ".mov", ".m4v", ".mpg", ".MP4"};

// Names of Kinetics have whole seconds.
constexpr double kMostSeconds = 1e9;

bool is_video_name(std::string_view path) {
  return std::any_of(kVideoEndings.begin(), kVideoEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

// Calls use(line number, text) for every line that is not blank.
void for_each_line(std::string_view text,
                   const std::function<void(int line, std::string_view text)>& use) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!content.empty()) use(line, content);
  }
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) fields.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

bool is_number(std::string_view text) {
  const auto value = number_in<double>(text);
  return value && *value >= 0;
}
bool is_whole(std::string_view text) {
  const auto value = number_in<int>(text);
  return value && *value >= 0;
}

// A line of a text list: a path, which may contain spaces, and the numbers or the word after it.
struct ListLine {
  int number = 0;
  std::string path;
  std::vector<std::string> values;
};

ListLine parse_line(int number, std::string_view text) {
  std::vector<std::string_view> fields = split_at(text, " \t");
  if (fields.size() == 1) fields = split_at(text, ",");
  std::size_t first_value = fields.size();
  while (first_value > 1 && is_number(fields[first_value - 1])) --first_value;
  if (first_value == fields.size() && first_value > 1) --first_value;  // a word
  ListLine line{number, "", {}};
  if (first_value > 0) {
    const std::string_view last = fields[first_value - 1];
    line.path = text.substr(0, static_cast<std::size_t>(last.data() + last.size() - text.data()));
  }
  for (std::size_t i = first_value; i < fields.size(); ++i) line.values.emplace_back(fields[i]);
  return line;
}

std::vector<ListLine> parse_lines(const std::filesystem::path& file, std::string_view text) {
  std::vector<ListLine> lines;
  for_each_line(text, [&](int number, std::string_view content) {
    stop_if_interrupted();
    lines.push_back(parse_line(number, content));
    if (lines.back().values.empty()) {
      throw Error("{}:{}: expected a path and a label, found '{}'", file.string(), number, content);
    }
  });
  if (lines.empty()) throw Error("{}: contains no clips", file.string());
  return lines;
}

ListLayout layout_of_lines(const std::vector<ListLine>& lines) {
  const auto [fewest, most] = std::minmax_element(
      lines.begin(), lines.end(),
      [](const ListLine& a, const ListLine& b) { return a.values.size() < b.values.size(); });
  const auto all = [&](const auto& fits) { return std::all_of(lines.begin(), lines.end(), fits); };
  if (most->values.size() == 1) return ListLayout::Videos;
  const bool are_videos = all([](const ListLine& line) { return is_video_name(line.path); });
  if (fewest->values.size() == 1) return are_videos ? ListLayout::Videos : ListLayout::Frames;
  const bool in_order = all([](const ListLine& line) {
    return line.values.size() == 3 &&
           *number_in<double>(line.values[0]) <= *number_in<double>(line.values[1]);
  });
  return in_order ? ListLayout::Segments : ListLayout::Frames;
}

int whole_number(const std::string& text, const std::string& place, std::string_view meaning) {
  if (!is_whole(text)) throw Error("{}: expected {}, found '{}'", place, meaning, text);
  return *number_in<int>(text);
}

// The first and the last frame, or seconds if one of them has a fraction.
void read_segment(const ListLine& line, ListRow* row) {
  if (line.values.size() != 3) {
    throw Error("{}: expected a path, start, end and a label, found {} after the path", row->place,
                line.values.size());
  }
  const auto start = number_in<double>(line.values[0]);
  const auto stop = number_in<double>(line.values[1]);
  if (!start || !stop || *stop < *start) {
    throw Error("{}: expected start and end, found '{}' and '{}'", row->place, line.values[0],
                line.values[1]);
  }
  if (is_whole(line.values[0]) && is_whole(line.values[1])) {
    row->start_frame = number_in<int>(line.values[0]);
    row->stop_frame = number_in<int>(line.values[1]);
  } else {
    row->start = start;
    row->stop = stop;
  }
  row->labels = {line.values[2]};
}

void read_offset(const ListLine& line, ListRow* row) {
  if (line.values.size() < 3) {
    throw Error(
        "{}: expected a path, an offset, a number of frames and labels, found {} after the "
        "path",
        row->place, line.values.size());
  }
  const int offset = whole_number(line.values[0], row->place, "an offset");
  const int frames = whole_number(line.values[1], row->place, "a number of frames");
  const std::int64_t last = std::int64_t{offset} + std::max(1, frames);
  if (last > std::numeric_limits<int>::max()) {
    throw Error("{}: expected a last frame of at most {}, found {}", row->place,
                std::numeric_limits<int>::max(), last);
  }
  row->start_frame = offset + 1;
  row->stop_frame = static_cast<int>(last);
  row->labels.assign(line.values.begin() + 2, line.values.end());
}

void read_counted(const ListLine& line, ListRow* row) {
  if (line.values.size() < 2) {
    throw Error("{}: expected a path, a number of frames and a label, found '{}' after the path",
                row->place, line.values.front());
  }
  row->frames = whole_number(line.values[0], row->place, "a number of frames");
  row->labels.assign(line.values.begin() + 1, line.values.end());
}

// Finds the files of Kinetics: ID_000010_000020.mp4, or ID.mp4 of the whole video, in folders by
// split, by label or by both. The pattern of the file before is tried first.
class KineticsFiles {
 public:
  explicit KineticsFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  struct File {
    std::string path;
    bool is_whole = false;  ///< the video that the clip is a part of
  };
  File find(const std::string& clip, const std::string& id, const std::string& label,
            const std::string& split) {
    std::string with_underscores = label;
    std::replace(with_underscores.begin(), with_underscores.end(), ' ', '_');
    std::vector<std::string> folders = {""};
    for (const std::string& name : {label, with_underscores}) {
      folders.push_back(name + "/");
      folders.push_back(split + "/" + name + "/");
    }
    folders.push_back(split + "/");
    std::vector<File> files;
    for (const std::string& folder : folders) {
      for (const char* ending : {".mp4", ".mkv", ".webm", ".avi"}) {
        files.push_back({folder + clip + ending, false});
        files.push_back({folder + id + ending, true});
      }
    }
    std::rotate(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(last_), files.end());
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!std::filesystem::exists(folder_ / files[i].path)) continue;
      last_ = (last_ + i) % files.size();
      return files[i];
    }
    return {clip + ".mp4", false};
  }

 private:
  std::filesystem::path folder_;
  std::size_t last_ = 0;
};

Split split_of_kinetics(const std::string& text, const std::string& place) {
  if (text == "validate" || text == "validation") return Split::Val;
  try {
    return find_split(text);
  } catch (const Error& problem) {
    throw Error("{}: {}", place, problem.what());
  }
}

ListRows read_kinetics(const std::filesystem::path& file, std::string_view text,
                       const std::filesystem::path& videos) {
  const CsvTable table = parse_csv(text, file);
  const int label = table.column("label");
  const int id = table.column("youtube_id");
  const int start = table.column("time_start");
  const int stop = table.column("time_end");
  const int split = table.find_column("split");
  KineticsFiles files(videos);
  ListRows list{ListLayout::Kinetics, {}, ""};
  for (const CsvRow& each : table.rows) {
    stop_if_interrupted();
    ListRow row;
    row.place = fmt::format("{}:{}", file.string(), each.line);
    row.start = number_in<double>(each.fields[start]);
    row.stop = number_in<double>(each.fields[stop]);
    // Also false for NaN.
    const bool is_valid = row.start && row.stop && *row.start >= 0 && *row.stop > *row.start &&
                          *row.stop < kMostSeconds;
    if (!is_valid) {
      throw Error("{}: expected time_start and time_end in seconds, found '{}' and '{}'", row.place,
                  each.fields[start], each.fields[stop]);
    }
    row.labels = {each.fields[label]};
    const std::string part = split < 0 ? "" : each.fields[split];
    if (split >= 0) row.split = split_of_kinetics(part, row.place);
    row.name = fmt::format("{}_{:06}_{:06}", each.fields[id], static_cast<int>(*row.start),
                           static_cast<int>(*row.stop));
    const KineticsFiles::File found =
        files.find(row.name, each.fields[id], each.fields[label], part);
    row.path = found.path;
    if (!found.is_whole) row.start = row.stop = std::nullopt;
    list.rows.push_back(std::move(row));
  }
  return list;
}

bool has_column(const std::vector<std::string_view>& columns, std::string_view name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

}  // namespace

ListLayout layout_of(const std::filesystem::path& file, std::string_view text) {
  const std::string_view content = trimmed(text.substr(text.starts_with("\xef\xbb\xbf") ? 3 : 0));
  if (content.starts_with('[') || content.starts_with('{')) {
    const bool is_label_studio = content.find("\"annotations\"") != std::string_view::npos;
    return is_label_studio ? ListLayout::LabelStudio : ListLayout::Json;
  }
  const auto columns = split_at(trimmed(content.substr(0, content.find('\n'))), ",");
  if (has_column(columns, "youtube_id")) return ListLayout::Kinetics;
  const int known = has_column(columns, "clip") + has_column(columns, "split") +
                    has_column(columns, "labels") + has_column(columns, "video");
  if (known >= 2) return ListLayout::Clips;
  return layout_of_lines(parse_lines(file, text));
}

ListRows read_list(const std::filesystem::path& file, std::string_view text, ListLayout layout,
                   const std::filesystem::path& videos) {
  if (layout == ListLayout::Kinetics) return read_kinetics(file, text, videos);
  if (layout == ListLayout::Json || layout == ListLayout::LabelStudio) {
    return read_json_list(file, layout, videos);
  }
  ListRows list{layout, {}, ""};
  for (const ListLine& line : parse_lines(file, text)) {
    ListRow row;
    row.place = fmt::format("{}:{}", file.string(), line.number);
    row.path = line.path;
    if (layout == ListLayout::Segments) {
      read_segment(line, &row);
    } else if (layout == ListLayout::Offsets) {
      read_offset(line, &row);
    } else if (layout == ListLayout::Frames) {
      read_counted(line, &row);
    } else {
      row.labels = line.values;
    }
    list.rows.push_back(std::move(row));
  }
  return list;
}

}  // namespace manyverbs
