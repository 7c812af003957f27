// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/npy_header.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// The text after 'key': in the header, which is a Python dictionary.
std::string_view header_value(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

// The sizes in "(12000, 1152)"; "(5,)" has one. Nothing if the text is not valid.
std::optional<std::vector<std::int64_t>> parse_sizes(std::string_view text) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) return std::nullopt;
  text = text.substr(1, close - 1);
  std::vector<std::int64_t> sizes;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) return sizes;
    std::int64_t size = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (problem != std::errc() || size < 0) return std::nullopt;
    sizes.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kNpyMagic) || text.size() < 12) {
    throw Error("{}: is not an NPY file", name);
  }
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3) {
    throw Error("{}: expected NPY version 1, 2 or 3, found {}", name, version);
  }
  std::uint32_t length = 0;
  const std::size_t start = version == 1 ? 10 : 12;
  std::memcpy(&length, text.data() + 8, version == 1 ? 2 : 4);
  if (text.size() < start + length) throw Error("{}: the file ends inside its header", name);
  const std::string_view header = text.substr(start, length);
  if (!header.ends_with('\n')) throw Error("{}: the header does not end in a line break", name);

  NpyHeader result;
  result.length = start + length;
  std::string_view code = header_value(header, "descr");
  if (code.starts_with('\'')) code.remove_prefix(1);
  result.code = code.substr(0, std::min(code.find('\''), code.size()));
  const std::string_view order = header_value(header, "fortran_order");
  result.fortran_order = order.starts_with("True");
  if (!result.fortran_order && !order.starts_with("False")) {
    throw Error("{}: the header has no fortran_order, expected True or False", name);
  }
  const auto sizes = parse_sizes(header_value(header, "shape"));
  if (!sizes) throw Error("{}: the header has no valid shape", name);
  result.sizes = *sizes;
  return result;
}

}  // namespace manyverbs
