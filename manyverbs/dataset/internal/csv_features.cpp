// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "manyverbs/dataset/internal/feature_layout.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/numbers.h"
#include "manyverbs/support/internal/parallel.h"

namespace manyverbs {
namespace {

using Fields = std::vector<std::string_view>;

// CSV is what remains if no other format is recognised.
[[noreturn]] void fail_as_unknown(const std::string& file) {
  throw Error("{}: expected features as NPY, NPZ, pickle, safetensors, HDF5 or CSV", file);
}

// One line of numbers per clip, possibly with a name.
class CsvLines {
 public:
  struct Line {
    std::size_t begin = 0;
    int number = 0;  // in the file, from 1
  };

  explicit CsvLines(const std::filesystem::path& path) : name_(path.string()), file_(path) {
    text_ = {reinterpret_cast<const char*>(file_.bytes().data()), file_.bytes().size()};
    if (text_.find('\0') != std::string_view::npos) fail_as_unknown(name_);
    std::size_t at = text_.starts_with("\xef\xbb\xbf") ? 3 : 0;
    for (int number = 1; at < text_.size(); ++number) {
      const std::string_view line = trimmed(line_at(at));
      if (!line.empty() && !line.starts_with('#')) lines_.push_back({at, number});
      at = std::min(text_.find('\n', at), text_.size() - 1) + 1;
    }
    if (lines_.empty()) fail_as_unknown(name_);
    const std::string_view first = line_at(lines_[0].begin);
    for (const char candidate : {'\t', ',', ';'}) {
      if (first.find(candidate) != std::string_view::npos) {
        separator_ = candidate;
        break;
      }
    }
  }

  const std::string& name() const { return name_; }
  char separator() const { return separator_; }
  std::vector<Line>& lines() { return lines_; }
  std::string place(std::size_t row) const {
    return fmt::format("{}:{}", name_, lines_[row].number);
  }
  std::size_t size() const { return lines_.size(); }

  // The fields of a line, without quotes and blanks around them.
  Fields fields(std::size_t row) const {
    Fields found;
    std::string_view left = content(row);
    while (true) {
      found.push_back(next_field(&left));
      if (left.data() == nullptr) return found;
    }
  }
  std::string_view first_field(std::size_t row) const {
    std::string_view left = content(row);
    return next_field(&left);
  }

 private:
  std::string_view line_at(std::size_t begin) const {
    return text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
  }

  // A line that may start with an empty field.
  std::string_view content(std::size_t row) const {
    std::string_view line = line_at(lines_[row].begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return separator_ == ' ' ? trimmed(line) : line;
  }

  // Removes the next field; after the last one, nothing is left.
  std::string_view next_field(std::string_view* left) const {
    std::size_t end = 0;
    if (left->starts_with('"')) end = std::min(left->find('"', 1), left->size());
    end = std::min(left->find(separator_, end), left->size());
    std::string_view field = trimmed(left->substr(0, end));
    if (field.size() > 1 && field.front() == '"' && field.back() == '"') {
      field = field.substr(1, field.size() - 2);
    }
    if (end == left->size()) {
      *left = {};
    } else {
      left->remove_prefix(end + 1);
      if (separator_ == ' ') *left = trimmed(*left);
    }
    return field;
  }

  std::string name_;
  MappedFile file_;
  std::string_view text_;
  char separator_ = ' ';
  std::vector<Line> lines_;
};

class CsvRows : public RowSource {
 public:
  CsvRows(std::shared_ptr<const CsvLines> lines, std::vector<std::string> header,
          std::size_t name_columns)
      : lines_(std::move(lines)), header_(std::move(header)), skipped_(name_columns) {}

  void read(std::span<const std::size_t> rows, std::byte* out) const override {
    const std::size_t columns = header_.size() - skipped_;
    parallel_for(rows.size(), 16, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        read_row(rows[i], reinterpret_cast<float*>(out) + i * columns);
      }
    });
  }

 private:
  void read_row(std::size_t row, float* out) const {
    const Fields fields = lines_->fields(row);
    if (fields.size() != header_.size()) {
      throw Error("{}: expected {} fields, found {}", lines_->place(row), header_.size(),
                  fields.size());
    }
    for (std::size_t j = skipped_; j < fields.size(); ++j) {
      const auto number = number_in<double>(fields[j]);
      if (!number) {
        throw Error("{}: {}: expected a number, found '{}'", lines_->place(row), header_[j],
                    printable(fields[j].substr(0, 40)));
      }
      out[j - skipped_] = static_cast<float>(*number);
    }
  }

  std::shared_ptr<const CsvLines> lines_;
  std::vector<std::string> header_;
  std::size_t skipped_;
};

bool is_number(std::string_view field) { return number_in<double>(field).has_value(); }

}  // namespace

FeatureFile open_csv_features(const FeatureQuery& query) {
  const auto lines = std::make_shared<CsvLines>(query.file);
  if (!query.array.empty()) {
    throw Error("{}: has no arrays to select from, found ':{}'", lines->name(), query.array);
  }
  const Fields first = lines->fields(0);
  std::vector<std::string> header;
  for (std::size_t j = 0; j < first.size(); ++j) header.push_back(fmt::format("column {}", j + 1));
  // Without a header, only the first field may be a name.
  const bool is_id = first[0].empty() || is_name_column(first[0]);
  const bool has_header =
      is_id || std::any_of(first.begin() + 1, first.end(),
                           [](std::string_view field) { return !is_number(field); });
  bool has_names = is_id || !is_number(first[0]);
  if (has_header) {
    for (std::size_t j = 0; j < first.size(); ++j) {
      header[j] = fmt::format("column '{}'", printable(first[j].substr(0, 40)));
    }
    lines->lines().erase(lines->lines().begin());
    if (lines->size() == 0) fail_as_unknown(lines->name());
    has_names = is_id || !is_number(lines->first_field(0));
  }
  FeatureFile file;
  file.title = lines->name();
  file.rows = lines->size();
  file.columns = header.size() - (has_names ? 1 : 0);
  if (file.columns == 0) fail_as_unknown(file.title);
  for (std::size_t row = 0; has_names && row < file.rows; ++row) {
    stop_if_interrupted();
    file.names.emplace_back(lines->first_field(row));
  }
  file.layout = fmt::format("CSV, {} x {} numbers{}", file.rows, file.columns,
                            has_names ? ", clips by the first column" : "");
  file.source = std::make_shared<CsvRows>(lines, std::move(header), has_names ? 1 : 0);
  return file;
}

}  // namespace manyverbs
