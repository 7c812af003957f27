// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "manyverbs/support/internal/files.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// Captures standard error while it exists.
class StandardError {
 public:
  explicit StandardError(const std::filesystem::path& file) : file_(file), before_(dup(2)) {
    const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(descriptor, 2);
    close(descriptor);
  }
  ~StandardError() {
    dup2(before_, 2);
    close(before_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

  std::string text() const { return read_file(file_); }

 private:
  std::filesystem::path file_;
  int before_;
};

TEST(FileLock, CanBeWaitedFor) {
  const ScratchFolder scratch;
  scratch.write("run.json", "{}");
  const StandardError said(scratch / "said");
  std::atomic<bool> done = false;
  std::optional<FileLock> first(scratch / "run.json");
  std::thread other([&] {
    const FileLock second = FileLock::when_free(scratch / "run.json");
    EXPECT_TRUE(done);
  });
  while (said.text().empty()) std::this_thread::yield();
  EXPECT_EQ(said.text(),
            (scratch / "run.json").string() + ": in use by another process; waiting\n");
  done = true;
  first.reset();
  other.join();
}

TEST(MakingLock, IsExclusiveAndLeavesNoFiles) {
  const ScratchFolder scratch;
  // Atomic, since the lock is one between processes: it orders no memory that threads share.
  std::atomic<int> inside = 0;
  std::atomic<int> made = 0;
  testing::internal::CaptureStderr();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n) {
        const MakingLock lock(scratch / "things/x");
        EXPECT_EQ(++inside, 1);
        std::this_thread::yield();
        ++made;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(made, 20);
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "things"));
}

TEST(MakingLock, LocksOfDifferentPathsAreIndependent) {
  const ScratchFolder scratch;
  const MakingLock first(scratch / "x");
  const MakingLock second(scratch / "y");
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"x.lock", "y.lock"}));
}

TEST(MakingLock, HasNoEffectOnAReadOnlyFolder) {
  const ScratchFolder scratch;
  scratch.write("file", "");
  const MakingLock first(scratch / "file/x");
  const MakingLock second(scratch / "file/x");  // does not wait for the first
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"file"});
}

TEST(FolderWriter, ThatResumesReusesTheIncompleteFolder) {
  const ScratchFolder scratch;
  {
    const FolderWriter first(scratch / "out", Leftovers::Resume);
    write_file(first.path() / "half", "x");
    EXPECT_EQ(
        error_of(scratch, [&] { const FolderWriter other(scratch / "out", Leftovers::Resume); }),
        "out.partial: in use by another process");
  }
  FolderWriter second(scratch / "out", Leftovers::Resume);
  EXPECT_EQ(read_file(second.path() / "half"), "x");
  second.commit();
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"out"}));
}

TEST(FolderWriter, ThatResumesLeavesNoEmptyFolder) {
  const ScratchFolder scratch;
  { const FolderWriter writer(scratch / "out", Leftovers::Resume); }
  EXPECT_TRUE(scratch.names().empty());
}

}  // namespace
}  // namespace manyverbs
