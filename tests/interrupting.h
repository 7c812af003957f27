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

/// A shell starts what is in the background with SIGINT ignored; here it must act.
inline const auto kSignalBefore = std::signal(SIGINT, SIG_DFL);

/// Calls work() again and again, each time with a signal that comes a little later, until it gets
/// to its end. Returns what the interrupted calls said they had kept, in order.
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

/// Calls work() with a signal that is there already. Returns what it said it had kept; "done" when
/// it went on to its end.
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
