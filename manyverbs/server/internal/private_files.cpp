// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/private_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <system_error>

#include <fmt/format.h>

namespace manyverbs {

void make_private(const std::filesystem::path& path) {
  using std::filesystem::perms;
  constexpr perms kOthers = perms::group_all | perms::others_all;
  std::error_code problem;
  const std::filesystem::file_status status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status) || (status.permissions() & kOthers) == perms::none) return;
  std::filesystem::permissions(path, kOthers, std::filesystem::perm_options::remove, problem);
  if (problem) {
    fmt::print(stderr, "manyverbs: {}: other users may be able to read it: {}\n", path.string(),
               problem.message());
  }
}

void create_private(const std::filesystem::path& path) {
  // An existing file is not opened, because closing it would release the SQLite locks of this
  // process.
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor >= 0) {
    close(descriptor);
  } else {
    make_private(path);
  }
}

}  // namespace manyverbs
