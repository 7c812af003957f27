// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace manyverbs {

/// Long work says how far it is, on standard error: a bar with the time left on a terminal, a line
/// every ten seconds elsewhere, nothing when quiet or when the work takes less than a second.
///
///   Progress progress("neighbours", clips.size());
///   for (...) progress.advance();
class Progress {
 public:
  Progress(std::string what, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::int64_t steps = 1);
  /// The work turned out to be this long.
  void expect(std::int64_t total) { total_ = total; }
  /// A few words shown behind the bar, such as the score of the last epoch.
  void note(std::string text);

  /// No progress from now on, in the whole program.
  static void silence();

 private:
  void show();

  std::string what_;
  std::string note_;
  std::int64_t total_;
  std::int64_t done_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_shown_;
  bool terminal_;
  bool shown_ = false;
};

/// A duration as people say it: "8 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

}  // namespace manyverbs
