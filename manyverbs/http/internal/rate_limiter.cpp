// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/rate_limiter.h"

#include <algorithm>
#include <cmath>

namespace manyverbs {
namespace {

constexpr std::size_t kMostBuckets = 100'000;
constexpr const char* kOthers = "others";

}  // namespace

double RateLimiter::tokens_in(const Bucket& bucket, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  return std::min(at_once_, bucket.tokens + seconds * per_second_);
}

RateLimiter::Bucket& RateLimiter::bucket_of(const std::string& client, Clock::time_point now) {
  const auto known = buckets_.find(client);
  if (known != buckets_.end()) return known->second;
  // A full bucket equals a new one. The search takes milliseconds, so it is not repeated at once.
  if (buckets_.size() >= kMostBuckets && now >= next_cleaning_) {
    std::erase_if(buckets_,
                  [&](const auto& entry) { return tokens_in(entry.second, now) >= at_once_; });
    next_cleaning_ = now + std::chrono::seconds(1);
  }
  const std::string& name = buckets_.size() < kMostBuckets ? client : kOthers;
  return buckets_.try_emplace(name, Bucket{at_once_, now}).first->second;
}

int RateLimiter::take(const std::string& client, Clock::time_point now) {
  if (per_second_ <= 0) return 0;
  Bucket& bucket = bucket_of(client, now);
  bucket = {tokens_in(bucket, now), now};
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return 0;
  }
  return static_cast<int>(std::min(3600.0, std::ceil((1 - bucket.tokens) / per_second_)));
}

}  // namespace manyverbs
