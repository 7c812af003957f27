// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/differences.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace manyverbs {
namespace {

struct Pair {
  const RunResult* run;
  const RunResult* other;

  double difference(std::size_t metric) const {
    return run->values[metric] - other->values[metric];
  }
  double difference(std::size_t clip, std::size_t metric) const {
    return static_cast<double>(run->clips(clip, metric)) - other->clips(clip, metric);
  }
};

bool has_value(const RunResult& run, std::size_t metric) {
  return run.problem.empty() && !std::isnan(run.values[metric]);
}

// The pairs of each data set.
using Pairs = std::map<std::size_t, std::vector<Pair>>;

Pairs pairs_of(const Results& results, const std::string& row, const std::string& reference,
               std::size_t metric) {
  Pairs pairs;
  for (const RunResult& run : results.runs) {
    if (run.row != row || !has_value(run, metric)) continue;
    for (const RunResult& other : results.runs) {
      if (other.row == reference && other.dataset == run.dataset && other.seed == run.seed &&
          has_value(other, metric)) {
        pairs[run.dataset].push_back({&run, &other});
      }
    }
  }
  return pairs;
}

// Whether the values of the same clips are known for all runs.
bool have_clips(const std::vector<Pair>& pairs) {
  const std::size_t clips = pairs.front().run->clips.rows();
  return clips > 0 && std::all_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
           return pair.run->clips.rows() == clips && pair.other->clips.rows() == clips;
         });
}

// Pairs x clips, without clips that have no true label.
Matrix<double> clip_differences(const std::vector<Pair>& pairs, std::size_t metric) {
  std::vector<std::size_t> defined;
  for (std::size_t i = 0; i < pairs.front().run->clips.rows(); ++i) {
    if (!std::isnan(pairs.front().run->clips(i, metric))) defined.push_back(i);
  }
  Matrix<double> differences(pairs.size(), defined.size());
  for (std::size_t s = 0; s < pairs.size(); ++s) {
    for (std::size_t i = 0; i < defined.size(); ++i) {
      differences(s, i) = pairs[s].difference(defined[i], metric);
    }
  }
  return differences;
}

double row_mean(const Results& results, const std::string& row, std::size_t metric) {
  double sum = 0;
  int count = 0;
  for (const RunResult& run : results.runs) {
    if (run.row != row || !has_value(run, metric)) continue;
    sum += run.values[metric];
    ++count;
  }
  return count > 0 ? sum / count : NAN;
}

// The row with the highest mean; "" if no row has one.
std::string highest_row(const Results& results, const std::vector<std::string>& rows,
                        std::size_t metric) {
  std::string highest;
  double most = NAN;
  for (const std::string& row : rows) {
    const double mean = row_mean(results, row, metric);
    if (std::isnan(mean) || mean <= most) continue;
    most = mean;
    highest = row;
  }
  return highest;
}

// The rows of which the best is the reference.
std::vector<std::string> reference_candidates(const Results& results) {
  if (!results.reference.empty()) return {results.reference};
  std::vector<std::string> all;
  std::vector<std::string> baselines;
  for (const ExperimentRow& row : results.rows) {
    all.push_back(row.key);
    if (!row.pseudo_labelled) baselines.push_back(row.key);
  }
  return baselines.empty() ? all : baselines;
}

}  // namespace

Difference paired_difference(const Results& results, const std::string& row,
                             const std::string& reference, std::size_t metric) {
  const Pairs pairs = pairs_of(results, row, reference, metric);
  std::vector<double> of_pairs;
  bool several_runs = true;
  bool known_clips = !pairs.empty() && kTableMetrics[metric].of_clip != nullptr;
  for (const auto& [dataset, each] : pairs) {
    for (const Pair& pair : each) of_pairs.push_back(pair.difference(metric));
    several_runs = several_runs && each.size() > 1;
    known_clips = known_clips && have_clips(each);
  }
  const auto count = static_cast<int>(of_pairs.size());
  if (!known_clips) return {reference, mean_interval(of_pairs), count, count > 1, false};
  std::vector<Matrix<double>> of_clips;
  for (const auto& [dataset, each] : pairs) of_clips.push_back(clip_differences(each, metric));
  return {reference, crossed_interval(of_clips), count, several_runs, true};
}

std::vector<bool> best_rows(const Results& results, const std::vector<std::string>& rows,
                            std::size_t metric) {
  std::vector<bool> best(rows.size(), false);
  const std::string highest = highest_row(results, rows, metric);
  if (highest.empty() || !kTableMetrics[metric].higher_is_better) return best;
  bool tested = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == highest) continue;
    const Interval interval = paired_difference(results, rows[i], highest, metric).interval;
    tested = tested || !std::isnan(interval.half_width);
    best[i] = interval.high() >= 0;
  }
  best[std::find(rows.begin(), rows.end(), highest) - rows.begin()] = tested;
  return best;
}

std::array<std::string, kTableMetrics.size()> references_of(const Results& results) {
  std::array<std::string, kTableMetrics.size()> references;
  if (results.rows.size() < 2) return references;
  const std::vector<std::string> candidates = reference_candidates(results);
  for (std::size_t m = 0; m < kTableMetrics.size(); ++m) {
    if (kTableMetrics[m].higher_is_better) references[m] = highest_row(results, candidates, m);
  }
  return references;
}

}  // namespace manyverbs
