// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace manyverbs {

/// Reads the headers of an uncompressed tar file (ustar, GNU, pax), so that its members can be read
/// in place. Nothing is ever unpacked. Data is skipped, so the time depends on the number of
/// members.

/// Headers and data start at multiples of this number of bytes.
inline constexpr std::uint64_t kTarBlock = 512;

struct TarMember {
  std::string name;          ///< without a leading "./"
  std::uint64_t offset = 0;  ///< of its data in the tar file
  std::uint64_t size = 0;
};

/// Calls `use` with every regular file, in the order of the tar file. Throws Error with file and
/// reason if it is damaged, truncated, compressed or not a tar file, and for a member that is
/// sparse, has an invalid size or has a name that leads out of the folder.
void for_each_member(const std::filesystem::path& path,
                     const std::function<void(TarMember member)>& use);

/// Whether the path is a file whose name ends in .tar.
bool is_tar_file(const std::filesystem::path& path);

/// The bytes at a place in a file; throws Error if the file ends before.
std::string read_place(const std::filesystem::path& path, std::uint64_t offset, std::size_t size);

}  // namespace manyverbs
