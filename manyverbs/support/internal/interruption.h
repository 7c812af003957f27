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

/// Thrown by long operations after a signal. Not derived from std::exception, so that code that
/// catches the error of one clip or run does not catch it.
class Interrupted {
 public:
  /// Nothing was saved.
  Interrupted() = default;
  /// With a description of what was saved, such as "saved after epoch 3"; the same command resumes
  /// from it.
  explicit Interrupted(std::string kept) : kept_(std::move(kept)) {}

  const std::string& kept() const { return kept_; }

 private:
  std::string kept_;
};

/// Whether a signal has asked the program to stop.
bool interrupted();
/// Throws Interrupted if so. Called where nothing is half done, at least once a second.
void stop_if_interrupted();

/// For a program that execv() is about to replace: signals wait until the next program has its
/// InterruptionHandler, so that none is lost and none ends that program before. Throws Interrupted
/// if one has come already.
void pass_signals_on();

/// While it exists, the first SIGINT or SIGTERM only makes interrupted() true; another one more
/// than half a second later ends the program at once. Signals that were ignored at program start
/// stay ignored. There is one handler at a time; after its destruction interrupted() is false.
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
