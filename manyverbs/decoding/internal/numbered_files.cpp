// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/numbered_files.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

constexpr std::size_t kMostDigits = 18;
constexpr std::string_view kDigits = "0123456789";

bool is_flow(const NumberedName& name) {
  return name.prefix == kFlowRightPrefix || name.prefix == kFlowDownPrefix;
}

void keep_chosen(std::string_view prefix, std::vector<NumberedName>* names) {
  std::erase_if(*names, [&](const NumberedName& name) {
    return prefix.empty() ? is_flow(name) : name.prefix != prefix;
  });
}

}  // namespace

std::optional<NumberedName> parse_numbered_name(std::string_view name) {
  NumberedName parts;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view ending = name.substr(dot);
  if (ending != ".jpg" && ending != ".jpeg" && ending != ".JPG") return {};
  const std::string_view stem = name.substr(0, dot);
  const std::size_t last_other = stem.find_last_not_of(kDigits);
  const std::size_t begin = last_other == std::string_view::npos ? 0 : last_other + 1;
  const std::size_t digits = stem.size() - begin;
  if (digits == 0 || digits > kMostDigits) return {};
  parts.prefix = stem.substr(0, begin);
  parts.ending = ending;
  parts.digits = static_cast<int>(digits);
  std::from_chars(stem.data() + begin, stem.data() + stem.size(), parts.number);
  return parts;
}

std::filesystem::path NumberedFiles::path(int position) const {
  return folder / fmt::format("{}{:0{}}{}", prefix, first + position, digits, ending);
}

std::optional<NumberedFiles> select_sequence(const std::filesystem::path& folder,
                                             std::string_view prefix,
                                             std::vector<NumberedName>* names) {
  keep_chosen(prefix, names);
  if (names->empty()) return {};
  std::sort(names->begin(), names->end(), [](const NumberedName& a, const NumberedName& b) {
    return std::tie(a.prefix, a.number) < std::tie(b.prefix, b.number);
  });
  const NumberedName& first = names->front();
  if (first.prefix != names->back().prefix) {
    throw Error("{}: expected images with one prefix, found {}… and {}…", folder.string(),
                first.prefix, names->back().prefix);
  }
  NumberedFiles found{
      folder, first.prefix, first.ending, first.digits, 0, static_cast<int>(names->size())};
  if (first.number > 1) {
    throw Error("{}: expected the first image to be number 0 or 1, found {}", folder.string(),
                first.number);
  }
  found.first = static_cast<int>(first.number);
  for (int i = 0; i < found.count; ++i) {
    const NumberedName& name = (*names)[i];
    const std::int64_t expected = std::int64_t{found.first} + i;
    if (name.number == expected) continue;
    if (name.number < expected) {
      throw Error("{}: has two images with the number {}", folder.string(), name.number);
    }
    throw Error("{}: is missing, but {}{:0{}}{} exists", found.path(i).string(), name.prefix,
                name.number, name.digits, name.ending);
  }
  return found;
}

}  // namespace manyverbs
