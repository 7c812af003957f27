// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace manyverbs {

/// Removes all access rights of other users from a file or folder. Does nothing if it does not
/// exist. Prints a warning to standard error if the system does not allow it, for example for files
/// of another user.
void make_private(const std::filesystem::path& path);

/// Creates an empty file that only the owner can read. An existing file is made private.
void create_private(const std::filesystem::path& path);

}  // namespace manyverbs
