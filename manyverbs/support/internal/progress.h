// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace manyverbs {

/// Progress of a long operation on standard error: a bar with the remaining time on a terminal, a
/// line every ten seconds otherwise, nothing if quiet or if the operation takes less than a second.
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
  /// Increases the total; the remaining time is then shown as "at least".
  void expect_at_least(std::int64_t total) {
    total_ = total;
    open_end_ = true;
  }
  /// A short text after the bar, such as the score of the last epoch.
  void note(std::string text);
  /// The completed fraction, from 0 to 1.
  double share() const;

  /// Disables progress output in the whole program.
  static void silence();

  /// While it exists, the work of this thread is one step of a parallel operation: a Progress made
  /// in this thread advances the whole instead of being shown, also if it has steps itself.
  ///
  ///   Progress whole("runs", 24);
  ///   side_by_side(24, cores, [&](std::size_t i) { const Progress::Step step(&whole); train(i);
  ///   });
  class Step {
   public:
    explicit Step(Progress* whole);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    friend class Progress;
    void move_to(double share);

    Progress* whole_;
    Step* outer_;  // of this thread before, or null
    double share_ = 0;
  };

 private:
  void move(double steps);
  void show();

  std::mutex mutex_;
  Step* step_;  // of another operation that this is a part of, or null
  std::string what_;
  std::string note_;
  std::int64_t total_;
  bool open_end_ = false;
  double done_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_shown_;
  bool terminal_;
  bool shown_ = false;
};

/// A duration in words: "8 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

}  // namespace manyverbs
