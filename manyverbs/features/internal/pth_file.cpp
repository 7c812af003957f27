// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/pth_file.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <unordered_map>

#include <ATen/ATen.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/pickle.h"

namespace manyverbs {
namespace {

using Kind = PickleValue::Kind;

struct StorageType {
  std::string_view name;
  at::ScalarType type;
};
constexpr std::array<StorageType, 10> kStorageTypes = {{
    {"torch.FloatStorage", at::kFloat},
    {"torch.DoubleStorage", at::kDouble},
    {"torch.HalfStorage", at::kHalf},
    {"torch.BFloat16Storage", at::kBFloat16},
    {"torch.LongStorage", at::kLong},
    {"torch.IntStorage", at::kInt},
    {"torch.ShortStorage", at::kShort},
    {"torch.CharStorage", at::kChar},
    {"torch.ByteStorage", at::kByte},
    {"torch.BoolStorage", at::kBool},
}};

// Functions and classes that occur in published weights. They are skipped, never called.
constexpr std::array<std::string_view, 21> kKnownGlobals = {{
    "collections.OrderedDict",
    "collections.defaultdict",
    "collections.Counter",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_parameter",
    "torch.Size",
    "torch.device",
    "argparse.Namespace",
    "_codecs.encode",
    "numpy.dtype",
    "numpy.ndarray",
    "numpy.core.multiarray.scalar",
    "numpy.core.multiarray._reconstruct",
    "numpy._core.multiarray.scalar",
    "numpy._core.multiarray._reconstruct",
    "pathlib.PosixPath",
    "pathlib.WindowsPath",
    "torch.float32",
    "torch.float16",
    "torch.int64",
}};
constexpr std::array<std::string_view, 4> kKnownModules = {
    {"omegaconf.", "pytorch_lightning.", "lightning.", "typing."}};
// Types and containers; not functions such as eval.
constexpr std::array<std::string_view, 10> kKnownBuiltins = {
    {"dict", "list", "tuple", "set", "frozenset", "int", "float", "str", "bool", "object"}};

constexpr int kDeepest = 100;
constexpr std::int64_t kMostVisits = 400'000;
constexpr std::size_t kLongestName = 1000;
constexpr std::string_view kLegacyMagic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.",
                                        15);

bool is_known(std::string_view global) {
  const auto is_it = [&](std::string_view name) { return name == global; };
  const auto is_builtin = [&](std::string_view name) {
    return global == fmt::format("builtins.{}", name) ||
           global == fmt::format("__builtin__.{}", name);
  };
  return std::any_of(kKnownGlobals.begin(), kKnownGlobals.end(), is_it) ||
         std::any_of(kStorageTypes.begin(), kStorageTypes.end(),
                     [&](const StorageType& row) { return row.name == global; }) ||
         std::any_of(kKnownModules.begin(), kKnownModules.end(),
                     [&](std::string_view module) { return global.starts_with(module); }) ||
         std::any_of(kKnownBuiltins.begin(), kKnownBuiltins.end(), is_builtin);
}

void check_globals(const Pickle& pickle, const std::string& name) {
  for (const PickleValue& value : pickle.values) {
    if (value.kind != Kind::Global || is_known(value.text)) continue;
    if (value.text.starts_with("torch.nn.")) {
      throw Error("{}: contains a whole module ({}); save its state_dict() instead", name,
                  value.text);
    }
    throw Error("{}: refers to '{}', which weights do not need; nothing was executed", name,
                value.text);
  }
}

// Returns all elements of a storage; called once per storage.
using FindStorage =
    std::function<at::Tensor(const std::string& key, at::ScalarType type, std::int64_t count)>;

// Converts the objects of a pickle to named tensors.
class Tensors {
 public:
  Tensors(const Pickle& pickle, std::string name, std::int64_t file_bytes, FindStorage find)
      : pickle_(pickle),
        name_(std::move(name)),
        numbers_left_(4 * file_bytes),
        find_(std::move(find)) {}

