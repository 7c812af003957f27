// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/clip.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "tests/fuzz/fuzz_file.h"

// CSV tables, and clips.csv with its classes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const manyverbs::FuzzFile input(data, size);
  try {
    manyverbs::read_csv(input.path());
    manyverbs::read_clips(input.path(), manyverbs::classes_in_clips(input.path()));
  } catch (const manyverbs::Error&) {  // the expected answer to a damaged file
  }
  return 0;
}
