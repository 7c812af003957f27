// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string_view>

#include "manyverbs/dataset/internal/array_store.h"
#include "manyverbs/dataset/internal/feature_layout.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/pickle.h"

namespace manyverbs {
namespace {

using Kind = PickleValue::Kind;

// What NumPy's arrays and Python's containers refer to. They are recognised, never called.
constexpr std::array<std::string_view, 14> kKnownGlobals = {{
    "numpy.ndarray",
    "numpy.dtype",
    "numpy.core.multiarray._reconstruct",
    "numpy._core.multiarray._reconstruct",
    "numpy.core.multiarray.scalar",
    "numpy._core.multiarray.scalar",
    "numpy.core.numeric._frombuffer",
    "numpy._core.numeric._frombuffer",
    "_codecs.encode",
    "__builtin__.bytes",
    "builtins.bytes",
    "collections.OrderedDict",
    "collections.defaultdict",
    "__builtin__.list",
}};
constexpr std::array<std::string_view, 4> kKnownFactories = {
    {"builtins.list", "builtins.dict", "builtins.int", "builtins.float"}};

constexpr int kDeepest = 20;
constexpr std::size_t kLongestName = 1000;
// As many as a pickle can have. Many keys can refer to one list.
constexpr std::size_t kMostVisits = 2'000'000;
constexpr std::size_t kShownOfType = 20;

void check_globals(const Pickle& pickle, const std::string& file) {
  const auto is_in = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const PickleValue& value : pickle.values) {
    if (value.kind != Kind::Global || is_in(kKnownGlobals, value.text) ||
        is_in(kKnownFactories, value.text)) {
      continue;
    }
    throw Error("{}: refers to '{}', which NumPy arrays do not need; nothing was executed", file,
                printable(value.text));
  }
}

// The bytes of a text in which each character stands for one byte: protocol 2 has no other way.
std::optional<std::string> latin1(std::string_view utf8) {
  std::string bytes;
  bytes.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto code = static_cast<unsigned char>(utf8[i]);
    if (code < 0x80) {
      bytes += utf8[i];
    } else if ((code == 0xc2 || code == 0xc3) && i + 1 < utf8.size()) {
      bytes += static_cast<char>((code & 3) << 6 | (utf8[++i] & 0x3f));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

// Collects the arrays of a pickle.
class ArrayReader {
 public:
  ArrayReader(const Pickle& pickle, MappedStore* store) : pickle_(pickle), store_(*store) {}

  void collect() {
    const PickleValue* root = &pickle_[pickle_.root];
    for (int depth = 0; depth < kDeepest && is_sequence(*root) && root->items.size() == 1;
         ++depth) {
      root = &pickle_[root->items[0]];
    }
    if (const auto object = object_element(*root)) root = &pickle_[*object];
    const int position = static_cast<int>(root - pickle_.values.data());
    if (const auto dictionary = entries(*root)) {
      visit_entries(*dictionary, "", 0);
    } else if (!is_sequence(*root) || root->items.size() < 2 || key_text(pickle_[root->items[0]])) {
      visit(position, "array", 0);
    } else if (!add_named_arrays(*root)) {
      store_.is_list = true;
      for (std::size_t i = 0; i < root->items.size(); ++i) {
        visit(root->items[i], std::to_string(i), 0);
      }
    }
    if (store_.arrays.empty()) throw Error("{}: contains no NumPy arrays", store_.file);
  }

 private:
  [[noreturn]] void fail(const std::string& name, std::string_view what) const {
    throw Error("{}: the array '{}' {}", store_.file, printable(name), what);
  }

  static bool is_sequence(const PickleValue& value) {
    return value.kind == Kind::List || value.kind == Kind::Tuple;
  }

  std::string_view function_of(const PickleValue& value) const {
    if (value.kind != Kind::Object) return {};
    const PickleValue& function = pickle_[value.items[0]];
    return function.kind == Kind::Global ? function.text : std::string_view{};
  }
  const std::vector<int>& arguments_of(const PickleValue& object) const {
    return pickle_[object.items[1]].items;
  }

  // Keys and values, alternating.
  std::optional<std::vector<int>> entries(const PickleValue& value) const {
    if (value.kind == Kind::Dict) return value.items;
    if (!function_of(value).starts_with("collections.")) return std::nullopt;
    return value.entries;
  }

  // A name or id.
  std::optional<std::string> key_text(const PickleValue& key) const {
    if (key.kind == Kind::Text || key.kind == Kind::Bytes) return std::string(key.text);
    if (key.kind == Kind::Int) return std::to_string(key.integer);
    return scalar_text(key);
  }

  // numpy.core.multiarray.scalar(type, bytes): a whole number or a text.
  std::optional<std::string> scalar_text(const PickleValue& value) const {
    if (!function_of(value).ends_with(".scalar") || arguments_of(value).size() != 2) {
      return std::nullopt;
    }
    const auto element = element_type(pickle_[arguments_of(value)[0]]);
    const PickleValue* data = &pickle_[arguments_of(value)[1]];
    std::optional<std::string> bytes;
    if (data->kind == Kind::Bytes || data->kind == Kind::Text) bytes = std::string(data->text);
    if (function_of(*data) == "_codecs.encode" && !arguments_of(*data).empty()) {
      bytes = latin1(pickle_[arguments_of(*data)[0]].text);
    }
    if (!element || !bytes || bytes->size() != element->bytes) return std::nullopt;
    const auto texts =
        texts_of({"", *element, {1}, false, reinterpret_cast<const std::byte*>(bytes->data())});
    return texts ? std::optional(texts->front()) : std::nullopt;
  }

  void visit_entries(const std::vector<int>& dictionary, const std::string& path, int depth) {
    for (std::size_t i = 0; i + 1 < dictionary.size(); i += 2) {
      const auto key = key_text(pickle_[dictionary[i]]);
      if (!key) {
        count_visits(1);
        continue;
      }
      visit(dictionary[i + 1], path.empty() ? *key : path + "/" + *key, depth + 1);
    }
  }

  void count_visits(std::size_t count) {
    visits_ += count;
    if (visits_ > kMostVisits) {
      throw Error("{}: contains more than {} values", store_.file, kMostVisits);
    }
  }

  void visit(int position, const std::string& name, int depth) {
    stop_if_interrupted();
    count_visits(1);
    if (depth > kDeepest || name.size() > kLongestName) {
      throw Error("{}: too deeply nested at '{}'", store_.file, printable(name.substr(0, 80)));
    }
    const PickleValue& value = pickle_[position];
    if (auto array = numpy_array(value, name)) {
      array->name = name;
      store_.arrays.push_back(*std::move(array));
    } else if (const auto dictionary = entries(value)) {
      visit_entries(*dictionary, name, depth);
    } else if (is_sequence(value) && value.items.size() == 1 &&
               !key_text(pickle_[value.items[0]])) {
      visit(value.items[0], name, depth + 1);
    } else if (is_sequence(value)) {
      add_list(value, name, depth);
    } else if (depth == 0 && key_text(value)) {  // the only element of a list
      store_.add_texts(name, {*key_text(value)});
    }
  }

  // A list of names or ids, or one of arrays.
  void add_list(const PickleValue& list, const std::string& name, int depth) {
    std::vector<std::string> texts;
    for (const int item : list.items) {
      auto text = key_text(pickle_[item]);
      if (!text) break;
      count_visits(1 + text->size() / kLongestName);
      texts.push_back(*std::move(text));
    }
    if (texts.size() == list.items.size()) return store_.add_texts(name, std::move(texts));
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      visit(list.items[i], name + "/" + std::to_string(i), depth + 1);
    }
  }

  // The name and the array of an item of a list: a pair, or a dictionary with an id and an array.
  std::optional<std::pair<std::string, int>> named_array(const PickleValue& item) const {
    std::optional<std::string> name;
    std::vector<int> arrays;
    if (is_sequence(item) && item.items.size() == 2) {
      name = key_text(pickle_[item.items[0]]);
      if (is_array(pickle_[item.items[1]])) arrays.push_back(item.items[1]);
    }
    const std::vector<int> dictionary = entries(item).value_or(std::vector<int>());
    for (std::size_t i = 0; i + 1 < dictionary.size(); i += 2) {
      const auto key = key_text(pickle_[dictionary[i]]);
      if (key && is_name_column(*key)) name = key_text(pickle_[dictionary[i + 1]]);
      if (is_array(pickle_[dictionary[i + 1]])) arrays.push_back(dictionary[i + 1]);
    }
    if (!name || arrays.size() != 1) return std::nullopt;
    return std::pair(*name, arrays[0]);
  }
  bool is_array(const PickleValue& value) const {
    const std::string_view function = function_of(value);
    return function.ends_with("._frombuffer") || function.ends_with("._reconstruct");
  }

  // A list whose items have names; false if they have none.
  bool add_named_arrays(const PickleValue& list) {
    std::vector<std::pair<std::string, int>> found;
    for (const int item : list.items) {
      stop_if_interrupted();
      auto named = named_array(pickle_[item]);
      if (!named) return false;
      found.push_back(*std::move(named));
    }
    for (const auto& [name, array] : found) visit(array, name, 0);
    return true;
  }

  // The bytes of a Bytes, of a Python 2 string, or of a call of _codecs.encode().
  std::string_view bytes_of(const PickleValue& value, const std::string& name) {
    if (value.kind == Kind::Bytes || value.kind == Kind::Text) return value.text;
    const std::string_view function = function_of(value);
    if (function.ends_with("builtin__.bytes") || function == "builtins.bytes") return "";
    const bool encoded = function == "_codecs.encode" && !arguments_of(value).empty() &&
                         pickle_[arguments_of(value)[0]].kind == Kind::Text;
    if (!encoded) fail(name, "has no data");
    auto bytes = latin1(pickle_[arguments_of(value)[0]].text);
    if (!bytes) fail(name, "is damaged: its data is not Latin-1");
    // Many arrays can refer to one text.
    decoded_ += bytes->size();
    if (decoded_ > 4 * longest_text()) throw Error("{}: its arrays exceed the file", store_.file);
    const auto kept = std::make_shared<const std::string>(*std::move(bytes));
    store_.keep(kept);
    return *kept;
  }

  std::size_t longest_text() {
    if (text_bytes_ == 0) {
      for (const PickleValue& value : pickle_.values) text_bytes_ += value.text.size();
    }
    return text_bytes_;
  }

  // "<f4" for numpy.dtype('f4', False, True) with the state (3, '<', …); empty for other values.
  std::string element_code(const PickleValue& value) const {
    if (function_of(value) != "numpy.dtype" || arguments_of(value).empty()) return "";
    const PickleValue& code = pickle_[arguments_of(value)[0]];
    if (code.kind != Kind::Text && code.kind != Kind::Bytes) return "";
    std::string_view order = "|";
    if (value.state >= 0 && pickle_[value.state].items.size() > 1) {
      order = pickle_[pickle_[value.state].items[1]].text;
    }
    std::string_view letters = code.text;
    if (letters == "bool") letters = "b1";
    return fmt::format("{}{}", order, letters);
  }
  std::optional<ElementType> element_type(const PickleValue& value) const {
    return numpy_element(element_code(value));
  }

  std::vector<std::int64_t> sizes_of(const PickleValue& value, const std::string& name) const {
    std::vector<std::int64_t> sizes;
    const std::vector<int> self = {static_cast<int>(&value - pickle_.values.data())};
    for (const int item : value.kind == Kind::Int ? self : value.items) {
      const PickleValue& size = pickle_[item];
      if (size.kind != Kind::Int || size.integer < 0) {
        fail(name, fmt::format("has {} in its shape, expected whole numbers from 0",
                               size.kind == Kind::Int ? std::to_string(size.integer)
                                                      : "something other than numbers"));
      }
      sizes.push_back(size.integer);
    }
    return sizes;
  }

  StoredArray array_of(const PickleValue& type, const PickleValue& sizes, bool fortran_order,
                       const PickleValue& data, const std::string& name) {
    const auto element = element_type(type);
    if (!element) {
      fail(name, fmt::format("has elements of type '{}', expected little-endian floats, whole "
                             "numbers or texts, such as '<f4'",
                             printable(element_code(type).substr(0, kShownOfType))));
    }
    const std::vector<std::int64_t> shape = sizes_of(sizes, name);
    const auto expected = byte_count(*element, shape);
    const std::string_view bytes = bytes_of(data, name);
    if (!expected || bytes.size() != *expected) {
      fail(name, fmt::format("is damaged: expected {} {}, found {} bytes", shape_text(shape),
                             element_name(*element), bytes.size()));
    }
    return {name, *element, shape, fortran_order, reinterpret_cast<const std::byte*>(bytes.data())};
  }

  std::optional<StoredArray> numpy_array(const PickleValue& value, const std::string& name) {
    const std::string_view function = function_of(value);
    if (function.ends_with("._frombuffer")) {  // data, type, shape, order
      const std::vector<int>& arguments = arguments_of(value);
      if (arguments.size() != 4) fail(name, "is damaged");
      return array_of(pickle_[arguments[1]], pickle_[arguments[2]],
                      pickle_[arguments[3]].text == "F", pickle_[arguments[0]], name);
    }
    if (!function.ends_with("._reconstruct")) return std::nullopt;
    // The state: version, shape, type, Fortran order, data.
    if (value.state < 0 || pickle_[value.state].items.size() != 5) fail(name, "is damaged");
    const std::vector<int>& state = pickle_[value.state].items;
    if (pickle_[state[4]].kind == Kind::List) return std::nullopt;  // an array of objects
    return array_of(pickle_[state[2]], pickle_[state[1]], pickle_[state[3]].integer != 0,
                    pickle_[state[4]], name);
  }

  // The only element of an array of objects, which is how numpy.save() stores a dictionary.
  std::optional<int> object_element(const PickleValue& value) const {
    if (!function_of(value).ends_with("._reconstruct") || value.state < 0) return std::nullopt;
    const std::vector<int>& state = pickle_[value.state].items;
    if (state.size() != 5 || pickle_[state[4]].kind != Kind::List) return std::nullopt;
    const std::vector<int>& elements = pickle_[state[4]].items;
    return elements.size() == 1 ? std::optional(elements[0]) : std::optional(state[4]);
  }

  const Pickle& pickle_;
  MappedStore& store_;
  std::size_t visits_ = 0;
  std::size_t decoded_ = 0;
  std::size_t text_bytes_ = 0;
};

}  // namespace

void add_pickle(std::string_view bytes, MappedStore* store) {
  const Pickle pickle = read_pickle(bytes, store->file);
  check_globals(pickle, store->file);
  ArrayReader(pickle, store).collect();
}

std::unique_ptr<ArrayStore> open_pickle(const std::filesystem::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  auto store = std::make_unique<MappedStore>(path.string(), "pickle");
  store->keep(file);
  add_pickle({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()},
             store.get());
  return store;
}

}  // namespace manyverbs