  TensorFile collect() {
    visit(pickle_.root, "", 0);
    if (file_.tensors.empty()) throw Error("{}: has no tensors", name_);
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("{}: is damaged at '{}'", name_, what);
  }

  static std::string joined(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
  }

  void visit(int position, const std::string& path, int depth) {
    if (depth > kDeepest || ++visits_ > kMostVisits || path.size() > kLongestName) {
      throw Error("{}: too deeply nested at '{}'", name_, path.substr(0, 80));
    }
    const PickleValue& value = pickle_[position];
    switch (value.kind) {
      case Kind::Dict:
        return visit_entries(value.items, path, depth);
      case Kind::List:
      case Kind::Tuple:
        for (std::size_t i = 0; i < value.items.size(); ++i) {
          visit(value.items[i], joined(path, std::to_string(i)), depth + 1);
        }
        return;
      case Kind::Object:
        return visit_object(value, path, depth);
      case Kind::Text:
        if (value.text.size() <= kLongestName) file_.metadata[path] = std::string(value.text);
        return;
      case Kind::Bool:
      case Kind::Int:
        file_.metadata[path] = std::to_string(value.integer);
        return;
      case Kind::Float:
        file_.metadata[path] = fmt::format("{}", value.number);
        return;
      default:
        return;
    }
  }

  void visit_entries(const std::vector<int>& entries, const std::string& path, int depth) {
    for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
      const PickleValue& key = pickle_[entries[i]];
      const std::string name =
          key.kind == Kind::Int ? std::to_string(key.integer) : std::string(key.text);
      visit(entries[i + 1], joined(path, name), depth + 1);
    }
  }

  void visit_object(const PickleValue& object, const std::string& path, int depth) {
    const std::string_view function = pickle_[object.items[0]].text;
    const PickleValue& arguments = pickle_[object.items[1]];
    if (function.starts_with("torch._utils._rebuild_tensor")) {
      file_.tensors.emplace_back(path, tensor(arguments, path));
    } else if (function == "torch._utils._rebuild_parameter") {
      if (arguments.items.empty()) fail(path);
      visit(arguments.items[0], path, depth + 1);
    } else if (function.starts_with("collections.")) {
      visit_entries(object.entries, path, depth);
    } else if (object.state >= 0) {  // an object with settings: its attributes are a dictionary
      visit(object.state, path, depth + 1);
    }
  }

  std::vector<std::int64_t> whole_numbers(int position, const std::string& path) const {
    std::vector<std::int64_t> numbers;
    for (const int item : pickle_[position].items) {
      if (pickle_[item].kind != Kind::Int || pickle_[item].integer < 0) fail(path);
      numbers.push_back(pickle_[item].integer);
    }
    return numbers;
  }

