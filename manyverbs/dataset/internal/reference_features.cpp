// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/reference_features.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manyverbs/dataset/internal/feature_files.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// The sources of each stream, in the order of their first files.
std::vector<std::vector<FeatureSource>> by_stream(std::span<const FeatureSource> sources) {
  std::vector<std::vector<FeatureSource>> streams;
  for (const FeatureSource& source : sources) {
    const auto known = std::find_if(streams.begin(), streams.end(), [&](const auto& stream) {
      return stream.front().stream == source.stream;
    });
    if (known == streams.end()) {
      streams.push_back({source});
    } else {
      known->push_back(source);
    }
  }
  return streams;
}

// Row i of the file belongs to the reference id i.
std::vector<FeatureRow> rows_by_position(const FeatureFile& file,
                                         std::span<const std::int64_t> ids) {
  const std::int64_t last = *std::max_element(ids.begin(), ids.end());
  if (std::cmp_greater_equal(last, file.rows)) {
    throw Error(
        "{}: expected at least {} rows, one for each clip in the order of the reference ids, found "
        "{}",
        file.title, last + 1, file.rows);
  }
  std::vector<FeatureRow> rows;
  for (const std::int64_t id : ids) rows.push_back({0, static_cast<std::size_t>(id)});
  return rows;
}

bool is_number(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<FeatureRow> rows_of(std::span<const FeatureFile> files,
                                const std::vector<std::string>& clips,
                                std::span<const std::int64_t> ids) {
  if (files.size() == 1 && files[0].names.empty()) return rows_by_position(files[0], ids);
  const bool are_ids = std::all_of(files.begin(), files.end(), [](const FeatureFile& file) {
    return !file.names.empty() && is_number(file.names.front());
  });
  if (!are_ids) return rows_of_clips(files, clips, "the data set");
  std::vector<std::string> names;
  for (const std::int64_t id : ids) names.push_back(std::to_string(id));
  return rows_of_clips(files, names, "the data set");
}

}  // namespace

std::vector<ImportedStream> import_reference_features(std::span<const FeatureSource> sources,
                                                      const Dataset& dataset,
                                                      std::span<const std::int64_t> ids,
                                                      const std::filesystem::path& folder) {
  std::vector<std::string> clips;
  for (const Clip& clip : dataset.clips) clips.push_back(clip.name);
  const std::filesystem::path place = folder / "features";
  std::filesystem::create_directories(place);
  std::vector<ImportedStream> streams;
  for (const std::vector<FeatureSource>& stream : by_stream(sources)) {
    std::vector<FeatureFile> files;
    std::size_t rows_in_files = 0;
    for (const FeatureSource& source : stream) {
      files.push_back(open_feature_file({source.file, source.array, clips, place}));
      rows_in_files += files.back().rows;
    }
    const std::string& name = stream.front().stream;
    const std::vector<FeatureRow> rows = rows_of(files, clips, ids);
    write_feature_rows(
        files, rows, [&](std::size_t i) { return fmt::format("clip '{}'", clips[i]); },
        place / (name + ".npy"));
    const bool is_half = std::all_of(files.begin(), files.end(), [](const FeatureFile& file) {
      return file.type() == NumberType::Float16;
    });
    streams.push_back({name, rows.size(), files[0].columns,
                       is_half ? NumberType::Float16 : NumberType::Float32, false, files[0].layout,
                       rows_in_files - std::min(rows_in_files, rows.size())});
  }
  return streams;
}

}  // namespace manyverbs
