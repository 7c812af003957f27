// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/files.h"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Names = std::vector<std::string>;

TEST(Files, WhatIsWrittenIsReadBack) {
  const ScratchFolder scratch;
  const std::string contents("a\0b\n", 4);
  write_file(scratch / "x", contents);
  EXPECT_EQ(read_file(scratch / "x"), contents);
  write_file(scratch / "x", "");
  EXPECT_EQ(read_file(scratch / "x"), "");
}

TEST(Files, ReadingAFolderOrAMissingFileIsAnError) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [&] { read_file(scratch / "none"); }),
            "none: No such file or directory");
  std::filesystem::create_directory(scratch / "folder");
  EXPECT_EQ(error_of(scratch, [&] { read_file(scratch / "folder"); }), "folder: Is a directory");
}

TEST(Files, AnUncommittedWriterKeepsTheOldFile) {
  const ScratchFolder scratch;
  write_file(scratch / "x", "old");
  {
    FileWriter writer(scratch / "x");
    writer.write("new");
    EXPECT_EQ(read_file(scratch / "x"), "old");
  }
  EXPECT_EQ(read_file(scratch / "x"), "old");
  EXPECT_EQ(scratch.names(), Names{"x"});
}

TEST(Files, AWriterReplacesTheFileAtomically) {
  const ScratchFolder scratch;
  write_file(scratch / "x", "old");
  FileWriter writer(scratch / "x");
  writer.write("ne");
  writer.write("w");
  writer.commit();
  EXPECT_EQ(read_file(scratch / "x"), "new");
  EXPECT_EQ(scratch.names(), Names{"x"});
}

TEST(Files, AFullDiskKeepsTheOldFileAndLeavesNoOthers) {
  const ScratchFolder scratch;
  write_file(scratch / "x", "old");
  const std::string much(100000, 'n');
  std::string problem;
  {
    const FullDisk full(1000);
    problem = error_of(scratch, [&] { write_file(scratch / "x", much); });
  }
  EXPECT_EQ(problem, "x: cannot be written: File too large; the previous content is unchanged");
  EXPECT_EQ(read_file(scratch / "x"), "old");
  EXPECT_EQ(scratch.names(), Names{"x"});
}

TEST(Files, WritingIntoAMissingFolderIsAnError) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [&] { write_file(scratch / "no/x", "a"); }),
            "no/x: cannot be written: No such file or directory");
}

TEST(Files, AFolderAppearsWhenItIsComplete) {
  const ScratchFolder scratch;
  FolderWriter writer(scratch / "out/");
  write_file(writer.path() / "x", "a");
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));
  writer.commit();
  EXPECT_EQ(read_file(scratch / "out/x"), "a");
  EXPECT_EQ(scratch.names(), Names{"out"});
}

TEST(Files, AnUncommittedFolderIsRemoved) {
  const ScratchFolder scratch;
  {
    const FolderWriter writer(scratch / "out");
    write_file(writer.path() / "x", "a");
  }
  EXPECT_EQ(scratch.names(), Names{});
}

TEST(Files, AnExistingFolderIsAnErrorAndUnchanged) {
  const ScratchFolder scratch;
  scratch.write("out/x", "a");
  EXPECT_EQ(error_of(scratch, [&] { FolderWriter writer(scratch / "out"); }),
            "out: already exists; choose another --out or remove it");
  EXPECT_EQ(read_file(scratch / "out/x"), "a");
  EXPECT_EQ(error_of(scratch, [&] { FolderWriter writer(scratch / "out/x/y"); }),
            "out/x/y: cannot be created: Not a directory");
}

TEST(Files, AMappedFileShowsItsBytes) {
  const ScratchFolder scratch;
  const MappedFile file(scratch.write("x", "hello"));
  ASSERT_EQ(file.bytes().size(), 5);
  EXPECT_EQ(std::memcmp(file.bytes().data(), "hello", 5), 0);
  file.prefetch(0, 5);
  MappedFile moved;
  moved = MappedFile(scratch / "x");
  const MappedFile taken(std::move(moved));
  EXPECT_EQ(taken.bytes().size(), 5);
  EXPECT_EQ(MappedFile(scratch.write("empty", "")).bytes().size(), 0);
}

