// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/tfrecord.h"
#include "manyverbs/support/error.h"

using namespace manyverbs;

namespace {

void read_example(std::string_view record) {
  for (const auto& [name, feature] : parse_example(record, "record")) {
    std::vector<float> floats(feature.float_count());
    feature.copy_floats(floats.data());
  }
}

}  // namespace

// The input as a file of records; and, since random checksums are never right, as a record.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    TfRecordReader reader(bytes, "file");
    while (const auto record = reader.next()) read_example(*record);
  } catch (const Error&) {  // the expected answer to a damaged file
  }
  try {
    constexpr std::size_t kHeader = 12;
    read_example(bytes.substr(std::min(kHeader, bytes.size())));
  } catch (const Error&) {
  }
  return 0;
}
