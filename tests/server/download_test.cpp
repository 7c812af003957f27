// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/download.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "manyverbs/server/internal/tar.h"
#include "manyverbs/support/internal/files.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

TEST(Tar, IsReadByTheUsualProgram) {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "in" / "deep");
  write_file(scratch / "in" / "one.txt", "1\n");
  write_file(scratch / "in" / "deep" / "block.txt", std::string(512, 'x'));
  write_file(scratch / "in" / "empty.txt", "");
  write_file(scratch / "in.tar", tar_of(scratch / "in", "name"));
  const std::string command =
      fmt::format("cd {} && tar -xf in.tar && diff -r in name", scratch.path().string());
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(tar_of(scratch / "in", "name"), read_file(scratch / "in.tar"));
}

class Downloads : public testing::Test {
 protected:
  Downloads() {
    leader_.set_up(server_.setup_url());
    ann_.join(leader_.invite("Ann"));
    ann_.post_json("/api/annotator/next", Json::object());
    ann_.post_json("/api/annotator/answers", sent_answer(1, {0, 1}));
    leader_.post_json("/api/leader/decisions",
                      {{"task", 2}, {"labels", {2}}, {"reason", "Ann knows"}});
  }
  ClientReply get(const std::string& query) { return leader_.get("/api/leader/export?" + query); }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 3);
  RunningServer server_{project_};
  Visitor leader_{server_.port()};
  Visitor ann_{server_.port()};
};

TEST_F(Downloads, AreWhatTheCommandWrites) {
  const ClientReply spmv = get("format=spmv");
  EXPECT_EQ(spmv.status, 200);
  EXPECT_EQ(spmv.headers.value("Content-Disposition"), "attachment; filename=\"spmv.csv\"");
  EXPECT_EQ(spmv.body, "narration_id,verb_labels,settled\nclip-2,[2],1\n");
  AnnotationStore store((scratch_ / "answers.sqlite").string(), project_);
  export_answers(read_result(project_, &store, 0), scratch_ / "answers.jsonl");
  EXPECT_EQ(get("format=jsonl").body, read_file(scratch_ / "answers.jsonl"));
  EXPECT_NE(get("format=label-studio&videos=https://x/").body.find("https://x/clips/1.mp4"),
            std::string::npos);
  EXPECT_TRUE(get("format=posteriors&rule=model").body.starts_with("clip,verb,"));
}

TEST_F(Downloads, OfFoldersAreTarFiles) {
  const ClientReply cvat = get("format=cvat");
  EXPECT_EQ(cvat.headers.value("Content-Disposition"), "attachment; filename=\"cvat.tar.gz\"");
  write_file(scratch_ / "cvat.tar.gz", cvat.body);
  const std::string command = fmt::format(
      "cd {} && tar -xzf cvat.tar.gz && test -f "
      "cvat/annotations/2.xml -a -f cvat/labels.json",
      scratch_.path().string());
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(Downloads, WithPseudonymsContainNoName) {
  const std::string body = get("format=jsonl&pseudonyms=1").body;
  EXPECT_EQ(body.find("Ann"), std::string::npos) << body;
  EXPECT_EQ(body, get("format=jsonl&pseudonyms=1").body) << "the same each time";
}

TEST_F(Downloads, ThatAreNotPossibleSayWhy) {
  EXPECT_EQ(get("format=pdf").status, 404);
  const ClientReply dataset = get("format=dataset");
  EXPECT_EQ(dataset.status, 409) << "the toy project has no data set";
  EXPECT_NE(dataset.body.find("dataset"), std::string::npos) << dataset.body;
}

}  // namespace
}  // namespace manyverbs
