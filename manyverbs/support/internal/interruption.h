// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>
#include <string>
#include <utility>

namespace manyverbs {

/// Ctrl-C (SIGINT) and SIGTERM: long work stops at a safe point, saves what it has, and the program
/// says how to resume.
///
///   const InterruptionHandler handler;
///   for (const Clip& clip : clips) {
///     stop_if_interrupted();
///     work_on(clip);
///   }

/// What long work throws after a signal. It is not a std::exception, so that code that catches the
/// error of one clip or one run does not catch it.
class Interrupted {
 public:
  /// Nothing was kept.
  Interrupted() = default;
  /// Says what was kept, such as "saved after epoch 3"; the same command resumes from it.
  explicit Interrupted(std::string kept) : kept_(std::move(kept)) {}

  const std::string& kept() const { return kept_; }

 private:
  std::string kept_;
};

/// Whether a signal has asked the program to stop.
bool interrupted();
/// Throws Interrupted if so. Called where nothing is half done, at least once a second.
void stop_if_interrupted();

/// While it lives, the first SIGINT or SIGTERM only makes interrupted() true; another one that
/// comes more than half a second later ends the program at once. A signal that the program was
/// started to ignore stays ignored. There is one handler at a time; when it goes, interrupted() is
/// false.
class InterruptionHandler {
 public:
  InterruptionHandler();
  ~InterruptionHandler();
  InterruptionHandler(const InterruptionHandler&) = delete;
  InterruptionHandler& operator=(const InterruptionHandler&) = delete;

 private:
  struct sigaction before_[2]{};
};

}  // namespace manyverbs
