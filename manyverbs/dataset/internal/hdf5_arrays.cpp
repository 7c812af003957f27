// SPDX-License-Identifier: MIT
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "manyverbs/dataset/internal/array_store.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {
namespace {

constexpr std::size_t kChunkCacheBytes = 64 << 20;
constexpr std::size_t kReadBytes = 8 << 20;
// No compression of the library reaches more.
constexpr std::size_t kMostCompressed = 1100;

// A handle of the library, closed at the end.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  operator hid_t() const { return id_; }
  bool is_valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The library prints errors and loads plugins unless told otherwise.
void prepare_library() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);
}

// The innermost description of the last error.
std::string last_error() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        auto& found = *static_cast<std::string*>(out);
        if (found.empty() && error->desc != nullptr) found = error->desc;
        return 0;
      },
      &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "is damaged" : "is damaged: " + printable(text);
}

// The file and what is needed to read its data sets; shared by the store and its rows.
class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path)
      : name(path.string()), bytes(std::filesystem::file_size(path)), file_(open(path)) {}

  std::string name;
  std::size_t bytes;

  hid_t id() const { return file_; }

  [[noreturn]] void fail(const std::string& set) const {
    throw Error("{}: '{}' {}", name, printable(set), last_error());
  }

  Handle open_set(const std::string& set) const {
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(access, 12421, kChunkCacheBytes, 1.0);
    Handle opened(H5Dopen2(file_, set.c_str(), access), H5Dclose);
    if (!opened.is_valid()) fail(set);
    return opened;
  }

 private:
  static Handle open(const std::filesystem::path& path) {
    prepare_library();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // Locks fail on some read-only and network file systems.
    H5Pset_file_locking(access, 0, 1);
    Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    if (!file.is_valid()) throw Error("{}: {}", path.string(), last_error());
    return file;
  }

  Handle file_;
};

std::optional<ElementType> element_of(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  const bool is_usual = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      if (!is_usual || bytes == 1) return std::nullopt;
      return ElementType{ElementKind::Float, bytes};
    case H5T_INTEGER:
      if (!is_usual) return std::nullopt;
      return ElementType{
          H5Tget_sign(type) == H5T_SGN_NONE ? ElementKind::Unsigned : ElementKind::Int, bytes};
    case H5T_STRING:
      if (bytes == 0) return std::nullopt;
      return ElementType{ElementKind::Bytes, bytes};
    default:
      return std::nullopt;
  }
}

// Reads rows in runs of consecutive ones.
class Hdf5Rows : public RowSource {
 public:
  Hdf5Rows(std::shared_ptr<const Hdf5File> file, const StoredArray& array)
      : file_(std::move(file)),
        set_(array.name),
        sizes_(array.sizes),
        shape_(*matrix_shape(array.sizes)),
        in_double_(array.type.bytes == 8),
        opened_(file_->open_set(set_)) {}

  void read(std::span<const std::size_t> rows, std::byte* out) const override {
    auto* place = reinterpret_cast<float*>(out);
    const std::size_t row_bytes = shape_.frames * shape_.columns * (in_double_ ? 8 : 4);
    if (row_bytes == 0) return;  // without columns
    const std::size_t most = std::max<std::size_t>(1, kReadBytes / row_bytes);
    for (std::size_t i = 0; i < rows.size();) {
      stop_if_interrupted();
      std::size_t count = 1;
      while (count < most && i + count < rows.size() && rows[i + count] == rows[i] + count) ++count;
      read_run(rows[i], count, row_bytes, place + i * shape_.columns);
      i += count;
    }
  }

