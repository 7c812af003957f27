// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/import_arrays.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <span>

#include <fmt/ranges.h>

#include "manyverbs/dataset/internal/video_place.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr std::size_t kBlockBytes = 32 << 20;
constexpr std::size_t kTileRows = 64;

bool is_finite(float value) { return (std::bit_cast<std::uint32_t>(value) << 1) < 0xff000000U; }
bool is_finite(Half value) { return (value.bits & 0x7c00U) != 0x7c00U; }

// A float matrix in an NPY file, row-major or column-major. `title` is its name in messages.
class SourceArray {
 public:
  SourceArray(const std::filesystem::path& path, std::string title)
      : title_(std::move(title)), file_(path) {
    const std::size_t offset = parse_npy_header(file_.bytes(), title_, &shape_);
    if (shape_.sizes.size() != 2) {
      throw Error("{}: expected 2 dimensions with one row per clip, found {}", title_,
                  shape_.sizes.size());
    }
    if (shape_.type == NumberType::Int32 || shape_.type == NumberType::Int64) {
      throw Error("{}: expected float16, float32 or float64, found {}", title_,
                  type_name(shape_.type));
    }
    const std::size_t present = (file_.bytes().size() - offset) / byte_size(shape_.type);
    if (columns() == 0) throw Error("{}: has no columns", title_);
    if (present / columns() < rows()) {
      throw Error("{}: the file is truncated: expected {} x {} {}, found {} of {} numbers", title_,
                  rows(), columns(), type_name(shape_.type), present, expected_count());
    }
    data_ = file_.bytes().data() + offset;
  }

  const std::string& title() const { return title_; }
  std::size_t rows() const { return static_cast<std::size_t>(shape_.sizes[0]); }
  std::size_t columns() const { return static_cast<std::size_t>(shape_.sizes[1]); }
  /// The number type in the data set.
  NumberType type() const {
    return shape_.type == NumberType::Float64 ? NumberType::Float32 : shape_.type;
  }
  bool usable_as_is() const { return !shape_.fortran_order && shape_.type == type(); }

  /// Reads rows [begin, begin + count) as type(), and reports which of them contain a number that
  /// is not finite.
  void read(std::size_t begin, std::size_t count, std::byte* out, char* bad_rows) const {
    switch (shape_.type) {
      case NumberType::Float16:
        return read_as<Half, Half>(begin, count, out, bad_rows);
      case NumberType::Float32:
        return read_as<float, float>(begin, count, out, bad_rows);
      default:
        return read_as<double, float>(begin, count, out, bad_rows);
    }
  }

  double number(std::size_t row, std::size_t column) const {
    switch (shape_.type) {
      case NumberType::Float16:
        return to_float(element<Half>(row, column));
      case NumberType::Float32:
        return element<float>(row, column);
      default:
        return element<double>(row, column);
    }
  }

 private:
  std::string expected_count() const {
    std::size_t count = 0;
    return __builtin_mul_overflow(rows(), columns(), &count) ? "very many" : std::to_string(count);
  }

  // The data may be unaligned.
  template <typename T>
  T element(std::size_t row, std::size_t column) const {
    const std::size_t at = shape_.fortran_order ? column * rows() + row : row * columns() + column;
    T value;
    std::memcpy(&value, data_ + at * sizeof(T), sizeof(T));
    return value;
  }

  template <typename In, typename Out>
  void read_as(std::size_t begin, std::size_t count, std::byte* bytes, char* bad_rows) const {
    Out* out = reinterpret_cast<Out*>(bytes);
    const std::size_t width = columns();
    parallel_for(count, kTileRows, [&](std::size_t from, std::size_t to) {
      // For column-major data, a tile of rows reads whole cache lines of each column.
      for (std::size_t tile = from; tile < to; tile += kTileRows) {
        const std::size_t end = std::min(tile + kTileRows, to);
        if (shape_.fortran_order) {
          for (std::size_t j = 0; j < width; ++j) {
            for (std::size_t i = tile; i < end; ++i) {
              out[i * width + j] = static_cast<Out>(element<In>(begin + i, j));
            }
          }
        } else {
          for (std::size_t i = tile; i < end; ++i) {
            for (std::size_t j = 0; j < width; ++j) {
              out[i * width + j] = static_cast<Out>(element<In>(begin + i, j));
            }
          }
        }
        for (std::size_t i = tile; i < end; ++i) {
          const std::span<const Out> row(out + i * width, width);
          bad_rows[i] =
              std::all_of(row.begin(), row.end(), [](Out x) { return is_finite(x); }) ? 0 : 1;
        }
      }
    });
  }

  std::string title_;
  MappedFile file_;
  ArrayShape shape_;
  const std::byte* data_ = nullptr;
};

[[noreturn]] void fail_at(const SourceArray& source, std::size_t row,
                          const ArraysImport& settings) {
  std::size_t column = 0;
  while (std::isfinite(static_cast<float>(source.number(row, column)))) ++column;
  const double value = source.number(row, column);
  const CsvTable table = read_csv(settings.clips);
  const CsvRow& clip = table.rows[row];
  throw Error("{}: row {} (clip '{}', {}:{}), column {}: expected a finite {}, found {}",
              source.title(), row, clip.fields[table.column("clip")], settings.clips.string(),
              clip.line, column, std::isfinite(value) ? "float32" : "number", value);
}

