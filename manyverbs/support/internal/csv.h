// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs {

/// Tables as text: RFC 4180 with a header line. Fields may be quoted and then hold commas, quotes
/// and line breaks; a byte-order mark and CRLF are accepted; blank lines are passed over.

struct CsvRow {
  int line = 0;  ///< where the row starts in its file, counted from 1
  std::vector<std::string> fields;
};

struct CsvTable {
  std::filesystem::path path;
  std::vector<std::string> header;
  std::vector<CsvRow> rows;

  /// The position of a column, or -1.
  int find_column(std::string_view name) const;
  /// The position of a column; throws Error with the columns there are and the nearest spelling.
  int column(std::string_view name) const;
};

/// Throws Error with file and line for an unclosed quote, a row whose number of fields differs from
/// the header's, a repeated column, other separators than commas, or a file without a header.
CsvTable read_csv(const std::filesystem::path& path);
CsvTable parse_csv(std::string_view text, const std::filesystem::path& path);

/// One line with its line break; fields are quoted only where they must be.
/// {"a", "b,c"} gives a,"b,c".
std::string csv_line(const std::vector<std::string>& fields);

/// A text without the white space around it: "cut" of " cut\t".
std::string_view trimmed(std::string_view text);

}  // namespace manyverbs
