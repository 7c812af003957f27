// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/vocabulary.h"

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

// Names are written to JSON files, which must be UTF-8.
bool is_utf8(const std::string& text) {
  try {
    return !Json(text).dump().empty();
  } catch (const Json::type_error&) {
    return false;
  }
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> names) : names_(std::move(names)) {
  for (ClassId id = 0; id < size(); ++id) {
    const std::string& name = names_[id];
    if (name.empty()) throw Error("class {} has no name", id);
    if (!is_utf8(name)) throw Error("the name of class {}, '{}', is not UTF-8 text", id, name);
    if (name.find(';') != std::string::npos) {
      throw Error("the name of class {}, '{}', contains a ';', which separates labels", id, name);
    }
    const auto [earlier, is_new] = ids_.emplace(name, id);
    if (!is_new)
      throw Error("classes {} and {} have the same name '{}'", earlier->second, id, name);
  }
}

ClassId Vocabulary::find(std::string_view name) const {
  const auto found = ids_.find(std::string(name));
  return found == ids_.end() ? -1 : found->second;
}

Vocabulary read_vocabulary(const std::filesystem::path& path) {
  const CsvTable table = read_csv(path);
  const int id_column = table.column("id");
  const int name_column = table.column("name");
  std::vector<std::string> names;
  for (const CsvRow& row : table.rows) {
    if (row.fields[id_column] != std::to_string(names.size())) {
      throw Error("{}:{}: expected class id {}, found '{}'; ids must be 0, 1, 2 …", path.string(),
                  row.line, names.size(), row.fields[id_column]);
    }
    names.emplace_back(trimmed(row.fields[name_column]));
  }
  if (names.empty()) throw Error("{}: contains no classes", path.string());
  try {
    return Vocabulary(std::move(names));
  } catch (const Error& problem) {
    throw Error("{}: {}", path.string(), problem.what());
  }
}

void write_vocabulary(const std::filesystem::path& path, const Vocabulary& classes) {
  std::string text = "id,name\n";
  for (ClassId id = 0; id < classes.size(); ++id) {
    text += csv_line({std::to_string(id), classes.name(id)});
  }
  write_file(path, text);
}

}  // namespace manyverbs
