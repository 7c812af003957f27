// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/shared_rows.h"

#include <set>
#include <tuple>
#include <unordered_map>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/internal/shared_data.h"

namespace manyverbs {
namespace {

// The part of a record that depends neither on the clips nor on where files are.
Json recipe_in(Json record) {
  for (const char* key : {"weights", "skipped", "contents", "clips", "clips_stamp"}) {
    record.erase(key);
  }
  return record;
}

// Whether two clips are the same part of a video.
bool is_same_part(const Clip& a, const Clip& b) {
  return std::tie(a.name, a.start, a.stop, a.start_frame, a.stop_frame, a.frame_rate) ==
         std::tie(b.name, b.start, b.stop, b.start_frame, b.stop_frame, b.frame_rate);
}

// The rows of a data set that can be copied, by the name of the clip.
std::unordered_map<std::string, std::size_t> usable_rows(const Dataset& other, const Json& record) {
  std::unordered_map<std::string, std::size_t> rows;
  const auto skipped = record.value("skipped", std::set<std::string>());
  for (std::size_t i = 0; i < other.clips.size(); ++i) {
    if (!skipped.contains(other.clips[i].name)) rows.emplace(other.clips[i].name, i);
  }
  return rows;
}

void take_rows_of(const std::filesystem::path& folder, const Dataset& dataset,
                  const std::filesystem::path& name, const Json& record,
                  const std::vector<std::string>& contents, std::size_t row_bytes,
                  RowStore* store) {
  const std::filesystem::path file = folder / "features" / name;
  const std::filesystem::path record_file = std::filesystem::path(file).replace_extension(".json");
  if (!std::filesystem::exists(file) || !std::filesystem::exists(record_file)) return;
  const Json found = read_json(record_file);
  if (recipe_in(found) != recipe_in(record)) return;
  const Dataset other = read_dataset(folder);
  const ArrayFile array(file);
  const auto then = found.value("contents", std::vector<std::string>());
  if (array.rows() != other.clips.size() || then.size() != other.clips.size() ||
      array.columns() * byte_size(array.type()) != row_bytes) {
    return;
  }
  const auto rows = usable_rows(other, found);
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    if (store->has(i) || contents[i].empty()) continue;
    const auto row = rows.find(dataset.clips[i].name);
    if (row == rows.end() || then[row->second] != contents[i]) continue;
    if (!is_same_part(dataset.clips[i], other.clips[row->second])) continue;
    store->put(i, array.data() + row->second * row_bytes);
  }
}

}  // namespace

void take_shared_rows(const Dataset& dataset, const std::filesystem::path& file, const Json& record,
                      const std::vector<std::string>& contents, std::size_t row_bytes,
                      RowStore* store) {
  for (const std::filesystem::path& folder : sharing_datasets(dataset)) {
    take_rows_of(folder, dataset, file, record, contents, row_bytes, store);
  }
}

}  // namespace manyverbs
