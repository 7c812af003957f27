// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/csv.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/ranges.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

// Parses rows; line numbers include line breaks inside quotes.
class CsvParser {
 public:
  CsvParser(std::string_view text, const std::filesystem::path& path) : text_(text), path_(path) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  std::optional<CsvRow> next() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) skip_line_break();
    if (at_ >= text_.size()) return std::nullopt;
    CsvRow row{line_, {}};
    while (true) {
      row.fields.push_back(field());
      if (at_ >= text_.size()) return row;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      skip_line_break();
      return row;
    }
  }

 private:
  std::string field() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted_field();
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string value(text_.substr(at_, end - at_));
    at_ = end;
    return value;
  }

  std::string quoted_field() {
    const int opened = line_;
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          ++at_;
        } else {
          ++at_;
          if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\r' && text_[at_] != '\n') {
            throw Error(
                "{}:{}: unexpected text after a closing quote; use \"\" for a quote inside a field",
                path_.string(), line_);
          }
          return value;
        }
      } else if (text_[at_] == '\n') {
        ++line_;
      }
      value += text_[at_];
    }
    throw Error("{}:{}: unclosed quoted field", path_.string(), opened);
  }

  void skip_line_break() {
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

int CsvTable::find_column(std::string_view name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

int CsvTable::column(std::string_view name) const {
  const int found = find_column(name);
  if (found < 0) {
    throw Error("{}:1: missing column '{}'; found {}{}", path.string(), name,
                fmt::join(header, ", "), did_you_mean(name, header));
  }
  return found;
}

namespace {

// Spreadsheets in many European countries use semicolons.
void refuse_other_separators(const std::string& header, const std::filesystem::path& path) {
  for (const auto& [separator, name] : {std::pair(';', "';'"), std::pair('\t', "tabs")}) {
    if (header.find(separator) != std::string::npos) {
      throw Error("{}:1: expected columns separated by commas, found {}", path.string(), name);
    }
  }
}

}  // namespace

CsvTable parse_csv(std::string_view text, const std::filesystem::path& path) {
  CsvParser parser(text, path);
  CsvTable table{path, {}, {}};
  auto header = parser.next();
  if (!header) throw Error("{}: the file is empty, expected a header line", path.string());
  table.header = std::move(header->fields);
  if (table.header.size() == 1) refuse_other_separators(table.header[0], path);
  for (auto name = table.header.begin(); name != table.header.end(); ++name) {
    if (std::find(table.header.begin(), name, *name) != name) {
      throw Error("{}:1: duplicate column '{}'", path.string(), *name);
    }
  }
  while (auto row = parser.next()) {
    if (row->fields.size() != table.header.size()) {
      throw Error("{}:{}: expected {} fields as in the header, found {}", path.string(), row->line,
                  table.header.size(), row->fields.size());
    }
    table.rows.push_back(std::move(*row));
  }
  return table;
}

CsvTable read_csv(const std::filesystem::path& path) { return parse_csv(read_file(path), path); }

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    // A single empty field would be read back as a blank line.
    const bool must_quote = fields[i].find_first_of(",\"\r\n") != std::string::npos ||
                            (fields.size() == 1 && fields[i].empty());
    if (!must_quote) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (const char c : fields[i]) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  return line + '\n';
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace manyverbs
