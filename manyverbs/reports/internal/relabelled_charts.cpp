// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/relabelled_charts.h"

#include <algorithm>

#include "manyverbs/reports/internal/report_values.h"

namespace manyverbs {
namespace {

struct RelabelledClip {
  const Clip* clip;
  ClassId original;
  std::vector<ClassId> added;  // all labels but the original
};

std::vector<RelabelledClip> relabelled_clips(const Dataset& dataset) {
  std::vector<RelabelledClip> relabelled;
  bool any = false;
  for (const ClipRow row : dataset.clips_of(Split::Test)) {
    const Clip& clip = dataset.clip(row);
    const std::optional<ClassId> original = original_label(clip);
    if (!original) continue;
    any = any || clip.original.has_value();
    std::vector<ClassId> added = clip.labels;
    std::erase(added, *original);
    relabelled.push_back({&clip, *original, std::move(added)});
  }
  return any ? relabelled : std::vector<RelabelledClip>();
}

Json sample_json(const RelabelledClip& sample, const Dataset& dataset,
                 const std::filesystem::path& page_folder) {
  const std::vector<ClassId>& labels = sample.clip->labels;
  Json json = {{"clip", report_name(sample.clip->name)},
               {"original", report_name(dataset.classes.name(sample.original))},
               {"kept", std::find(labels.begin(), labels.end(), sample.original) != labels.end()},
               {"added", class_names(sample.added, dataset.classes)}};
  if (auto video = video_json(*sample.clip, dataset.folder, page_folder)) json["video"] = *video;
  return json;
}

Json samples_json(const std::vector<RelabelledClip>& relabelled, const Dataset& dataset, int count,
                  const std::filesystem::path& page_folder) {
  constexpr std::size_t kEnough = 4;
  std::vector<double> values;
  std::vector<std::vector<ClassId>> sets;
  for (const RelabelledClip& each : relabelled) {
    const std::size_t added = std::min(each.added.size(), kEnough);
    values.push_back(added == 0 ? -1 : static_cast<double>(added) / kEnough);
    sets.push_back(each.clip->labels);
  }
  Json samples = Json::array();
  for (const int i : varied_choice(values, sets, count)) {
    samples.push_back(sample_json(relabelled[i], dataset, page_folder));
  }
  return samples;
}

}  // namespace

Json relabelled_charts(const Dataset& dataset, int samples,
                       const std::filesystem::path& page_folder) {
  const std::vector<RelabelledClip> relabelled = relabelled_clips(dataset);
  if (relabelled.empty()) return nullptr;
  std::vector<int> original(dataset.classes.size());
  std::vector<int> all(dataset.classes.size());
  for (const RelabelledClip& each : relabelled) {
    ++original[each.original];
    for (const ClassId label : each.clip->labels) ++all[label];
  }
  return {{"clips", relabelled.size()},
          {"original", original},
          {"all", all},
          {"samples", samples_json(relabelled, dataset, samples, page_folder)}};
}

}  // namespace manyverbs
