// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace manyverbs {
namespace {

constexpr int kBarWidth = 28;

bool progress_is_silent = false;
// The step that this thread works on, if any.
thread_local Progress::Step* step_of_thread = nullptr;

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

Progress::Progress(std::string what, std::int64_t total)
    : step_(step_of_thread),
      what_(std::move(what)),
      total_(total),
      start_(std::chrono::steady_clock::now()),
      last_shown_(start_),
      terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::silence() { progress_is_silent = true; }

void Progress::note(std::string text) {
  const std::lock_guard lock(mutex_);
  note_ = std::move(text);
}

double Progress::share() const {
  return total_ > 0 ? std::min(1.0, done_ / static_cast<double>(total_)) : 0.0;
}

void Progress::advance(std::int64_t steps) { move(static_cast<double>(steps)); }

void Progress::move(double steps) {
  const std::lock_guard lock(mutex_);
  done_ += steps;
  if (step_ != nullptr) {
    step_->move_to(share());
    return;
  }
  if (progress_is_silent) return;
  const auto now = std::chrono::steady_clock::now();
  const auto pause =
      terminal_ ? std::chrono::milliseconds(shown_ ? 100 : 1000) : std::chrono::milliseconds(10000);
  if (now - last_shown_ < pause) return;
  last_shown_ = now;
  show();
}

Progress::Step::Step(Progress* whole) : whole_(whole), outer_(step_of_thread) {
  step_of_thread = this;
}

Progress::Step::~Step() {
  step_of_thread = outer_;
  move_to(1);
}

void Progress::Step::move_to(double share) {
  if (share <= share_) return;
  whole_->move(share - share_);
  share_ = share;
}

void Progress::show() {
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(last_shown_ - start_).count();
  const double done = share();
  const std::string left = done > 0 ? fmt::format("{}{} left", open_end_ ? "at least " : "",
                                                  duration_text(elapsed / done * (1 - done)))
                                    : "starting";
  if (!terminal_) {
    fmt::print(stderr, "{}: {:.0f} %, {}{}{}\n", what_, 100 * done, left, note_.empty() ? "" : ", ",
               note_);
    return;
  }
  const int filled = static_cast<int>(done * kBarWidth);
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < filled ? "━" : "╌";
  fmt::print(stderr, "\r\x1b[K{} {} {:3.0f} % {} {}", what_, bar, 100 * done, left, note_);
  std::fflush(stderr);
}

}  // namespace manyverbs
