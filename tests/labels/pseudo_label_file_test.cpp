// SPDX-License-Identifier: MIT
#include "manyverbs/labels/internal/pseudo_label_file.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "tests/labels/verbs.h"

namespace manyverbs {
namespace {

Clip clip(std::string name, Split split, ClassId label) {
  Clip result;
  result.name = std::move(name);
  result.split = split;
  result.labels = {label};
  return result;
}

// Two training clips with a test clip between them.
Dataset kitchen() {
  Dataset dataset;
  dataset.name = "kitchen";
  dataset.classes = Vocabulary({"cut", "peel", "wash, dry"});
  dataset.clips = {clip("P01_1", Split::Train, kPeel), clip("P01_2", Split::Test, kCut),
                   clip("P01_3", Split::Train, kWash)};
  return dataset;
}

class PseudoLabelFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "manyverbs_pseudo_label_file" /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  std::filesystem::path write(std::string_view text) const {
    write_file(folder_ / "foreign.csv", text);
    return folder_ / "foreign.csv";
  }

  // The error of reading a file with this text, without the folder.
  std::string problem(std::string_view text) const {
    try {
      read_pseudo_labels(write(text), kitchen());
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder_.string().size() + 1);
    }
    return "";
  }

  std::filesystem::path folder_;
};

TEST_F(PseudoLabelFile, ListsEveryClassWithAVoteMostVotesFirst) {
  const Matrix<int> counts(2, 3, {9, 5, 1, 0, 0, 15});
  const std::filesystem::path csv =
      write_pseudo_labels(folder_ / "new" / "folder", "k15-tau0.1", kitchen(), counts, {{kCut}, {}},
                          PseudoLabelRecord());
  EXPECT_EQ(csv, folder_ / "new" / "folder" / "k15-tau0.1.csv");
  EXPECT_EQ(read_file(csv),
            "clip,class,votes,share,suggested\n"
            "P01_1,cut,9,0.6000,1\n"
            "P01_1,peel,5,0.3333,0\n"
            "P01_1,\"wash, dry\",1,0.0667,0\n"
            "P01_3,\"wash, dry\",15,1.0000,0\n");
}

TEST_F(PseudoLabelFile, LeavesVotesEmptyWithoutVotes) {
  const std::filesystem::path csv = write_pseudo_labels(folder_, "ideal", kitchen(), Matrix<int>(),
                                                        {{kCut}, {}}, PseudoLabelRecord());
  EXPECT_EQ(read_file(csv), "clip,class,votes,share,suggested\nP01_1,cut,,,1\n");
}

// Otherwise existing files could not be used on a read-only disk.
TEST_F(PseudoLabelFile, TheSameIsNotWrittenAgain) {
  const auto write = [&] {
    return write_pseudo_labels(folder_, "x", kitchen(), Matrix<int>(), {{kCut}, {}}, {});
  };
  const std::filesystem::path file = write();
  std::filesystem::create_hard_link(file, folder_ / "before.csv");
  write();
  EXPECT_TRUE(std::filesystem::equivalent(file, folder_ / "before.csv"));
}

TEST_F(PseudoLabelFile, SuggestionsAreReadBack) {
  const Suggestions suggestions = {{kCut, kWash}, {kPeel}};
  const Matrix<int> counts(2, 3, {2, 1, 12, 0, 4, 11});
  const std::filesystem::path csv =
      write_pseudo_labels(folder_, "k15", kitchen(), counts, suggestions, PseudoLabelRecord());
  EXPECT_EQ(read_pseudo_labels(csv, kitchen()), suggestions);
}

