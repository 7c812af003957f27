// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/numbered_files.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

constexpr int kMostDigits = 18;

struct NumberedFile {
  std::string prefix;
  std::string ending;
  int digits = 0;
  std::int64_t number = 0;
};

// Parses the name of a numbered image.
std::optional<NumberedFile> parse_name(const std::filesystem::path& name) {
  NumberedFile file;
  file.ending = name.extension().string();
  if (file.ending != ".jpg" && file.ending != ".jpeg" && file.ending != ".JPG") return {};
  const std::string stem = name.stem().string();
  const std::size_t last_other = stem.find_last_not_of("0123456789");
  const std::size_t begin = last_other == std::string::npos ? 0 : last_other + 1;
  file.prefix = stem.substr(0, begin);
  file.digits = static_cast<int>(stem.size() - begin);
  if (file.digits == 0 || file.digits > kMostDigits) return {};
  std::from_chars(stem.data() + begin, stem.data() + stem.size(), file.number);
  return file;
}

}  // namespace

std::filesystem::path NumberedFiles::path(int position) const {
  return folder / fmt::format("{}{:0{}}{}", prefix, first + position, digits, ending);
}

std::optional<NumberedFiles> find_numbered_files(const std::filesystem::path& folder,
                                                 std::string_view prefix) {
  std::vector<NumberedFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::optional<NumberedFile> file = parse_name(entry.path().filename());
    if (file && (prefix.empty() || file->prefix == prefix)) files.push_back(std::move(*file));
  }
  if (files.empty()) return {};
  std::sort(files.begin(), files.end(), [](const NumberedFile& a, const NumberedFile& b) {
    return std::tie(a.prefix, a.number) < std::tie(b.prefix, b.number);
  });
  const NumberedFile& first = files.front();
  if (first.prefix != files.back().prefix) {
    throw Error("{}: expected images with one prefix, found {}… and {}…", folder.string(),
                first.prefix, files.back().prefix);
  }
  NumberedFiles found{
      folder, first.prefix, first.ending, first.digits, 0, static_cast<int>(files.size())};
  if (first.number > 1) {
    throw Error("{}: expected the first image to be number 0 or 1, found {}", folder.string(),
                first.number);
  }
  found.first = static_cast<int>(first.number);
  for (int i = 0; i < found.count; ++i) {
    if (files[i].number != found.first + i) {
      throw Error("{}: is missing, but {} exists", found.path(i).string(),
                  found.path(static_cast<int>(files[i].number) - found.first).filename().string());
    }
  }
  return found;
}

}  // namespace manyverbs
