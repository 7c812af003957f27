// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/reports/internal/tables.h"

namespace manyverbs {

/// A table as text, at most about 110 columns wide. Long titles are truncated.
inline constexpr int kWidestText = 110;
inline constexpr int kLongestTitle = 40;

struct GridCell {
  std::string text;
  bool best = false;  ///< bold with Emphasis::Ansi
  int gap = 3;        ///< spaces before the column
};
struct GridRow {
  std::string title;
  std::vector<GridCell> cells;
  bool rule_above = false;
};

/// Titles are left-aligned, all other cells right-aligned. All rows have as many cells as the
/// first, which is the header.
std::string text_grid(const std::vector<GridRow>& rows, Emphasis emphasis);

}  // namespace manyverbs
