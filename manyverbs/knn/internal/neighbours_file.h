// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "manyverbs/knn/neighbours.h"

namespace manyverbs {

/// Neighbours stored in a data set folder, so that they are searched only once:
///
///   NAME.npy            int32, N x K: row i contains the neighbours of clip i of clips.csv
///   NAME.distances.npy  float32, same shape
///   NAME.json           how they were made; written last, so the arrays are complete if it exists

/// How stored neighbours were made. They can be reused if space, metric and stamp are the same and
/// K is at least as large.
struct NeighboursRecord {
  std::string space;  ///< "features" or "learned"
  Metric metric = Metric::Euclidean;
  int k = 0;
  std::string stamp;  ///< hash of the inputs: labels, features, settings
};

/// Writes the three files and replaces existing ones. Creates the folder if necessary.
void write_neighbours(const std::filesystem::path& folder, const std::string& name,
                      const Neighbours& neighbours, const NeighboursRecord& record);

/// The first record.k columns of the stored neighbours, or nothing if there are none that can be
/// reused. Stored for 15 and requested for 5, the result is N x 5. Throws Error with the file name
/// for a damaged file.
std::optional<Neighbours> read_neighbours(const std::filesystem::path& folder,
                                          const std::string& name, const NeighboursRecord& record);

}  // namespace manyverbs
