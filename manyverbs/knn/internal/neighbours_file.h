// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "manyverbs/knn/neighbours.h"

namespace manyverbs {

/// Neighbours kept in a data-set folder, so that they are searched for once:
///
///   NAME.npy            int32, N x K: row i holds the neighbours of clip i of clips.csv
///   NAME.distances.npy  float32, of the same shape
///   NAME.json           how they were made; written last, so the arrays are complete if it exists

/// How stored neighbours were made. They serve again where space, metric and stamp are the same and
/// K is at least as large.
struct NeighboursRecord {
  std::string space;  ///< where clips are compared: "features" or "learned"
  Metric metric = Metric::Euclidean;
  int k = 0;
  std::string stamp;  ///< a hash of what they were made from: labels, features, settings
};

/// Writes the three files; those of the same name are replaced. Makes the folder when it is
/// missing.
void write_neighbours(const std::filesystem::path& folder, const std::string& name,
                      const Neighbours& neighbours, const NeighboursRecord& record);

/// The first record.k columns of what is stored, or nothing when there is none, or none that
/// serves. Stored for 15 and asked for 5, it gives N x 5. Throws Error, naming the file, for one
/// that is damaged.
std::optional<Neighbours> read_neighbours(const std::filesystem::path& folder,
                                          const std::string& name, const NeighboursRecord& record);

}  // namespace manyverbs
