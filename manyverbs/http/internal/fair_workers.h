// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace manyverbs {

/// Threads that run tasks of several clients in turn: one task of each client that has any, and so
/// on. A client with a thousand waiting tasks delays a task of another client by at most one of
/// them per thread. The tasks of one client start in their order.
class FairWorkers {
 public:
  using Task = std::function<void()>;

  /// Threads have a stack of 2 MB, whatever `ulimit -s` says. Throws Error if the system allows no
  /// thread; with fewer threads than wanted, there are as many as it allows.
  explicit FairWorkers(int threads);
  /// Runs the waiting tasks and ends the threads.
  ~FairWorkers();
  FairWorkers(const FairWorkers&) = delete;
  FairWorkers& operator=(const FairWorkers&) = delete;

  /// The task must not throw.
  void add(const std::string& client, Task task);

 private:
  void run();
  Task next_task();

  std::mutex mutex_;  // guards the members up to `is_ending_`
  std::condition_variable changed_;
  std::unordered_map<std::string, std::deque<Task>> tasks_;  // of clients with waiting tasks
  std::deque<std::string> turns_;                            // the same clients; the first is next
  bool is_ending_ = false;
  std::vector<pthread_t> threads_;
};

}  // namespace manyverbs
