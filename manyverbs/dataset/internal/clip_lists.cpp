// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/clip_lists.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "manyverbs/dataset/internal/list_rows.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/numbers.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

struct LayoutRow {
  ListLayout layout;
  std::string_view name;
  std::string_view meaning;
};
constexpr LayoutRow kLayouts[] = {
    {ListLayout::Videos, "videos", "path and label, as in mmaction2 and PySlowFast"},
    {ListLayout::Frames, "frames", "path, number of frames and label, as in TSN and mmaction2"},
    {ListLayout::Segments, "segments", "path, start, end and label, as in TSN"},
    {ListLayout::Offsets, "offsets", "path, offset, number of frames and label, as in mmaction2"},
    {ListLayout::Kinetics, "kinetics", "the CSV of Kinetics"},
    {ListLayout::Json, "json", "the JSON of mmaction2"},
    {ListLayout::LabelStudio, "label-studio", "the JSON export of Label Studio"},
    {ListLayout::Clips, "clips", "clips.csv"},
};

const LayoutRow& row_of(ListLayout layout) {
  return *std::find_if(std::begin(kLayouts), std::end(kLayouts),
                       [&](const LayoutRow& row) { return row.layout == layout; });
}

// Class names in a file of lines: NAME, ID NAME or ID,NAME. Ids start at 0 or 1.
struct ClassFile {
  Vocabulary classes;
  int first_id = 0;
};

// The id in front of a name; nothing if there is none.
std::optional<int> id_before(std::string_view line, std::string_view* name) {
  const std::size_t end = line.find_first_of(" \t,");
  if (end == std::string_view::npos) return {};
  *name = trimmed(line.substr(end + 1));
  return number_in<int>(line.substr(0, end));
}

ClassFile read_class_lines(const std::filesystem::path& path, std::string_view text) {
  ClassFile file;
  std::vector<std::string> names;
  bool numbered = false;
  int line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.empty()) continue;
    std::string_view name = content;
    const std::optional<int> id = id_before(content, &name);
    if (names.empty() && id && (*id == 0 || *id == 1)) {
      numbered = true;
      file.first_id = *id;
    }
    const auto expected = file.first_id + static_cast<int>(names.size());
    if (numbered && id != expected) {
      throw Error("{}:{}: expected class id {} and a name, found '{}'", path.string(), line,
                  expected, content);
    }
    names.emplace_back(numbered ? name : content);
  }
  if (names.empty()) throw Error("{}: contains no classes", path.string());
  try {
    file.classes = Vocabulary(std::move(names));
  } catch (const Error& problem) {
    throw Error("{}: {}", path.string(), problem.what());
  }
  return file;
}

ClassFile read_classes(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  const std::string_view first = trimmed(std::string_view(text).substr(0, text.find('\n')));
  const bool is_table = first.find("id") != std::string_view::npos &&
                        first.find("name") != std::string_view::npos &&
                        first.find(',') != std::string_view::npos;
  return is_table ? ClassFile{read_vocabulary(path), 0} : read_class_lines(path, text);
}

std::string parent_name(const ListRow& row) {
  return std::filesystem::path(row.path).parent_path().filename().string();
}

bool has_numbers(const ListRow& row) {
  return std::all_of(row.labels.begin(), row.labels.end(),
                     [](const std::string& label) { return number_in<int>(label).has_value(); });
}

// Numbers and names in one list are an error in one of them, such as a header line.
void reject_mixture(const std::vector<ListRow>& rows) {
  const bool expected = has_numbers(rows.front());
  for (const ListRow& row : rows) {
    if (has_numbers(row) == expected) continue;
    throw Error("{}: expected a {} as in the other lines, found the label '{}'", row.place,
                expected ? "number" : "name", row.labels.front());
  }
}

// Throws Error with the place for a label that cannot be the name of a class.
void check_name(const std::string& label, const std::string& place) {
  try {
    Vocabulary({label});
  } catch (const Error&) {
    throw Error("{}: the label '{}' is empty, not UTF-8 or contains a ';'", place, label);
  }
}

// Turns the labels of rows into classes.
class Labels {
 public:
  Labels(const std::vector<ListRow>& rows, const std::filesystem::path& class_file,
         std::vector<std::string>* remarks) {
    are_numbers_ = std::all_of(rows.begin(), rows.end(), has_numbers);
    if (!class_file.empty()) {
      ClassFile file = read_classes(class_file);
      classes_ = std::move(file.classes);
      first_id_ = file.first_id;
      // Names that are numbers themselves.
      are_numbers_ = are_numbers_ && classes_.find(rows.front().labels.front()) < 0;
    } else if (are_numbers_) {
      name_numbers(rows, remarks);
    } else {
      reject_mixture(rows);
      name_by_labels(rows);
    }
  }

