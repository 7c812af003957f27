// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/remark.h"

namespace manyverbs {
namespace {

// False if another process or thread has the lock. Without lock support, always true.
bool try_lock(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void wait_for_lock(int descriptor, const std::filesystem::path& path) {
  if (try_lock(descriptor)) return;
  remark(fmt::format("{}: in use by another process; waiting", path.string()));
  while (!try_lock(descriptor)) {
    stop_if_interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

int open_to_lock(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error("{}: {}", path.string(), std::strerror(errno));
  return descriptor;
}

// The previous owner may have removed the file, and another process created a new one.
bool is_still_there(int descriptor, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path) : FileLock(open_to_lock(path)) {
  if (!try_lock(descriptor_)) throw Error("{}: in use by another process", path.string());
}

FileLock FileLock::when_free(const std::filesystem::path& path) {
  FileLock lock(open_to_lock(path));
  wait_for_lock(lock.descriptor_, path);
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

MakingLock::MakingLock(const std::filesystem::path& path) : file_(path) {
  file_ += ".lock";
  std::error_code ignored;
  std::filesystem::create_directories(file_.parent_path(), ignored);
  while (true) {
    descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    // A file of another user can be locked too.
    if (descriptor_ < 0) descriptor_ = open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) return;
    try {
      wait_for_lock(descriptor_, path);
    } catch (...) {
      close(descriptor_);
      throw;
    }
    if (is_still_there(descriptor_, file_)) return;
    close(descriptor_);
  }
}

MakingLock::~MakingLock() {
  if (descriptor_ < 0) return;
  unlink(file_.c_str());
  close(descriptor_);
}

}  // namespace manyverbs
