// SPDX-License-Identifier: MIT
#include <unistd.h>
#include <zip.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "manyverbs/dataset/internal/array_store.h"
#include "manyverbs/dataset/internal/npy_header.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {
namespace {

using NpzArchive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using NpzMember = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

constexpr std::size_t kLongestHeader = 4096;

// A file without a name: it is gone when it is closed, even if the process is killed.
class ScratchFile {
 public:
  explicit ScratchFile(const std::filesystem::path& folder) {
    std::string name = (folder / "unpacked-XXXXXX").string();
    descriptor_ = mkstemp(name.data());
    if (descriptor_ < 0) {
      throw Error("{}: cannot be written: {}", folder.string(), std::strerror(errno));
    }
    unlink(name.c_str());
    folder_ = folder;
  }
  ~ScratchFile() { close(descriptor_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void write(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = ::write(descriptor_, bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        throw Error("{}: cannot be written: {}", folder_.string(), std::strerror(errno));
      }
      bytes += written;
      count -= static_cast<std::size_t>(written);
    }
  }

  std::shared_ptr<const MappedFile> mapped() const {
    return std::make_shared<const MappedFile>(fmt::format("/proc/self/fd/{}", descriptor_));
  }

 private:
  int descriptor_ = -1;
  std::filesystem::path folder_;
};

// Arrays are unpacked when they are used; until then their data is null.
class NpzStore : public MappedStore {
 public:
  NpzStore(const std::filesystem::path& path, std::filesystem::path scratch)
      : MappedStore(path.string(), "NPZ"),
        scratch_(scratch.empty() ? std::filesystem::temp_directory_path() : std::move(scratch)),
        archive_(open(path)) {
    const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      stop_if_interrupted();
      const char* found = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
      const std::string_view member = found == nullptr ? "" : found;
      if (member == "data.pkl" || member.ends_with("/data.pkl")) {
        throw Error("{}: was written by torch.save(); save the features as NPY or safetensors",
                    file);
      }
      if (member.ends_with(".npy")) {
        add_member(static_cast<zip_uint64_t>(i), std::string(member.substr(0, member.size() - 4)));
      }
    }
  }

  std::optional<std::vector<std::string>> texts(std::size_t array) const override {
    const_cast<NpzStore*>(this)->unpack({&array, 1});
    return MappedStore::texts(array);
  }
  std::shared_ptr<const RowSource> matrix(std::size_t array) override {
    unpack({&array, 1});
    return MappedStore::matrix(array);
  }
  std::shared_ptr<const RowSource> clips(std::span<const std::size_t> which) override {
    unpack(which);
    return MappedStore::clips(which);
  }

 private:
  static NpzArchive open(const std::filesystem::path& path) {
    int problem = 0;
    NpzArchive archive(zip_open(path.c_str(), ZIP_RDONLY, &problem), &zip_discard);
    if (!archive) {
      zip_error_t error;
      zip_error_init_with_code(&error, problem);
      const std::string text = zip_error_strerror(&error);
      zip_error_fini(&error);
      throw Error("{}: cannot be read as NPZ: {}", path.string(), text);
    }
    return archive;
  }

  NpzMember open_member(zip_uint64_t position, const std::string& title) const {
    NpzMember member(zip_fopen_index(archive_.get(), position, 0), &zip_fclose);
    if (!member) throw Error("{}: is damaged: {}", title, zip_strerror(archive_.get()));
    return member;
  }

