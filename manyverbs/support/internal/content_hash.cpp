// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/content_hash.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/remark.h"

namespace manyverbs {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;
// Smaller files are not cached, because reading them is fast.
constexpr std::uintmax_t kLargeFile = std::uintmax_t{16} << 20;
// Reading larger files prints a remark, because it takes a noticeable time.
constexpr std::uintmax_t kHugeFile = std::uintmax_t{4} << 30;
constexpr int kSettledAfterSeconds = 2;

class Hasher {
 public:
  Hasher() : state_(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state_.get()); }

  void add(const void* bytes, std::size_t count) {
    XXH3_128bits_update(state_.get(), bytes, count);
  }
  void add(std::string_view text) { add(text.data(), text.size()); }
  std::string hex() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw Error("{}: {}", path.string(), std::strerror(errno));
}

std::string hash_of_file(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path);
  const std::unique_ptr<const int, void (*)(const int*)> closer(&descriptor,
                                                                [](const int* d) { close(*d); });
  struct stat status {};
  if (fstat(descriptor, &status) != 0) fail(path);
  if (!S_ISREG(status.st_mode)) throw Error("{}: is not a file", path.string());
  Hasher hasher;
  std::vector<char> buffer(kReadAtOnce);
  while (true) {
    stop_if_interrupted();
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path);
    if (count == 0) return hasher.hex();
    hasher.add(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Hashes computed by this process, with the state of each file.
class Memory {
 public:
  std::string find(const std::filesystem::path& file, const std::string& state) {
    const std::lock_guard lock(mutex_);
    const auto found = hashes_.find(file);
    return found != hashes_.end() && found->second.first == state ? found->second.second : "";
  }
  void put(const std::filesystem::path& file, std::string state, std::string hash) {
    const std::lock_guard lock(mutex_);
    hashes_[file] = {std::move(state), std::move(hash)};
  }

 private:
  std::mutex mutex_;
  std::map<std::filesystem::path, std::pair<std::string, std::string>> hashes_;
};

// A file that changed in the last seconds may change again without another time.
bool is_settled(const struct stat& status) {
  return std::max(status.st_mtim.tv_sec, status.st_ctim.tv_sec) + kSettledAfterSeconds <
         std::time(nullptr);
}

// Size, times and inode. The size of a folder says nothing.
std::string state_text(const struct stat& status) {
  return fmt::format("{}-{}.{:09}-{}.{:09}-{}", S_ISDIR(status.st_mode) ? 0 : status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                     status.st_ctim.tv_nsec, status.st_ino);
}

std::filesystem::path note_beside(const std::filesystem::path& file) {
  return file.parent_path() / fmt::format(".{}.hash", file.filename().string());
}

// The hash in the note for this state; "" if there is none.
std::string noted_hash(const std::filesystem::path& file, const std::string& state) {
  constexpr std::size_t kDigits = 32;
  if (!std::filesystem::is_regular_file(note_beside(file))) return "";
  std::string note;
  try {
    note = read_file(note_beside(file));
  } catch (const Error&) {  // not readable
    return "";
  }
  return note.size() == kDigits + 1 + state.size() + 1 && note.substr(kDigits + 1) == state + "\n"
             ? note.substr(0, kDigits)
             : "";
}

void write_note(const std::filesystem::path& file, const std::string& state,
                const std::string& hash) {
  try {
    write_file(note_beside(file), hash + " " + state + "\n");
  } catch (const Error&) {
    // Only a shortcut: on a read-only file system the next process reads the file again.
  }
}

}  // namespace

std::string content_hash(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return hash_of_file(path);
  Hasher hasher;
  const std::vector<std::filesystem::path> files = files_in(path);
  for (const std::filesystem::path& file : files) {
    hasher.add(fmt::format("{}\n{}\n", file.filename().string(), std::filesystem::file_size(file)));
  }
  if (!files.empty()) hasher.add(hash_of_file(files.front()));
  return hasher.hex();
}

std::string bytes_hash(std::string_view bytes) {
  Hasher hasher;
  hasher.add(bytes);
  return hasher.hex();
}

std::string file_state(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  return is_settled(status) ? state_text(status) : "";
}

std::string folder_state(const std::filesystem::path& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) return "";
  std::string first;
  std::string last;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with('.')) continue;
    if (first.empty() || name < first) first = name;
    if (name > last) last = name;
  }
  std::string state;
  for (const std::filesystem::path& each : {path, path / first, path / last}) {
    struct stat status {};
    if (stat(each.c_str(), &status) != 0 || !is_settled(status)) return "";
    state += (state.empty() ? "" : "/") + state_text(status);
  }
  return state;
}

std::string kept_content_hash(const std::filesystem::path& file) {
  static Memory memory;
  const std::string state = file_state(file);
  if (state.empty()) return content_hash(file);
  const std::filesystem::path place = std::filesystem::absolute(file).lexically_normal();
  std::string hash = memory.find(place, state);
  if (!hash.empty()) return hash;
  const std::uintmax_t size = std::filesystem::file_size(file);
  if (size >= kLargeFile) hash = noted_hash(file, state);
  if (hash.empty()) {
    if (size >= kHugeFile) remark(fmt::format("{}: computing its content hash", file.string()));
    hash = content_hash(file);
    if (size >= kLargeFile) write_note(file, state, hash);
  }
  memory.put(place, state, hash);
  return hash;
}

}  // namespace manyverbs