TEST_F(PseudoLabelFile, TheRecordIsReadBack) {
  PseudoLabelRecord record;
  record.votes = VoteSettings{10, 0.2, "learned", "cosine", "learned-cosine"};
  record.made_from = {"0123456789abcdef", "", {{"rgb", "12"}}};
  record.quality = {0.5, std::numeric_limits<double>::quiet_NaN(), 1.25, 4};
  const std::filesystem::path csv =
      write_pseudo_labels(folder_, "k10", kitchen(), Matrix<int>(), {{}, {}}, record);
  const auto read = read_pseudo_label_record(csv);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->method, PseudoLabelMethod::Instance);
  EXPECT_EQ(read->votes, record.votes);
  EXPECT_EQ(read->made_from, record.made_from);
  EXPECT_EQ(read->quality.precision, 0.5);
  EXPECT_TRUE(std::isnan(read->quality.recall));
  EXPECT_EQ(read->quality.suggestions_per_clip, 1.25);
  EXPECT_EQ(read->quality.clips, 4);
}

TEST_F(PseudoLabelFile, RecordOfTheIdealMethodHasNoVoteSettings) {
  PseudoLabelRecord record;
  record.method = PseudoLabelMethod::Ideal;
  const std::filesystem::path csv =
      write_pseudo_labels(folder_, "ideal", kitchen(), Matrix<int>(), {{}, {}}, record);
  const auto read = read_pseudo_label_record(csv);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->method, PseudoLabelMethod::Ideal);
  EXPECT_FALSE(read->votes.has_value());
}

TEST_F(PseudoLabelFile, AFileOfAnotherProgramHasNoRecord) {
  EXPECT_FALSE(read_pseudo_label_record(write("clip,class\n")).has_value());
}

TEST_F(PseudoLabelFile, AnUnknownMethodInARecordIsAnError) {
  write_file(folder_ / "foreign.json", R"({"method": "instence"})");
  try {
    read_pseudo_label_record(folder_ / "foreign.csv");
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), (folder_ / "foreign.json").string() +
                                             ": expected the pseudo-label method instance, class "
                                             "or ideal, found 'instence', did you "
                                             "mean 'instance'?");
  }
}

TEST_F(PseudoLabelFile, WithoutASuggestedColumnEveryRowIsASuggestion) {
  EXPECT_EQ(read_pseudo_labels(write("class,clip\n\"wash, dry\",P01_1\ncut,P01_1\n"), kitchen()),
            (Suggestions{{kCut, kWash}, {}}));
}

TEST_F(PseudoLabelFile, ASuggestionOfTheOwnLabelIsIgnored) {
  EXPECT_EQ(
      read_pseudo_labels(write("clip,class,suggested\nP01_1,peel,1\nP01_3,cut,1\n"), kitchen()),
      (Suggestions{{}, {kCut}}));
}

TEST_F(PseudoLabelFile, AnUnknownClipGetsASuggestion) {
  EXPECT_EQ(problem("clip,class\nP01_1,cut\nP0l_3,cut\n"),
            "foreign.csv:3: the data set 'kitchen' has no clip 'P0l_3', did you mean 'P01_3'?");
}

TEST_F(PseudoLabelFile, OnlyTrainingClipsAreAccepted) {
  EXPECT_EQ(problem("clip,class\nP01_2,peel\n"),
            "foreign.csv:2: 'P01_2' is a test clip, expected a training clip");
}

TEST_F(PseudoLabelFile, AnUnknownClassGetsASuggestion) {
  EXPECT_EQ(problem("clip,class\nP01_1,pee\n"),
            "foreign.csv:2: unknown class 'pee' (there are 3 classes), did you mean 'peel'?");
}

TEST_F(PseudoLabelFile, SuggestedIsZeroOrOne) {
  EXPECT_EQ(problem("clip,class,suggested\nP01_1,cut,yes\n"),
            "foreign.csv:2: suggested: expected 0 or 1, found 'yes'");
}

TEST_F(PseudoLabelFile, ADuplicateRowIsAnError) {
  EXPECT_EQ(problem("clip,class,suggested\nP01_1,cut,0\nP01_3,cut,1\nP01_1,cut,1\n"),
            "foreign.csv:4: duplicate clip 'P01_1' with class 'cut', see line 2");
}

}  // namespace
}  // namespace manyverbs
