// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/row_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "manyverbs/support/error.h"

namespace manyverbs {

// The header, one byte per row that is 1 if the row was written, then the rows.
RowStore::RowStore(const std::filesystem::path& path, const std::string& stamp, std::size_t rows,
                   std::size_t row_bytes)
    : path_(path), row_bytes_(row_bytes), present_(rows, 0) {
  const std::string header = fmt::format("manyverbs rows {} {} {}\n", rows, row_bytes, stamp);
  header_bytes_ = header.size();
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw Error("{}: {}", path.string(), std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    close(descriptor_);
    throw Error("{}: in use by another process", path.string());
  }
  std::string found(header.size(), '\0');
  const bool same =
      pread(descriptor_, found.data(), found.size(), 0) == static_cast<ssize_t>(found.size()) &&
      found == header &&
      pread(descriptor_, present_.data(), rows, static_cast<off_t>(header_bytes_)) ==
          static_cast<ssize_t>(rows);
  if (same) return;
  present_.assign(rows, 0);
  if (ftruncate(descriptor_, 0) != 0) throw Error("{}: {}", path.string(), std::strerror(errno));
  write_at(header_bytes_, present_.data(), rows);
  write_at(0, header.data(), header.size());
}

RowStore::~RowStore() { close(descriptor_); }

std::size_t RowStore::row_place(std::size_t row) const {
  return header_bytes_ + present_.size() + row * row_bytes_;
}

void RowStore::write_at(std::size_t place, const void* bytes, std::size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = pwrite(descriptor_, from, count, static_cast<off_t>(place));
    if (written < 0) throw Error("{}: {}", path_.string(), std::strerror(errno));
    from += written;
    place += written;
    count -= written;
  }
}

// The row before its byte: a kill in between loses only this row.
void RowStore::put(std::size_t row, const void* bytes) {
  write_at(row_place(row), bytes, row_bytes_);
  mark(row, 1);
}

void RowStore::forget(std::size_t row) { mark(row, 0); }

void RowStore::mark(std::size_t row, char present) {
  present_[row] = present;
  write_at(header_bytes_ + row, &present_[row], 1);
}

std::vector<char> RowStore::row(std::size_t row) const {
  std::vector<char> bytes(row_bytes_, 0);
  if (!has(row)) return bytes;
  const auto place = static_cast<off_t>(row_place(row));
  if (pread(descriptor_, bytes.data(), row_bytes_, place) != static_cast<ssize_t>(row_bytes_)) {
    throw Error("{}: a row that was written cannot be read", path_.string());
  }
  return bytes;
}

}  // namespace manyverbs
