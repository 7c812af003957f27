// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/log_file.h"

#include <cmath>

#include <fmt/format.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

std::string text_of(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

void write_log(const std::filesystem::path& run_folder, const TrainingLog& log) {
  std::vector<std::string> header = {"epoch", "train_loss", "validation_loss"};
  header.insert(header.end(), log.names.begin(), log.names.end());
  std::string text = csv_line(header);
  for (const EpochRecord& record : log.epochs) {
    std::vector<std::string> fields = {std::to_string(record.epoch), text_of(record.train_loss),
                                       text_of(record.validation_loss)};
    for (const double value : record.values) fields.push_back(text_of(value));
    text += csv_line(fields);
  }
  write_file(run_folder / "log.csv", text);
}

TrainingLog read_log(const std::filesystem::path& run_folder) {
  const CsvTable table = read_csv(run_folder / "log.csv");
  const int epoch = table.column("epoch");
  const int train_loss = table.column("train_loss");
  const int validation_loss = table.column("validation_loss");
  const auto first = static_cast<std::size_t>(validation_loss) + 1;
  const auto number = [&](const CsvRow& row, std::size_t column) {
    const std::string& text = row.fields[column];
    if (text.empty()) return static_cast<double>(NAN);
    const auto value = number_in<double>(text);
    if (!value) {
      throw Error("{}:{}: {} '{}' is not a number", table.path.string(), row.line,
                  table.header[column], text);
    }
    return *value;
  };
  TrainingLog log;
  log.names.assign(table.header.begin() + static_cast<std::ptrdiff_t>(first), table.header.end());
  for (const CsvRow& row : table.rows) {
    EpochRecord record;
    record.epoch = static_cast<int>(number(row, epoch));
    record.train_loss = number(row, train_loss);
    record.validation_loss = number(row, validation_loss);
    for (std::size_t column = first; column < table.header.size(); ++column) {
      record.values.push_back(number(row, column));
    }
    log.epochs.push_back(std::move(record));
  }
  return log;
}

}  // namespace manyverbs
