// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "manyverbs/protocols/internal/experiment.h"

namespace manyverbs {

/// A name with everything that breaks tables and pages.
inline const std::string kHostile =
    "</script><script>alert(\"1\")</script>, 'x'\n&_%$#{}~^\\|[*] 切る \xff" +
    std::string(300, 'y');

inline ExperimentRow row_of(const std::string& key, const std::string& title,
                            bool pseudo_labelled = false) {
  ExperimentRow row;
  row.key = key;
  row.title = title;
  row.loss = key;
  row.pseudo_labelled = pseudo_labelled;
  return row;
}

/// A run that measured 0.01 less with each metric of kTableMetrics, from `first` on, and 1.5
/// labels.
inline RunResult run_of(const std::string& row, std::uint64_t seed, double first) {
  RunResult run;
  run.name = row + "-" + std::to_string(seed);
  run.row = row;
  run.seed = seed;
  run.seconds = 2.5;
  run.epochs = 3;
  run.best_epoch = 2;
  for (std::size_t m = 0; m < run.values.size(); ++m) {
    run.values[m] = first - 0.01 * static_cast<double>(m);
  }
  run.values[table_metric("predicted_labels")] = 1.5;
  return run;
}

/// AN with 0.20 and 0.22, Mask with 0.5 and 0.5, P+S with 0.4 in one run: for Top-set, and 0.01
/// less with each metric behind it.
inline Results small_comparison() {
  Results results;
  results.folder = "tables/first";
  results.datasets = {"/data/kitchen"};
  results.rows = {row_of("an", "AN"), row_of("mask", "Mask", true), row_of("p+s", "P+S", true)};
  results.runs = {run_of("an", 1, 0.20), run_of("an", 2, 0.22), run_of("mask", 1, 0.5),
                  run_of("mask", 2, 0.5), run_of("p+s", 1, 0.4)};
  results.planned = 5;
  results.true_labels = 2.345;
  results.command = "manyverbs compare kitchen";
  return results;
}

/// Mask with K 5 and 10, tau 0.1 and 0.2; one run each, F1 0.30, 0.31, 0.28 and none.
inline Results small_sweep() {
  Results results;
  results.kind = ExperimentKind::Sweep;
  results.folder = "tables/sweep";
  results.datasets = {"/data/kitchen"};
  const auto add = [&](int k, double tau, const char* tau_text, double f1) {
    ExperimentRow row = row_of("mask", "Mask", true);
    row.key = "mask-k" + std::to_string(k) + "-tau" + tau_text;
    row.title = "Mask, K " + std::to_string(k) + ", tau " + tau_text;
    row.k = k;
    row.tau = tau;
    results.rows.push_back(row);
    if (f1 > 0) results.runs.push_back(run_of(row.key, 1, f1 + 0.03));
  };
  add(5, 0.1, "0.1", 0.30);
  add(5, 0.2, "0.2", 0.28);
  add(10, 0.1, "0.1", 0.31);
  add(10, 0.2, "0.2", 0);
  results.planned = 4;
  results.true_labels = 2;
  return results;
}

}  // namespace manyverbs
