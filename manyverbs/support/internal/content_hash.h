// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace manyverbs {

/// Content hashes of files. Equal content gives the same hash; copying, moving and touching a file
/// do not change it.

/// XXH3-128 of the bytes of a file as 32 hexadecimal digits. For a folder, which may contain
/// millions of frames: the hash of the names and sizes of its files and the bytes of the first one.
/// Throws Error if something cannot be read.
std::string content_hash(const std::filesystem::path& path);

/// The same hash of bytes in memory.
std::string bytes_hash(std::string_view bytes);

/// Size, times and inode of a file. If it is unchanged, so is the content. This is a shortcut
/// beside a hash, never a replacement, because a copy has another state. Empty for a file that
/// changed less than two seconds ago, because another write could go unnoticed, and for everything
/// that is not a regular file.
std::string file_state(const std::filesystem::path& path);

/// The same for a folder of images: times and inode of the folder, and the states of its first and
/// last file by name. It changes if files are added, removed or renamed, or if all are rewritten.
std::string folder_state(const std::filesystem::path& path);

/// content_hash() of a possibly large file: it is read once, and again only if its file_state()
/// changes. The hash of a large file is stored beside it in .NAME.hash, or in memory if that cannot
/// be written.
std::string kept_content_hash(const std::filesystem::path& file);

}  // namespace manyverbs
