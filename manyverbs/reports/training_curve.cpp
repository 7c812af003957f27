// SPDX-License-Identifier: MIT
#include "manyverbs/reports/training_curve.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "manyverbs/reports/report_values.h"
#include "manyverbs/support/csv.h"

namespace manyverbs {
namespace {

double number(const std::string& field) {
  char* end = nullptr;
  const double value = std::strtod(field.c_str(), &end);
  return field.empty() || *end != '\0' ? NAN : value;
}

// Rows of the log to show, rising.
std::vector<std::size_t> shown_rows(const CsvTable& log, int best_epoch, std::size_t most) {
  const std::size_t rows = log.rows.size();
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
  const std::filesystem::path path = run_folder / "log.csv";
  if (!std::filesystem::exists(path)) return nullptr;
  const CsvTable log = read_csv(path);
  const int epoch = log.column("epoch");
  const int train_loss = log.column("train_loss");
  const int validation_loss = log.column("validation_loss");
  const std::size_t judge = static_cast<std::size_t>(validation_loss) + 1;
  if (judge >= log.header.size()) return nullptr;
  Json curve = {{"epoch", Json::array()},
                {"train_loss", Json::array()},
                {"validation_loss", Json::array()},
                {"judge", log.header[judge]},
                {"score", Json::array()}};
  for (const std::size_t i : shown_rows(log, best_epoch, most)) {
    const std::vector<std::string>& fields = log.rows[i].fields;
    curve["epoch"].push_back(short_number(number(fields[epoch])));
    curve["train_loss"].push_back(short_number(number(fields[train_loss])));
    curve["validation_loss"].push_back(short_number(number(fields[validation_loss])));
    curve["score"].push_back(short_number(number(fields[judge])));
  }
  return curve;
}

}  // namespace manyverbs
