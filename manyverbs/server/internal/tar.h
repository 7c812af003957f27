// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace manyverbs {

/// A tar file (POSIX ustar) with the regular files of a folder, in the order of their names, under
/// `name/`. The owner and the times are those of nobody in 1970, so equal folders give equal bytes.
/// Throws Error if a path with `name` has more than 99 bytes or a file 8 GB.
std::string tar_of(const std::filesystem::path& folder, const std::string& name);

}  // namespace manyverbs