 private:
  void read_run(std::size_t first, std::size_t count, std::size_t row_bytes, float* out) const {
    std::vector<hsize_t> starts(sizes_.size());
    std::vector<hsize_t> counts(sizes_.begin(), sizes_.end());
    starts[0] = first;
    counts[0] = count;
    const Handle space(H5Dget_space(opened_), H5Sclose);
    const Handle memory(H5Screate_simple(static_cast<int>(counts.size()), counts.data(), nullptr),
                        H5Sclose);
    std::vector<std::byte> numbers(count * row_bytes);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, starts.data(), nullptr, counts.data(), nullptr) <
            0 ||
        H5Dread(opened_, in_double_ ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, memory, space,
                H5P_DEFAULT, numbers.data()) < 0) {
      file_->fail(set_);
    }
    const std::size_t bytes = in_double_ ? 8 : 4;
    StoredRow row{numbers.data(),
                  {ElementKind::Float, bytes},
                  shape_.frames,
                  shape_.columns,
                  static_cast<std::ptrdiff_t>(shape_.columns * bytes),
                  static_cast<std::ptrdiff_t>(bytes)};
    for (std::size_t k = 0; k < count; ++k) {
      row.data = numbers.data() + k * row_bytes;
      read_stored_row(row, out + k * shape_.columns);
    }
  }

  std::shared_ptr<const Hdf5File> file_;
  std::string set_;
  std::vector<std::int64_t> sizes_;
  RowShape shape_;
  bool in_double_;
  Handle opened_;
};

class Hdf5Clips : public RowSource {
 public:
  explicit Hdf5Clips(std::shared_ptr<const Hdf5File> file) : file_(std::move(file)) {}
  void add(const StoredArray& array) { sets_.push_back(array); }

  void read(std::span<const std::size_t> rows, std::byte* out) const override {
    auto* place = reinterpret_cast<float*>(out);
    std::vector<std::byte> numbers;
    for (const std::size_t i : rows) {
      stop_if_interrupted();
      const RowShape shape = *clip_shape(sets_[i].sizes);
      const std::size_t bytes = sets_[i].type.bytes == 8 ? 8 : 4;
      numbers.resize(shape.frames * shape.columns * bytes);
      const Handle set = file_->open_set(sets_[i].name);
      if (H5Dread(set, bytes == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL,
                  H5P_DEFAULT, numbers.data()) < 0) {
        file_->fail(sets_[i].name);
      }
      read_stored_row({numbers.data(),
                       {ElementKind::Float, bytes},
                       shape.frames,
                       shape.columns,
                       static_cast<std::ptrdiff_t>(shape.columns * bytes),
                       static_cast<std::ptrdiff_t>(bytes)},
                      place);
      place += shape.columns;
    }
  }

 private:
  std::shared_ptr<const Hdf5File> file_;
  std::vector<StoredArray> sets_;
};

class Hdf5Store : public ArrayStore {
 public:
  explicit Hdf5Store(const std::filesystem::path& path)
      : ArrayStore(path.string(), "HDF5"), hdf5_(std::make_shared<const Hdf5File>(path)) {
    std::vector<std::string> names;
    const auto visit = [](hid_t, const char* name, const H5O_info_t* about, void* out) -> herr_t {
      if (about->type == H5O_TYPE_DATASET) {
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
      }
      return interrupted() ? -1 : 0;
    };
    const herr_t done =
        H5Ovisit2(hdf5_->id(), H5_INDEX_NAME, H5_ITER_INC, visit, &names, H5O_INFO_BASIC);
    stop_if_interrupted();
    if (done < 0) throw Error("{}: {}", file, last_error());
    for (const std::string& name : names) add(name);
  }

