// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/reference_features.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/ranges.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs {
namespace {

// Rows of features by reference id, of a file of any format.
struct ReferenceRows {
  std::string title;  ///< for messages
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool is_half = false;
  std::function<void(std::size_t row, float* out)> read;
  std::function<const void*(std::size_t row)> halves;  ///< the bytes of a row of float16
};

// The array of an NPZ file; the only one if none is selected.
std::string array_in(const FeatureSource& source) {
  const std::vector<std::string> arrays = npz_members(source.file);
  const bool is_there = std::find(arrays.begin(), arrays.end(), source.array) != arrays.end();
  if (is_there || (source.array.empty() && arrays.size() == 1)) {
    return is_there ? source.array : arrays.front();
  }
  throw Error("{}: expected one of the arrays {}; select one: {}:NAME", source.file.string(),
              fmt::join(arrays, ", "), source.file.string());
}

// Opens an NPY or NPZ file; an array of an NPZ file is unpacked to `place`, which the result of the
// import replaces.
ReferenceRows open_rows(const FeatureSource& source, const std::filesystem::path& place) {
  ReferenceRows rows;
  std::filesystem::path file = source.file;
  rows.title = file.string();
  if (file.extension() == ".npz") {
    const std::string array = array_in(source);
    rows.title += ":" + array;
    unpack_npz(file, array, place);
    file = place;
  }
  const auto array = std::make_shared<const ArrayFile>(file);
  rows.rows = array->rows();
  rows.columns = array->columns();
  rows.is_half = array->type() == NumberType::Float16;
  rows.read = [array](std::size_t row, float* out) { array->read_row(row, out); };
  rows.halves = [array](std::size_t row) {
    return array->data() + row * array->columns() * sizeof(Half);
  };
  return rows;
}

void check_row(const ReferenceRows& rows, std::int64_t id, const Clip& clip,
               std::span<const float> numbers) {
  const auto bad = std::find_if(numbers.begin(), numbers.end(),
                                [](float number) { return !std::isfinite(number); });
  if (bad == numbers.end()) return;
  throw Error("{}: row {} (clip '{}'), column {}: expected a finite number, found {}", rows.title,
              id, clip.name, bad - numbers.begin(), *bad);
}

ImportedStream import_rows(const FeatureSource& source, const Dataset& dataset,
                           std::span<const std::int64_t> ids, const std::filesystem::path& folder) {
  const std::filesystem::path place = folder / (source.stream + ".npy");
  const ReferenceRows rows = open_rows(source, place);
  const std::int64_t last = *std::max_element(ids.begin(), ids.end());
  if (std::cmp_greater_equal(last, rows.rows)) {
    throw Error(
        "{}: expected at least {} rows, one for each clip in the order of the reference "
        "ids, found {}",
        rows.title, last + 1, rows.rows);
  }
  const NumberType type = rows.is_half ? NumberType::Float16 : NumberType::Float32;
  ArrayWriter writer(place, type, ids.size(), rows.columns);
  Progress progress(rows.title, std::ssize(ids));
  std::vector<float> numbers(rows.columns);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    stop_if_interrupted();
    const auto row = static_cast<std::size_t>(ids[i]);
    rows.read(row, numbers.data());
    check_row(rows, ids[i], dataset.clips[i], numbers);
    writer.write(rows.is_half ? rows.halves(row) : numbers.data(), numbers.size());
    progress.advance();
  }
  writer.commit();
  return {source.stream, ids.size(), rows.columns, type, false};
}

}  // namespace

std::vector<ImportedStream> import_reference_features(std::span<const FeatureSource> sources,
                                                      const Dataset& dataset,
                                                      std::span<const std::int64_t> ids,
                                                      const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::vector<ImportedStream> streams;
  for (const FeatureSource& source : sources) {
    if (!names.insert(source.stream).second) {
      throw Error("duplicate feature stream '{}'; rename one with NAME={}", source.stream,
                  source.file.string());
    }
    std::filesystem::create_directories(folder / "features");
    streams.push_back(import_rows(source, dataset, ids, folder / "features"));
  }
  return streams;
}

}  // namespace manyverbs
