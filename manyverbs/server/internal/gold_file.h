// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// The file of 'annotate prepare --gold': CSV with the columns clip,labels. A clip is one of the
/// data set, of any split; its labels are all classes that apply, separated by semicolons, or
/// nothing if none of the classes does.
///
///   clip,labels
///   P01_03_17,cut;peel
struct GoldFile {
  std::vector<ClipRow> clips;
  std::vector<std::vector<ClassId>> labels;  ///< of each clip, sorted
  std::uint64_t hash = 0;                    ///< of the content of the file

  bool contains(ClipRow clip) const;
};

/// Throws Error with file and line for a clip that is not in the data set or comes twice, and for
/// an unknown class.
GoldFile read_gold_file(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace manyverbs
