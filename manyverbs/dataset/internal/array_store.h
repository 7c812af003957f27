// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/internal/stored_array.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {

/// The arrays in a file, by name, whatever its format. Reading a file means to list its arrays;
/// numbers are read on demand.

/// The meaning of the dimensions of features. Dimensions of size 1 at the end are ignored.
struct RowShape {
  std::size_t rows = 0;
  std::size_t frames = 1;
  std::size_t columns = 0;
};
/// N x D, or N x T x D with T frames per row; nothing for other numbers of dimensions.
std::optional<RowShape> matrix_shape(std::span<const std::int64_t> sizes);
/// One clip: D, or T x D.
std::optional<RowShape> clip_shape(std::span<const std::int64_t> sizes);

/// Rows of numbers in a file.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Float32, or Float16 if that is how the file stores them.
  virtual NumberType type() const { return NumberType::Float32; }
  /// Reads the given rows, one after the other, as type(). Frames are averaged. Throws Error if the
  /// file is damaged.
  virtual void read(std::span<const std::size_t> rows, std::byte* out) const = 0;
  /// A number before its conversion to type(), for messages; nothing if only read() knows it.
  virtual std::optional<double> number(std::size_t /*row*/, std::size_t /*column*/) const {
    return std::nullopt;
  }
};

class ArrayStore {
 public:
  ArrayStore(std::string file_name, std::string format_name)
      : file(std::move(file_name)), format(std::move(format_name)) {}
  virtual ~ArrayStore() = default;

  std::string file;    ///< for messages
  std::string format;  ///< "NPZ"
  std::vector<StoredArray> arrays;
  bool is_list = false;  ///< the names of the arrays are only their positions
  /// Messages about the parts of the file that were left out, by their names.
  std::map<std::string, std::string> problems;

  /// The elements of an array of one dimension; nothing if they are not texts or whole numbers.
  virtual std::optional<std::vector<std::string>> texts(std::size_t array) const = 0;
  /// The rows of an array with a matrix_shape().
  virtual std::shared_ptr<const RowSource> matrix(std::size_t array) = 0;
  /// One row per array, each with a clip_shape() of the same number of columns.
  virtual std::shared_ptr<const RowSource> clips(std::span<const std::size_t> which) = 0;
};

/// Arrays whose elements are in memory, usually in a mapped file.
class MappedStore : public ArrayStore {
 public:
  using ArrayStore::ArrayStore;

  std::optional<std::vector<std::string>> texts(std::size_t array) const override;
  std::shared_ptr<const RowSource> matrix(std::size_t array) override;
  std::shared_ptr<const RowSource> clips(std::span<const std::size_t> which) override;

  /// Adds a list of texts as an array of one dimension.
  void add_texts(const std::string& name, std::vector<std::string> list);
  /// Whether an array is such a list.
  bool has_added_texts(std::size_t array) const { return lists_.contains(array); }
  /// Keeps bytes that the arrays point into.
  void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

 private:
  std::map<std::size_t, std::vector<std::string>> lists_;
  std::vector<std::shared_ptr<const void>> owners_;
};

/// The readers of the formats. Each throws Error if the file is truncated, damaged, or not of this
/// format. `scratch` is a folder for what must be unpacked; nothing remains there.
std::unique_ptr<ArrayStore> open_npy(const std::filesystem::path& path);
std::unique_ptr<ArrayStore> open_pickle(const std::filesystem::path& path);
std::unique_ptr<ArrayStore> open_safetensors(const std::filesystem::path& path);
std::unique_ptr<ArrayStore> open_hdf5(const std::filesystem::path& path);
std::unique_ptr<ArrayStore> open_npz(const std::filesystem::path& path,
                                     const std::filesystem::path& scratch);

/// Adds the array of an NPY file, or the pickle inside of it; its bytes must be kept by the store.
void add_npy(std::span<const std::byte> bytes, const std::string& array, MappedStore* store);

/// Adds the arrays of the pickle in `bytes` to a store that keeps the bytes: the values of a
/// dictionary by their keys, those of nested dictionaries by paths such as "P01_01/rgb", those of a
/// list by their positions. Throws Error if it refers to functions other than those that NumPy
/// needs; nothing is executed.
void add_pickle(std::string_view bytes, MappedStore* store);

}  // namespace manyverbs
