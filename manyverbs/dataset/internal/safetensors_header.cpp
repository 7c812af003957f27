// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/safetensors_header.h"

#include <array>
#include <cstring>

#include "manyverbs/dataset/internal/array_store.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

constexpr const char* kMetadata = "__metadata__";

struct SafetensorsType {
  std::string_view name;
  ElementType type;
};
constexpr std::array<SafetensorsType, 13> kSafetensorsTypes = {{
    {"F64", {ElementKind::Float, 8}},
    {"F32", {ElementKind::Float, 4}},
    {"F16", {ElementKind::Float, 2}},
    {"BF16", {ElementKind::BFloat, 2}},
    {"I64", {ElementKind::Int, 8}},
    {"I32", {ElementKind::Int, 4}},
    {"I16", {ElementKind::Int, 2}},
    {"I8", {ElementKind::Int, 1}},
    {"U64", {ElementKind::Unsigned, 8}},
    {"U32", {ElementKind::Unsigned, 4}},
    {"U16", {ElementKind::Unsigned, 2}},
    {"U8", {ElementKind::Unsigned, 1}},
    {"BOOL", {ElementKind::Bool, 1}},
}};

}  // namespace

ElementType safetensors_element(const std::string& type, const std::string& name,
                                const std::filesystem::path& path) {
  for (const SafetensorsType& row : kSafetensorsTypes) {
    if (row.name == type) return row.type;
  }
  throw Error("{}: '{}': expected F32, found {}", path.string(), printable(name), printable(type));
}

SafetensorsFile read_safetensors_header(std::span<const std::byte> bytes,
                                        const std::filesystem::path& path) {
  std::uint64_t length = 0;
  if (bytes.size() >= sizeof length) std::memcpy(&length, bytes.data(), sizeof length);
  if (length == 0 || bytes.size() - sizeof length < length) {
    throw Error("{}: is truncated or not a safetensors file", path.string());
  }
  const char* text = reinterpret_cast<const char*>(bytes.data()) + sizeof length;
  const Json header = Json::parse(text, text + length, nullptr, false);
  if (!header.is_object()) throw Error("{}: is damaged: its header is not JSON", path.string());
  const auto data = bytes.subspan(sizeof length + length);
  SafetensorsFile file;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) {
      file.metadata = json_value<std::map<std::string, std::string>>(header, name, path);
      continue;
    }
    SafetensorsFile::Tensor tensor{name,
                                   json_value<std::string>(entry, "dtype", path),
                                   json_value<std::vector<std::int64_t>>(entry, "shape", path),
                                   {}};
    const auto offsets = json_value<std::vector<std::size_t>>(entry, "data_offsets", path);
    const auto expected = byte_count(safetensors_element(tensor.type, name, path), tensor.shape);
    if (!expected || offsets.size() != 2 || offsets[1] < offsets[0] ||
        offsets[1] - offsets[0] != *expected || offsets[1] > data.size()) {
      throw Error("{}: is truncated or damaged at '{}'", path.string(), printable(name));
    }
    tensor.bytes = data.subspan(offsets[0], *expected);
    file.tensors.push_back(std::move(tensor));
  }
  return file;
}

std::unique_ptr<ArrayStore> open_safetensors(const std::filesystem::path& path) {
  const auto mapped = std::make_shared<const MappedFile>(path);
  auto store = std::make_unique<MappedStore>(path.string(), "safetensors");
  store->keep(mapped);
  for (SafetensorsFile::Tensor& tensor : read_safetensors_header(mapped->bytes(), path).tensors) {
    const ElementType type = safetensors_element(tensor.type, tensor.name, path);
    store->arrays.push_back(
        {tensor.name, type, std::move(tensor.shape), false, tensor.bytes.data()});
  }
  return store;
}

}  // namespace manyverbs
