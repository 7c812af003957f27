// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace manyverbs {

/// Takes from everybody but the owner what they may do with a file or folder; does nothing where
/// there is none. A warning on standard error when the system does not allow it, as for files of
/// another user.
void make_private(const std::filesystem::path& path);

/// Makes an empty file that only the owner may read, unless there is one, which is made private.
void create_private(const std::filesystem::path& path);

}  // namespace manyverbs
