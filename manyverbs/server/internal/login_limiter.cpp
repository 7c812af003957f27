// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/login_limiter.h"

#include "manyverbs/http/internal/http_error.h"

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

void LoginLimiter::refuse_early(const std::string& client, Time now) const {
  const auto place = records_.find(client);
  if (place == records_.end() || now >= place->second.free) return;
  const auto wait = static_cast<int>((place->second.free - now + kSecond - 1) / kSecond);
  HttpError error(429, "too many wrong passwords; try again in {} {}", wait,
                  wait == 1 ? "second" : "seconds");
  throw error.set_retry_after(wait);
}

void LoginLimiter::count(const std::string& client, Time now) {
  if (records_.size() >= kMostRecords) {
    std::erase_if(records_, [&](const auto& entry) { return entry.second.free <= now; });
  }
  Record& record = records_[client];
  if (now - record.last > kForgotten) record = {};
  ++record.wrong;
  record.last = now;
  record.free = now + pause_after(record.wrong);
}

void LoginLimiter::begin(const std::string& client, Time now) {
  const std::lock_guard lock(mutex_);
  refuse_early(client, now);
  count(client, now);
}

void LoginLimiter::succeeded(const std::string& client) {
  const std::lock_guard lock(mutex_);
  records_.erase(client);
}

}  // namespace manyverbs
