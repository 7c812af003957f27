// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/hmdb51.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "manyverbs/dataset/internal/confuse.h"
#include "manyverbs/dataset/internal/reference_features.h"
#include "manyverbs/dataset/internal/shared_data.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {
namespace {

constexpr int kNumSplits = 3;
constexpr std::string_view kBlanks = " \t\r";

std::string split_file_name(const std::string& class_name, int split) {
  return fmt::format("{}_test_split{}.txt", class_name, split);
}

// The classes in the file names, sorted; every class must have a file for each split.
std::vector<std::string> class_names(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) throw Error("{}: is not a folder", folder.string());
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    for (int split = 1; split <= kNumSplits; ++split) {
      const std::string ending = split_file_name("", split);
      if (file.ends_with(ending)) names.insert(file.substr(0, file.size() - ending.size()));
    }
  }
  if (names.empty()) {
    throw Error("{}: has no split file such as {}", folder.string(),
                split_file_name("brush_hair", 1));
  }
  for (const std::string& name : names) {
    for (int split = 1; split <= kNumSplits; ++split) {
      const std::filesystem::path path = folder / split_file_name(name, split);
      if (!std::filesystem::exists(path)) {
        throw Error("{}: is missing, but other splits of '{}' exist", path.string(), name);
      }
    }
  }
  return {names.begin(), names.end()};
}

// Reads one split, class by class.
class SplitReader {
 public:
  SplitReader(const Hmdb51Import& settings, int split, std::vector<std::string> classes)
      : settings_(settings), split_(split) {
    result_.dataset.name = fmt::format("hmdb51-split{}", split);
    result_.dataset.classes = Vocabulary(std::move(classes));
  }

  Hmdb51Split read() {
    for (ClassId id = 0; id < result_.dataset.classes.size(); ++id) read_class(id);
    return std::move(result_);
  }

 private:
  void read_class(ClassId id) {
    stop_if_interrupted();
    const std::string& class_name = result_.dataset.classes.name(id);
    const std::filesystem::path path = settings_.splits / split_file_name(class_name, split_);
    const std::string contents = read_file(path);
    std::string_view left = contents;
    std::unordered_map<std::string, int> line_of;
    for (int line = 1; !left.empty(); ++line) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      const std::string_view text = trimmed(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
      if (text.empty()) continue;
      const std::string file = read_line(id, text, fmt::format("{}:{}", path.string(), line));
      const auto [earlier, is_new] = line_of.emplace(file, line);
      if (!is_new) {
        throw Error("{}:{}: duplicate clip '{}', see line {}", path.string(), line, file,
                    earlier->second);
      }
    }
    if (line_of.empty()) throw Error("{}: contains no clips", path.string());
  }

  // Returns the name of the file.
  std::string read_line(ClassId id, std::string_view text, const std::string& place) {
    constexpr std::string_view kEnding = ".avi";
    const std::string_view use = text.substr(text.find_last_of(kBlanks) + 1);
    const std::string_view file = trimmed(text.substr(0, text.size() - use.size()));
    if (!file.ends_with(kEnding) || (use != "0" && use != "1" && use != "2")) {
      throw Error("{}: expected '<file>.avi' and 0 (unused), 1 (train) or 2 (test), found '{}'",
                  place, text);
    }
    const std::string& class_name = result_.dataset.classes.name(id);
    Clip clip;
    clip.name = fmt::format("{}/{}", class_name, file.substr(0, file.size() - kEnding.size()));
    if (use == "0") {
      result_.unused.push_back(clip.name);
      return std::string(file);
    }
    clip.split = use == "1" ? Split::Train : Split::Test;
    clip.labels = {id};
    clip.video = fmt::format("{}/{}", class_name, file);
    if (!settings_.videos.empty()) {
      clip.video = (std::filesystem::absolute(settings_.videos) / clip.video).string();
    }
    result_.dataset.clips.push_back(std::move(clip));
    return std::string(file);
  }

  const Hmdb51Import& settings_;
  int split_;
  Hmdb51Split result_;
};

std::string split_name_of(int split) { return fmt::format("split{}", split); }

// The names of all videos in the order of the reference ids.
std::vector<std::string> listed_videos(const std::filesystem::path& list) {
  std::vector<std::string> names;
  const std::string text = read_file(list);
  std::string_view left = text;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    const std::string_view line = trimmed(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    if (line.empty()) continue;
    std::filesystem::path path(line.substr(0, line.find_first_of(kBlanks)));
    if (path.extension() == ".avi") path.replace_extension();
    names.push_back((path.parent_path().filename() / path.filename()).string());
  }
  return names;
}

std::vector<std::string> all_videos(const std::vector<Hmdb51Split>& splits) {
  std::set<std::string> names;
  for (const Hmdb51Split& split : splits) {
    for (const Clip& clip : split.dataset.clips) names.insert(clip.name);
    names.insert(split.unused.begin(), split.unused.end());
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<Hmdb51Split> read_hmdb51(const Hmdb51Import& settings) {
  const std::vector<std::string> classes = class_names(settings.splits);
  Random random(settings.seed);
  std::vector<Hmdb51Split> results;
  for (int split = 1; split <= kNumSplits; ++split) {
    Hmdb51Split result = SplitReader(settings, split, classes).read();
    if (settings.ways > 1) result.dataset = confused(result.dataset, settings.ways, random);
    result.dataset.folder = settings.out / split_name_of(split);
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<std::int64_t> hmdb51_reference_ids(const Hmdb51Import& settings,
                                               const std::vector<Hmdb51Split>& splits,
                                               const Dataset& dataset) {
  const std::vector<std::string> names =
      settings.video_list.empty() ? all_videos(splits) : listed_videos(settings.video_list);
  std::unordered_map<std::string, std::int64_t> id_of;
  for (std::size_t i = 0; i < names.size(); ++i) {
    id_of.emplace(names[i], static_cast<std::int64_t>(i));
  }
  std::vector<std::int64_t> ids;
  for (const Clip& clip : dataset.clips) {
    const auto found = id_of.find(clip.name);
    if (found == id_of.end()) {
      throw Error("{}: has no video '{}', which is in the split files",
                  settings.video_list.string(), clip.name);
    }
    ids.push_back(found->second);
  }
  return ids;
}

void write_hmdb51(const std::filesystem::path& folder, const Hmdb51Import& settings,
                  const std::vector<Hmdb51Split>& listed, std::vector<Hmdb51Split>* splits) {
  std::vector<std::string> names;
  for (const Hmdb51Split& split : *splits) names.push_back(folder_name(split.dataset.folder));
  const std::string shared = write_shared(folder, names);
  for (std::size_t i = 0; i < splits->size(); ++i) {
    Hmdb51Split& split = (*splits)[i];
    split.dataset.shared = shared;
    std::filesystem::create_directories(folder / names[i]);
    write_dataset(folder / names[i], split.dataset);
    std::filesystem::remove_all(folder / names[i] / "features");  // of an interrupted call
    if (settings.features.empty()) continue;
    split.streams = import_reference_features(settings.features, split.dataset,
                                              hmdb51_reference_ids(settings, listed, split.dataset),
                                              folder / names[i]);
  }
}

std::vector<Hmdb51Split> import_hmdb51(const Hmdb51Import& settings) {
  FolderWriter out(settings.out);
  std::vector<Hmdb51Split> splits = read_hmdb51(settings);
  const std::vector<Hmdb51Split> listed = splits;
  write_hmdb51(out.path(), settings, listed, &splits);
  out.commit();
  return splits;
}

}  // namespace manyverbs
