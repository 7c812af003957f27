// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/checksum.h"

namespace manyverbs {
namespace {

constexpr std::string_view kPrefix = "events.out.tfevents.";

// A number in little-endian order, as in memory.
template <typename T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string record(const std::string& data) {
  const std::string length = raw<std::uint64_t>(data.size());
  return length + raw(masked_crc32c(length)) + data + raw(masked_crc32c(data));
}

// Protocol buffers: a field is its number and wire type, then its value.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

enum WireType { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };
std::string key(int field, WireType type) { return varint(field << 3 | type); }
std::string field(int number, std::int64_t value) { return key(number, Varint) + varint(value); }
std::string field(int number, double value) { return key(number, Fixed64) + raw(value); }
std::string field(int number, float value) { return key(number, Fixed32) + raw(value); }
std::string field(int number, std::string_view value) {
  return (key(number, Length) + varint(value.size())).append(value);
}

// Field numbers are those of event.proto and summary.proto.
std::string event(double time, std::int64_t step, const std::string& what) {
  return record(field(1, time) + field(2, step) + what);
}

std::string summary(const std::vector<Scalar>& scalars) {
  std::string values;
  for (const Scalar& scalar : scalars) {
    if (std::isnan(scalar.value)) continue;
    values += field(1, field(1, scalar.tag) + field(2, static_cast<float>(scalar.value)));
  }
  return field(5, values);
}

std::string opening(double time, std::int64_t step) {
  constexpr std::int64_t kStart = 1;  // of SessionLog.SessionStatus
  return event(time, 0, field(3, "brain.Event:2")) + event(time, step, field(7, field(1, kStart)));
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

// After the existing names, even if two processes start in one second or the clock was set back.
std::string next_name(const std::filesystem::path& folder, double time) {
  auto seconds = static_cast<std::int64_t>(time);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    ++files;
    std::int64_t there = 0;
    const char* digits = name.data() + kPrefix.size();
    std::from_chars(digits, name.data() + name.size(), there);
    seconds = std::max(seconds, there + 1);
  }
  return fmt::format("{}{:010}.{}.{}.{}", kPrefix, seconds, host_name(), getpid(), files);
}

}  // namespace

double wall_time() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_1970).count();
}

EventFile::EventFile(std::filesystem::path folder, std::function<double()> clock)
    : folder_(std::move(folder)), clock_(std::move(clock)) {}

EventFile::~EventFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void EventFile::open(double time) {
  path_ = folder_ / next_name(folder_, time);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw Error("{}: cannot be written: {}", path_.string(), std::strerror(errno));
  }
}

void EventFile::append(std::int64_t step, const std::vector<Scalar>& scalars) {
  const double time = clock_();
  std::string bytes = event(time, step, summary(scalars));
  if (descriptor_ < 0) {
    open(time);
    bytes.insert(0, opening(time, step));
  }
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw Error("{}: cannot be written: {}", path_.string(), std::strerror(errno));
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace manyverbs
