// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/safetensors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

constexpr const char* kMetadataKey = "__metadata__";

std::string header_of(const TensorFile& contents) {
  Json header = Json::object();
  if (!contents.metadata.empty()) header[kMetadataKey] = contents.metadata;
  std::size_t offset = 0;
  for (const auto& [name, tensor] : contents.tensors) {
    const std::size_t end = offset + tensor.numel() * sizeof(float);
    header[name] = {
        {"dtype", "F32"}, {"shape", tensor.sizes().vec()}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // align the elements to 8 bytes
  return text;
}

struct TypeRow {
  std::string_view name;
  at::ScalarType type;
};
constexpr std::array<TypeRow, 10> kTypes = {{
    {"F64", at::kDouble},
    {"F32", at::kFloat},
    {"F16", at::kHalf},
    {"BF16", at::kBFloat16},
    {"I64", at::kLong},
    {"I32", at::kInt},
    {"I16", at::kShort},
    {"I8", at::kChar},
    {"U8", at::kByte},
    {"BOOL", at::kBool},
}};

at::ScalarType find_type(const std::string& type, const std::string& name,
                         const std::filesystem::path& path) {
  for (const TypeRow& row : kTypes) {
    if (row.name == type) return row.type;
  }
  throw Error("{}: '{}': expected F32, found {}", path.string(), name, type);
}

at::Tensor read_tensor(const Json& entry, const std::string& name, std::span<const std::byte> data,
                       const std::filesystem::path& path) {
  const at::ScalarType type = find_type(json_value<std::string>(entry, "dtype", path), name, path);
  const auto shape = json_value<std::vector<std::int64_t>>(entry, "shape", path);
  const auto offsets = json_value<std::vector<std::size_t>>(entry, "data_offsets", path);
  std::size_t bytes = at::elementSize(type);
  bool fits = true;
  for (const std::int64_t size : shape) {
    fits = fits && size >= 0 && !__builtin_mul_overflow(bytes, size, &bytes);
  }
  if (!fits || offsets.size() != 2 || offsets[1] < offsets[0] || offsets[1] - offsets[0] != bytes ||
      offsets[1] > data.size()) {
    throw Error("{}: is truncated or damaged at '{}'", path.string(), name);
  }
  const at::Tensor tensor = at::empty(shape, type);
  if (bytes > 0) std::memcpy(tensor.data_ptr(), data.data() + offsets[0], bytes);
  return tensor.is_floating_point() ? tensor.to(at::kFloat) : tensor;
}

}  // namespace

void TensorFile::copy_into(const std::vector<std::pair<std::string, at::Tensor>>& named,
                           const std::filesystem::path& path) const {
  for (const auto& [name, place] : named) {
    const auto found =
        std::find_if(tensors.begin(), tensors.end(),
                     [&name = name](const auto& entry) { return entry.first == name; });
    if (found == tensors.end()) throw Error("{}: has no tensor '{}'", path.string(), name);
    if (found->second.sizes() != place.sizes()) {
      throw Error("{}: '{}': expected the shape {}, found {}", path.string(), name,
                  fmt::join(place.sizes(), " x "), fmt::join(found->second.sizes(), " x "));
    }
    place.detach().copy_(found->second);
  }
}

void write_tensors(const std::filesystem::path& path, const TensorFile& contents) {
  const std::string header = header_of(contents);
  const std::uint64_t length = header.size();
  FileWriter file(path);
  file.write(&length, sizeof length);
  file.write(header);
  for (const auto& [name, tensor] : contents.tensors) {
    const at::Tensor plain = tensor.detach().to(at::kCPU).contiguous();
    file.write(plain.data_ptr<float>(), plain.numel() * sizeof(float));
  }
  file.commit();
}

TensorFile read_tensors(const std::filesystem::path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  std::uint64_t length = 0;
  if (bytes.size() >= sizeof length) std::memcpy(&length, bytes.data(), sizeof length);
  if (length == 0 || bytes.size() - sizeof length < length) {
    throw Error("{}: is truncated or not a safetensors file", path.string());
  }
  const char* text = reinterpret_cast<const char*>(bytes.data()) + sizeof length;
  const Json header = Json::parse(text, text + length, nullptr, false);
  if (!header.is_object()) throw Error("{}: is damaged: its header is not JSON", path.string());
  const auto data = bytes.subspan(sizeof length + length);
  TensorFile contents;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadataKey) {
      contents.metadata = json_value<std::map<std::string, std::string>>(header, name, path);
    } else {
      contents.tensors.emplace_back(name, read_tensor(entry, name, data, path));
    }
  }
  return contents;
}

}  // namespace manyverbs
