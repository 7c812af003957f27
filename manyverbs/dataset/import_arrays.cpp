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

// A matrix of floats in an NPY file, in either order. `title` is what users call it.
class SourceArray {
 public:
  SourceArray(const std::filesystem::path& path, std::string title)
      : title_(std::move(title)), file_(path) {
    const std::size_t offset = parse_npy_header(file_.bytes(), title_, &shape_);
    if (shape_.sizes.size() != 2) {
      throw Error("{}: has {} dimensions where 2 are right, one row a clip", title_,
                  shape_.sizes.size());
    }
    if (shape_.type == NumberType::Int32 || shape_.type == NumberType::Int64) {
      throw Error("{}: holds {} where float16, float32 or float64 is right", title_,
                  type_name(shape_.type));
    }
    const std::size_t present = (file_.bytes().size() - offset) / byte_size(shape_.type);
    if (columns() == 0) throw Error("{}: has no columns", title_);
    if (present / columns() < rows()) {
      throw Error("{}: the file is cut short: {} x {} {} announced, {} of its {} numbers there",
                  title_, rows(), columns(), type_name(shape_.type), present, announced());
    }
    data_ = file_.bytes().data() + offset;
  }

  const std::string& title() const { return title_; }
  std::size_t rows() const { return static_cast<std::size_t>(shape_.sizes[0]); }
  std::size_t columns() const { return static_cast<std::size_t>(shape_.sizes[1]); }
  /// Of the numbers in the data set.
  NumberType type() const {
    return shape_.type == NumberType::Float64 ? NumberType::Float32 : shape_.type;
  }
  bool usable_as_is() const { return !shape_.fortran_order && shape_.type == type(); }

  /// Rows [begin, begin + count) as numbers of type(), and which of them hold one that is not
  /// finite.
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
  std::string announced() const {
    std::size_t count = 0;
    return __builtin_mul_overflow(rows(), columns(), &count) ? "very many" : std::to_string(count);
  }

  // The numbers may start at any byte.
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
      // In Fortran order a tile of rows reads whole cache lines of each column.
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
  throw Error(
      "{}: row {} (clip '{}', {}:{}), column {} is {}{}", source.title(), row,
      clip.fields[table.column("clip")], settings.clips.string(), clip.line, column, value,
      std::isfinite(value) ? ", more than float32 holds" : " where a finite number is right");
}

// Checks every number and writes it where there is a writer.
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

// Which array of an NPZ is meant.
std::string chosen_array(const FeatureSource& source) {
  const std::vector<std::string> arrays = npz_members(source.file);
  if (arrays.empty()) throw Error("{}: holds no array", source.file.string());
  if (source.array.empty()) {
    if (arrays.size() == 1) return arrays.front();
    throw Error("{}: holds {} arrays ({}); choose one: {}:{}", source.file.string(), arrays.size(),
                fmt::join(arrays, ", "), source.file.string(), arrays.front());
  }
  if (std::find(arrays.begin(), arrays.end(), source.array) == arrays.end()) {
    throw Error("{}: no array '{}' among {}{}", source.file.string(), source.array,
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
    throw Error("{}: has {} rows where {} has {} clips", title, array.rows(),
                settings.clips.string(), num_clips);
  }
  const bool linked = settings.link && !packed && array.usable_as_is();
  if (linked) std::filesystem::create_symlink(std::filesystem::canonical(source.file), place);
  if (linked || (packed && array.usable_as_is())) {
    pass(array, settings, nullptr);
  } else {
    // An unpacked file stays mapped while the turned one takes its name.
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
  // A file may have '=' in its name, but a stream has no '/' in its.
  if (equals != std::string_view::npos &&
      text.substr(0, equals).find('/') == std::string_view::npos &&
      !std::filesystem::exists(text)) {
    source.stream = text.substr(0, equals);
    text.remove_prefix(equals + 1);
    if (source.stream.empty()) throw Error("'={}': the stream has no name before '='", text);
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
    throw Error("'{}' cannot name a feature stream; write NAME={}", source.stream, text);
  }
  return source;
}

ArraysImported import_arrays(const ArraysImport& settings) {
  FolderWriter out(settings.out);
  ArraysImported result;
  Dataset& dataset = result.dataset;
  dataset.folder = settings.out;
  dataset.name = settings.name.empty() ? folder_name(settings.out) : settings.name;
  dataset.classes = settings.classes.empty() ? classes_in_clips(settings.clips)
                                             : read_vocabulary(settings.classes);
  dataset.clips = read_clips(settings.clips, dataset.classes);
  for (Clip& clip : dataset.clips) {
    clip.video = video_seen_from(out.path(), settings.clips.parent_path(), clip.video);
  }
  std::set<std::string> names;
  for (const FeatureSource& source : settings.features) {
    if (!names.insert(source.stream).second) {
      throw Error("two feature streams are named '{}'; name one with NAME={}", source.stream,
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
