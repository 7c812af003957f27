// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/tar_file.h"

#include <cstdlib>
#include <map>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "tests/decoding/numbered_pictures.h"

namespace manyverbs {
namespace {

std::map<std::string, std::string> files_in_tar(const std::filesystem::path& tar) {
  std::map<std::string, std::string> files;
  for_each_member(tar, [&](const TarMember& member) {
    files[member.name] = read_place(tar, member.offset, member.size);
  });
  return files;
}

// A header of old tar files with a right checksum.
std::string header(const std::string& name, const std::string& size, char type = '0') {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(124, size.size(), size);
  block[156] = type;
  block.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  block.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
  return block;
}
const std::string kEnd(1024, '\0');

class TarFiles : public testing::Test {
 protected:
  std::string problem_of(const std::string& bytes) {
    scratch_.write("a.tar", bytes);
    return error_of(scratch_, [&] { files_in_tar(scratch_ / "a.tar"); });
  }
  ScratchFolder scratch_;
};

TEST_F(TarFiles, OfAllFormatsOfTarAreRead) {
  const std::string long_name(180, 'x');
  scratch_.write("in/u/a.jpg", "first");
  scratch_.write("in/b.jpg", std::string(1500, 'b'));
  scratch_.write("in/" + long_name, "long");
  scratch_.write("in/empty", "");
  for (const char* format : {"--format=gnu", "--format=posix", "--format=v7", "--format=ustar"}) {
    const bool short_names =
        std::string_view(format) == "--format=v7" || std::string_view(format) == "--format=ustar";
    if (short_names) std::filesystem::remove(scratch_ / "in" / long_name);
    pack(scratch_ / "in", scratch_ / "a.tar", format);
    auto files = files_in_tar(scratch_ / "a.tar");
    EXPECT_EQ(files.size(), short_names ? 3U : 4U) << format;
    EXPECT_EQ(files["u/a.jpg"], "first") << format;
    EXPECT_EQ(files["b.jpg"], std::string(1500, 'b')) << format;
    EXPECT_EQ(files["empty"], "") << format;
    if (!short_names) {
      EXPECT_EQ(files[long_name], "long") << format;
    }
  }
}

TEST_F(TarFiles, LinksAndFoldersAreNotFiles) {
  scratch_.write("in/a.jpg", "first");
  std::filesystem::create_symlink("a.jpg", scratch_ / "in/link.jpg");
  pack(scratch_ / "in", scratch_ / "a.tar");
  EXPECT_EQ(files_in_tar(scratch_ / "a.tar").size(), 1U);
}

TEST_F(TarFiles, WithInvalidSizesAreErrors) {
  const std::string negative = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe";
  EXPECT_EQ(problem_of(header("a.jpg", negative) + kEnd), "a.tar: the size of 'a.jpg' is invalid");
  EXPECT_EQ(problem_of(header("a.jpg", "-0000000001") + kEnd),
            "a.tar: the size of 'a.jpg' is invalid");
  EXPECT_EQ(problem_of(header("a.jpg", "77777777777") + kEnd),
            "a.tar: is truncated: 'a.jpg' has 8589934591 bytes, but only 1024 follow");
  const std::string huge = std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12);
  EXPECT_EQ(problem_of(header("a.jpg", huge) + kEnd),
            "a.tar: is truncated: 'a.jpg' has 9223372036854775807 bytes, but only 1024 follow");
}

TEST_F(TarFiles, WithNamesThatLeadElsewhereAreErrors) {
  EXPECT_EQ(problem_of(header("../a.jpg", "0") + kEnd),
            "a.tar: the name '../a.jpg' leads out of the folder");
  EXPECT_EQ(problem_of(header("u/../../a.jpg", "0") + kEnd),
            "a.tar: the name 'u/../../a.jpg' leads out of the folder");
  EXPECT_EQ(problem_of(header("/etc/a.jpg", "0") + kEnd),
            "a.tar: the name '/etc/a.jpg' leads out of the folder");
}

TEST_F(TarFiles, WithSparseMembersAreErrors) {
  std::filesystem::create_directory(scratch_ / "in");
  ASSERT_EQ(
      std::system(fmt::format("truncate -s 1M '{}'", (scratch_ / "in/a.jpg").string()).c_str()), 0);
  pack(scratch_ / "in", scratch_ / "gnu.tar", "--sparse --format=gnu");
  EXPECT_EQ(error_of(scratch_, [&] { files_in_tar(scratch_ / "gnu.tar"); }),
            "gnu.tar: './a.jpg' is sparse, which is not supported");
  pack(scratch_ / "in", scratch_ / "pax.tar", "--sparse --format=posix");
  EXPECT_EQ(error_of(scratch_, [&] { files_in_tar(scratch_ / "pax.tar"); }),
            "pax.tar: has a sparse member, which is not supported");
}

TEST_F(TarFiles, ThatAreDamagedAreErrors) {
  EXPECT_EQ(problem_of(""), "a.tar: is empty");
  EXPECT_EQ(problem_of("no tar"), "a.tar: is not a tar file");
  EXPECT_EQ(problem_of(std::string(2000, 'x')), "a.tar: is not a tar file");
  EXPECT_EQ(problem_of(std::string(2000, '\0')), "a.tar: is not a tar file");
  EXPECT_EQ(problem_of("\x1f\x8b" + std::string(2000, 'x')),
            "a.tar: is compressed; unpack it with gunzip");
  EXPECT_EQ(problem_of(header("a.jpg", "0") + std::string(1024, 'x')),
            "a.tar: is damaged: invalid header at byte 512");
  EXPECT_EQ(problem_of(header("x", "5000000", 'L') + std::string(1400000, 'n') + kEnd),
            "a.tar: 'x' is too large for a header");
  for (const char* records : {"9999 path=a\n", "4 a\n", "x", "-5 path=a\n", "12 size=many\n"}) {
    std::string block(512, '\0');
    block.replace(0, std::strlen(records), records);
    const std::string size = fmt::format("{:o}", std::strlen(records));
    EXPECT_NE(problem_of(header("x", size, 'x') + block + kEnd), "") << records;
  }
}

// Cut off anywhere, a tar file is an error and never a shorter one.
TEST_F(TarFiles, ThatAreTruncatedAreErrors) {
  scratch_.write("in/a.jpg", std::string(700, 'a'));
  scratch_.write("in/b.jpg", std::string(10, 'b'));
  pack(scratch_ / "in", scratch_ / "whole.tar", "--format=posix -b 1");
  const std::string whole = read_file(scratch_ / "whole.tar");
  for (std::size_t size = 0; size + 1024 < whole.size(); size += 128) {
    const std::string problem = problem_of(whole.substr(0, size));
    EXPECT_TRUE(problem.find("is truncated") != std::string::npos ||
                problem.find("is empty") != std::string::npos ||
                problem.find("is not a tar file") != std::string::npos)
        << size << ": " << problem;
  }
}

}  // namespace
}  // namespace manyverbs
