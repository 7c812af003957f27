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

/// Atomic file operations: data is written to a temporary file in the same folder, synced to disk,
/// and renamed. After a crash or with a full disk, the old file is unchanged.

/// Reads a file. Throws Error if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Replaces a file atomically; on failure throws Error and leaves it unchanged.
void write_file(const std::filesystem::path& path, std::string_view contents);

/// Writes a file incrementally. Without commit(), `path` is unchanged.
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

/// Locks a file or folder for this process until destruction or process exit. Throws Error if
/// another process has the lock. Has no effect if the file system does not support locks.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path);
  /// Waits for the lock instead, with a remark on standard error.
  static FileLock when_free(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

/// What to do with an incomplete folder of a killed process.
enum class Leftovers {
  Remove,
  Leave,   ///< kept; the caller removes all incomplete folders at once
  Resume,  ///< reused: it is PATH.partial, and is kept after errors
};

/// Writes a folder under a temporary name in the same place and renames it when complete. Throws if
/// the folder exists. Without commit() it is removed, unless it is to be resumed and not empty.
class FolderWriter {
 public:
  explicit FolderWriter(std::filesystem::path path, Leftovers leftovers = Leftovers::Remove);
  ~FolderWriter();
  FolderWriter(const FolderWriter&) = delete;
  FolderWriter& operator=(const FolderWriter&) = delete;

  /// The temporary folder for the contents until commit().
  const std::filesystem::path& path() const { return temporary_; }
  void commit();

 private:
  std::filesystem::path final_;
  std::filesystem::path temporary_;
  Leftovers leftovers_;
  std::optional<FileLock> lock_;  ///< of a folder to resume
};

/// Locks the creation of something that may not exist yet, for one thread at a time in all
/// processes. Others wait, with a remark on standard error. PATH.lock exists meanwhile; if it
/// cannot be created, or the file system does not support locks, there is no lock.
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

/// Whether a name is a temporary name, FINAL.PROCESS-N.tmp: "log.csv.4711-0.tmp" is, "notes.tmp" is
/// not.
bool is_temporary(const std::filesystem::path& path);

/// Removes the temporary files of ended processes from a folder; all of them, or those of one final
/// name.
void remove_leftovers(const std::filesystem::path& folder, std::string_view final_name = {});

/// A memory-mapped file.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Starts to read a range ahead.
  void prefetch(std::size_t offset, std::size_t count) const;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The name of a folder, independent of how its path is written: "kitchen" for "data/kitchen/" and
/// for "." inside it.
std::string folder_name(const std::filesystem::path& path);

/// A 64-bit FNV-1a hash as 16 hexadecimal digits, to distinguish texts.
std::string text_hash(std::string_view text);

}  // namespace manyverbs
