// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/labels/targets.h"

namespace manyverbs {

/// Rows of A (absent), P (present) and U (unknown).
inline LabelMatrix targets_of(const std::vector<std::string>& rows) {
  LabelMatrix targets(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < rows[i].size(); ++c) {
      if (rows[i][c] == 'P') targets(i, c) = Label::Present;
      if (rows[i][c] == 'U') targets(i, c) = Label::Unknown;
    }
  }
  return targets;
}

}  // namespace manyverbs
