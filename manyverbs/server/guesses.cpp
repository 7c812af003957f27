// SPDX-License-Identifier: MIT
#include "manyverbs/server/guesses.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "manyverbs/server/refusal.h"

namespace manyverbs {
namespace {

constexpr int kFree = 3;
constexpr int kBlockedFrom = 10;
constexpr Time kSecond = 1000;
constexpr Time kBlocked = 900 * kSecond;
constexpr Time kForgotten = 3600 * kSecond;
constexpr std::size_t kMostRecords = 100'000;

Time pause_after(int wrong) {
  if (wrong < kFree) return 0;
  return wrong >= kBlockedFrom ? kBlocked : kSecond << (wrong - kFree);
}

}  // namespace

void GuessLimiter::require_patience(const std::string& address, Time now) {
  const std::lock_guard lock(mutex_);
  const auto place = records_.find(address_group(address));
  if (place == records_.end() || now >= place->second.free) return;
  const auto wait = static_cast<int>((place->second.free - now + kSecond - 1) / kSecond);
  Refusal refusal(429, "too many wrong tries; try again in {} {}", wait,
                  wait == 1 ? "second" : "seconds");
  throw refusal.waiting(wait);
}

void GuessLimiter::wrong(const std::string& address, Time now) {
  const std::lock_guard lock(mutex_);
  if (records_.size() >= kMostRecords) {
    std::erase_if(records_, [&](const auto& entry) { return entry.second.free <= now; });
  }
  Record& record = records_[address_group(address)];
  if (now - record.last > kForgotten) record = {};
  ++record.wrong;
  record.last = now;
  record.free = now + pause_after(record.wrong);
}

void GuessLimiter::right(const std::string& address) {
  const std::lock_guard lock(mutex_);
  records_.erase(address_group(address));
}

std::string address_group(const std::string& address) {
  in6_addr parsed{};
  if (inet_pton(AF_INET6, address.c_str(), &parsed) != 1) return address;
  if (IN6_IS_ADDR_V4MAPPED(&parsed)) return address;
  constexpr std::size_t kNetwork = 8;  // bytes
  std::fill(std::begin(parsed.s6_addr) + kNetwork, std::end(parsed.s6_addr), std::uint8_t{0});
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, &parsed, text.data(), text.size());
  return text.data();
}

}  // namespace manyverbs