  std::optional<std::vector<std::string>> texts(std::size_t array) const override {
    const StoredArray& about = arrays[array];
    const auto count = static_cast<std::size_t>(about.sizes.at(0));
    const Handle set = hdf5_->open_set(about.name);
    if (about.type.is_text()) return strings(set, about, count);
    std::vector<double> numbers(count);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0) {
      hdf5_->fail(about.name);
    }
    return texts_of({"",
                     {ElementKind::Float, 8},
                     about.sizes,
                     false,
                     reinterpret_cast<const std::byte*>(numbers.data())});
  }

  std::shared_ptr<const RowSource> matrix(std::size_t array) override {
    return std::make_shared<Hdf5Rows>(hdf5_, arrays[array]);
  }

  std::shared_ptr<const RowSource> clips(std::span<const std::size_t> which) override {
    auto rows = std::make_shared<Hdf5Clips>(hdf5_);
    for (const std::size_t array : which) rows->add(arrays[array]);
    return rows;
  }

 private:
  void add(const std::string& name) {
    const Handle set = hdf5_->open_set(name);
    const Handle type(H5Dget_type(set), H5Tclose);
    const Handle space(H5Dget_space(set), H5Sclose);
    const Handle made(H5Dget_create_plist(set), H5Pclose);
    if (!type.is_valid() || !space.is_valid() || !made.is_valid()) hdf5_->fail(name);
    const auto element = element_of(type);
    if (!element) return;
    if (H5Pget_layout(made) == H5D_VIRTUAL || H5Pget_external_count(made) > 0) {
      throw Error("{}: '{}' is stored in other files, expected it in this one", file,
                  printable(name));
    }
    check_filters(made, name);
    const int dimensions = H5Sget_simple_extent_ndims(space);
    if (dimensions < 0) hdf5_->fail(name);
    std::vector<hsize_t> sizes(static_cast<std::size_t>(dimensions));
    H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    StoredArray array{name, *element, {sizes.begin(), sizes.end()}, false, nullptr};
    const auto expected = byte_count(array.type, array.sizes);
    // Compressed data is smaller than announced, but not by any factor.
    if (!expected || *expected / kMostCompressed > hdf5_->bytes) {
      throw Error("{}: '{}' has {} {}, but the file has only {} bytes", file, printable(name),
                  shape_text(array.sizes), element_name(array.type), hdf5_->bytes);
    }
    arrays.push_back(std::move(array));
  }

  // Compression by a plugin, such as lzf of h5py.
  void check_filters(hid_t made, const std::string& name) const {
    for (int i = 0; i < H5Pget_nfilters(made); ++i) {
      std::array<char, 64> title{};
      unsigned flags = 0;
      std::size_t values = 0;
      const H5Z_filter_t filter = H5Pget_filter2(made, static_cast<unsigned>(i), &flags, &values,
                                                 nullptr, title.size() - 1, title.data(), nullptr);
      if (filter >= 0 && H5Zfilter_avail(filter) > 0) continue;
      throw Error("{}: '{}' is compressed with filter {} '{}', expected gzip or no compression",
                  file, printable(name), static_cast<int>(filter), printable(title.data()));
    }
  }

  std::vector<std::string> strings(hid_t set, const StoredArray& about, std::size_t count) const {
    std::vector<std::string> texts(count);
    const Handle stored(H5Dget_type(set), H5Tclose);
    if (H5Tis_variable_str(stored) > 0) {
      std::vector<char*> pointers(count);
      const Handle space(H5Dget_space(set), H5Sclose);
      if (H5Dread(set, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0) {
        hdf5_->fail(about.name);
      }
      for (std::size_t i = 0; i < count; ++i) texts[i] = pointers[i] == nullptr ? "" : pointers[i];
      H5Dvlen_reclaim(stored, space, H5P_DEFAULT, pointers.data());
      return texts;
    }
    const std::size_t width = about.type.bytes;
    std::string bytes(count * width, '\0');
    if (H5Dread(set, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) {
      hdf5_->fail(about.name);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const char* text = bytes.data() + i * width;
      texts[i].assign(text, strnlen(text, width));
    }
    return texts;
  }

  std::shared_ptr<const Hdf5File> hdf5_;
};

}  // namespace

std::unique_ptr<ArrayStore> open_hdf5(const std::filesystem::path& path) {
  return std::make_unique<Hdf5Store>(path);
}

}  // namespace manyverbs
