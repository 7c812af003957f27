// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/tfrecord.h"

#include <cstring>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/checksum.h"

namespace manyverbs {
namespace {

template <typename T>
T number_in_bytes(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// The fields of a protocol buffer, one after the other.
class Fields {
 public:
  Fields(std::string_view bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  enum class Wire { Number = 0, Eight = 1, Bytes = 2, Four = 5 };
  int number = 0;
  Wire wire = Wire::Number;
  std::uint64_t value = 0;  ///< of a Number
  std::string_view bytes;   ///< of the others

  // Reads the next field; false at the end.
  bool next() {
    if (bytes_.empty()) return false;
    const std::uint64_t key = varint();
    number = static_cast<int>(key >> 3 & 0x1fffffff);
    wire = static_cast<Wire>(key & 7);
    switch (wire) {
      case Wire::Number:
        value = varint();
        return true;
      case Wire::Eight:
        bytes = take(8);
        return true;
      case Wire::Bytes:
        bytes = take(varint());
        return true;
      case Wire::Four:
        bytes = take(4);
        return true;
    }
    fail();
  }

  std::uint64_t varint() {
    std::uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      result |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return result;
    }
    fail();
  }

  bool is_at_end() const { return bytes_.empty(); }
  bool is_message(int expected) const { return number == expected && wire == Wire::Bytes; }

  [[noreturn]] void fail() const { throw Error("{}: is damaged: not a tf.train.Example", place_); }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) fail();
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
  const std::string& place_;
};

// BytesList, FloatList or Int64List; numbers are packed or one field each.
void parse_list(std::string_view bytes, int kind, const std::string& place, TfFeature* feature) {
  constexpr int kTexts = 1;
  constexpr int kFloats = 2;
  constexpr int kNumbers = 3;
  Fields fields(bytes, place);
  while (fields.next()) {
    if (fields.number != 1) continue;
    const bool packed = fields.wire == Fields::Wire::Bytes;
    if (kind == kTexts && packed) {
      feature->texts.push_back(fields.bytes);
    } else if (kind == kFloats && (packed || fields.wire == Fields::Wire::Four)) {
      if (fields.bytes.size() % sizeof(float) != 0) fields.fail();
      feature->floats.push_back(fields.bytes);
    } else if (kind == kNumbers && packed) {
      for (Fields numbers(fields.bytes, place); !numbers.is_at_end();) {
        feature->numbers.push_back(static_cast<std::int64_t>(numbers.varint()));
      }
    } else if (kind == kNumbers && fields.wire == Fields::Wire::Number) {
      feature->numbers.push_back(static_cast<std::int64_t>(fields.value));
    } else {
      fields.fail();
    }
  }
}

// An entry of the map: name and list.
void parse_entry(std::string_view bytes, const std::string& place, TfExample* example) {
  std::string_view name;
  TfFeature feature;
  Fields fields(bytes, place);
  while (fields.next()) {
    if (fields.is_message(1)) name = fields.bytes;
    if (!fields.is_message(2)) continue;
    Fields kinds(fields.bytes, place);
    while (kinds.next()) {
      if (kinds.wire == Fields::Wire::Bytes) {
        parse_list(kinds.bytes, kinds.number, place, &feature);
      }
    }
  }
  (*example)[name] = std::move(feature);
}

}  // namespace

std::string_view TfRecordReader::take(std::uint64_t count) {
  if (count > bytes_.size() - at_) {
    throw Error("{}: is truncated inside record {}", name_, count_);
  }
  const std::string_view taken = bytes_.substr(at_, count);
  at_ += count;
  return taken;
}

std::optional<std::string_view> TfRecordReader::next() {
  if (at_ == bytes_.size()) return std::nullopt;
  const std::string_view length = take(sizeof(std::uint64_t));
  if (number_in_bytes<std::uint32_t>(take(4)) != masked_crc32c(length)) {
    throw Error("{}: {}the checksum of the length of record {} is wrong", name_,
                count_ == 0 ? "is not a TFRecord file: " : "", count_);
  }
  const std::string_view data = take(number_in_bytes<std::uint64_t>(length));
  if (number_in_bytes<std::uint32_t>(take(4)) != masked_crc32c(data)) {
    throw Error("{}: the checksum of record {} is wrong", name_, count_);
  }
  ++count_;
  return data;
}

std::size_t TfFeature::float_count() const {
  std::size_t count = 0;
  for (const std::string_view piece : floats) count += piece.size() / sizeof(float);
  return count;
}

void TfFeature::copy_floats(float* out) const {
  for (const std::string_view piece : floats) {
    if (!piece.empty()) std::memcpy(out, piece.data(), piece.size());
    out += piece.size() / sizeof(float);
  }
}

TfExample parse_example(std::string_view record, const std::string& place) {
  TfExample example;
  Fields fields(record, place);
  while (fields.next()) {
    if (!fields.is_message(1)) continue;
    Fields entries(fields.bytes, place);
    while (entries.next()) {
      if (entries.is_message(1)) parse_entry(entries.bytes, place, &example);
    }
  }
  return example;
}

}  // namespace manyverbs
