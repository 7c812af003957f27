// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/feature_files.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "manyverbs/dataset/internal/feature_layout.h"
#include "manyverbs/dataset/internal/npy_header.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr std::size_t kBlockBytes = 32 << 20;

// Reads rows of several files as float.
class RowReader {
 public:
  explicit RowReader(std::span<const FeatureFile> files) : files_(files) {}

  bool all_half() const {
    return std::all_of(files_.begin(), files_.end(),
                       [](const FeatureFile& file) { return file.type() == NumberType::Float16; });
  }

  // As float16 if all files are, otherwise as float32. Consecutive rows of a file are read at once.
  void read(std::span<const FeatureRow> rows, std::byte* out) const {
    const std::size_t columns = files_[0].columns;
    const bool half = all_half();
    std::vector<std::size_t> part;
    for (std::size_t begin = 0; begin < rows.size();) {
      const FeatureFile& file = files_[rows[begin].file];
      part.clear();
      std::size_t end = begin;
      for (; end < rows.size() && rows[end].file == rows[begin].file; ++end) {
        part.push_back(rows[end].row);
      }
      std::byte* place = out + begin * columns * (half ? sizeof(Half) : sizeof(float));
      if (!half && file.type() == NumberType::Float16) {
        read_as_float(file, part, reinterpret_cast<float*>(place));
      } else {
        file.source->read(part, place);
      }
      begin = end;
    }
  }

  std::vector<float> row(const FeatureRow& which) const {
    const FeatureFile& file = files_[which.file];
    std::vector<float> numbers(file.columns);
    if (file.type() == NumberType::Float16) {
      read_as_float(file, {&which.row, 1}, numbers.data());
    } else {
      file.source->read({&which.row, 1}, reinterpret_cast<std::byte*>(numbers.data()));
    }
    return numbers;
  }

 private:
  static void read_as_float(const FeatureFile& file, std::span<const std::size_t> rows,
                            float* out) {
    std::vector<Half> halves(rows.size() * file.columns);
    file.source->read(rows, reinterpret_cast<std::byte*>(halves.data()));
    std::transform(halves.begin(), halves.end(), out, to_float);
  }

  std::span<const FeatureFile> files_;
};

// 1 for each row with a number that is not finite.
std::vector<char> rows_with_bad_numbers(const std::byte* numbers, bool half, std::size_t rows,
                                        std::size_t columns) {
  std::vector<char> bad(rows);
  parallel_for(rows, 16, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (half) {
        const auto* row = reinterpret_cast<const Half*>(numbers) + i * columns;
        bad[i] =
            std::any_of(row, row + columns, [](Half x) { return (x.bits & 0x7c00U) == 0x7c00U; });
      } else {
        // x * 0 is NaN for NaN and infinity; sums are faster than a search.
        const auto* row = reinterpret_cast<const float*>(numbers) + i * columns;
        float sum = 0;
        for (std::size_t j = 0; j < columns; ++j) sum += row[j] * 0.0F;
        bad[i] = sum != 0.0F;
      }
    }
  });
  return bad;
}

void check_same_columns(std::span<const FeatureFile> files) {
  for (const FeatureFile& file : files) {
    if (file.columns != files[0].columns) {
      throw Error("{}: expected {} columns as in {}, found {}", file.title, files[0].columns,
                  files[0].title, file.columns);
    }
  }
}

std::vector<FeatureRow> rows_in_order(const FeatureFile& file, std::size_t count,
                                      const std::string& table) {
  if (file.rows != count) {
    throw Error("{}: expected {} rows, one per clip in {}, found {}", file.title, count, table,
                file.rows);
  }
  std::vector<FeatureRow> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = {0, i};
  return rows;
}

// HDF5 files may start with other data of 512, 1024, 2048 … bytes.
bool is_hdf5(std::string_view bytes) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  for (std::size_t at = 0; at < bytes.size(); at = at == 0 ? 512 : 2 * at) {
    if (bytes.substr(at).starts_with(kSignature)) return true;
  }
  return false;
}

// The length of a header, and its first character.
bool is_safetensors(std::string_view bytes) {
  std::uint64_t length = 0;
  if (bytes.size() <= sizeof length || bytes[sizeof length] != '{') return false;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length < (std::uint64_t{1} << 32);
}

FeatureFile open_by_content(const FeatureQuery& query) {
  const MappedFile mapped(query.file);
  const std::string_view bytes(reinterpret_cast<const char*>(mapped.bytes().data()),
                               mapped.bytes().size());
  if (bytes.empty()) throw Error("{}: is empty", query.file.string());
  if (bytes.starts_with(kNpyMagic)) return find_features(open_npy(query.file), query);
  if (bytes.starts_with("PK")) return find_features(open_npz(query.file, query.scratch), query);
  if (is_hdf5(bytes)) return find_features(open_hdf5(query.file), query);
  if (is_safetensors(bytes)) return find_features(open_safetensors(query.file), query);
  if (bytes.starts_with('\x80')) return find_features(open_pickle(query.file), query);
  return open_csv_features(query);
}

}  // namespace

