// SPDX-License-Identifier: MIT
#include "manyverbs/support/interruption.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

namespace manyverbs {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

std::atomic<bool> asked_to_stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait");
bool on_terminal = false;

// Work may take a while to get to a safe point, and who sees nothing happen presses Ctrl-C again.
void note_signal(int) {
  const int error = errno;
  asked_to_stop = true;
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  constexpr std::string_view kAnswer = "\nstopping; Ctrl-C again stops at once, without saving\n";
  if (on_terminal) {
    [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kAnswer.data(), kAnswer.size());
  }
  errno = error;
}

}  // namespace

bool interrupted() { return asked_to_stop; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

InterruptionHandler::InterruptionHandler() {
  on_terminal = isatty(STDERR_FILENO) != 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;  // libraries do not expect a read or write to be cut short
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptionHandler::~InterruptionHandler() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  asked_to_stop = false;
}

}  // namespace manyverbs
