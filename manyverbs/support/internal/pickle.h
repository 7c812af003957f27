// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs {

/// Python pickles (protocol 2 to 5) as data. A pickle is a program that may call any function of
/// Python; here nothing is called: a call is kept as an Object that says which function and with
/// what, and whoever reads it decides what that means.

struct PickleValue {
  enum class Kind {
    None,
    Bool,
    Int,
    Float,
    Text,
    Bytes,  ///< also a whole number of more than 64 bits, lowest byte first
    List,
    Tuple,
    Dict,  ///< items: key, value, key, value …
    Set,
    Global,      ///< a function or class; its text is "collections.OrderedDict"
    Object,      ///< what a call would give; items: the function and its arguments
    Persistent,  ///< something stored outside; items: what names it
  };

  Kind kind = Kind::None;
  std::int64_t integer = 0;     ///< of an Int or Bool
  double number = 0;            ///< of a Float
  std::string text = {};        ///< of a Text, Bytes or Global
  std::vector<int> items = {};  ///< positions in Pickle::values
  std::vector<int> entries =
      {};          ///< what was put into an Object afterwards: key, value, …, or members
  int state = -1;  ///< what an Object was told to take as its state, or -1
};

/// Values refer to each other by position; a pickle may hold circles.
struct Pickle {
  std::vector<PickleValue> values;
  int root = 0;
  std::size_t length = 0;  ///< bytes up to the end of the pickle

  const PickleValue& operator[](int position) const { return values[position]; }
};

/// The pickle at the start of `bytes`; what is behind it is left alone. `name` is for errors.
/// Throws Error when it is cut short, damaged, of protocol 0 or 1, or of more than two million
/// values.
/// "\x80\x02K\x07." is the Int 7.
Pickle read_pickle(std::string_view bytes, const std::string& name);

}  // namespace manyverbs
