// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/reference.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/ranges.h>

#include "manyverbs/dataset/internal/class_list.h"
#include "manyverbs/dataset/internal/confuse.h"
#include "manyverbs/dataset/internal/feature_files.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {
namespace {

using LabelSets = std::vector<std::vector<ClassId>>;

// The files of a split, one per stream.
struct SplitFiles {
  Split split = Split::Train;
  std::vector<FeatureFile> files;
  std::vector<std::string> ids;  // of the clips, each once
  LabelSets labels;              // of the clips
};

// The labels of clips by id; nothing if the file has none.
std::optional<LabelSets> labels_of(const FeatureFile& file, const std::vector<std::string>& ids) {
  if (file.labels.empty()) return std::nullopt;
  std::unordered_map<std::string_view, std::size_t> row_of;
  for (std::size_t row = 0; row < file.names.size(); ++row) row_of.emplace(file.names[row], row);
  LabelSets labels;
  for (const std::string& id : ids) {
    const auto row = row_of.find(id);
    if (row == row_of.end()) return std::nullopt;
    labels.push_back(file.labels[row->second]);
  }
  return labels;
}

void check_labels(const SplitFiles& split) {
  for (std::size_t i = 0; i < split.ids.size(); ++i) {
    const std::size_t count = split.labels[i].size();
    if (split.split == Split::Train ? count != 1 : count == 0) {
      throw Error("{}: the {} clip '{}' has {} labels, expected {}", split.files[0].title,
                  split_name(split.split), printable(split.ids[i]), count,
                  split.split == Split::Train ? "exactly one" : "at least one");
    }
  }
}

SplitFiles open_split(Split split, const std::vector<FeatureSource>& sources,
                      const std::filesystem::path& scratch) {
  SplitFiles result{split, {}, {}, {}};
  for (const FeatureSource& source : sources) {
    result.files.push_back(open_feature_file({source.file, source.array, {}, scratch}));
    if (result.files.back().names.empty()) {
      throw Error("{}: has no ids of clips, expected an array such as 'video_ids'",
                  result.files.back().title);
    }
  }
  std::set<std::string_view> seen;
  for (const std::string& id : result.files[0].names) {
    if (id.empty() || printable(id) != id) {
      throw Error("{}: '{}' is not a valid name of a clip", result.files[0].title, printable(id));
    }
    if (seen.insert(id).second) result.ids.push_back(id);
  }
  const FeatureFile* labelled = nullptr;
  for (const FeatureFile& file : result.files) {
    auto labels = labels_of(file, result.ids);
    if (!labels) continue;
    for (std::size_t i = 0; labelled != nullptr && i < result.ids.size(); ++i) {
      if (result.labels[i] == (*labels)[i]) continue;
      throw Error("{}: the clip '{}' has the labels {}, but {} in {}", file.title,
                  printable(result.ids[i]), fmt::join((*labels)[i], ";"),
                  fmt::join(result.labels[i], ";"), labelled->title);
    }
    if (labelled == nullptr) result.labels = *std::move(labels);
    if (labelled == nullptr) labelled = &file;
  }
  if (labelled == nullptr) {
    throw Error("{}: has no labels, expected an array 'labels'", result.files[0].title);
  }
  check_labels(result);
  return result;
}

void check_streams(const std::vector<FeatureSource>& sources,
                   const std::vector<FeatureSource>& expected, Split split) {
  const auto names = [](const std::vector<FeatureSource>& list) {
    std::vector<std::string> found;
    for (const FeatureSource& source : list) found.push_back(source.stream);
    return found;
  };
  if (names(sources) == names(expected)) return;
  throw Error("{}: expected the streams {} in the same order as for train, found {}",
              split_name(split), fmt::join(names(expected), ", "), fmt::join(names(sources), ", "));
}

// The names of the classes, and in how many ways each occurs.
struct Classes {
  Vocabulary vocabulary;
  int ways = 1;
};

Classes named_classes(const ReferenceImport& settings, int count) {
  std::vector<std::string> names;
  if (settings.classes.empty()) {
    for (int id = 0; id < count; ++id) names.push_back(std::to_string(id));
    return {Vocabulary(std::move(names)), 1};
  }
  for (const auto& [id, name] : read_class_list(settings.classes)) {
    if (id != static_cast<ClassId>(names.size())) {
      throw Error("{}: has no class {}", settings.classes.string(), names.size());
    }
    names.push_back(name);
  }
  const auto given = static_cast<int>(names.size());
  if (count > given && count % given != 0) {
    throw Error("{}: has {} classes, but the labels are {} classes", settings.classes.string(),
                given, count);
  }
  try {
    const Vocabulary vocabulary(std::move(names));
    if (count <= given) return {vocabulary, 1};
    return {confused_classes(vocabulary, count / given), count / given};
  } catch (const Error& problem) {
    throw Error("{}: {}", settings.classes.string(), problem.what());
  }
}

void add_clips(const std::vector<SplitFiles>& splits, const Classes& classes, Dataset* dataset) {
  std::set<std::string_view> seen;
  bool repeated = false;
  for (const SplitFiles& split : splits) {
    for (const std::string& id : split.ids) repeated = !seen.insert(id).second || repeated;
  }
  const int originals = classes.vocabulary.size() / classes.ways;
  for (const SplitFiles& split : splits) {
    for (std::size_t i = 0; i < split.ids.size(); ++i) {
      Clip clip;
      clip.name =
          repeated ? fmt::format("{}/{}", split_name(split.split), split.ids[i]) : split.ids[i];
      clip.split = split.split;
      clip.labels = split.labels[i];
      for (const ClassId label : classes.ways > 1 ? clip.labels : std::vector<ClassId>()) {
        for (int way = 0; way < classes.ways; ++way) {
          clip.truth.push_back(label % originals + way * originals);
        }
      }
      std::sort(clip.truth.begin(), clip.truth.end());
      clip.truth.erase(std::unique(clip.truth.begin(), clip.truth.end()), clip.truth.end());
      dataset->clips.push_back(std::move(clip));
    }
  }
}

ReferenceStream write_stream(const std::vector<SplitFiles>& splits, std::size_t stream,
                             const std::string& name, const Dataset& dataset,
                             const std::filesystem::path& folder) {
  ReferenceStream result;
  result.name = name;
  std::vector<FeatureFile> files;
  std::vector<FeatureRow> rows;
  for (const SplitFiles& split : splits) {
    const FeatureFile& file = split.files[stream];
    for (const FeatureRow& row : rows_of_clips({&file, 1}, split.ids, split.files[0].title)) {
      rows.push_back({files.size(), row.row});
    }
    files.push_back(file);
    result.files.push_back(file.title);
    result.layouts.push_back(file.layout);
  }
  const std::filesystem::path place = folder / (name + ".npy");
  write_feature_rows(
      files, rows, [&](std::size_t i) { return fmt::format("clip '{}'", dataset.clips[i].name); },
      place);
  const ArrayFile written(place);
  result.columns = written.columns();
  result.type = written.type();
  return result;
}

}  // namespace

