// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/text_grid.h"

#include <algorithm>

#include <fmt/format.h>

#include "manyverbs/support/internal/display.h"

namespace manyverbs {
namespace {

constexpr int kShortestTitle = 10;

}  // namespace

std::string text_grid(const std::vector<GridRow>& rows, Emphasis emphasis) {
  std::vector<int> widths(rows.front().cells.size());
  int all = 0;
  for (std::size_t j = 0; j < widths.size(); ++j) {
    for (const GridRow& row : rows) {
      widths[j] = std::max(widths[j], display_width(row.cells[j].text));
    }
    all += widths[j] + rows.front().cells[j].gap;
  }
  const int most = std::clamp(kWidestText - all, kShortestTitle, kLongestTitle);
  int title_width = 0;
  for (const GridRow& row : rows) {
    title_width = std::max(title_width, display_width(shortened(row.title, most)));
  }
  std::string text;
  for (const GridRow& row : rows) {
    if (row.rule_above)
      text += std::string(static_cast<std::size_t>(title_width + all), '-') + '\n';
    std::string line = left_aligned(shortened(row.title, most), title_width);
    for (std::size_t j = 0; j < widths.size(); ++j) {
      const GridCell& cell = row.cells[j];
      line += std::string(static_cast<std::size_t>(cell.gap + widths[j] - display_width(cell.text)),
                          ' ');
      line += cell.best && emphasis == Emphasis::Ansi ? fmt::format("\x1b[1m{}\x1b[0m", cell.text)
                                                      : cell.text;
    }
    text += line + '\n';
  }
  return text;
}

}  // namespace manyverbs
