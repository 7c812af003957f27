// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/safetensors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "manyverbs/dataset/internal/safetensors_header.h"
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

at::Tensor read_tensor(const SafetensorsFile::Tensor& stored, const std::filesystem::path& path) {
  const at::Tensor tensor = at::empty(stored.shape, find_type(stored.type, stored.name, path));
  if (!stored.bytes.empty()) {
    std::memcpy(tensor.data_ptr(), stored.bytes.data(), stored.bytes.size());
  }
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
  SafetensorsFile stored = read_safetensors_header(file.bytes(), path);
  TensorFile contents;
  contents.metadata = std::move(stored.metadata);
  for (const SafetensorsFile::Tensor& tensor : stored.tensors) {
    contents.tensors.emplace_back(tensor.name, read_tensor(tensor, path));
  }
  return contents;
}

}  // namespace manyverbs