// Checks every number and writes it if there is a writer.
void pass(const SourceArray& source, const ArraysImport& settings, ArrayWriter* writer) {
  const std::size_t width = source.columns();
  const std::size_t row_bytes = width * byte_size(source.type());
  const std::size_t block =
      std::min(std::max<std::size_t>(1, kBlockBytes / row_bytes), source.rows());
  std::vector<std::byte> numbers(block * row_bytes);
  std::vector<char> bad_rows(block);
  Progress progress(source.title(), static_cast<std::int64_t>(source.rows()));
  for (std::size_t begin = 0; begin < source.rows(); begin += block) {
    stop_if_interrupted();
    const std::size_t count = std::min(block, source.rows() - begin);
    source.read(begin, count, numbers.data(), bad_rows.data());
    const auto end = bad_rows.begin() + static_cast<std::ptrdiff_t>(count);
    const auto bad = std::find(bad_rows.begin(), end, 1);
    if (bad != end)
      fail_at(source, begin + static_cast<std::size_t>(bad - bad_rows.begin()), settings);
    if (writer != nullptr) writer->write(numbers.data(), count * width);
    progress.advance(static_cast<std::int64_t>(count));
  }
}

// The selected array of an NPZ file.
std::string chosen_array(const FeatureSource& source) {
  const std::vector<std::string> arrays = npz_members(source.file);
  if (arrays.empty()) throw Error("{}: contains no array", source.file.string());
  if (source.array.empty()) {
    if (arrays.size() == 1) return arrays.front();
    throw Error("{}: contains {} arrays ({}); select one: {}:{}", source.file.string(),
                arrays.size(), fmt::join(arrays, ", "), source.file.string(), arrays.front());
  }
  if (std::find(arrays.begin(), arrays.end(), source.array) == arrays.end()) {
    throw Error("{}: unknown array '{}'; existing arrays: {}{}", source.file.string(), source.array,
                fmt::join(arrays, ", "), did_you_mean(source.array, arrays));
  }
  return source.array;
}

ImportedStream import_stream(const FeatureSource& source, const ArraysImport& settings,
                             std::size_t num_clips, const std::filesystem::path& folder) {
  const std::filesystem::path place = folder / (source.stream + ".npy");
  const bool packed = source.file.extension() == ".npz";
  std::string title = source.file.string();
  if (packed) {
    const std::string array = chosen_array(source);
    title += ":" + array;
    unpack_npz(source.file, array, place);
  }
  const SourceArray array(packed ? place : source.file, title);
  if (array.rows() != num_clips) {
    throw Error("{}: expected {} rows, one per clip in {}, found {}", title, num_clips,
                settings.clips.string(), array.rows());
  }
  const bool linked = settings.link && !packed && array.usable_as_is();
  if (linked) std::filesystem::create_symlink(std::filesystem::canonical(source.file), place);
  if (linked || (packed && array.usable_as_is())) {
    pass(array, settings, nullptr);
  } else {
    // The extracted file stays mapped while the converted file replaces it.
    ArrayWriter writer(place, array.type(), array.rows(), array.columns());
    pass(array, settings, &writer);
    writer.commit();
  }
  return {source.stream, array.rows(), array.columns(), array.type(), linked};
}

}  // namespace

FeatureSource parse_feature_source(std::string_view text) {
  FeatureSource source;
  const std::size_t equals = text.find('=');
  // A file name may contain '=', but a stream name contains no '/'.
  if (equals != std::string_view::npos &&
      text.substr(0, equals).find('/') == std::string_view::npos &&
      !std::filesystem::exists(text)) {
    source.stream = text.substr(0, equals);
    text.remove_prefix(equals + 1);
    if (source.stream.empty()) throw Error("'={}': expected a stream name before '='", text);
  }
  constexpr std::string_view kPacked = ".npz:";
  const std::size_t packed = text.find(kPacked);
  if (packed != std::string_view::npos) {
    source.array = text.substr(packed + kPacked.size());
    text = text.substr(0, packed + kPacked.size() - 1);
  }
  source.file = text;
  if (source.stream.empty()) {
    source.stream = source.array.empty() ? source.file.stem().string() : source.array;
  }
  if (source.stream.empty() || source.stream.starts_with('.') ||
      source.stream.find('/') != std::string::npos) {
    throw Error("'{}' is not a valid stream name; use NAME={}", source.stream, text);
  }
  return source;
}

ArraysImported import_arrays(const ArraysImport& settings) {
  FolderWriter out(settings.out);
  ArraysImported result;
  Dataset& dataset = result.dataset;
  dataset.folder = settings.out;
  dataset.created_as = std::filesystem::absolute(settings.out).lexically_normal();
  dataset.name = settings.name.empty() ? folder_name(settings.out) : settings.name;
  dataset.classes = settings.classes.empty() ? classes_in_clips(settings.clips)
                                             : read_vocabulary(settings.classes);
  dataset.clips = read_clips(settings.clips, dataset.classes);
  for (Clip& clip : dataset.clips) {
    clip.video = video_seen_from(out.path(), settings.clips.parent_path(), clip.video);
    clip.flow = video_seen_from(out.path(), settings.clips.parent_path(), clip.flow);
  }
  std::set<std::string> names;
  for (const FeatureSource& source : settings.features) {
    if (!names.insert(source.stream).second) {
      throw Error("duplicate feature stream '{}'; rename one with NAME={}", source.stream,
                  source.file.string());
    }
  }
  write_dataset(out.path(), dataset);
  std::filesystem::create_directory(out.path() / "features");
  for (const FeatureSource& source : settings.features) {
    result.streams.push_back(
        import_stream(source, settings, dataset.clips.size(), out.path() / "features"));
  }
  out.commit();
  return result;
}

}  // namespace manyverbs
