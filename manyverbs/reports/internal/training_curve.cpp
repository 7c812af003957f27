// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/training_curve.h"

#include <algorithm>
#include <vector>

#include "manyverbs/learning/internal/log_file.h"
#include "manyverbs/reports/internal/report_values.h"

namespace manyverbs {
namespace {

// Indices of the epochs to show, from 0, ascending.
std::vector<std::size_t> shown_rows(std::size_t rows, int best_epoch, std::size_t most) {
  const std::size_t count = std::min(rows, std::max<std::size_t>(most, 2));
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < count; ++i) {
    shown.push_back(count < 2 ? 0 : i * (rows - 1) / (count - 1));
  }
  if (best_epoch >= 1 && static_cast<std::size_t>(best_epoch) <= rows) {
    shown.push_back(static_cast<std::size_t>(best_epoch) - 1);
  }
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

}  // namespace

Json training_curve(const std::filesystem::path& run_folder, int best_epoch, std::size_t most) {
  if (!std::filesystem::exists(run_folder / "log.csv")) return nullptr;
  const TrainingLog log = read_log(run_folder);
  if (log.names.empty()) return nullptr;
  Json curve = {{"epoch", Json::array()},
                {"train_loss", Json::array()},
                {"validation_loss", Json::array()},
                {"selection_metric", log.names[0]},
                {"score", Json::array()}};
  for (const std::size_t i : shown_rows(log.epochs.size(), best_epoch, most)) {
    const EpochRecord& record = log.epochs[i];
    curve["epoch"].push_back(record.epoch);
    curve["train_loss"].push_back(short_number(record.train_loss));
    curve["validation_loss"].push_back(short_number(record.validation_loss));
    curve["score"].push_back(short_number(record.values[0]));
  }
  return curve;
}

}  // namespace manyverbs
