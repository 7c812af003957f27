// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs {

/// CSV tables: RFC 4180 with a header line. Quoted fields may contain commas, quotes and line
/// breaks; a byte-order mark and CRLF are accepted; blank lines are ignored.

struct CsvRow {
  int line = 0;  ///< first line of the row in its file, from 1
  std::vector<std::string> fields;
};

struct CsvTable {
  std::filesystem::path path;
  std::vector<std::string> header;
  std::vector<CsvRow> rows;

  /// The index of a column, or -1.
  int find_column(std::string_view name) const;
  /// The index of a column; throws Error with the existing columns and a suggestion.
  int column(std::string_view name) const;
};

/// Throws Error with file and line for an unclosed quote, a wrong number of fields, a duplicate
/// column, a separator other than comma, or a file without a header.
CsvTable read_csv(const std::filesystem::path& path);
CsvTable parse_csv(std::string_view text, const std::filesystem::path& path);

/// One line with its line break; fields are quoted only if necessary. {"a", "b,c"} gives a,"b,c".
std::string csv_line(const std::vector<std::string>& fields);

/// The text without surrounding white space: "cut" for " cut\t".
std::string_view trimmed(std::string_view text);

}  // namespace manyverbs
