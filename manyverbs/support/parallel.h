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

}  // namespace manyverbs
