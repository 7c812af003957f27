// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace manyverbs {

/// What a file holds, as a short text: equal for equal content, wherever the file is and whenever
/// it was written. Copying, moving and touching a file leave its hash as it is.

/// XXH3-128 of a file's bytes as 32 hexadecimal digits. A folder of frames may hold millions of
/// files: of a folder, it is that of the names and sizes of its files and of the bytes of the
/// first. Throws Error when something cannot be read.
std::string content_hash(const std::filesystem::path& path);

/// Size, times and inode of a file. While it is the same, so is the content: a shortcut beside a
/// hash, never a replacement, since a copy has another state. Empty for a file that changed less
/// than two seconds ago, since a second write could go unnoticed, and for what is not a file.
std::string file_state(const std::filesystem::path& path);

/// content_hash() of a file that may be large: its bytes are read once, then not again until its
/// file_state() changes. The hash is kept beside a large file, in .NAME.hash, and for the length of
/// the program where nothing can be written there.
std::string kept_content_hash(const std::filesystem::path& file);

}  // namespace manyverbs
