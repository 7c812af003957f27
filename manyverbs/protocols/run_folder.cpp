// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/run_folder.h"

#include <algorithm>

#include "manyverbs/learning/run_record.h"
#include "manyverbs/metrics/evaluation.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// Whether nothing is there but what a crash may leave of a file that was being written.
bool is_free(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) return false;
  const std::filesystem::directory_iterator entries(folder);
  return std::all_of(begin(entries), end(entries),
                     [](const auto& entry) { return is_temporary(entry.path()); });
}

}  // namespace

FileLock claim_folder(const std::filesystem::path& folder, const Json& record) {
  if (!std::filesystem::exists(folder)) std::filesystem::create_directories(folder);
  FileLock lock(folder);
  if (std::filesystem::exists(folder / "run.json")) {
    const std::string problem = difference(record, read_json(folder / "run.json"));
    if (!problem.empty()) {
      throw Error("{}: holds another run: {}; choose another --out or remove it", folder.string(),
                  problem);
    }
  } else if (is_free(folder)) {
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
  const bool by_iou = recipe == Recipe::Released;
  std::vector<std::string> names = {"top1", "top_set", "iou", "f1", "map", "map_interpolated"};
  if (by_iou) std::swap(names[0], names[2]);
  return {names, [&truth, by_iou](const Matrix<float>& probabilities) {
            const Evaluation e = evaluate(probabilities, truth, {});
            std::vector<double> values = {e.top1,     e.top_set, e.fixed.iou,
                                          e.fixed.f1, e.map,     e.map_interpolated};
            if (by_iou) std::swap(values[0], values[2]);
            return values;
          }};
}

}  // namespace manyverbs
