// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/pickle.h"

#include <bit>
#include <cstring>
#include <unordered_map>

#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

using Kind = PickleValue::Kind;

// A value takes about a hundred bytes of memory, but possibly only one byte in the file.
constexpr std::size_t kMostValues = 2'000'000;
// A few bytes can make a global from long texts that were stored once.
constexpr std::size_t kLongestGlobal = 1000;

// The virtual machine that executes a pickle.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Pickle read() {
    while (step(byte())) {
      if (pickle_.values.size() > kMostValues || stack_.size() > kMostValues) {
        throw Error("{}: the pickle contains more than {} values", name_, kMostValues);
      }
    }
    pickle_.root = pop();
    pickle_.length = at_;
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    throw Error("{}: the pickle is damaged: {}", name_, why);
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) fail("it is truncated");
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  unsigned char byte() { return static_cast<unsigned char>(take(1)[0]); }
  std::uint64_t number(int width) {
    std::uint64_t value = 0;
    std::memcpy(&value, take(width).data(), width);
    return value;
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) fail("it is truncated");
    const std::string_view text = take(end - at_);
    take(1);
    return text;
  }

  void push(PickleValue value) {
    stack_.push_back(static_cast<int>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
  }
  void push_int(std::int64_t value, Kind kind = Kind::Int) {
    PickleValue made{kind};
    made.integer = value;
    push(std::move(made));
  }
  void push_text(std::string_view text, Kind kind = Kind::Text) {
    PickleValue made{kind};
    made.text = text;
    push(std::move(made));
  }
  void push_items(Kind kind, std::vector<int> items) {
    PickleValue made{kind};
    made.items = std::move(items);
    push(std::move(made));
  }

  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  int pop() {
    if (stack_.size() <= floor()) fail("stack underflow");
    const int top = stack_.back();
    stack_.pop_back();
    return top;
  }
  PickleValue& top() {
    if (stack_.size() <= floor()) fail("stack underflow");
    return pickle_.values[stack_.back()];
  }
  std::vector<int> pop_last(int count) {
    std::vector<int> items(count);
    for (int i = count - 1; i >= 0; --i) items[i] = pop();
    return items;
  }
  std::vector<int> pop_to_mark() {
    if (marks_.empty()) fail("a mark is missing");
    std::vector<int> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()),
                           stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }

  void put_into_top(const std::vector<int>& items) {
    PickleValue& place = top();
    std::vector<int>& list = place.kind == Kind::Object ? place.entries : place.items;
    list.insert(list.end(), items.begin(), items.end());
  }
  void push_long(std::uint64_t width) {
    const std::string_view digits = take(width);
    if (width > 8) return push_text(digits, Kind::Bytes);
    std::uint64_t value = 0;
    if (width > 0) {
      value = (digits.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;  // two's complement
      std::memcpy(&value, digits.data(), width);
    }
    push_int(static_cast<std::int64_t>(value));
  }
  void push_float() {
    std::uint64_t bits = 0;
    for (const char c : take(8)) bits = bits << 8 | static_cast<unsigned char>(c);
    PickleValue made{Kind::Float};
    made.number = std::bit_cast<double>(bits);
    push(std::move(made));
  }
  void push_global(std::string_view module, std::string_view name) {
    if (module.size() + name.size() > kLongestGlobal) fail("a global with a long name");
    pickle_.globals.push_back(fmt::format("{}.{}", module, name));
    push_text(pickle_.globals.back(), Kind::Global);
  }
  void push_stack_global() {
    const int name = pop();
    const int module = pop();
    if (pickle_[name].kind != Kind::Text || pickle_[module].kind != Kind::Text) {
      fail("a global without a name");
    }
    push_global(pickle_[module].text, pickle_[name].text);
  }
  void remember(std::uint64_t key) {
    top();
    memo_[key] = stack_.back();
  }
  void recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) fail("unknown memo entry");
    stack_.push_back(found->second);
  }

  bool step(unsigned char code);
  bool step_number(unsigned char code);
  bool step_text(unsigned char code);
  bool step_container(unsigned char code);
  bool step_call(unsigned char code);
  bool step_memory(unsigned char code);

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
  Pickle pickle_;
  std::vector<int> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, int> memo_;
};

