// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/class_list.h"

#include <array>
#include <utility>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kColumns = {
    {{"id", "name"}, {"id", "key"}, {"Index", "Name"}}};

std::map<ClassId, std::string> names_in_lines(std::string_view text) {
  std::map<ClassId, std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view name = trimmed(text.substr(0, end));
    if (!name.empty()) names.emplace(static_cast<ClassId>(names.size()), name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

}  // namespace

std::map<ClassId, std::string> read_class_list(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  const std::string_view first = std::string_view(text).substr(0, text.find('\n'));
  std::map<ClassId, std::string> names;
  if (first.find(',') == std::string_view::npos) {
    names = names_in_lines(text);
  } else {
    const CsvTable table = parse_csv(text, path);
    int id_column = -1;
    int name_column = -1;
    for (const auto& [id, name] : kColumns) {
      if (table.find_column(id) < 0 || table.find_column(name) < 0) continue;
      id_column = table.find_column(id);
      name_column = table.find_column(name);
      break;
    }
    if (id_column < 0) {
      throw Error("{}: expected the columns id and name, id and key, or Index and Name",
                  path.string());
    }
    for (const CsvRow& row : table.rows) {
      const auto id = number_in<ClassId>(row.fields[id_column]);
      if (!id || *id < 0) {
        throw Error("{}:{}: expected a class id, found '{}'", path.string(), row.line,
                    printable(row.fields[id_column]));
      }
      if (!names.emplace(*id, trimmed(row.fields[name_column])).second) {
        throw Error("{}:{}: duplicate class id {}", path.string(), row.line, *id);
      }
    }
  }
  if (names.empty()) throw Error("{}: contains no classes", path.string());
  return names;
}

}  // namespace manyverbs