  const Vocabulary& classes() const { return classes_; }

  ClassId find(const std::string& label, const std::string& place) const {
    if (!are_numbers_) {
      const ClassId id = classes_.find(label);
      if (id >= 0) return id;
      throw Error("{}: unknown class '{}' (there are {} classes){}", place, label, classes_.size(),
                  did_you_mean(label, classes_.names()));
    }
    const int id = *number_in<int>(label) - first_id_;
    if (id < 0 || id >= classes_.size()) {
      throw Error("{}: unknown class {}; expected {} to {}", place, label, first_id_,
                  first_id_ + classes_.size() - 1);
    }
    return id;
  }

 private:
  void name_by_labels(const std::vector<ListRow>& rows) {
    std::set<std::string> names;
    for (const ListRow& row : rows) {
      for (const std::string& label : row.labels) {
        if (names.insert(label).second) check_name(label, row.place);
      }
    }
    classes_ = Vocabulary({names.begin(), names.end()});
  }

  // Names a number after the folder of its clips if each has another, single folder.
  void name_numbers(const std::vector<ListRow>& rows, std::vector<std::string>* remarks) {
    constexpr int kMostClasses = 1'000'000;
    std::map<int, std::set<std::string>> folders;
    for (const ListRow& row : rows) {
      for (const std::string& label : row.labels) {
        const int id = *number_in<int>(label);
        if (id < 0 || id > kMostClasses) {
          throw Error("{}: expected a class from 0 to {}, found {}", row.place, kMostClasses, id);
        }
        folders[id].insert(parent_name(row));
      }
    }
    std::set<std::string> different;
    for (const auto& [id, names] : folders) different.insert(*names.begin());
    const bool fits = different.size() == folders.size() && !different.contains("") &&
                      std::all_of(folders.begin(), folders.end(),
                                  [](const auto& entry) { return entry.second.size() == 1; });
    std::vector<std::string> names;
    for (int id = 0; id <= folders.rbegin()->first; ++id) names.push_back(std::to_string(id));
    if (fits) {
      for (const auto& [id, folder] : folders) names[id] = *folder.begin();
    }
    classes_ = Vocabulary(std::move(names));
    remarks->push_back(fits ? "note: classes are named after the folders of their clips; --classes "
                              "gives other names"
                            : "note: classes have no names; --classes gives them");
  }

  Vocabulary classes_;
  int first_id_ = 0;
  bool are_numbers_ = false;
};

// The folder that all absolute paths share; empty if one is relative.
std::filesystem::path common_folder(const std::vector<ListRow>& rows) {
  std::filesystem::path common = std::filesystem::path(rows.front().path).parent_path();
  for (const ListRow& row : rows) {
    if (!std::filesystem::path(row.path).is_absolute()) return {};
    while (!common.empty() && common != common.parent_path() &&
           !row.path.starts_with(common.string() + "/")) {
      common = common.parent_path();
    }
  }
  return common;
}

std::string clip_name(const ListRow& row, const std::filesystem::path& common) {
  if (!row.name.empty()) return row.name;
  std::filesystem::path path(row.path);
  if (!common.empty()) path = path.lexically_relative(common);
  // A folder may have a dot in its name.
  const std::string ending = path.extension().string();
  const bool is_file = ending.size() >= 4 && ending.size() <= 5 && ending.find(' ') == ending.npos;
  std::string name = (is_file ? path.replace_extension() : path).lexically_normal().string();
  if (row.start_frame) name += fmt::format(":{}-{}", *row.start_frame, row.stop_frame.value_or(0));
  if (row.start) name += fmt::format(":{}-{}", *row.start, row.stop.value_or(0));
  return name;
}

Clip clip_of(const ListRow& row, const Labels& labels, const std::filesystem::path& common) {
  Clip clip;
  clip.name = clip_name(row, common);
  clip.split = *row.split;
  for (const std::string& label : row.labels) {
    const ClassId id = labels.find(label, row.place);
    if (std::find(clip.labels.begin(), clip.labels.end(), id) != clip.labels.end()) {
      throw Error("{}: duplicate label '{}'", row.place, label);
    }
    clip.labels.push_back(id);
  }
  if (clip.split == Split::Train && clip.labels.size() != 1) {
    throw Error("{}: the train clip '{}' has {} labels, expected exactly one", row.place, clip.name,
                clip.labels.size());
  }
  if (!row.original.empty()) clip.original = labels.find(row.original, row.place);
  clip.start = row.start;
  clip.stop = row.stop;
  clip.start_frame = row.start_frame;
  clip.stop_frame = row.stop_frame;
  return clip;
}

