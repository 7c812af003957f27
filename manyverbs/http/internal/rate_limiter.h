// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

namespace manyverbs {

/// Limits the requests of each client with a token bucket: a client has up to `at_once` tokens,
/// each request takes one, and `per_second` are added every second. With 2 per second and 10 at
/// once, a client that was idle may send 10 requests at once and then two per second. A client is
/// any text, such as an address. Not thread-safe.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  /// No limit if `per_second` is 0.
  RateLimiter(double per_second, double at_once) : per_second_(per_second), at_once_(at_once) {}

  /// Takes a token and returns 0. Without a token, returns the seconds until there is one, at
  /// least 1.
  int take(const std::string& client, Clock::time_point now);

  /// The number of clients in memory, at most 100,001: if more send requests at the same time, the
  /// others share one bucket.
  std::size_t clients() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens = 0;
    Clock::time_point filled;
  };
  Bucket& bucket_of(const std::string& client, Clock::time_point now);
  double tokens_in(const Bucket& bucket, Clock::time_point now) const;

  double per_second_;
  double at_once_;
  std::unordered_map<std::string, Bucket> buckets_;
  Clock::time_point next_cleaning_;
};

}  // namespace manyverbs
