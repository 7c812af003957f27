// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace manyverbs {

/// The number of threads of the program: OMP_NUM_THREADS or the number of cores, unless set. Linear
/// algebra uses it too.
int num_threads();
void set_num_threads(int threads);

/// Calls body(begin, end) on ranges of [0, count) in parallel; a range has at least `grain` items.
/// Rethrows the first exception of a range.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

/// Calls body(i) once for each i below count, in ascending order as workers become free. Each of
/// the `workers` may use `threads_each` threads, which is num_threads() inside. All are called,
/// then the first exception is rethrown. After a signal no further i is started, and Interrupted is
/// thrown (interruption.h).
void side_by_side(std::size_t count, int workers, const std::function<void(std::size_t)>& body,
                  int threads_each = 1);

}  // namespace manyverbs
