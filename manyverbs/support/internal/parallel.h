// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace manyverbs {

/// How many threads the program uses: OMP_NUM_THREADS or the cores there are, unless set. Linear
/// algebra follows it.
int num_threads();
void set_num_threads(int threads);

/// Calls body(begin, end) on pieces of [0, count), on all threads; a piece has at least `grain`
/// items. The first exception that a piece throws comes out here.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

/// Calls body(i) once for each i below count, in rising order as workers get free. Each of the
/// `workers` uses one thread: num_threads() is 1 for it. All are called; then the first exception
/// comes out here. After a signal no further i is begun, and Interrupted comes out
/// (interruption.h).
void side_by_side(std::size_t count, int workers, const std::function<void(std::size_t)>& body);

}  // namespace manyverbs
