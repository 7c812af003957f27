// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {

namespace {

// Stored here, because LibTorch changes the number of OpenMP threads at start.
int chosen_threads = omp_get_max_threads();

thread_local int threads_of_worker = 0;  // 0: this thread is no worker

}  // namespace

int num_threads() { return threads_of_worker > 0 ? threads_of_worker : chosen_threads; }

void set_num_threads(int threads) {
  chosen_threads = threads;
  omp_set_num_threads(threads);
}

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  const std::size_t most = std::max<std::size_t>(1, count / grain);
  const int pieces = static_cast<int>(std::min<std::size_t>(num_threads(), most));
  if (pieces == 1 || omp_in_parallel() != 0) {
    body(0, count);
    return;
  }
  std::exception_ptr problem;
#pragma omp parallel for num_threads(pieces) schedule(static, 1)
  for (int piece = 0; piece < pieces; ++piece) {
    try {
      body(count * piece / pieces, count * (piece + 1) / pieces);
    } catch (...) {
#pragma omp critical(manyverbs_parallel_for)
      if (!problem) problem = std::current_exception();
    }
  }
  if (problem) std::rethrow_exception(problem);
}

void side_by_side(std::size_t count, int workers, const std::function<void(std::size_t)>& body,
                  int threads_each) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr problem;
  const auto work = [&] {
    threads_of_worker = threads_each;
    omp_set_num_threads(threads_each);  // for this thread only: linear algebra uses it
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        stop_if_interrupted();
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!problem) problem = std::current_exception();
        if (interrupted()) next = count;
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min<std::size_t>(workers, count); ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace manyverbs
