// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/stored_array.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/ranges.h>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

struct BFloat {
  std::uint16_t bits;
};

float as_number(Half value) { return to_float(value); }
float as_number(BFloat value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }
template <typename T>
T as_number(T value) {
  return value;
}

template <typename T>
T load(const std::byte* at) {  // may be unaligned
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Calls `use` with a value of the C++ type of the elements; texts are left out.
template <typename Use>
void with_type(ElementType type, Use use) {
  switch (type.kind) {
    case ElementKind::Float:
      return type.bytes == 2 ? use(Half{}) : type.bytes == 4 ? use(float{}) : use(double{});
    case ElementKind::BFloat:
      return use(BFloat{});
    case ElementKind::Int:
      return type.bytes == 1   ? use(std::int8_t{})
             : type.bytes == 2 ? use(std::int16_t{})
             : type.bytes == 4 ? use(std::int32_t{})
                               : use(std::int64_t{});
    case ElementKind::Unsigned:
    case ElementKind::Bool:
      return type.bytes == 1   ? use(std::uint8_t{})
             : type.bytes == 2 ? use(std::uint16_t{})
             : type.bytes == 4 ? use(std::uint32_t{})
                               : use(std::uint64_t{});
    default:
      return;
  }
}

template <typename T>
void read_single(const StoredRow& row, float* out) {
  for (std::size_t j = 0; j < row.columns; ++j) {
    out[j] = static_cast<float>(
        as_number(load<T>(row.data + static_cast<std::ptrdiff_t>(j) * row.column_stride)));
  }
}

template <typename T, typename Sum>
void read_mean(const StoredRow& row, float* out) {
  std::vector<Sum> sums(row.columns);
  for (std::size_t t = 0; t < row.frames; ++t) {
    const std::byte* frame = row.data + static_cast<std::ptrdiff_t>(t) * row.frame_stride;
    for (std::size_t j = 0; j < row.columns; ++j) {
      sums[j] += static_cast<Sum>(
          as_number(load<T>(frame + static_cast<std::ptrdiff_t>(j) * row.column_stride)));
    }
  }
  for (std::size_t j = 0; j < row.columns; ++j) {
    out[j] = static_cast<float>(sums[j] / static_cast<Sum>(row.frames));
  }
}

void append_utf8(std::uint32_t code, std::string* text) {
  const auto add = [&](std::uint32_t byte) { *text += static_cast<char>(byte); };
  const auto tail = [&](int shift) { add(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xc0 | code >> 6), tail(0);
  if (code < 0x10000) return add(0xe0 | code >> 12), tail(6), tail(0);
  if (code > 0x10ffff) return append_utf8(0xfffd, text);
  add(0xf0 | code >> 18), tail(12), tail(6), tail(0);
}

// NumPy fills short texts with zeros.
std::string text_at(const StoredArray& array, std::size_t i) {
  const std::byte* at = array.data + i * array.type.bytes;
  std::string text;
  if (array.type.kind == ElementKind::Bytes) {
    text.assign(reinterpret_cast<const char*>(at), array.type.bytes);
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
  }
  for (std::size_t k = 0; k < array.type.bytes / 4; ++k) {
    const auto code = load<std::uint32_t>(at + 4 * k);
    if (code == 0) break;
    append_utf8(code, &text);
  }
  return text;
}

}  // namespace

std::string element_name(ElementType type) {
  switch (type.kind) {
    case ElementKind::Float:
      return fmt::format("float{}", 8 * type.bytes);
    case ElementKind::BFloat:
      return "bfloat16";
    case ElementKind::Int:
      return fmt::format("int{}", 8 * type.bytes);
    case ElementKind::Unsigned:
      return fmt::format("uint{}", 8 * type.bytes);
    case ElementKind::Bool:
      return "bool";
    default:
      return "text";
  }
}

std::optional<ElementType> numpy_element(std::string_view code) {
  if (code.size() < 3 || (code[0] != '<' && code[0] != '|')) return std::nullopt;
  const auto count = number_in<std::uint32_t>(code.substr(2));
  if (!count || *count == 0) return std::nullopt;
  const bool is_whole = *count == 1 || *count == 2 || *count == 4 || *count == 8;
  switch (code[1]) {
    case 'f':
      if (!is_whole || *count == 1) return std::nullopt;
      return ElementType{ElementKind::Float, *count};
    case 'i':
      if (!is_whole) return std::nullopt;
      return ElementType{ElementKind::Int, *count};
    case 'u':
      if (!is_whole) return std::nullopt;
      return ElementType{ElementKind::Unsigned, *count};
    case 'b':
      if (*count != 1) return std::nullopt;
      return ElementType{ElementKind::Bool, 1};
    case 'S':
      return ElementType{ElementKind::Bytes, *count};
    case 'U':
      return ElementType{ElementKind::Text, std::size_t{4} * *count};
    default:
      return std::nullopt;
  }
}

std::string shape_text(std::span<const std::int64_t> sizes) {
  return sizes.empty() ? "a single number" : fmt::format("{}", fmt::join(sizes, " x "));
}

std::optional<std::size_t> byte_count(ElementType type, std::span<const std::int64_t> sizes) {
  auto bytes = static_cast<std::int64_t>(type.bytes);
  for (const std::int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return static_cast<std::size_t>(bytes);
}

double number_at(const StoredArray& array, std::size_t i) {
  double number = std::numeric_limits<double>::quiet_NaN();
  with_type(array.type, [&](auto value) {
    using T = decltype(value);
    number = static_cast<double>(as_number(load<T>(array.data + i * sizeof(T))));
  });
  return number;
}

std::optional<std::vector<std::string>> texts_of(const StoredArray& array) {
  constexpr double kLargest = 0x1p53;  // larger whole numbers are not exact
  std::vector<std::string> texts;
  const auto count = static_cast<std::size_t>(array.sizes.at(0));
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (array.type.is_text()) {
      texts.push_back(text_at(array, i));
      continue;
    }
    const double number = number_at(array, i);
    if (number != std::floor(number) || std::abs(number) > kLargest) return std::nullopt;
    texts.push_back(std::to_string(static_cast<std::int64_t>(number)));
  }
  return texts;
}

void read_stored_row(const StoredRow& row, float* out) {
  with_type(row.type, [&](auto value) {
    using T = decltype(value);
    if (row.frames == 1) return read_single<T>(row, out);
    constexpr bool kSmall = sizeof(T) <= 4 && !std::is_integral_v<T>;
    return read_mean<T, std::conditional_t<kSmall, float, double>>(row, out);
  });
}

}  // namespace manyverbs
