// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/interruption.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <string_view>

namespace manyverbs {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

std::atomic<bool> asked_to_stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait");
std::atomic<std::int64_t> first_signal = 0;  // its time in milliseconds
bool on_terminal = false;

// Programs such as timeout send one signal twice, to a process and to its group.
constexpr std::int64_t kOneSignal = 500;

std::int64_t milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1'000'000;
}

void stop_at_safe_point() {
  first_signal = milliseconds();
  // The reader of the output may have been stopped by the same Ctrl-C.
  std::signal(SIGPIPE, SIG_IGN);
  constexpr std::string_view kAnswer = "\nstopping; Ctrl-C again stops at once, without saving\n";
  if (on_terminal) {
    [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kAnswer.data(), kAnswer.size());
  }
}

// Reaching a safe point may take a while, and users who see no reaction press Ctrl-C again.
void note_signal(int signal) {
  const int error = errno;
  if (!asked_to_stop.exchange(true)) {
    stop_at_safe_point();
  } else if (milliseconds() - first_signal > kOneSignal) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // takes effect when this returns
  }
  errno = error;
}

sigset_t signal_set() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kSignals) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

bool interrupted() { return asked_to_stop; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

void pass_signals_on() {
  const sigset_t signals = signal_set();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // execv() keeps this, and signals that wait
  stop_if_interrupted();
}

InterruptionHandler::InterruptionHandler() {
  on_terminal = isatty(STDERR_FILENO) != 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;  // libraries do not expect interrupted system calls
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
  const sigset_t signals = signal_set();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

InterruptionHandler::~InterruptionHandler() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  asked_to_stop = false;
}

}  // namespace manyverbs
