// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs {

/// Records of TensorFlow: files of length, checksum, data, checksum; the data is a
/// tf.train.Example, a protocol buffer with lists of bytes, floats or whole numbers by name.

/// Reads the records of a file in order. `name` is used in errors.
class TfRecordReader {
 public:
  TfRecordReader(std::string_view bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}

  /// The data of the next record; nothing at the end. Throws Error if the file is truncated or a
  /// checksum is wrong.
  std::optional<std::string_view> next();

  /// The number of records so far.
  std::int64_t count() const { return count_; }

 private:
  std::string_view take(std::uint64_t count);

  std::string_view bytes_;
  std::string name_;
  std::size_t at_ = 0;
  std::int64_t count_ = 0;
};

/// A list of a tf.train.Example; texts and floats point into the record.
struct TfFeature {
  std::vector<std::string_view> texts;
  std::vector<std::int64_t> numbers;
  std::vector<std::string_view> floats;  ///< pieces of 4 bytes per float, little-endian

  std::size_t float_count() const;
  /// Copies all floats to `out`.
  void copy_floats(float* out) const;
};

using TfExample = std::map<std::string_view, TfFeature>;

/// Throws Error that starts with `place` if the record is not a tf.train.Example. Unknown fields
/// are ignored.
TfExample parse_example(std::string_view record, const std::string& place);

}  // namespace manyverbs
