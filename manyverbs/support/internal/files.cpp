// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

std::string reason() { return std::strerror(errno); }

// Unique among processes and threads; on the same file system as the final path.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<int> counter = 0;
  std::filesystem::path name = path;
  name += fmt::format(".{}-{}.tmp", getpid(), counter++);
  return name;
}

// A parsed temporary name.
struct TemporaryName {
  std::string_view final_name;
  pid_t process;
};
std::optional<TemporaryName> parse_temporary(std::string_view name) {
  constexpr std::string_view kEnding = ".tmp";
  if (!name.ends_with(kEnding)) return std::nullopt;
  name.remove_suffix(kEnding.size());
  const std::size_t dot = name.rfind('.');
  const std::size_t dash = name.rfind('-');
  if (dot == std::string_view::npos || dash == std::string_view::npos || dash < dot) {
    return std::nullopt;
  }
  const auto process = number_in<pid_t>(name.substr(dot + 1, dash - dot - 1));
  const auto count = number_in<int>(name.substr(dash + 1));
  if (!process || *process <= 0 || !count) return std::nullopt;
  return TemporaryName{name.substr(0, dot), *process};
}

bool is_running(pid_t process) { return kill(process, 0) == 0 || errno != ESRCH; }

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// After a rename the folder must be synced too.
void sync_folder(const std::filesystem::path& path) {
  const int descriptor = open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error("{}: {}", path.string(), reason());
  std::string contents;
  char buffer[1 << 16];
  ssize_t count = 0;
  while ((count = read(descriptor, buffer, sizeof buffer)) > 0) contents.append(buffer, count);
  const std::string problem = count < 0 ? reason() : "";
  close(descriptor);
  if (count < 0) throw Error("{}: {}", path.string(), problem);
  return contents;
}

void write_file(const std::filesystem::path& path, std::string_view contents) {
  FileWriter file(path);
  file.write(contents);
  file.commit();
}

FileWriter::FileWriter(std::filesystem::path path)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw Error("{}: cannot be written: {}", path_.string(), reason());
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void FileWriter::fail() {
  throw Error("{}: cannot be written: {}; the previous content is unchanged", path_.string(),
              reason());
}

void FileWriter::write(const void* bytes, std::size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::write(descriptor_, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    next += written;
    count -= static_cast<std::size_t>(written);
  }
}

void FileWriter::commit() {
  if (fsync(descriptor_) != 0) fail();
  const int descriptor = std::exchange(descriptor_, -1);
  if (close(descriptor) != 0 || rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int problem = errno;
    unlink(temporary_.c_str());
    errno = problem;
    fail();
  }
  sync_folder(path_);
}

FolderWriter::FolderWriter(std::filesystem::path path, Leftovers leftovers)
    : final_(std::move(path)), leftovers_(leftovers) {
  if (!final_.has_filename()) final_ = final_.parent_path();  // "out/" is the folder out
  if (std::filesystem::exists(final_)) {
    throw Error("{}: already exists; choose another --out or remove it", final_.string());
  }
  std::error_code problem;
  if (leftovers == Leftovers::Resume) {
    temporary_ = final_.string() + ".partial";
  } else {
    temporary_ = temporary_name(final_);
    std::filesystem::remove_all(temporary_,
                                problem);  // in containers, processes have the same number
  }
  if (leftovers == Leftovers::Remove) {
    remove_leftovers(folder_of(final_), final_.filename().string());
  }
  std::filesystem::create_directories(temporary_, problem);
  if (problem) throw Error("{}: cannot be created: {}", final_.string(), problem.message());
  if (leftovers == Leftovers::Resume) lock_.emplace(temporary_);
}

FolderWriter::~FolderWriter() {
  std::error_code ignored;
  if (temporary_.empty()) return;
  if (leftovers_ == Leftovers::Resume) {
    std::filesystem::remove(temporary_, ignored);  // if it is empty
  } else {
    std::filesystem::remove_all(temporary_, ignored);
  }
}

void FolderWriter::commit() {
  if (rename(temporary_.c_str(), final_.c_str()) != 0) {
    throw Error("{}: cannot be written: {}", final_.string(), reason());
  }
  temporary_.clear();
  sync_folder(final_);
}

bool is_temporary(const std::filesystem::path& path) {
  return parse_temporary(path.filename().string()).has_value();
}

void remove_leftovers(const std::filesystem::path& folder, std::string_view final_name) {
  std::error_code ignored;  // remaining files are harmless
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto parts = parse_temporary(name);
    if (!parts || is_running(parts->process)) continue;
    if (!final_name.empty() && parts->final_name != final_name) continue;
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK, a pipe that nobody writes to would block.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw Error("{}: {}", path.string(), reason());
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    throw Error("{}: is not a file", path.string());
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* data = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
    const std::string problem = data == MAP_FAILED ? reason() : "";
    close(descriptor);
    if (data == MAP_FAILED) throw Error("{}: cannot be mapped: {}", path.string(), problem);
    data_ = static_cast<const std::byte*>(data);
  } else {
    close(descriptor);
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void MappedFile::prefetch(std::size_t offset, std::size_t count) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t begin = offset / page * page;
  madvise(const_cast<std::byte*>(data_) + begin, offset + count - begin, MADV_WILLNEED);
}

std::string folder_name(const std::filesystem::path& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

std::string text_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace manyverbs
