// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/times.h"

#include <chrono>
#include <ctime>

namespace manyverbs {

Time time_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string time_text(Time time) {
  const auto seconds = static_cast<std::time_t>(time / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::optional<Time> time_in(const std::string& text) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const Time time = static_cast<Time>(timegm(&parts)) * 1000;
  // strptime accepts 31 February and a single digit.
  return time_text(time) == text ? std::optional(time) : std::nullopt;
}

}  // namespace manyverbs
