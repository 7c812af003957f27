// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/protocols/experiment.h"

namespace manyverbs {

/// What the forms of a table share.

/// The metrics of the paper's tables: Top-set, Top-1, IOU, F1 and mAP. Beside published figures,
/// whose mAP is interpolated, so is ours.
std::array<std::string_view, 5> paper_metrics(const Results& results);

/// A value for people: in percent with one decimal where it is a fraction, else with two; "-" where
/// it is NaN. Behind it the deviation, where there is one: mean 0.335, deviation 0.002 and " ± "
/// give "33.5 ± 0.2".
std::string cell_text(double mean, double deviation, bool percent, std::string_view plus_minus);

/// How many runs are done, without those that failed: in all, or of a row.
int finished_runs(const Results& results);
int finished_runs(const Results& results, const std::string& row);

/// Whether a rule belongs above row i: it is the first of the paper's own losses behind others.
bool starts_own(const std::vector<TableRow>& rows, std::size_t i);

/// The rows of one loss of a sweep, laid out.
struct SweepGrid {
  std::string title;  ///< of the loss: "Mask"
  std::vector<int> ks;
  std::vector<double> taus;
  std::vector<std::vector<Cell>> f1;   ///< f1[i][j] belongs to taus[i] and ks[j]
  std::vector<std::vector<int>> rank;  ///< 1 best, 2 second … in this grid; 0 where not defined
};
/// One grid a loss, in the order of the rows; rows without K or tau are passed over. A pair that no
/// row has is NaN.
std::vector<SweepGrid> sweep_grids(const std::vector<TableRow>& rows);

}  // namespace manyverbs
