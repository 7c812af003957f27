// SPDX-License-Identifier: MIT
#include "manyverbs/http/internal/fair_workers.h"

#include <utility>

#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

constexpr std::size_t kStackBytes = 2 << 20;

}  // namespace

FairWorkers::FairWorkers(int threads) {
  // std::thread would take the stack size from `ulimit -s`.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const auto start = [](void* self) -> void* {
    static_cast<FairWorkers*>(self)->run();
    return nullptr;
  };
  threads_.reserve(threads);
  for (pthread_t thread{}; static_cast<int>(threads_.size()) < threads;) {
    if (pthread_create(&thread, &attributes, start, this) != 0) break;
    threads_.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  if (threads_.empty()) throw Error("the system allows no more threads");
}

FairWorkers::~FairWorkers() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
}

void FairWorkers::add(const std::string& client, Task task) {
  {
    const std::lock_guard lock(mutex_);
    std::deque<Task>& waiting = tasks_[client];
    if (waiting.empty()) turns_.push_back(client);
    waiting.push_back(std::move(task));
  }
  changed_.notify_one();
}

// Waits for a task; an empty one means that the thread must end.
FairWorkers::Task FairWorkers::next_task() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !turns_.empty() || is_ending_; });
  if (turns_.empty()) return {};
  const std::string client = std::move(turns_.front());
  turns_.pop_front();
  const auto waiting = tasks_.find(client);
  Task task = std::move(waiting->second.front());
  waiting->second.pop_front();
  if (waiting->second.empty()) {
    tasks_.erase(waiting);
  } else {
    turns_.push_back(client);
  }
  return task;
}

void FairWorkers::run() {
  while (Task task = next_task()) task();
}

}  // namespace manyverbs
