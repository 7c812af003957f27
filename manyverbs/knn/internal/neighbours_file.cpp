// SPDX-License-Identifier: MIT
#include "manyverbs/knn/internal/neighbours_file.h"

#include <algorithm>
#include <cmath>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

struct Paths {
  std::filesystem::path clips;
  std::filesystem::path distances;
  std::filesystem::path record;
};

Paths paths_of(const std::filesystem::path& folder, const std::string& name) {
  return {folder / (name + ".npy"), folder / (name + ".distances.npy"), folder / (name + ".json")};
}

template <typename T>
void check_shape(const Matrix<T>& matrix, std::size_t rows, int k,
                 const std::filesystem::path& path, const std::filesystem::path& record) {
  if (matrix.rows() != rows || matrix.columns() != static_cast<std::size_t>(k)) {
    throw Error("{}: has size {} x {}, but {} says {} x {}; remove it to compute it again",
                path.string(), matrix.rows(), matrix.columns(), record.filename().string(), rows,
                k);
  }
}

// Entries are used as indices, so invalid ones must be rejected.
void check_entries(const Neighbours& neighbours, const Paths& paths) {
  const auto rows = static_cast<std::int32_t>(neighbours.clips.rows());
  for (std::size_t i = 0; i < neighbours.clips.rows(); ++i) {
    for (const ClipRow row : neighbours.clips.row(i)) {
      const auto clip = static_cast<std::int32_t>(row);
      if (clip < 0 || clip >= rows) {
        throw Error("{}: row {}: found clip {}, expected 0 to {}", paths.clips.string(), i, clip,
                    rows - 1);
      }
    }
    for (const float distance : neighbours.distances.row(i)) {
      if (!std::isfinite(distance) || distance < 0) {
        throw Error("{}: row {}: invalid distance {}", paths.distances.string(), i, distance);
      }
    }
  }
}

template <typename To, typename From>
Matrix<To> converted(const Matrix<From>& matrix) {
  Matrix<To> result(matrix.rows(), matrix.columns());
  std::transform(matrix.values().begin(), matrix.values().end(), result.data(),
                 [](From value) { return To(value); });
  return result;
}

template <typename T>
Matrix<T> first_columns(const Matrix<T>& matrix, int k) {
  Matrix<T> first(matrix.rows(), k);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    std::copy_n(matrix.row(i).begin(), k, first.row(i).begin());
  }
  return first;
}

}  // namespace

void write_neighbours(const std::filesystem::path& folder, const std::string& name,
                      const Neighbours& neighbours, const NeighboursRecord& record) {
  const Paths paths = paths_of(folder, name);
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw Error("{}: cannot be created: {}", folder.string(), problem.message());
  remove_leftovers(folder);
  // The record is removed while the arrays change.
  std::filesystem::remove(paths.record);
  write_array(paths.clips, converted<std::int32_t>(neighbours.clips));
  write_array(paths.distances, neighbours.distances);
  write_json(paths.record, {{"space", record.space},
                            {"metric", metric_name(record.metric)},
                            {"k", record.k},
                            {"clips", neighbours.clips.rows()},
                            {"stamp", record.stamp}});
}

std::optional<Neighbours> read_neighbours(const std::filesystem::path& folder,
                                          const std::string& name, const NeighboursRecord& record) {
  const Paths paths = paths_of(folder, name);
  if (!std::filesystem::exists(paths.record)) return std::nullopt;
  const Json json = read_json(paths.record);
  const int k = json_value<int>(json, "k", paths.record);
  const bool serves =
      json_value<std::string>(json, "space", paths.record) == record.space &&
      json_value<std::string>(json, "metric", paths.record) == metric_name(record.metric) &&
      json_value<std::string>(json, "stamp", paths.record) == record.stamp && k >= record.k;
  if (!serves) return std::nullopt;
  const auto rows = json_value<std::size_t>(json, "clips", paths.record);
  Neighbours stored{converted<ClipRow>(read_int_array(paths.clips)),
                    read_float_array(paths.distances)};
  check_shape(stored.clips, rows, k, paths.clips, paths.record);
  check_shape(stored.distances, rows, k, paths.distances, paths.record);
  check_entries(stored, paths);
  return Neighbours{first_columns(stored.clips, record.k),
                    first_columns(stored.distances, record.k)};
}

}  // namespace manyverbs
