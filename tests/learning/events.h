// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/support/internal/files.h"

namespace manyverbs {

/// Reads event files like TensorBoard, independent of the code that writes them.

inline std::uint32_t bitwise_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
  }
  return crc ^ 0xFFFFFFFF;
}

/// Removes and returns the first bytes; throws if there are fewer.
inline std::string_view take(std::string_view& bytes, std::size_t count) {
  if (count > bytes.size()) throw std::out_of_range("cut short");
  const std::string_view piece = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return piece;
}

template <typename T>
T take_number(std::string_view& bytes) {
  T value;
  std::memcpy(&value, take(bytes, sizeof value).data(), sizeof value);
  return value;
}

inline std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(bytes, 1)[0]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

/// The fields of a message, by number; a varint as eight bytes.
inline std::map<int, std::vector<std::string>> fields_of(std::string_view bytes) {
  std::map<int, std::vector<std::string>> fields;
  while (!bytes.empty()) {
    const std::uint64_t key = take_varint(bytes);
    std::string value;
    switch (key & 7) {
      case 0: {
        const std::uint64_t number = take_varint(bytes);
        value.assign(reinterpret_cast<const char*>(&number), sizeof number);
        break;
      }
      case 1:
        value = take(bytes, 8);
        break;
      case 2:
        value = take(bytes, take_varint(bytes));
        break;
      case 5:
        value = take(bytes, 4);
        break;
      default:
        throw std::runtime_error("a wire type that does not exist");
    }
    fields[static_cast<int>(key >> 3)].push_back(value);
  }
  return fields;
}

template <typename T>
T number_of(std::string_view bytes) {
  return take_number<T>(bytes);
}

struct ReadEvent {
  double time = 0;
  std::int64_t step = 0;
  std::string version;
  bool start = false;
  std::map<std::string, float> scalars;
};

inline ReadEvent event_of(std::string_view data) {
  auto fields = fields_of(data);
  ReadEvent event;
  event.time = number_of<double>(fields.at(1).at(0));
  event.step = number_of<std::int64_t>(fields.at(2).at(0));
  if (fields.contains(3)) event.version = fields[3][0];
  if (fields.contains(7)) event.start = number_of<std::int64_t>(fields_of(fields[7][0])[1][0]) == 1;
  if (!fields.contains(5)) return event;
  auto summary = fields_of(fields[5][0]);
  for (const std::string& entry : summary[1]) {
    auto value = fields_of(entry);
    event.scalars[value.at(1).at(0)] = number_of<float>(value.at(2).at(0));
  }
  return event;
}

/// The complete records of a file; a truncated last one is ignored. Throws if a checksum is
/// wrong.
inline std::vector<ReadEvent> read_events(const std::filesystem::path& path) {
  const std::string contents = read_file(path);
  const auto check = [](std::string_view bytes, std::uint32_t masked) {
    const std::uint32_t crc = bitwise_crc32c(bytes);
    if (masked != ((crc >> 15 | crc << 17) + 0xA282EAD8)) throw std::runtime_error("checksum");
  };
  std::vector<ReadEvent> events;
  std::string_view rest = contents;
  try {
    while (!rest.empty()) {
      std::string_view length = take(rest, 8);
      check(length, take_number<std::uint32_t>(rest));
      const std::string_view data = take(rest, take_number<std::uint64_t>(length));
      check(data, take_number<std::uint32_t>(rest));
      events.push_back(event_of(data));
    }
  } catch (const std::out_of_range&) {
    return events;
  }
  return events;
}

/// The event files of a folder in the order of their names.
inline std::vector<std::filesystem::path> event_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("events.out.tfevents.")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The points of a curve over all files of a folder: a session start drops earlier points from its
/// step on.
inline std::vector<std::pair<std::int64_t, float>> curve(const std::filesystem::path& folder,
                                                         const std::string& tag) {
  std::vector<std::pair<std::int64_t, float>> points;
  for (const auto& file : event_files(folder)) {
    for (const ReadEvent& event : read_events(file)) {
      if (event.start) {
        std::erase_if(points, [&](const auto& point) { return point.first >= event.step; });
      }
      const auto found = event.scalars.find(tag);
      if (found != event.scalars.end()) points.emplace_back(event.step, found->second);
    }
  }
  return points;
}

}  // namespace manyverbs
