// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/dataset_charts.h"

#include <algorithm>

#include "manyverbs/dataset/internal/clip_selection.h"
#include "manyverbs/reports/internal/co_occurrence.h"
#include "manyverbs/reports/internal/report_values.h"

namespace manyverbs {
namespace {

std::vector<std::vector<ClassId>> whole_label_sets(const Dataset& dataset,
                                                   const std::vector<ClipRow>& clips) {
  std::vector<std::vector<ClassId>> sets;
  sets.reserve(clips.size());
  for (const ClipRow row : clips) {
    const Clip& clip = dataset.clip(row);
    sets.push_back(clip.truth.empty() ? clip.labels : clip.truth);
  }
  return sets;
}

std::vector<int> clips_of_each_class(const std::vector<std::vector<ClassId>>& sets,
                                     int num_classes) {
  std::vector<int> counts(num_classes);
  for (const std::vector<ClassId>& set : sets) {
    for (const ClassId id : set) ++counts[id];
  }
  return counts;
}

// Entry i is the number of clips with i + 1 labels.
std::vector<int> labels_per_clip(const std::vector<std::vector<ClassId>>& sets) {
  std::vector<int> counts;
  for (const std::vector<ClassId>& set : sets) {
    if (set.empty()) continue;
    counts.resize(std::max(counts.size(), set.size()));
    ++counts[set.size() - 1];
  }
  return counts;
}

Json co_occurrence_json(const CoOccurrenceMatrix& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.shares.rows(); ++i) {
    Json row = Json::array();
    for (const double share : matrix.shares.row(i)) row.push_back(short_number(share));
    rows.push_back(std::move(row));
  }
  return {{"order", matrix.order}, {"rows", std::move(rows)}, {"left_out", matrix.left_out}};
}

}  // namespace

Json dataset_charts(const Dataset& dataset) {
  Json clips = Json::object();
  for (const Split split : kSplits) {
    clips[std::string(split_name(split))] = dataset.clips_of(split).size();
  }
  Json names = Json::array();
  for (const std::string& name : dataset.classes.names()) names.push_back(report_name(name));
  const int classes = dataset.classes.size();
  const auto training = dataset.label_sets_of(dataset.clips_of(Split::Train));
  const auto test = whole_label_sets(dataset, dataset.clips_of(Split::Test));
  const std::optional<ClipSelection> selection = read_selection(dataset.folder);
  return {{"name", report_name(dataset.name)},
          {"selection", selection ? Json(report_name(selection_text(*selection))) : Json(nullptr)},
          {"clips", std::move(clips)},
          {"classes", std::move(names)},
          {"single", clips_of_each_class(training, classes)},
          {"multi", clips_of_each_class(test, classes)},
          {"labels_per_clip", labels_per_clip(test)},
          {"cooccurrence", co_occurrence_json(co_occurrence_matrix(test, classes))}};
}

}  // namespace manyverbs
