// SPDX-License-Identifier: MIT
// Included in front of every source that Clang reads. LibTorch 1.13 has vectors of types that are
// not complete yet, which Clang refuses where std::vector is constexpr, as libstdc++ has it in
// C++20.
#pragma once

#include <string>
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
// Declared constexpr before <vector> defines it.
#define __fill_a1 __fill_a1_of_bits
#include <vector>
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
