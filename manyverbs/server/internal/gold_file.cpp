// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/gold_file.h"

#include <algorithm>
#include <map>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

std::vector<ClassId> labels_in(const std::string& text, const Vocabulary& classes,
                               const std::string& where) {
  std::vector<ClassId> labels;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    const std::string name(trimmed(text.substr(at, end - at)));
    const ClassId label = classes.find(name);
    if (label < 0) throw Error("{}: '{}' is not a class of the data set", where, name);
    labels.push_back(label);
    at = end + 1;
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

}  // namespace

bool GoldFile::contains(ClipRow clip) const {
  return std::find(clips.begin(), clips.end(), clip) != clips.end();
}

GoldFile read_gold_file(const std::filesystem::path& path, const Dataset& dataset) {
  const CsvTable table = read_csv(path);
  const int clip = table.column("clip");
  const int labels = table.column("labels");
  std::map<std::string, ClipRow> rows;
  for (const ClipRow row : first_rows(dataset.clips.size())) rows[dataset.clip(row).name] = row;
  GoldFile file;
  file.hash = std::stoull(text_hash(read_file(path)).substr(0, 15), nullptr, 16);
  for (const CsvRow& row : table.rows) {
    const std::string where = fmt::format("{}:{}", path.string(), row.line);
    const std::string& name = row.fields[clip];
    const auto found = rows.find(name);
    if (found == rows.end()) {
      throw Error("{}: {} has no clip '{}'", where, dataset.folder.string(), name);
    }
    if (file.contains(found->second)) throw Error("{}: clip '{}' is given twice", where, name);
    file.clips.push_back(found->second);
    file.labels.push_back(labels_in(row.fields[labels], dataset.classes, where));
  }
  return file;
}

}  // namespace manyverbs
