// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/json.h"
#include "tests/fuzz/fuzz_file.h"

// A JSON file, and the values of keys with several types.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const manyverbs::FuzzFile input(data, size);
  try {
    const manyverbs::Json json = manyverbs::read_json(input.path());
    for (const auto& [key, value] : json.items()) {
      manyverbs::json_value<std::vector<std::string>>(json, key, input.path());
    }
  } catch (const manyverbs::Error&) {  // the expected answer to a damaged file
  }
  return 0;
}
