// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace manyverbs {

/// Files that are either whole or not there: what is written goes to a temporary name beside its
/// place, reaches the disk, and is renamed. A crash or a full disk leaves the old file as it was.

/// The whole file. Throws Error when it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Replaces a file, or leaves it untouched and throws Error.
void write_file(const std::filesystem::path& path, std::string_view contents);

/// A file written piece by piece. Without commit() nothing happens to `path`.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  [[noreturn]] void fail();

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

/// Holds a file or folder for this process alone, until it goes out of scope or the process ends.
/// Throws Error when another process holds it. Where the file system has no locks, it holds
/// nothing.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path);
  /// Waits instead, and says so on standard error.
  static FileLock when_free(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

/// What a process that was killed left of a folder it was writing.
enum class Leftovers {
  Remove,
  Leave,   ///< it is one of many folders, and the caller looks once for all
  Resume,  ///< is used again: it is PATH.partial, and stays when an error ends the work
};

/// A folder built under a temporary name beside its place and renamed when it is complete. Refuses
/// a place that is taken. Without commit() it is removed, unless it is to be resumed and not empty.
class FolderWriter {
 public:
  explicit FolderWriter(std::filesystem::path path, Leftovers leftovers = Leftovers::Remove);
  ~FolderWriter();
  FolderWriter(const FolderWriter&) = delete;
  FolderWriter& operator=(const FolderWriter&) = delete;

  /// Where to put the contents until commit().
  const std::filesystem::path& path() const { return temporary_; }
  void commit();

 private:
  std::filesystem::path final_;
  std::filesystem::path temporary_;
  Leftovers leftovers_;
  std::optional<FileLock> lock_;  ///< of a folder to resume
};

/// Holds the right to make or use a thing that need not be there yet, for one thread at a time in
/// all processes. Others wait and say so on standard error. PATH.lock is there meanwhile; where it
/// cannot be made, or the file system has no locks, nothing is held.
///
///   const MakingLock lock(folder / "neighbours/features-euclidean");
///   if (is_there()) return read();
///   make();
class MakingLock {
 public:
  explicit MakingLock(const std::filesystem::path& path);
  ~MakingLock();
  MakingLock(const MakingLock&) = delete;
  MakingLock& operator=(const MakingLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// Whether a name is one that files and folders have while they are written: FINAL.PROCESS-N.tmp.
/// "log.csv.4711-0.tmp" is, "notes.tmp" is not.
bool is_temporary(const std::filesystem::path& path);

/// Removes from a folder what processes that are gone left of what they were writing; all of it, or
/// that of one final name.
void remove_leftovers(const std::filesystem::path& folder, std::string_view final_name = {});

/// A file seen as memory; the system reads the parts that are touched and drops them when it must.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Tells the system that a range will be read soon, so that it can start on it now.
  void prefetch(std::size_t offset, std::size_t count) const;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The name of a folder however its path is written: "kitchen" of "data/kitchen/" and of "." inside
/// it.
std::string folder_name(const std::filesystem::path& path);

/// A 64-bit hash (FNV-1a) as 16 hexadecimal digits, to tell one text from another.
std::string text_hash(std::string_view text);

}  // namespace manyverbs
