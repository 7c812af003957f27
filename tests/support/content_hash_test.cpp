// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/content_hash.h"

#include <chrono>
#include <thread>

#include "manyverbs/support/internal/files.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// Just above the size from which a hash is kept beside its file.
constexpr std::size_t kLarge = (std::size_t{16} << 20) + 5;

void wait_until_settled(const std::filesystem::path& file) {
  while (file_state(file).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

TEST(ContentHash, IsXxh3Of128Bits) {
  const ScratchFolder scratch;
  // The published value of xxHash for empty input.
  EXPECT_EQ(content_hash(scratch.write("empty", "")), "99aa06d3014798d86001c324468d497f");
}

TEST(ContentHash, CopyingTouchingAndMovingDoNotChangeIt) {
  const ScratchFolder scratch;
  const std::string hash = content_hash(scratch.write("a", "content"));
  std::filesystem::copy(scratch / "a", scratch / "b");
  EXPECT_EQ(content_hash(scratch / "b"), hash);
  std::filesystem::last_write_time(
      scratch / "b", std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(content_hash(scratch / "b"), hash);
  std::filesystem::rename(scratch / "b", scratch / "c");
  EXPECT_EQ(content_hash(scratch / "c"), hash);
}

TEST(ContentHash, OtherBytesOfTheSameSizeAndTimeChangeIt) {
  const ScratchFolder scratch;
  const std::string hash = kept_content_hash(scratch.write("a", "content"));
  const auto time = std::filesystem::last_write_time(scratch / "a");
  scratch.write("a", "Content");
  std::filesystem::last_write_time(scratch / "a", time);
  EXPECT_NE(kept_content_hash(scratch / "a"), hash);
}

TEST(ContentHash, OfAFolderChangesWithNamesSizesAndTheFirstFile) {
  const ScratchFolder scratch;
  scratch.write("f/1.jpg", "one");
  scratch.write("f/2.jpg", "two");
  const std::string hash = content_hash(scratch / "f");
  std::filesystem::copy(scratch / "f", scratch / "g");
  EXPECT_EQ(content_hash(scratch / "g"), hash);
  scratch.write("g/1.jpg", "One");
  EXPECT_NE(content_hash(scratch / "g"), hash);
  scratch.write("g/1.jpg", "one");
  scratch.write("g/2.jpg", "three");
  EXPECT_NE(content_hash(scratch / "g"), hash);
  scratch.write("g/2.jpg", "two");
  std::filesystem::rename(scratch / "g/2.jpg", scratch / "g/3.jpg");
  EXPECT_NE(content_hash(scratch / "g"), hash);
}

TEST(ContentHash, UnreadableFilesAreErrors) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [&] { content_hash(scratch / "none"); }),
            "none: No such file or directory");
}

TEST(FileState, IsEmptyForRecentlyChangedFiles) {
  const ScratchFolder scratch;
  EXPECT_EQ(file_state(scratch.write("a", "x")), "");
  EXPECT_EQ(file_state(scratch / "none"), "");
  EXPECT_EQ(file_state(scratch.path()), "");
}

// The cache in memory is by path, so through a link only the note beside the file is used. A note
// with a wrong hash shows that the file itself was not read.
TEST(KeptContentHash, OfALargeFileIsComputedOnceAndStoredBesideIt) {
  const ScratchFolder scratch;
  const auto file = scratch.write("d/big.npy", std::string(kLarge, 'x'));
  std::filesystem::create_directory_symlink(scratch / "d", scratch / "link");
  wait_until_settled(file);
  const std::string hash = content_hash(file);
  EXPECT_EQ(kept_content_hash(file), hash);
  std::string note = read_file(scratch / "d/.big.npy.hash");
  const std::string made_up(32, '0');
  scratch.write("d/.big.npy.hash", note.replace(0, 32, made_up));
  EXPECT_EQ(kept_content_hash(scratch / "link/big.npy"), made_up);
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now());
  EXPECT_EQ(kept_content_hash(scratch / "link/big.npy"), hash);
}

TEST(KeptContentHash, WorksOnAReadOnlyDisk) {
  const ScratchFolder scratch;
  const auto file = scratch.write("big.npy", std::string(kLarge, 'x'));
  scratch.write(".big.npy.hash/in_the_way", "");
  wait_until_settled(file);
  EXPECT_EQ(kept_content_hash(file), content_hash(file));
}

}  // namespace
}  // namespace manyverbs
