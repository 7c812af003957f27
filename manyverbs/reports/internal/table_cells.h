// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/protocols/internal/experiment_table.h"

namespace manyverbs {

/// Shared by the table formats.

/// The metrics of the paper's tables: Top-set, Top-1, IOU, F1 and mAP. Beside published values,
/// whose mAP is interpolated, and with the recipe of the released code, mAP is interpolated too.
std::array<std::string_view, 5> paper_metrics(const Results& results);

/// What a mark of TableRow::best means.
inline constexpr std::string_view kBestMeaning =
    "not significantly worse than the best (95 % interval of the paired difference)";

/// Formats a value: fractions in percent with one decimal, other values with two; "-" for NaN.
/// Followed by the deviation, if there is one: mean 0.335, deviation 0.002 and " ± " give "33.5 ±
/// 0.2".
std::string cell_text(double mean, double deviation, bool percent, std::string_view plus_minus);

/// The number of successful runs, in total or of a row.
int finished_runs(const Results& results);
int finished_runs(const Results& results, const std::string& row);

/// Whether row i is the first method of the paper after other rows, so that a rule is drawn above
/// it.
bool starts_own(const std::vector<TableRow>& rows, std::size_t i);

/// The rows of one loss of a sweep as a grid.
struct SweepGrid {
  std::string title;  ///< title of the loss: "Mask"
  std::vector<int> ks;
  std::vector<double> taus;
  std::vector<std::vector<Cell>> f1;    ///< f1[i][j] belongs to taus[i] and ks[j]
  std::vector<std::vector<bool>> best;  ///< best_rows() of this grid
  /// The row with the best mean validation score, which no test clip has influenced: K and tau to
  /// choose. Nothing without such scores, or with fewer than two rows.
  std::optional<ExperimentRow> chosen;
  /// The published F1; NaN where there is none. Empty without published values.
  std::vector<std::vector<double>> published;
};
/// One grid per loss, in the order of the rows. Rows without K or tau are ignored. A pair without a
/// row is NaN.
std::vector<SweepGrid> sweep_grids(const Results& results, const std::vector<TableRow>& rows);

}  // namespace manyverbs