TEST(Files, MappingAFolderIsAnError) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [&] { MappedFile file(scratch.path() / "."); }), ".: is not a file");
}

TEST(Files, AFolderNameDoesNotDependOnHowThePathIsWritten) {
  EXPECT_EQ(folder_name("data/kitchen/"), "kitchen");
  EXPECT_EQ(folder_name("data/kitchen"), "kitchen");
  EXPECT_EQ(folder_name("/data/kitchen/../kitchen/."), "kitchen");
  EXPECT_EQ(folder_name("."), std::filesystem::current_path().filename().string());
}

TEST(Files, TheHashIsFnv1a) {
  EXPECT_EQ(text_hash(""), "cbf29ce484222325");
  EXPECT_EQ(text_hash("foobar"), "85944171f73967e8");
}

TEST(FileLock, IsExclusive) {
  const ScratchFolder scratch;
  write_file(scratch / "run.json", "{}");
  {
    const FileLock lock(scratch / "run.json");
    EXPECT_EQ(error_of(scratch, [&] { const FileLock second(scratch / "run.json"); }),
              "run.json: in use by another process");
  }
  const FileLock free_again(scratch / "run.json");
}

// Larger than any number of a process.
constexpr const char* kGone = "99999999";

TEST(FileLock, LocksFoldersToo) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "run");
  FileLock lock(scratch / "run");
  const FileLock moved(std::move(lock));
  EXPECT_EQ(error_of(scratch, [&] { const FileLock second(scratch / "run"); }),
            "run: in use by another process");
}

TEST(Files, TemporaryNamesAreRecognised) {
  EXPECT_TRUE(is_temporary("run/log.csv.4711-0.tmp"));
  for (const char* name : {"notes.tmp", "a.1-2", "a.1-x.tmp", "a.-1-2.tmp", "a.0-1.tmp", ".tmp",
                           "1-2.tmp", "a-b.12.tmp", "a.99999999999999-0.tmp"}) {
    EXPECT_FALSE(is_temporary(name)) << name;
  }
}

TEST(RemoveLeftovers, RemovesOnlyTemporaryFilesOfEndedProcesses) {
  const ScratchFolder scratch;
  const std::string gone = fmt::format("model.safetensors.{}-0.tmp", kGone);
  const std::string running = fmt::format("model.safetensors.{}-0.tmp", getpid());
  for (const std::string& name :
       {std::string("model.safetensors"), gone, running, std::string("notes.tmp"),
        std::string("mine.tmp/notes.txt"), fmt::format("out.{}-1.tmp/clips.csv", kGone)}) {
    scratch.write(name, "x");
  }
  remove_leftovers(scratch.path());
  EXPECT_TRUE(std::filesystem::exists(scratch / "model.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(scratch / running));
  EXPECT_TRUE(std::filesystem::exists(scratch / "notes.tmp"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "mine.tmp/notes.txt"));
  EXPECT_FALSE(std::filesystem::exists(scratch / gone));
  EXPECT_FALSE(std::filesystem::exists(scratch / fmt::format("out.{}-1.tmp", kGone)));
}

TEST(FolderWriter, RemovesIncompleteFoldersOfKilledProcesses) {
  const ScratchFolder scratch;
  const std::string same = fmt::format("out.{}-0.tmp", kGone);
  const std::string other = fmt::format("other.{}-0.tmp", kGone);
  scratch.write(same + "/clips.csv", "half");
  scratch.write(other + "/clips.csv", "half");
  FolderWriter out(scratch / "out");
  EXPECT_FALSE(std::filesystem::exists(scratch / same));
  EXPECT_TRUE(std::filesystem::exists(scratch / other));
  EXPECT_TRUE(std::filesystem::is_empty(out.path()));
}

}  // namespace
}  // namespace manyverbs
