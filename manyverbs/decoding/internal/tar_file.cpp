// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/tar_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

// More than any real name or list of attributes.
constexpr std::uint64_t kLargestExtension = 1 << 20;

using Header = std::array<char, kTarBlock>;

// A part of a header: place and length.
struct Field {
  std::size_t place;
  std::size_t length;
};
constexpr Field kName{0, 100};
constexpr Field kSize{124, 12};
constexpr Field kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Field kMagic{257, 6};
constexpr Field kPrefix{345, 155};

std::string_view bytes_of(const Header& header, Field field) {
  return {header.data() + field.place, field.length};
}

// The text of a field, which ends at a zero byte.
std::string_view text_of(const Header& header, Field field) {
  const std::string_view bytes = bytes_of(header, field);
  return bytes.substr(0, bytes.find('\0'));
}

// Octal digits, or after a byte 0x80 a binary number; nothing for anything else.
std::optional<std::uint64_t> number_of(std::string_view bytes) {
  std::uint64_t value = 0;
  if ((static_cast<unsigned char>(bytes.front()) & 0x80U) != 0) {
    if (static_cast<unsigned char>(bytes.front()) != 0x80U) return {};  // negative or huge
    for (const char c : bytes.substr(1)) {
      if ((value >> 55U) != 0) return {};
      value = value << 8U | static_cast<unsigned char>(c);
    }
    return value;
  }
  const std::size_t begin = std::min(bytes.find_first_not_of(' '), bytes.size());
  const std::size_t end =
      std::min(bytes.find_first_of(std::string_view(" \0", 2), begin), bytes.size());
  if (begin == end) return {};
  for (const char c : bytes.substr(begin, end - begin)) {
    if (c < '0' || c > '7') return {};
    value = value << 3U | static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

bool has_right_checksum(const Header& header) {
  std::uint64_t sum = 0;
  std::int64_t signed_sum = 0;  // of some old programs
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool own = i >= kChecksum.place && i < kChecksum.place + kChecksum.length;
    const char c = own ? ' ' : header[i];
    sum += static_cast<unsigned char>(c);
    signed_sum += static_cast<signed char>(c);
  }
  const auto stored = number_of(bytes_of(header, kChecksum));
  return stored && (*stored == sum || static_cast<std::int64_t>(*stored) == signed_sum);
}

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw Error("{}: {}", path.string(), std::strerror(errno));
    struct stat status {};
    if (fstat(descriptor_, &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::uint64_t size() const { return size_; }
  // Without read-ahead, because the data between the headers is not used.
  void expect_jumps() const { posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM); }

  void read(std::uint64_t offset, char* out, std::size_t count) const {
    while (count > 0) {
      const ssize_t got = pread(descriptor_, out, count, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Error("{}: cannot be read: {}", path_.string(), std::strerror(errno));
      if (got == 0) throw Error("{}: is truncated: it ends at byte {}", path_.string(), offset);
      out += got;
      offset += static_cast<std::uint64_t>(got);
      count -= static_cast<std::size_t>(got);
    }
  }

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

// What extension headers say about the next member.
struct Extension {
  std::string name;
  std::optional<std::uint64_t> size;
};

class TarReader {
 public:
  explicit TarReader(const std::filesystem::path& path) : path_(path), file_(path) {
    file_.expect_jumps();
  }

  void run(const std::function<void(TarMember member)>& use) {
    if (file_.size() == 0) throw Error("{}: is empty", path_.string());
    while (next_header()) {
      stop_if_interrupted();
      read_member(use);
    }
  }

 private:
  // Reads a header; returns false at the end mark, two blocks of zeros.
  bool next_header() {
    if (position_ + kTarBlock > file_.size()) {
      if (position_ == 0) fail("is not a tar file");
      fail("is truncated: it has no end mark");
    }
    file_.read(position_, header_.data(), kTarBlock);
    if (std::all_of(header_.begin(), header_.end(), [](char c) { return c == '\0'; })) {
      if (position_ == 0) fail("is not a tar file");
      return false;
    }
    if (!has_right_checksum(header_)) {
      if (position_ > 0) fail(fmt::format("is damaged: invalid header at byte {}", position_));
      const bool is_gzip = header_[0] == '\x1f' && header_[1] == '\x8b';
      fail(is_gzip ? "is compressed; unpack it with gunzip" : "is not a tar file");
    }
    position_ += kTarBlock;
    return true;
  }

  void read_member(const std::function<void(TarMember member)>& use) {
    const char type = header_[kType];
    const bool is_extension = type == 'L' || type == 'K' || type == 'x' || type == 'g';
    const std::string name =
        extension_.name.empty() || is_extension ? name_in_header() : extension_.name;
    auto size = number_of(bytes_of(header_, kSize));
    if (!is_extension && extension_.size) size = extension_.size;
    if (!size) fail(fmt::format("the size of '{}' is invalid", name));
    if (*size > file_.size() - position_) {
      fail(fmt::format("is truncated: '{}' has {} bytes, but only {} follow", name, *size,
                       file_.size() - position_));
    }
    if (type == 'S') fail(fmt::format("'{}' is sparse, which is not supported", name));
    if (is_extension) {
      read_extension(type, name, *size);
    } else {
      if (type == '0' || type == '\0' || type == '7') use({checked(name), position_, *size});
      extension_ = {};
    }
    position_ += (*size + kTarBlock - 1) / kTarBlock * kTarBlock;
  }

  std::string name_in_header() const {
    const std::string name(text_of(header_, kName));
    const std::string_view prefix = text_of(header_, kPrefix);
    const bool is_posix = bytes_of(header_, kMagic) == std::string_view("ustar\0", 6);
    return is_posix && !prefix.empty() ? fmt::format("{}/{}", prefix, name) : name;
  }

  std::string checked(const std::string& name) const {
    const std::filesystem::path path(name);
    if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end()) {
      fail(fmt::format("the name '{}' leads out of the folder", name));
    }
    return path.lexically_normal().string();
  }

  void read_extension(char type, const std::string& name, std::uint64_t size) {
    if (size > kLargestExtension) fail(fmt::format("'{}' is too large for a header", name));
    std::string text(size, '\0');
    file_.read(position_, text.data(), text.size());
    if (type == 'L') extension_.name = text.substr(0, text.find('\0'));
    if (type == 'x') read_records(text);
  }

  // Records "LENGTH KEY=VALUE\n" of a pax header.
  void read_records(std::string_view text) {
    while (!text.empty()) {
      const std::size_t space = text.find(' ');
      const auto length = number_in<std::size_t>(text.substr(0, std::min(space, text.size())));
      if (!length || *length <= space + 1 || *length > text.size()) {
        fail(fmt::format("is damaged: invalid pax header at byte {}", position_));
      }
      const std::string_view record = text.substr(space + 1, *length - space - 2);
      const std::size_t equals = record.find('=');
      if (equals == std::string_view::npos) {
        fail(fmt::format("is damaged: invalid pax header at byte {}", position_));
      }
      const std::string_view key = record.substr(0, equals);
      const std::string_view value = record.substr(equals + 1);
      if (key == "path") extension_.name = value;
      if (key == "size") {
        extension_.size = number_in<std::uint64_t>(value);
        if (!extension_.size) fail(fmt::format("'{}' is not a size", value));
      }
      if (key.starts_with("GNU.sparse")) fail("has a sparse member, which is not supported");
      text.remove_prefix(*length);
    }
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw Error("{}: {}", path_.string(), problem);
  }

  std::filesystem::path path_;
  OpenFile file_;
  std::uint64_t position_ = 0;
  Header header_{};
  Extension extension_;
};

}  // namespace

void for_each_member(const std::filesystem::path& path,
                     const std::function<void(TarMember member)>& use) {
  TarReader(path).run(use);
}

bool is_tar_file(const std::filesystem::path& path) {
  return path.extension() == ".tar" && std::filesystem::is_regular_file(path);
}

std::string read_place(const std::filesystem::path& path, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  OpenFile(path).read(offset, bytes.data(), size);
  return bytes;
}

}  // namespace manyverbs
