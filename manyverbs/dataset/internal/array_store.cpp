// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/array_store.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "manyverbs/dataset/internal/npy_header.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/parallel.h"

namespace manyverbs {
namespace {

constexpr std::size_t kTileRows = 64;

// The distance in bytes of neighbours in each dimension.
std::vector<std::ptrdiff_t> strides_of(const StoredArray& array) {
  std::vector<std::ptrdiff_t> strides(array.sizes.size());
  auto stride = static_cast<std::ptrdiff_t>(array.type.bytes);
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const std::size_t at = array.fortran_order ? k : strides.size() - 1 - k;
    strides[at] = stride;
    stride *= array.sizes[at];
  }
  return strides;
}

// The row of a clip; `lead` dimensions before its frames and columns are skipped.
StoredRow stored_row(const StoredArray& array, const RowShape& shape, std::size_t lead) {
  const std::vector<std::ptrdiff_t> strides = strides_of(array);
  StoredRow row{array.data, array.type, shape.frames, shape.columns};
  if (lead < strides.size()) row.column_stride = strides[lead];
  const bool has_frames = lead + 1 < strides.size() &&
                          static_cast<std::size_t>(array.sizes[lead]) == shape.frames &&
                          static_cast<std::size_t>(array.sizes[lead + 1]) == shape.columns;
  if (has_frames) {
    row.frame_stride = strides[lead];
    row.column_stride = strides[lead + 1];
  }
  return row;
}

std::vector<std::int64_t> without_ones_at_end(std::span<const std::int64_t> sizes,
                                              std::size_t least) {
  std::vector<std::int64_t> left(sizes.begin(), sizes.end());
  while (left.size() > least && left.back() == 1) left.pop_back();
  return left;
}

class MatrixRows : public RowSource {
 public:
  explicit MatrixRows(const StoredArray& array) {
    shape_ = *matrix_shape(array.sizes);
    first_ = stored_row(array, shape_, 1);
    row_stride_ = strides_of(array)[0];
  }

  std::optional<double> number(std::size_t row, std::size_t column) const override {
    if (first_.frames > 1) return std::nullopt;
    return number_at({"", first_.type, {1}, false, at(row, column)}, 0);
  }

  NumberType type() const override {
    const bool half = first_.type == ElementType{ElementKind::Float, 2} && first_.frames == 1;
    return half ? NumberType::Float16 : NumberType::Float32;
  }

  void read(std::span<const std::size_t> rows, std::byte* out) const override {
    const bool half = type() == NumberType::Float16;
    const std::size_t bytes = byte_size(type()) * shape_.columns;
    parallel_for(rows.size(), kTileRows, [&](std::size_t from, std::size_t to) {
      // Of column-major data, a tile of rows reads whole cache lines of each column.
      for (std::size_t tile = from; tile < to; tile += kTileRows) {
        const auto part = rows.subspan(tile, std::min(kTileRows, to - tile));
        if (half) {
          read_halves(part, out + tile * bytes);
        } else {
          read_floats(part, reinterpret_cast<float*>(out + tile * bytes));
        }
      }
    });
  }

 private:
  const std::byte* at(std::size_t row, std::size_t column) const {
    return first_.data + static_cast<std::ptrdiff_t>(row) * row_stride_ +
           static_cast<std::ptrdiff_t>(column) * first_.column_stride;
  }

  void read_halves(std::span<const std::size_t> rows, std::byte* out) const {
    for (std::size_t j = 0; j < shape_.columns; ++j) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::memcpy(out + (i * shape_.columns + j) * sizeof(Half), at(rows[i], j), sizeof(Half));
      }
    }
  }

  void read_floats(std::span<const std::size_t> rows, float* out) const {
    const bool by_columns = row_stride_ == static_cast<std::ptrdiff_t>(first_.type.bytes) &&
                            first_.column_stride != row_stride_;
    if (by_columns && first_.frames == 1 && rows.back() - rows.front() == rows.size() - 1 &&
        std::is_sorted(rows.begin(), rows.end())) {
      return read_columns(rows, out);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      StoredRow row = first_;
      row.data = at(rows[i], 0);
      read_stored_row(row, out + i * shape_.columns);
    }
  }

  // Consecutive rows of column-major data.
  void read_columns(std::span<const std::size_t> rows, float* out) const {
    std::array<float, kTileRows> column{};
    StoredRow part = first_;
    part.columns = rows.size();
    part.column_stride = row_stride_;
    for (std::size_t j = 0; j < shape_.columns; ++j) {
      part.data = at(rows.front(), j);
      read_stored_row(part, column.data());
      for (std::size_t i = 0; i < rows.size(); ++i) out[i * shape_.columns + j] = column[i];
    }
  }

  RowShape shape_;
  StoredRow first_;
  std::ptrdiff_t row_stride_ = 0;
};

