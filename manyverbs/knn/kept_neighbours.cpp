// SPDX-License-Identifier: MIT
#include "manyverbs/knn/kept_neighbours.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "manyverbs/dataset/internal/dataset_content.h"
#include "manyverbs/knn/internal/neighbours_file.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/remark.h"

namespace manyverbs {
namespace {

// Copies row i to row rows[i].
void put_rows(const Neighbours& from, const std::vector<ClipRow>& rows, Neighbours* to) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(from.clips.row(i).begin(), from.clips.columns(),
                to->clips.row(index(rows[i])).begin());
    std::copy_n(from.distances.row(i).begin(), from.distances.columns(),
                to->distances.row(index(rows[i])).begin());
  }
}

Neighbours search_all(const Dataset& dataset, const FeatureTable& table, Metric metric, int k) {
  const std::vector<ClipRow> training = dataset.clips_of(Split::Train);
  std::vector<ClipRow> others;
  for (const ClipRow row : first_rows(dataset.clips.size())) {
    if (dataset.clip(row).split != Split::Train) others.push_back(row);
  }
  Neighbours all{Matrix<ClipRow>(dataset.clips.size(), k), Matrix<float>(dataset.clips.size(), k)};
  put_rows(neighbours_within(table, training, k, metric), training, &all);
  if (!others.empty()) put_rows(neighbours_of(table, others, training, k, metric), others, &all);
  return all;
}

}  // namespace

std::string space_name(const std::string& kind, const std::vector<std::string>& streams) {
  return streams.empty() ? kind : fmt::format("{}-{}", kind, fmt::join(streams, "+"));
}

Space feature_space(const Dataset& dataset, const std::vector<std::string>& streams) {
  return {"features", space_name("features", streams),
          text_hash(to_json(features_content(dataset, streams)).dump()),
          [&dataset, streams] { return open_features(dataset, streams); }};
}

std::string neighbours_name(const std::string& space_name, Metric metric) {
  return fmt::format("{}-{}", space_name, metric_name(metric));
}

Neighbours find_neighbours(const Dataset& dataset, const Space& space, Metric metric, int k,
                           Keep keep) {
  const std::filesystem::path folder = dataset.folder / "neighbours";
  const std::string name = neighbours_name(space.name, metric);
  const NeighboursRecord record{space.kind, metric, k, space.content};
  const MakingLock lock(folder / name);
  if (auto stored = read_neighbours(folder, name, record)) return std::move(*stored);
  Neighbours found = search_all(dataset, space.open(), metric, k);
  try {
    write_neighbours(folder, name, found, record);
  } catch (const std::exception& problem) {
    if (keep == Keep::Must) throw;
    remark(fmt::format("the neighbours are used but not stored: {}", problem.what()));
  }
  return found;
}

}  // namespace manyverbs
