// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "manyverbs/protocols/experiment.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The table of an experiment in the forms that people take it away in.
///
///   Results --table_of--> rows of Cell --> terminal, CSV, LaTeX, JSON
///
/// Rows stand in the order of the experiment, with a rule before the paper's own losses. On screens
/// and in LaTeX metrics are in percent with one decimal, a dash where a value is not defined; in
/// CSV and JSON they are fractions, empty or null where it is not.

/// How the best and the second-best value of a column stand out in a terminal.
enum class Emphasis {
  None,
  Ansi,  ///< bold and underlined
};

/// For the terminal, at most about 110 columns: the five metrics of the paper as mean ± deviation,
/// the published ones beside them where results.published is set (mAP is interpolated then, as
/// theirs is), below what the paper does not have, and the runs that failed. Of a sweep one grid of
/// F1 a loss. Mean 0.335 and deviation 0.002 give "33.5 ± 0.2", or "33.5±0.2" beside published
/// figures; one run gives "33.5".
std::string table_text(const Results& results, Emphasis emphasis = Emphasis::None);

/// One line a row: row,title,loss,runs, then KEY,KEY_deviation for each of kTableMetrics; of a
/// sweep k and tau behind the loss; published_KEY,published_KEY_deviation where there are some,
/// with map_interpolated as the KEY of mAP.
std::string table_csv(const Results& results);

/// One line a run: run,row,dataset,seed,seconds,epochs,best_epoch,problem, then each metric.
std::string runs_csv(const Results& results);

/// A tabular like the paper's, best bold and second underlined; of a sweep one tabular a loss, side
/// by side. Its first line names the packages that it needs.
std::string table_latex(const Results& results);

/// One object: kind, folder, command, planned, done, true_labels, chosen_on_test, published, rows,
/// failed. A row has key, title, loss, k and tau of a sweep, metrics and published; metrics hold
/// mean, deviation, runs and rank (null where it has none) under their keys; failed holds run, row,
/// seed and problem.
Json table_json(const Results& results);

/// Writes table.csv, runs.csv and table.tex into the folder of the experiment.
void write_tables(const Results& results);

}  // namespace manyverbs
