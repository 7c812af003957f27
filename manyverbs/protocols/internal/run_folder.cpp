// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/run_folder.h"

#include <algorithm>

#include "manyverbs/learning/internal/run_record.h"
#include "manyverbs/protocols/internal/table_metrics.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// Whether nothing is there but what a crash may leave of a file that was being written.
bool is_free_for_run(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) return false;
  const std::filesystem::directory_iterator entries(folder);
  return std::all_of(begin(entries), end(entries),
                     [](const auto& entry) { return is_temporary(entry.path()); });
}

}  // namespace

FileLock claim_folder(const std::filesystem::path& folder, const Json& record) {
  std::error_code problem;
  if (!std::filesystem::exists(folder)) std::filesystem::create_directories(folder, problem);
  if (problem) throw Error("{}: cannot be made: {}", folder.string(), problem.message());
  FileLock lock(folder);
  if (std::filesystem::exists(folder / "run.json")) {
    const std::string other = difference(record, read_json(folder / "run.json"));
    if (!other.empty()) {
      throw Error("{}: holds another run: {}; choose another --out or remove it", folder.string(),
                  other);
    }
    // The same content may lie elsewhere now.
    if (read_json(folder / "run.json") != record) write_json(folder / "run.json", record);
  } else if (is_free_for_run(folder)) {
    write_json(folder / "run.json", record);
  } else {
    throw Error("{}: holds other files and is no run; choose another --out", folder.string());
  }
  remove_leftovers(folder);
  return lock;
}

Judge judge_for(const LabelMatrix& truth, bool is_test, Recipe recipe) {
  if (!is_test) {
    return {{"top1"}, [&truth](const Matrix<float>& probabilities) {
              return std::vector<double>{top1_accuracy(probabilities, truth)};
            }};
  }
  const std::size_t chooser = table_metric(recipe == Recipe::Released ? "iou" : "top1");
  std::vector<std::string> names;
  for (const TableMetric& metric : kTableMetrics) names.emplace_back(metric.key);
  std::swap(names[0], names[chooser]);
  return {names, [&truth, chooser](const Matrix<float>& probabilities) {
            const TableValues measured = table_values(evaluate(probabilities, truth, {}));
            std::vector<double> values(measured.begin(), measured.end());
            std::swap(values[0], values[chooser]);
            return values;
          }};
}

}  // namespace manyverbs