  // Arguments: storage, offset, sizes, strides, and others that are not used here.
  at::Tensor tensor(const PickleValue& arguments, const std::string& path) {
    if (arguments.items.size() < 4 || pickle_[arguments.items[0]].kind != Kind::Persistent) {
      fail(path);
    }
    const at::Tensor all = storage(pickle_[pickle_[arguments.items[0]].items[0]], path);
    const PickleValue& offset = pickle_[arguments.items[1]];
    const auto sizes = whole_numbers(arguments.items[2], path);
    const auto strides = whole_numbers(arguments.items[3], path);
    if (offset.kind != Kind::Int || offset.integer < 0 || sizes.size() != strides.size()) {
      fail(path);
    }
    std::int64_t count = 1;
    std::int64_t last = offset.integer;
    bool fits = true;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      std::int64_t step = 0;
      fits = fits && !__builtin_mul_overflow(count, sizes[i], &count) &&
             !__builtin_mul_overflow(std::max<std::int64_t>(sizes[i] - 1, 0), strides[i], &step) &&
             !__builtin_add_overflow(last, step, &last);
    }
    if (!fits || (count > 0 && last >= all.numel()) || count > all.numel()) fail(path);
    numbers_left_ -= count;  // many tensors can be views of one storage
    if (numbers_left_ < 0) throw Error("{}: its tensors have more elements than the file", name_);
    if (count == 0) return at::empty(sizes, at::kFloat);
    const at::Tensor view = all.as_strided(sizes, strides, offset.integer);
    return view.is_floating_point() ? view.to(at::kFloat) : view;
  }

  // The id of a storage: 'storage', type, key, device, number of elements.
  const at::Tensor& storage(const PickleValue& id, const std::string& path) {
    if (id.items.size() < 5 || pickle_[id.items[2]].kind != Kind::Text ||
        pickle_[id.items[4]].kind != Kind::Int) {
      fail(path);
    }
    const std::string_view type_name = pickle_[id.items[1]].text;
    const auto* type = std::find_if(kStorageTypes.begin(), kStorageTypes.end(),
                                    [&](const StorageType& row) { return row.name == type_name; });
    if (type == kStorageTypes.end()) {
      throw Error("{}: '{}' has the unsupported type {}", name_, path, type_name);
    }
    const std::string key(pickle_[id.items[2]].text);
    const std::string which = fmt::format("{} {}", type_name, key);
    const auto found = storages_.find(which);
    if (found != storages_.end()) return found->second;
    return storages_[which] = find_(key, type->type, pickle_[id.items[4]].integer);
  }

  const Pickle& pickle_;
  std::string name_;
  std::int64_t numbers_left_;
  std::int64_t visits_ = 0;
  FindStorage find_;
  std::unordered_map<std::string, at::Tensor> storages_;
  TensorFile file_;
};

at::Tensor numbers_of(std::string_view bytes, at::ScalarType type, std::int64_t count,
                      const std::string& name) {
  const auto size = static_cast<std::int64_t>(at::elementSize(type));
  if (count < 0 || static_cast<std::int64_t>(bytes.size()) / size < count) {
    throw Error("{}: expected {} numbers, found {}", name, count,
                static_cast<std::int64_t>(bytes.size()) / size);
  }
  at::Tensor numbers = at::empty({count}, type);
  if (count > 0) std::memcpy(numbers.data_ptr(), bytes.data(), count * size);
  return numbers;
}

using ZipArchive = std::unique_ptr<zip_t, decltype(&zip_discard)>;

// The content of a member of the archive; torch.save() never compresses.
std::string read_member(zip_t* archive, const std::string& member, const std::string& name) {
  zip_stat_t about;
  zip_stat_init(&about);
  if (zip_stat(archive, member.c_str(), 0, &about) != 0) {
    throw Error("{}: '{}' is missing in the archive", name, member);
  }
  if (about.comp_method != ZIP_CM_STORE || about.size != about.comp_size) {
    throw Error("{}: '{}' is compressed, which torch.save() never does", name, member);
  }
  std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen(archive, member.c_str(), 0),
                                                          &zip_fclose);
  if (about.size > std::filesystem::file_size(name) || !file) {
    throw Error("{}: '{}' is damaged", name, member);
  }
  std::string bytes(about.size, '\0');
  // libzip verifies the checksum only if a read reaches the end: request one byte more.
  const zip_int64_t count = zip_fread(file.get(), bytes.data(), bytes.size());
  char behind = 0;
  if (count != static_cast<zip_int64_t>(bytes.size()) || zip_fread(file.get(), &behind, 1) != 0) {
    throw Error("{}: '{}' is damaged: {}", name, member, zip_file_strerror(file.get()));
  }
  return bytes;
}

// The folder of all members of the archive, such as "archive/".
std::string archive_folder(zip_t* archive, const std::string& name) {
  constexpr std::string_view kPickle = "data.pkl";
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    const char* found = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    const std::string_view member = found == nullptr ? "" : found;
    if (member == kPickle || member.ends_with("/data.pkl")) {
      return std::string(member.substr(0, member.size() - kPickle.size()));
    }
  }
  throw Error("{}: is a zip archive without data.pkl, so torch.save() did not write it", name);
}