// Returns false at the end of the pickle. The codes are those of pickletools in Python.
bool Reader::step(unsigned char code) {
  if (code == '.') return false;
  if (code == 0x80) {  // PROTO
    const unsigned char version = byte();
    if (version < 2 || version > 5) {
      throw Error("{}: expected pickle protocol 2 to 5, found {}", name_, version);
    }
    return true;
  }
  if (code == 0x95) {  // FRAME
    take(8);
    return true;
  }
  if (step_number(code) || step_text(code) || step_container(code) || step_call(code) ||
      step_memory(code)) {
    return true;
  }
  fail(fmt::format("unknown operation {:#04x}", code));
}

bool Reader::step_number(unsigned char code) {
  switch (code) {
    case 'N':
      return push({}), true;
    case 0x88:
      return push_int(1, Kind::Bool), true;
    case 0x89:
      return push_int(0, Kind::Bool), true;
    case 'J':
      return push_int(static_cast<std::int32_t>(number(4))), true;
    case 'K':
      return push_int(static_cast<std::int64_t>(number(1))), true;
    case 'M':
      return push_int(static_cast<std::int64_t>(number(2))), true;
    case 0x8a:
      return push_long(number(1)), true;
    case 0x8b:
      return push_long(number(4)), true;
    case 'G':
      return push_float(), true;
    default:
      return false;
  }
}

bool Reader::step_text(unsigned char code) {
  switch (code) {
    case 'U':
    case 0x8c:
      return push_text(take(number(1))), true;
    case 'T':
    case 'X':
      return push_text(take(number(4))), true;
    case 0x8d:
      return push_text(take(number(8))), true;
    case 'C':
      return push_text(take(number(1)), Kind::Bytes), true;
    case 'B':
      return push_text(take(number(4)), Kind::Bytes), true;
    case 0x8e:
    case 0x96:
      return push_text(take(number(8)), Kind::Bytes), true;
    default:
      return false;
  }
}

bool Reader::step_container(unsigned char code) {
  switch (code) {
    case '(':
      return marks_.push_back(stack_.size()), true;
    case ']':
      return push_items(Kind::List, {}), true;
    case '}':
      return push_items(Kind::Dict, {}), true;
    case ')':
      return push_items(Kind::Tuple, {}), true;
    case 0x8f:
      return push_items(Kind::Set, {}), true;
    case 'l':
      return push_items(Kind::List, pop_to_mark()), true;
    case 'd':
      return push_items(Kind::Dict, pop_to_mark()), true;
    case 't':
      return push_items(Kind::Tuple, pop_to_mark()), true;
    case 0x91:
      return push_items(Kind::Set, pop_to_mark()), true;
    case 0x85:
      return push_items(Kind::Tuple, pop_last(1)), true;
    case 0x86:
      return push_items(Kind::Tuple, pop_last(2)), true;
    case 0x87:
      return push_items(Kind::Tuple, pop_last(3)), true;
    case 'a':
      return put_into_top(pop_last(1)), true;
    case 's':
      return put_into_top(pop_last(2)), true;
    case 'e':
    case 'u':
    case 0x90:
      return put_into_top(pop_to_mark()), true;
    default:
      return false;
  }
}

bool Reader::step_call(unsigned char code) {
  switch (code) {
    case 'c': {
      const std::string_view module = line();
      return push_global(module, line()), true;
    }
    case 0x93:
      return push_stack_global(), true;
    case 'R':   // REDUCE: function and arguments
    case 0x81:  // NEWOBJ: class and arguments
      return push_items(Kind::Object, pop_last(2)), true;
    case 0x92:  // NEWOBJ_EX: named arguments too
      return push_items(Kind::Object, pop_last(3)), true;
    case 'b': {  // BUILD
      const int state = pop();
      return top().state = state, true;
    }
    case 'Q':
      return push_items(Kind::Persistent, pop_last(1)), true;
    default:
      return false;
  }
}

bool Reader::step_memory(unsigned char code) {
  switch (code) {
    case 'q':
      return remember(number(1)), true;
    case 'r':
      return remember(number(4)), true;
    case 0x94:
      return remember(memo_.size()), true;
    case 'h':
      return recall(number(1)), true;
    case 'j':
      return recall(number(4)), true;
    case '0':
      return pop(), true;
    case '1':
      return pop_to_mark(), true;
    case '2':
      return top(), stack_.push_back(stack_.back()), true;
    default:
      return false;
  }
}

}  // namespace

Pickle read_pickle(std::string_view bytes, const std::string& name) {
  return Reader(bytes, name).read();
}

}  // namespace manyverbs
