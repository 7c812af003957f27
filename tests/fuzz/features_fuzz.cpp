// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/feature_layout.h"
#include "manyverbs/support/error.h"
#include "tests/fuzz/fuzz_file.h"

using namespace manyverbs;

namespace {

// The reader under test; each target is compiled with one of them.
FeatureFile open_input(const std::filesystem::path& path, const FeatureQuery& query) {
#ifdef FUZZ_CSV
  return open_csv_features({path, query.array, query.clips});
#elif defined(FUZZ_NPZ)
  return find_features(open_npz(path, "/dev/shm"), query);
#else
  return find_features(FUZZ_OPEN(path), query);
#endif
}

// Reads all rows, as an import does.
void read_all(const FeatureFile& file) {
  constexpr std::size_t kMost = 1 << 22;
  if (file.columns > kMost || file.rows > kMost / file.columns) return;
  std::vector<std::byte> out(file.rows * file.columns * sizeof(float));
  std::vector<std::size_t> rows(file.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rows.size() - 1 - i;
  file.source->read(rows, out.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzFile input(data, size);
  for (const FeatureQuery& query : {FeatureQuery{}, FeatureQuery{{}, "rgb", {"a", "P01_01_0"}}}) {
    try {
      read_all(open_input(input.path(), query));
    } catch (const Error&) {  // the expected answer to a damaged file
    }
  }
  return 0;
}
