// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/tar.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

constexpr std::size_t kBlock = 512;

// The fields of the header are at fixed places; the checksum is computed with blanks in its place.
std::string tar_header(const std::string& path, std::size_t size) {
  std::string header(kBlock, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, path);
  put(100, "0000600");  // mode
  put(108, "0000000");  // user
  put(116, "0000000");  // group
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");  // time
  put(148, "        ");     // checksum
  put(156, "0");            // a regular file
  put(257, std::string("ustar\00000", 8));
  const unsigned sum = std::accumulate(
      header.begin(), header.end(), 0U,
      [](unsigned before, char c) { return before + static_cast<unsigned char>(c); });
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return header;
}

}  // namespace

std::string tar_of(const std::filesystem::path& folder, const std::string& name) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string tar;
  for (const auto& file : files) {
    const std::string path = name + "/" + std::filesystem::relative(file, folder).generic_string();
    const std::string content = read_file(file);
    constexpr std::size_t kLongestPath = 99;
    constexpr std::size_t kLargest = std::size_t{1} << 33;
    if (path.size() > kLongestPath || content.size() >= kLargest) {
      throw Error("{}: is too long or too large for a tar file", path);
    }
    tar += tar_header(path, content.size()) + content;
    tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock, '\0');
  }
  return tar + std::string(2 * kBlock, '\0');
}

}  // namespace manyverbs