std::filesystem::path folder_of(const ClipList& list, const ClipListImport& settings) {
  return settings.videos.empty() ? list.file.parent_path() : settings.videos;
}

// A path of a list, seen from the current folder. Absolute paths are kept.
std::string seen_from_here(const std::filesystem::path& folder, const std::string& path) {
  if (path.empty() || std::filesystem::path(path).is_absolute()) return path;
  const std::filesystem::path place = folder / path;
  if (!place.is_absolute()) return place.string();
  return place.lexically_proximate(std::filesystem::current_path()).string();
}

void append_list(const ClipList& list, const ClipListImport& settings, std::vector<ListRow>* rows,
                 std::vector<std::string>* remarks) {
  const std::string text = read_file(list.file);
  const ListLayout layout = settings.layout ? *settings.layout : layout_of(list.file, text);
  if (layout == ListLayout::Clips) {
    throw Error("{}: is a table of clips with a column split; use --clips and no other list",
                list.file.string());
  }
  ListRows read = read_list(list.file, text, layout, folder_of(list, settings));
  if (read.rows.empty()) throw Error("{}: contains no clips", list.file.string());
  remarks->push_back(fmt::format("{}: {}, {} {}", list.file.string(), row_of(layout).meaning,
                                 read.rows.size(), read.rows.size() == 1 ? "clip" : "clips"));
  if (!read.remark.empty()) remarks->push_back(read.remark);
  for (ListRow& row : read.rows) {
    if (list.split) row.split = list.split;
    if (!row.split) {
      throw Error("{}: the split is not known; use --train, --val or --test instead of --clips",
                  row.place);
    }
    if (layout == ListLayout::LabelStudio && row.split == Split::Train) row.original.clear();
    rows->push_back(std::move(row));
  }
}

// clips.csv, with paths relative to the current folder.
ClipLists read_table(const ClipListImport& settings) {
  const ClipList& list = settings.lists.front();
  ClipLists result;
  result.classes = settings.classes.empty() ? classes_in_clips(list.file)
                                            : read_classes(settings.classes).classes;
  result.clips = read_clips(list.file, result.classes);
  result.frames.resize(result.clips.size());
  const std::filesystem::path folder = folder_of(list, settings);
  for (Clip& clip : result.clips) {
    clip.video = seen_from_here(folder, clip.video);
    clip.flow = seen_from_here(folder, clip.flow);
  }
  return result;
}

}  // namespace

std::string_view layout_name(ListLayout layout) { return row_of(layout).name; }

std::vector<std::string> layout_names() {
  std::vector<std::string> names;
  for (const LayoutRow& row : kLayouts) names.emplace_back(row.name);
  return names;
}

ListLayout find_layout(std::string_view name) {
  for (const LayoutRow& row : kLayouts) {
    if (row.name == name) return row.layout;
  }
  throw Error("unknown layout '{}'{}", name, did_you_mean_or_list(name, layout_names()));
}

ClipLists read_clip_lists(const ClipListImport& settings) {
  if (settings.lists.size() == 1 && !settings.lists.front().split) {
    const std::filesystem::path& file = settings.lists.front().file;
    const ListLayout layout = settings.layout ? *settings.layout : layout_of(file, read_file(file));
    if (layout == ListLayout::Clips) return read_table(settings);
  }
  ClipLists result;
  std::vector<ListRow> rows;
  std::vector<std::filesystem::path> folders;
  for (const ClipList& list : settings.lists) {
    append_list(list, settings, &rows, &result.remarks);
    folders.resize(rows.size(), folder_of(list, settings));
  }
  const Labels labels(rows, settings.classes, &result.remarks);
  result.classes = labels.classes();
  const std::filesystem::path common = common_folder(rows);
  std::unordered_map<std::string, std::size_t> row_of_name;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Clip clip = clip_of(rows[i], labels, common);
    clip.video = seen_from_here(folders[i], rows[i].path);
    const auto [earlier, is_new] = row_of_name.emplace(clip.name, i);
    if (!is_new) {
      throw Error("{}: duplicate clip '{}', see {}", rows[i].place, clip.name,
                  rows[earlier->second].place);
    }
    result.clips.push_back(std::move(clip));
    result.frames.push_back(rows[i].frames);
  }
  return result;
}

}  // namespace manyverbs
