// SPDX-License-Identifier: MIT
//
// Secret files are readable by their owner only, with any umask.
#include "manyverbs/server/internal/private_files.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "manyverbs/server/internal/store.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

// Sets umask 0 while it exists: new files are readable by everybody unless their creator prevents
// it.
class OpenUmask {
 public:
  OpenUmask() : before_(umask(0)) {}
  ~OpenUmask() { umask(before_); }
  OpenUmask(const OpenUmask&) = delete;
  OpenUmask& operator=(const OpenUmask&) = delete;

 private:
  mode_t before_;
};

// The mode of a file, such as "600"; "none" if it does not exist.
std::string mode_of(const std::filesystem::path& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return "none";
  return fmt::format("{:o}", found.st_mode & 0777);
}

const std::vector<std::string> kProjectFiles = {"project.json", "tasks.csv", "practice.csv"};
const std::vector<std::string> kDatabaseFiles = {"answers.sqlite", "answers.sqlite-wal",
                                                 "answers.sqlite-shm"};

TEST(PrivateFiles, OnlyTheOwnerCanReadAProjectAndItsAnswers) {
  const OpenUmask open;
  const ScratchFolder scratch;
  EXPECT_EQ(mode_of(scratch.path()), "777");
  const AnnotationProject project = write_toy_project(scratch.path(), 1);
  EXPECT_EQ(mode_of(scratch.path()), "700");
  for (const std::string& name : kProjectFiles) EXPECT_EQ(mode_of(scratch / name), "600") << name;
  const RunningServer server(project);
  Visitor(server.port()).set_up(server.setup_url());
  for (const std::string& name : kDatabaseFiles) EXPECT_EQ(mode_of(scratch / name), "600") << name;
}

TEST(PrivateFiles, AServerMakesFilesOfEarlierVersionsPrivate) {
  const OpenUmask open;
  const ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(scratch.path(), 1);
  const RunningServer first(project);  // its -wal and -shm are there as after a kill
  chmod(scratch.path().c_str(), 0755);
  for (const auto& names : {kProjectFiles, kDatabaseFiles}) {
    for (const std::string& name : names) chmod((scratch / name).c_str(), 0664);
  }
  const RunningServer second(project);
  EXPECT_EQ(mode_of(scratch.path()), "700");
  for (const auto& names : {kProjectFiles, kDatabaseFiles}) {
    for (const std::string& name : names) EXPECT_EQ(mode_of(scratch / name), "600") << name;
  }
}

TEST(PrivateFiles, ADatabaseElsewhereIsPrivateAndItsFolderUnchanged) {
  const OpenUmask open;
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "project");
  std::filesystem::create_directories(scratch / "shared");
  const AnnotationProject project = write_toy_project(scratch / "project", 1);
  const AnnotationStore store((scratch / "shared/a.sqlite").string(), project);
  EXPECT_EQ(mode_of(scratch / "shared/a.sqlite"), "600");
  EXPECT_EQ(mode_of(scratch / "shared"), "777");
}

TEST(PrivateFiles, TheOwnersRightsAreUnchanged) {
  const ScratchFolder scratch;
  const auto path = scratch.write("a", "");
  chmod(path.c_str(), 0457);
  make_private(path);
  EXPECT_EQ(mode_of(path), "400");
  make_private(scratch / "nothing");
  EXPECT_EQ(mode_of(scratch / "nothing"), "none");
}

}  // namespace
}  // namespace manyverbs
