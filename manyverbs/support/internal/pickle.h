// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs {

/// Reads Python pickles (protocol 2 to 5) as data. A pickle is a program that may call any Python
/// function; here nothing is called: a call becomes an Object with the function and its arguments,
/// which the caller interprets.

struct PickleValue {
  enum class Kind {
    None,
    Bool,
    Int,
    Float,
    Text,
    Bytes,  ///< also an integer of more than 64 bits, little-endian
    List,
    Tuple,
    Dict,  ///< items: key, value, key, value …
    Set,
    Global,      ///< a function or class; its text is "collections.OrderedDict"
    Object,      ///< result of a call; items: the function and its arguments
    Persistent,  ///< stored outside of the pickle; items: its identifier
  };

  Kind kind = Kind::None;
  std::int64_t integer = 0;     ///< of an Int or Bool
  double number = 0;            ///< of a Float
  std::string_view text = {};   ///< of a Text, Bytes or Global
  std::vector<int> items = {};  ///< indices of Pickle::values
  std::vector<int> entries =
      {};          ///< added to an Object after its creation: key, value, …, or members
  int state = -1;  ///< the state of an Object, or -1
};

/// Values refer to each other by index; cycles are possible. Texts point into the bytes that were
/// read, so that large arrays are not copied: the bytes must outlive the pickle.
struct Pickle {
  std::vector<PickleValue> values;
  std::deque<std::string> globals;  ///< the texts of Globals
  int root = 0;
  std::size_t length = 0;  ///< size of the pickle in bytes

  const PickleValue& operator[](int position) const { return values[position]; }

  Pickle() = default;
  Pickle(Pickle&&) = default;
  Pickle& operator=(Pickle&&) = default;
};

/// Parses the pickle at the start of `bytes`; the rest is ignored. `name` is used in errors. Throws
/// Error if it is truncated, damaged, of protocol 0 or 1, has more than two million values or a
/// Global with a name of more than 1000 characters.
/// "\x80\x02K\x07." is the Int 7.
Pickle read_pickle(std::string_view bytes, const std::string& name);

}  // namespace manyverbs
