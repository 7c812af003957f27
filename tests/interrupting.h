// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {

/// Shells start background processes with SIGINT ignored; the tests need it.
inline const auto kSignalBefore = std::signal(SIGINT, SIG_DFL);

/// Calls work() repeatedly, each time with a slightly later signal, until it finishes. Returns what
/// the interrupted calls reported as saved, in order.
template <typename Work>
std::vector<std::string> interrupt_until_done(const Work& work) {
  std::vector<std::string> kept;
  for (std::chrono::microseconds delay(100);; delay += delay / 4) {
    const InterruptionHandler handler;
    std::promise<void> end;
    std::thread signaller([&] {
      if (end.get_future().wait_for(delay) == std::future_status::timeout) kill(getpid(), SIGTERM);
    });
    bool done = false;
    try {
      work();
      done = true;
    } catch (const Interrupted& stop) {
      kept.push_back(stop.kept());
    }
    end.set_value();
    signaller.join();
    if (done) return kept;
  }
}

/// Calls work() with a pending signal. Returns what it reported as saved, or "done" if it
/// finished.
template <typename Work>
std::string interrupted_at_once(const Work& work) {
  const InterruptionHandler handler;
  std::raise(SIGINT);
  try {
    work();
  } catch (const Interrupted& stop) {
    return stop.kept();
  }
  return "done";
}

}  // namespace manyverbs