TensorFile read_zip(const std::filesystem::path& path) {
  const std::string name = path.string();
  int problem = 0;
  const ZipArchive archive(zip_open(path.c_str(), ZIP_RDONLY, &problem), &zip_discard);
  if (!archive) throw Error("{}: is truncated or damaged: not a zip archive", name);
  const std::string folder = archive_folder(archive.get(), name);
  const std::string byte_order = folder + "byteorder";
  if (zip_name_locate(archive.get(), byte_order.c_str(), 0) >= 0 &&
      read_member(archive.get(), byte_order, name) != "little") {
    throw Error("{}: was saved on a big-endian machine", name);
  }
  const std::string contents = read_member(archive.get(), folder + "data.pkl", name);
  const Pickle pickle = read_pickle(contents, name);
  check_globals(pickle, name);
  const auto find = [&](const std::string& key, at::ScalarType type, std::int64_t count) {
    return numbers_of(read_member(archive.get(), folder + "data/" + key, name), type, count, name);
  };
  return Tensors(pickle, name, static_cast<std::int64_t>(std::filesystem::file_size(path)), find)
      .collect();
}

// A sequence of pickles (magic number, version, machine, contents, keys of the storages), then each
// storage: the number of elements, and the elements.
TensorFile read_legacy(const std::filesystem::path& path, std::string_view bytes) {
  const std::string name = path.string();
  std::string_view rest = bytes;
  const auto next = [&] {
    Pickle pickle = read_pickle(rest, name);
    rest.remove_prefix(pickle.length);
    return pickle;
  };
  for (int i = 0; i < 3; ++i) next();
  const Pickle contents = next();
  check_globals(contents, name);
  const Pickle keys = next();
  std::unordered_map<std::string, std::size_t> order;
  for (const int item : keys[keys.root].items)
    order.emplace(std::string(keys[item].text), order.size());
  // The length of a storage depends on its type, which is in the contents, so read in order.
  std::vector<std::pair<at::ScalarType, std::int64_t>> kinds(order.size(), {at::kByte, -1});
  Tensors(
      contents, name, static_cast<std::int64_t>(bytes.size()) + (1 << 20),
      [&](const std::string& key, at::ScalarType type, std::int64_t count) {
        const auto found = order.find(key);
        if (found == order.end() || count < 0 || count > static_cast<std::int64_t>(bytes.size())) {
          throw Error("{}: the storage '{}' is missing", name, key);
        }
        kinds[found->second] = {type, count};
        return at::empty({count}, at::TensorOptions(type));
      })
      .collect();
  std::vector<std::string_view> storages(order.size());
  for (std::size_t i = 0; i < storages.size(); ++i) {
    const std::uint64_t size = at::elementSize(kinds[i].first);
    std::int64_t count = 0;
    if (rest.size() < sizeof count) throw Error("{}: is truncated", name);
    std::memcpy(&count, rest.data(), sizeof count);
    rest.remove_prefix(sizeof count);
    if (kinds[i].second < 0 || count != kinds[i].second ||
        rest.size() / size < std::uint64_t(count)) {
      throw Error("{}: is truncated or damaged", name);
    }
    storages[i] = rest.substr(0, count * size);
    rest.remove_prefix(count * size);
  }
  return Tensors(contents, name, static_cast<std::int64_t>(bytes.size()),
                 [&](const std::string& key, at::ScalarType type, std::int64_t count) {
                   return numbers_of(storages[order.at(key)], type, count, name);
                 })
      .collect();
}

}  // namespace

TensorFile read_pth(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()),
                               file.bytes().size());
  if (bytes.starts_with("PK")) return read_zip(path);
  if (bytes.starts_with(kLegacyMagic)) return read_legacy(path, bytes);
  throw Error("{}: was not written by torch.save()", path.string());
}

TensorFile read_weights(const std::filesystem::path& path) {
  return path.extension() == ".safetensors" ? read_tensors(path) : read_pth(path);
}

}  // namespace manyverbs
