// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
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
  /// The work turned out to be at least this long, and says so of the time left.
  void expect_at_least(std::int64_t total) {
    total_ = total;
    open_end_ = true;
  }
  /// A few words shown behind the bar, such as the score of the last epoch.
  void note(std::string text);
  /// How much of the work is done, from 0 to 1.
  double share() const;

  /// No progress from now on, in the whole program.
  static void silence();

  /// While it lives, what this thread does is one step of a whole that several threads share: a
  /// Progress that the thread makes moves the whole instead of showing itself.
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
    double share_ = 0;
  };

 private:
  void move(double steps);
  void show();

  std::mutex mutex_;
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

/// A duration as people say it: "8 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

}  // namespace manyverbs