FeatureFile open_feature_file(const FeatureQuery& query) {
  FeatureFile file = open_by_content(query);
  file.numbered = !file.names.empty();
  for (std::size_t i = 0; i < file.names.size() && file.numbered; ++i) {
    file.numbered = file.names[i] == std::to_string(i);
  }
  return file;
}

std::vector<FeatureRow> rows_of_clips(std::span<const FeatureFile> files,
                                      std::span<const std::string> clips,
                                      const std::string& table) {
  if (files.size() == 1 && files[0].names.empty()) {
    return rows_in_order(files[0], clips.size(), table);
  }
  const RowReader reader(files);
  std::unordered_map<std::string_view, std::size_t> position;
  for (std::size_t i = 0; i < clips.size(); ++i) position.emplace(clips[i], i);
  std::vector<FeatureRow> rows(clips.size());
  std::vector<char> found(clips.size());
  std::vector<std::string> others;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (files[k].names.empty()) {
      throw Error("{}: has no names of clips, so that it cannot be joined with {}", files[k].title,
                  files[k == 0 ? 1 : 0].title);
    }
    for (std::size_t row = 0; row < files[k].names.size(); ++row) {
      const auto clip = position.find(files[k].names[row]);
      if (clip == position.end()) {
        others.push_back(files[k].names[row]);
      } else if (!found[clip->second]) {
        found[clip->second] = 1;
        rows[clip->second] = {k, row};
      } else if (reader.row(rows[clip->second]) != reader.row({k, row})) {
        throw Error("{}: row {}: the clip '{}' has other features in row {} of {}", files[k].title,
                    row, printable(files[k].names[row]), rows[clip->second].row,
                    files[rows[clip->second].file].title);
      }
    }
  }
  const auto missing = static_cast<std::size_t>(std::count(found.begin(), found.end(), 0));
  if (missing == 0) return rows;
  if (missing == clips.size() && files.size() == 1 && files[0].numbered) {
    return rows_in_order(files[0], clips.size(), table);
  }
  const std::string& first = clips[std::find(found.begin(), found.end(), 0) - found.begin()];
  throw Error("{}: has no row for {} of {} clips in {}, such as '{}'{}", files[0].title, missing,
              clips.size(), table, printable(first),
              others.empty() ? "" : fmt::format("; its names are like '{}'", printable(others[0])));
}

void write_feature_rows(std::span<const FeatureFile> files, std::span<const FeatureRow> rows,
                        const std::function<std::string(std::size_t)>& clip_of,
                        const std::filesystem::path& npy) {
  check_same_columns(files);
  const RowReader reader(files);
  const bool half = reader.all_half();
  const std::size_t columns = files[0].columns;
  const std::size_t row_bytes = columns * (half ? sizeof(Half) : sizeof(float));
  const std::size_t block = std::max<std::size_t>(1, kBlockBytes / row_bytes);
  std::vector<std::byte> numbers(std::min(block, rows.size()) * row_bytes);
  std::optional<ArrayWriter> writer;
  if (!npy.empty()) {
    writer.emplace(npy, half ? NumberType::Float16 : NumberType::Float32, rows.size(), columns);
  }
  Progress progress(files[0].title, static_cast<std::int64_t>(rows.size()));
  for (std::size_t begin = 0; begin < rows.size(); begin += block) {
    stop_if_interrupted();
    const auto part = rows.subspan(begin, std::min(block, rows.size() - begin));
    reader.read(part, numbers.data());
    const std::vector<char> bad = rows_with_bad_numbers(numbers.data(), half, part.size(), columns);
    const auto first = std::find(bad.begin(), bad.end(), 1);
    if (first != bad.end()) {
      const auto at = static_cast<std::size_t>(first - bad.begin());
      const std::vector<float> row = reader.row(part[at]);
      const auto number =
          std::find_if(row.begin(), row.end(), [](float x) { return !std::isfinite(x); });
      const FeatureFile& file = files[part[at].file];
      const auto column = static_cast<std::size_t>(number - row.begin());
      const double value = file.source->number(part[at].row, column).value_or(*number);
      throw Error("{}: row {} ({}), column {}: expected a finite {}, found {}", file.title,
                  part[at].row, clip_of(begin + at), column,
                  std::isfinite(value) ? "float32" : "number", value);
    }
    if (writer) writer->write(numbers.data(), part.size() * columns);
    progress.advance(static_cast<std::int64_t>(part.size()));
  }
  if (writer) writer->commit();
}

}  // namespace manyverbs
