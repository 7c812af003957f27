// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/inspection.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

namespace manyverbs {
namespace {

const std::vector<ClassId>& whole_label_set(const Clip& clip) {
  static const std::vector<ClassId> unknown;
  if (!clip.truth.empty()) return clip.truth;
  return clip.split == Split::Test ? clip.labels : unknown;
}

std::vector<ClassCount> class_counts(const Dataset& dataset) {
  std::vector<ClassCount> counts(dataset.classes.size());
  for (const Clip& clip : dataset.clips) {
    for (const ClassId label : clip.labels) {
      ClassCount& count = counts[label];
      ++(clip.split == Split::Train ? count.train
         : clip.split == Split::Val ? count.val
                                    : count.test);
    }
  }
  return counts;
}

template <typename LabelsOf>
LabelsPerClip labels_per_clip(const Dataset& dataset, LabelsOf labels_of) {
  LabelsPerClip result;
  std::int64_t sum = 0;
  for (const Clip& clip : dataset.clips) {
    const int count = static_cast<int>(labels_of(clip).size());
    if (count == 0) continue;
    result.least = result.clips == 0 ? count : std::min(result.least, count);
    result.most = std::max(result.most, count);
    ++result.clips;
    sum += count;
  }
  result.mean = result.clips > 0 ? static_cast<double>(sum) / result.clips
                                 : std::numeric_limits<double>::quiet_NaN();
  return result;
}

int classes_of_half(const std::vector<ClassCount>& counts) {
  std::vector<int> sizes;
  sizes.reserve(counts.size());
  for (const ClassCount& count : counts) sizes.push_back(count.train);
  std::sort(sizes.rbegin(), sizes.rend());
  const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  std::int64_t held = 0;
  int classes = 0;
  while (2 * held < all) held += sizes[classes++];
  return classes;
}

std::vector<CoOccurrence> co_occurrences(const Dataset& dataset,
                                         const InspectionSettings& settings) {
  std::vector<int> clips(dataset.classes.size());
  std::map<std::pair<ClassId, ClassId>, int> together;
  for (const Clip& clip : dataset.clips) {
    const std::vector<ClassId>& labels = whole_label_set(clip);
    for (const ClassId first : labels) {
      ++clips[first];
      for (const ClassId second : labels) {
        if (first != second) ++together[{first, second}];
      }
    }
  }
  std::vector<CoOccurrence> pairs;
  for (const auto& [pair, count] : together) {
    if (clips[pair.first] < settings.least_clips) continue;
    pairs.push_back({pair.first, pair.second, clips[pair.first], count});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const CoOccurrence& a, const CoOccurrence& b) {
    return a.share() != b.share() ? a.share() > b.share() : a.clips > b.clips;
  });
  pairs.resize(std::min<std::size_t>(pairs.size(), settings.co_occurrences));
  return pairs;
}

void find_thin_classes(const Dataset& dataset, int examples, Inspection* inspection) {
  if (inspection->clips_by_split[0] == 0) return;
  Finding tested{Severity::Problem, "tested_but_untrained_classes",
                 "classes in test without a training clip"};
  Finding untrained{Severity::Problem, "untrained_classes", "classes without a training clip"};
  Finding single{Severity::Problem, "single_clip_classes", "classes with only one training clip"};
  for (ClassId id = 0; id < dataset.classes.size(); ++id) {
    const ClassCount& count = inspection->classes[id];
    const std::string& name = dataset.classes.name(id);
    if (count.train == 0 && count.test > 0) tested.add(name, examples);
    if (count.train == 0) untrained.add(name, examples);
    if (count.train == 1) single.add(name, examples);
  }
  inspection->findings.insert(inspection->findings.end(), {tested, untrained, single});
}

// A name without case, spaces, '-' and '_'.
std::string letters_of(const std::string& name) {
  std::string letters;
  for (const unsigned char c : name) {
    if (std::isspace(c) == 0 && c != '-' && c != '_') letters += static_cast<char>(std::tolower(c));
  }
  return letters;
}

Finding alike_names(const Dataset& dataset, int examples) {
  Finding alike{Severity::Problem, "alike_class_names",
                "classes whose names differ only in case, spaces, '-' or '_'"};
  for (const std::string& names : alike_classes(dataset)) alike.add(names, examples);
  return alike;
}

Finding missing_videos(const Dataset& dataset, int examples) {
  Finding missing{Severity::Problem, "missing_videos", "missing video files"};
  std::set<std::string> seen;
  for (const Clip& clip : dataset.clips) {
    if (clip.video.empty() || !seen.insert(clip.video).second) continue;
    // A relative path is relative to the data set.
    if (!std::filesystem::exists(dataset.folder / clip.video)) missing.add(clip.video, examples);
  }
  // If only some are missing, that is a problem; if all are, the videos are probably elsewhere.
  if (missing.count == static_cast<std::int64_t>(seen.size())) missing.severity = Severity::Note;
  return missing;
}

void find_empty_splits(Inspection* inspection) {
  const auto find = [&](int split, Severity severity, const char* key, const char* what) {
    if (inspection->clips_by_split[split] == 0) {
      inspection->findings.push_back({severity, key, what, 1, {}});
    }
  };
  find(0, Severity::Problem, "no_train", "no training clips");
  find(1, Severity::Note, "no_val", "no val split: training holds out a tenth of train");
  find(2, Severity::Note, "no_test", "no test split: models cannot be evaluated");
}

}  // namespace

