// SPDX-License-Identifier: MIT
#include "manyverbs/knn/internal/neighbours_file.h"

#include <gtest/gtest.h>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/support/internal/json.h"
#include "tests/clip_rows.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

Neighbours two_each() {
  return {clip_rows(3, 2, {1, 2, 0, 2, 1, 0}), Matrix<float>(3, 2, {.5F, 1.5F, .5F, 1, 1, 1.5F})};
}

NeighboursRecord record_of(int k) { return {"rgb+flow", Metric::Cosine, k, "stamp-1"}; }

std::string problem_of(const ScratchFolder& scratch) {
  return error_of(scratch, [&] { read_neighbours(scratch.path(), "euclid", record_of(2)); });
}

TEST(NeighboursFile, IsReadBack) {
  const ScratchFolder scratch;
  write_neighbours(scratch / "new", "rgb", two_each(), record_of(2));
  const auto stored = read_neighbours(scratch / "new", "rgb", record_of(2));
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->clips, two_each().clips);
  EXPECT_EQ(stored->distances, two_each().distances);
}

TEST(NeighboursFile, RecordsHowTheNeighboursWereMade) {
  const ScratchFolder scratch;
  write_neighbours(scratch.path(), "rgb", two_each(), record_of(2));
  EXPECT_EQ(scratch.names(),
            (std::vector<std::string>{"rgb.distances.npy", "rgb.json", "rgb.npy"}));
  EXPECT_EQ(read_json(scratch / "rgb.json"), (Json{{"space", "rgb+flow"},
                                                   {"metric", "cosine"},
                                                   {"k", 2},
                                                   {"clips", 3},
                                                   {"stamp", "stamp-1"}}));
}

TEST(NeighboursFile, FilesOfAKilledProcessAreRemoved) {
  const ScratchFolder scratch;
  scratch.write("rgb.npy.99999999-0.tmp", "half");
  write_neighbours(scratch.path(), "rgb", two_each(), record_of(2));
  EXPECT_FALSE(std::filesystem::exists(scratch / "rgb.npy.99999999-0.tmp"));
}

TEST(NeighboursFile, IsReusedForAnyNumberUpToTheStoredOne) {
  const ScratchFolder scratch;
  write_neighbours(scratch.path(), "rgb", two_each(), record_of(2));
  const auto first = read_neighbours(scratch.path(), "rgb", record_of(1));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->clips, clip_rows(3, 1, {1, 0, 1}));
  EXPECT_EQ(first->distances, Matrix<float>(3, 1, {.5F, .5F, 1}));
  EXPECT_FALSE(read_neighbours(scratch.path(), "rgb", record_of(3)));
}

TEST(NeighboursFile, IsReusedOnlyForTheSameSpaceMetricAndData) {
  const ScratchFolder scratch;
  write_neighbours(scratch.path(), "rgb", two_each(), record_of(2));
  EXPECT_FALSE(read_neighbours(scratch.path(), "flow", record_of(2)));
  EXPECT_FALSE(read_neighbours(scratch.path(), "rgb", {"learned", Metric::Cosine, 2, "stamp-1"}));
  EXPECT_FALSE(
      read_neighbours(scratch.path(), "rgb", {"rgb+flow", Metric::Euclidean, 2, "stamp-1"}));
  EXPECT_FALSE(read_neighbours(scratch.path(), "rgb", {"rgb+flow", Metric::Cosine, 2, "stamp-2"}));
}

TEST(NeighboursFile, WithoutARecordItIsIncomplete) {
  const ScratchFolder scratch;
  write_neighbours(scratch.path(), "rgb", two_each(), record_of(2));
  std::filesystem::remove(scratch / "rgb.json");
  EXPECT_FALSE(read_neighbours(scratch.path(), "rgb", record_of(2)));
}

TEST(NeighboursFile, AFailedWriteLeavesNoRecordBehind) {
  const ScratchFolder scratch;
  write_neighbours(scratch.path(), "rgb", two_each(), record_of(2));
  {
    const FullDisk full(100);
    EXPECT_THROW(write_neighbours(scratch.path(), "rgb", two_each(), record_of(2)), Error);
  }
  EXPECT_FALSE(read_neighbours(scratch.path(), "rgb", record_of(2)));
}

TEST(NeighboursFile, ADamagedFileIsAnErrorWithItsName) {
  const ScratchFolder scratch;
  write_neighbours(scratch.path(), "euclid", two_each(), record_of(2));
  write_array(scratch / "euclid.npy", Matrix<std::int32_t>(3, 2, {1, 2, 0, 3, 1, 0}));
  EXPECT_EQ(problem_of(scratch), "euclid.npy: row 1: found clip 3, expected 0 to 2");
  write_array(scratch / "euclid.npy", Matrix<std::int32_t>(2, 2, {1, 1, 0, 0}));
  EXPECT_EQ(
      problem_of(scratch),
      "euclid.npy: has size 2 x 2, but euclid.json says 3 x 2; remove it to compute it again");
  write_array(scratch / "euclid.npy", two_each().distances);
  EXPECT_EQ(problem_of(scratch), "euclid.npy: expected int32, found float32");
  write_array(scratch / "euclid.npy", Matrix<std::int32_t>(3, 2, {1, 2, 0, 2, 1, 0}));
  write_array(scratch / "euclid.distances.npy", Matrix<float>(3, 2, {1, 1, -1, 1, 1, 1}));
  EXPECT_EQ(problem_of(scratch), "euclid.distances.npy: row 1: invalid distance -1");
  std::filesystem::resize_file(scratch / "euclid.distances.npy", 140);
  EXPECT_TRUE(problem_of(scratch).starts_with("euclid.distances.npy: the file is truncated"));
  scratch.write("euclid.json", "{\"k\": ");
  EXPECT_TRUE(problem_of(scratch).starts_with("euclid.json: is not valid JSON"));
  scratch.write("euclid.json", "{\"k\": 2}");
  EXPECT_EQ(problem_of(scratch), "euclid.json: the key 'space' is missing");
}

}  // namespace
}  // namespace manyverbs
