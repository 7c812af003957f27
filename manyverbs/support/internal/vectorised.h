// SPDX-License-Identifier: MIT
#pragma once

namespace manyverbs {

/// Arithmetic that is compiled twice: once for every processor, and on x86-64 once more for those
/// with AVX2 and FMA, whose registers hold eight floats. This is the only place that knows the
/// processor; the code itself is plain C++.
///
///   [[gnu::always_inline]] inline float sum(const float* values, std::size_t count) { ... }
///   const float total = vectorised<sum>(values, count);
///
/// MANYVERBS_PORTABLE=1 in the environment selects the portable code on every processor; the tests
/// run both.

/// Whether the code for AVX2 and FMA is used: false on other kinds of processor.
bool uses_avx2();

#if defined(__x86_64__)
namespace support_internal {

template <auto kFunction, typename... Arguments>
[[gnu::target("arch=x86-64-v3")]] auto compiled_for_avx2(const Arguments&... arguments) {
  return kFunction(arguments...);
}

}  // namespace support_internal
#endif

/// kFunction(arguments...). The function and all that it calls in its loops must be always_inline,
/// since only what is inlined here is compiled twice.
template <auto kFunction, typename... Arguments>
auto vectorised(const Arguments&... arguments) {
#if defined(__x86_64__)
  if (uses_avx2()) return support_internal::compiled_for_avx2<kFunction>(arguments...);
#endif
  return kFunction(arguments...);
}

}  // namespace manyverbs