void Finding::add(std::string example, int most) {
  if (count++ < most) examples.push_back(std::move(example));
}

std::vector<std::string> alike_classes(const Dataset& dataset) {
  const std::vector<ClassCount> counts = class_counts(dataset);
  const auto with_clips = [&](ClassId id) {
    const int clips = counts[id].train + counts[id].val + counts[id].test;
    return fmt::format("'{}' ({} {})", dataset.classes.name(id), clips,
                       clips == 1 ? "clip" : "clips");
  };
  std::map<std::string, ClassId> first_of;
  std::vector<std::string> alike;
  for (ClassId id = 0; id < dataset.classes.size(); ++id) {
    const auto [earlier, is_new] = first_of.emplace(letters_of(dataset.classes.name(id)), id);
    if (is_new) continue;
    alike.push_back(fmt::format("{} and {}", with_clips(earlier->second), with_clips(id)));
  }
  return alike;
}

Inspection inspect(const Dataset& dataset, const InspectionSettings& settings) {
  Inspection result;
  for (const Split split : kSplits) {
    result.clips_by_split.push_back(static_cast<int>(dataset.clips_of(split).size()));
  }
  result.classes = class_counts(dataset);
  result.classes_of_half = classes_of_half(result.classes);
  result.test_labels = labels_per_clip(dataset, [](const Clip& clip) {
    return clip.split == Split::Test ? clip.labels : std::vector<ClassId>();
  });
  result.originals = static_cast<int>(std::count_if(
      dataset.clips.begin(), dataset.clips.end(),
      [](const Clip& clip) { return clip.split == Split::Test && original_label(clip); }));
  result.truth = labels_per_clip(dataset, [](const Clip& clip) { return clip.truth; });
  result.full_clips = labels_per_clip(dataset, whole_label_set).clips;
  result.co_occurrences = co_occurrences(dataset, settings);
  find_empty_splits(&result);
  find_thin_classes(dataset, settings.examples, &result);
  result.findings.push_back(alike_names(dataset, settings.examples));
  result.findings.push_back(missing_videos(dataset, settings.examples));
  FeatureInspection features = inspect_features(dataset, settings);
  result.streams = std::move(features.streams);
  std::move(features.findings.begin(), features.findings.end(),
            std::back_inserter(result.findings));
  std::erase_if(result.findings, [](const Finding& finding) { return finding.count == 0; });
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return result;
}

}  // namespace manyverbs