class ClipRows : public RowSource {
 public:
  void add(const StoredArray& array) {
    const std::size_t lead = array.sizes.size() > 2 && array.sizes[0] == 1 ? 1 : 0;
    rows_.push_back(stored_row(array, *clip_shape(array.sizes), lead));
  }

  void read(std::span<const std::size_t> rows, std::byte* out) const override {
    parallel_for(rows.size(), 16, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const StoredRow& row = rows_[rows[i]];
        read_stored_row(row, reinterpret_cast<float*>(out) + i * row.columns);
      }
    });
  }

 private:
  std::vector<StoredRow> rows_;
};

}  // namespace

std::optional<RowShape> matrix_shape(std::span<const std::int64_t> sizes) {
  const std::vector<std::int64_t> left = without_ones_at_end(sizes, 2);
  const auto size = [&](std::size_t k) { return static_cast<std::size_t>(left[k]); };
  if (left.size() == 2) return RowShape{size(0), 1, size(1)};
  if (left.size() == 3) return RowShape{size(0), size(1), size(2)};
  return std::nullopt;
}

std::optional<RowShape> clip_shape(std::span<const std::int64_t> sizes) {
  if (sizes.size() > 2 && sizes[0] == 1) sizes = sizes.subspan(1);
  const std::vector<std::int64_t> left = without_ones_at_end(sizes, sizes.size() > 2 ? 1 : 2);
  const auto size = [&](std::size_t k) { return static_cast<std::size_t>(left[k]); };
  if (left.size() == 1) return RowShape{1, 1, size(0)};
  if (left.size() == 2) return RowShape{1, size(0), size(1)};
  return std::nullopt;
}

std::optional<std::vector<std::string>> MappedStore::texts(std::size_t array) const {
  const auto found = lists_.find(array);
  if (found != lists_.end()) return found->second;
  return texts_of(arrays[array]);
}

std::shared_ptr<const RowSource> MappedStore::matrix(std::size_t array) {
  return std::make_shared<MatrixRows>(arrays[array]);
}

std::shared_ptr<const RowSource> MappedStore::clips(std::span<const std::size_t> which) {
  auto rows = std::make_shared<ClipRows>();
  for (const std::size_t array : which) rows->add(arrays[array]);
  return rows;
}

void MappedStore::add_texts(const std::string& name, std::vector<std::string> list) {
  const auto count = static_cast<std::int64_t>(list.size());
  lists_[arrays.size()] = std::move(list);
  arrays.push_back({name, {ElementKind::Text, 4}, {count}, false, nullptr});
}

std::unique_ptr<ArrayStore> open_npy(const std::filesystem::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  auto store = std::make_unique<MappedStore>(path.string(), "NPY");
  store->keep(file);
  add_npy(file->bytes(), "array", store.get());
  return store;
}

void add_npy(std::span<const std::byte> bytes, const std::string& array, MappedStore* store) {
  const std::string title = array == "array" ? store->file : store->file + ":" + array;
  const NpyHeader header = read_npy_header(bytes, title);
  const std::span<const std::byte> data = bytes.subspan(header.length);
  if (header.code == "|O") {
    store->format += " with a pickle";
    return add_pickle({reinterpret_cast<const char*>(data.data()), data.size()}, store);
  }
  const auto type = numpy_element(header.code);
  if (!type) {
    throw Error("{}: expected float16, float32 or float64 (little-endian), found '{}'", title,
                printable(header.code));
  }
  const auto expected = byte_count(*type, header.sizes);
  if (!expected || data.size() < *expected) {
    const std::size_t present = data.size() / type->bytes;
    throw Error("{}: the file is truncated: expected {} {}, found {} of {} numbers", title,
                shape_text(header.sizes), element_name(*type), present,
                expected ? std::to_string(*expected / type->bytes) : "very many");
  }
  store->arrays.push_back({array, *type, header.sizes, header.fortran_order, data.data()});
}

}  // namespace manyverbs
