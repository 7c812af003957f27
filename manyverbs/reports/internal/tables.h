// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/protocols/internal/experiment_table.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The table of an experiment in several formats.
///
///   Results --table_of--> rows of Cell --> terminal, CSV, LaTeX, JSON
///
/// Rows are in the order of the experiment, with a rule above the methods of the paper. In the
/// terminal and in LaTeX, metrics are in percent with one decimal and undefined values are dashes.
/// In CSV and JSON, metrics are fractions and undefined values are empty or null.

/// How best_rows() are marked in a terminal.
enum class Emphasis {
  None,
  Ansi,  ///< bold
};

/// For the terminal, at most about 110 columns: the five metrics of the paper as mean ± deviation,
/// with the published values beside them if results.published is set (mAP is then interpolated,
/// like the published one); below them the differences to the reference as mean ± half width of the
/// interval, the metrics that are not in the paper, and the failed runs. A sweep has one grid of F1
/// per loss, and the K and tau that validation clips choose. Mean 0.335 and deviation 0.002 give
/// "33.5 ± 0.2", or "33.5±0.2" beside published values; a single run gives "33.5".
std::string table_text(const Results& results, Emphasis emphasis = Emphasis::None);

/// One line per row: row,title,loss,runs, then KEY,KEY_deviation,KEY_best for each of
/// kTableMetrics, where best is 1 or 0; for a
/// sweep, k and tau after the loss; published_KEY,published_KEY_deviation if there are published
/// values, with map_interpolated as the KEY of mAP.
std::string table_csv(const Results& results);

/// One line per run: run,row,dataset,seed,seconds,epochs,best_epoch,validation_score,problem, then
/// each metric.
std::string runs_csv(const Results& results);

/// One line per row and metric that has a reference: row,reference,metric,pairs,difference,low,
/// high,over_runs,over_clips, see Difference.
std::string differences_csv(const Results& results);

/// A tabular like the paper's, best_rows() bold; for a sweep, one tabular per loss, side by side.
/// The first line lists the required packages.
std::string table_latex(const Results& results);

/// One object: kind, from, folder, command, planned, done, true_labels, chosen_on_test, published,
/// rows, failed. A row has key, title, loss, k and tau (for a sweep), metrics and published;
/// metrics contain mean, deviation, runs, rank (null if undefined), best and difference (reference,
/// mean, low, high, pairs, over_runs, over_clips; null without a reference) by metric key; failed
/// contains run, row, seed and problem. A sweep has chosen: the key of the row that validation
/// clips choose, for each loss.
Json table_json(const Results& results);

/// Writes table.csv, differences.csv, runs.csv and table.tex into the folder of the experiment.
void write_tables(const Results& results);

}  // namespace manyverbs