  void add_member(zip_uint64_t position, const std::string& name) {
    const std::string title = file + ":" + name;
    zip_stat_t about;
    zip_stat_init(&about);
    if (zip_stat_index(archive_.get(), position, 0, &about) != 0) {
      throw Error("{}: is damaged: {}", title, zip_strerror(archive_.get()));
    }
    const NpzMember member = open_member(position, title);
    std::string start(std::min<std::size_t>(about.size, kLongestHeader), '\0');
    const zip_int64_t count = zip_fread(member.get(), start.data(), start.size());
    start.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    const NpyHeader header = read_npy_header(std::as_bytes(std::span(start)), title);
    const auto type = numpy_element(header.code);
    if (!type) return add_objects(position, header, name);
    const auto expected = byte_count(*type, header.sizes);
    if (!expected || about.size - header.length < *expected) {
      throw Error("{}: is truncated: expected {} {}, found {} bytes", title,
                  shape_text(header.sizes), element_name(*type), about.size - header.length);
    }
    members_.resize(arrays.size());
    members_.push_back({position, header.length, *expected});
    arrays.push_back({name, *type, header.sizes, header.fortran_order, nullptr});
  }

  // Names are often saved as Python objects, in a pickle. So are settings, which are left out.
  void add_objects(zip_uint64_t position, const NpyHeader& header, const std::string& name) {
    if (header.code != "|O") return;
    ScratchFile out(scratch_);
    copy(position, name, 0, &out);
    const auto bytes = out.mapped();
    MappedStore inner(file + ":" + name, format);
    try {
      add_npy(bytes->bytes(), "array", &inner);
    } catch (const Error& problem) {
      problems[name] = problem.what();
      return;
    }
    for (std::size_t i = 0; i < inner.arrays.size(); ++i) {
      const StoredArray& array = inner.arrays[i];
      const std::string path = array.name == "array" ? name : name + "/" + array.name;
      if (inner.has_added_texts(i)) {
        add_texts(path, *inner.texts(i));
      } else {
        arrays.push_back(array);
        arrays.back().name = path;
      }
    }
    keep(bytes);
    keep(std::make_shared<MappedStore>(std::move(inner)));
  }

  // Copies the content of a member without its first bytes. Returns the number of copied bytes.
  std::size_t copy(zip_uint64_t position, const std::string& name, std::size_t skip,
                   ScratchFile* out) const {
    const std::string title = file + ":" + name;
    const NpzMember member = open_member(position, title);
    std::vector<char> buffer(1 << 20);
    std::size_t copied = 0;
    zip_int64_t count = 0;
    while ((count = zip_fread(member.get(), buffer.data(), buffer.size())) > 0) {
      stop_if_interrupted();
      const auto read = static_cast<std::size_t>(count);
      const std::size_t left_out = std::min(skip, read);
      skip -= left_out;
      out->write(buffer.data() + left_out, read - left_out);
      copied += read - left_out;
    }
    if (count < 0) throw Error("{}: is damaged: {}", title, zip_file_strerror(member.get()));
    return copied;
  }

  void unpack(std::span<const std::size_t> which) {
    ScratchFile out(scratch_);
    std::vector<std::pair<std::size_t, std::size_t>> places;  // array and offset
    std::size_t end = 0;
    for (const std::size_t i : which) {
      if (arrays[i].data != nullptr || i >= members_.size() || members_[i].bytes == 0) continue;
      const std::size_t copied =
          copy(members_[i].position, arrays[i].name, members_[i].start, &out);
      if (copied < members_[i].bytes) throw Error("{}:{}: is truncated", file, arrays[i].name);
      places.emplace_back(i, end);
      end += copied;
    }
    if (places.empty()) return;
    const auto mapped = out.mapped();
    keep(mapped);
    for (const auto& [array, offset] : places) arrays[array].data = mapped->bytes().data() + offset;
  }

  struct Member {
    zip_uint64_t position = 0;
    std::size_t start = 0;  // of the elements
    std::size_t bytes = 0;  // of the elements
  };

  std::filesystem::path scratch_;
  NpzArchive archive_;
  std::vector<Member> members_;  // of arrays; those from pickles have none
};

}  // namespace

std::unique_ptr<ArrayStore> open_npz(const std::filesystem::path& path,
                                     const std::filesystem::path& scratch) {
  return std::make_unique<NpzStore>(path, scratch);
}

}  // namespace manyverbs
