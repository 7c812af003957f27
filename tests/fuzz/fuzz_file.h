// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace manyverbs {

/// The input of a fuzz target as a file in memory, for readers that take a path.
class FuzzFile {
 public:
  FuzzFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("input", 0)) {
    if (write(descriptor_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~FuzzFile() { close(descriptor_); }
  FuzzFile(const FuzzFile&) = delete;
  FuzzFile& operator=(const FuzzFile&) = delete;

  std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

}  // namespace manyverbs