ReferenceImported import_reference(const ReferenceImport& settings) {
  FolderWriter out(settings.out);
  const std::filesystem::path folder = out.path() / "features";
  std::filesystem::create_directory(folder);
  std::vector<SplitFiles> splits;
  for (const auto& [split, sources] :
       {std::pair(Split::Train, &settings.train), std::pair(Split::Val, &settings.val),
        std::pair(Split::Test, &settings.test)}) {
    if (sources->empty()) continue;
    check_streams(*sources, settings.train, split);
    splits.push_back(open_split(split, *sources, folder));
  }
  int count = 0;
  for (const SplitFiles& split : splits) {
    for (const FeatureFile& file : split.files) count = std::max(count, file.num_classes);
  }
  ReferenceImported result;
  Dataset& dataset = result.dataset;
  dataset.folder = settings.out;
  dataset.name = settings.name.empty() ? folder_name(settings.out) : settings.name;
  const Classes classes = named_classes(settings, count);
  dataset.classes = classes.vocabulary;
  add_clips(splits, classes, &dataset);
  write_dataset(out.path(), dataset);
  for (std::size_t i = 0; i < settings.train.size(); ++i) {
    stop_if_interrupted();
    result.streams.push_back(write_stream(splits, i, settings.train[i].stream, dataset, folder));
  }
  out.commit();
  return result;
}

}  // namespace manyverbs
