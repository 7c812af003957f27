// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/guesses.h"

#include "manyverbs/server/internal/refusal.h"

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

void GuessLimiter::refuse_early(const std::string& guesser, Time now) const {
  const auto place = records_.find(guesser);
  if (place == records_.end() || now >= place->second.free) return;
  const auto wait = static_cast<int>((place->second.free - now + kSecond - 1) / kSecond);
  Refusal refusal(429, "too many wrong tries; try again in {} {}", wait,
                  wait == 1 ? "second" : "seconds");
  throw refusal.waiting(wait);
}

void GuessLimiter::count(const std::string& guesser, Time now) {
  if (records_.size() >= kMostRecords) {
    std::erase_if(records_, [&](const auto& entry) { return entry.second.free <= now; });
  }
  Record& record = records_[guesser];
  if (now - record.last > kForgotten) record = {};
  ++record.wrong;
  record.last = now;
  record.free = now + pause_after(record.wrong);
}

void GuessLimiter::begin(const std::string& guesser, Time now) {
  const std::lock_guard lock(mutex_);
  refuse_early(guesser, now);
  count(guesser, now);
}

void GuessLimiter::right(const std::string& guesser) {
  const std::lock_guard lock(mutex_);
  records_.erase(guesser);
}

}  // namespace manyverbs
