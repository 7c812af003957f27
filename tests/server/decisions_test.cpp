// SPDX-License-Identifier: MIT
//
// Decisions of the leader about clips, and the end of a round.
#include <gtest/gtest.h>

#include "manyverbs/server/internal/answer_model.h"
#include "manyverbs/server/internal/store.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/moments.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

const Answer kJustCut{{0}, true, false, 1200};
const Answer kJustPeel{{1}, true, false, 1200};

// All tests run with an SQLite file and with a PostgreSQL server.
class Decisions : public testing::TestWithParam<std::string> {
 protected:
  Decisions()
      : where_(GetParam() == "sqlite" ? (scratch_ / "answers.sqlite").string()
                                      : PostgresServer::shared().new_database()) {}
  int add(const std::string& name) {
    return store_.add_person(name, "link of " + name, kLeader).id;
  }
  std::vector<int> next(int person, Time now = kStart) {
    return store_.next_tasks(person, now).tasks;
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 4);
  std::string where_;
  AnnotationStore store_{where_, project_};
};

TEST_P(Decisions, ADecidedClipIsNotAssignedUntilTheDecisionIsUndone) {
  const int ann = add("Ann");
  const int ben = add("Ben");
  EXPECT_EQ(next(ann), (std::vector{1, 2}));
  store_.decide({1, {}, "the video is broken"}, kLeader);
  store_.decide({3, {0, 2}, ""}, kLeader);
  EXPECT_EQ(next(ann), (std::vector{2, 4})) << "1 was taken back, 3 is settled";
  EXPECT_EQ(next(ben), (std::vector{2, 4}));
  EXPECT_EQ(store_.progress(ben, kStart).total, 2);
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
  store_.undo_decision(1, kLeader);
  store_.save(ben, 2, kJustCut, kStart);
  EXPECT_EQ(next(ben), (std::vector{4, 1}));
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
}

TEST_P(Decisions, AnAnswerOnItsWayIsSavedAndCountsAfterUndoing) {
  const int ann = add("Ann");
  next(ann);
  store_.decide({1, {}, "blurred"}, kLeader);
  store_.save(ann, 1, kJustCut, kStart + 1);
  ASSERT_EQ(store_.answers().size(), 1U);
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
  store_.undo_decision(1, kLeader);
  const auto clips =
      answered_clips(project_, store_.answers(), store_.people(), {}, store_.decisions());
  EXPECT_EQ(clips[0].answers, std::vector{kJustCut});
  EXPECT_FALSE(clips[0].decision);
}

TEST_P(Decisions, AreKeptWithTheirHistoryAndSentTwiceCountOnce) {
  const Decision first{2, {0}, "clear", kStart};
  const Decision second{2, {0, 1}, "Ann is right; it's 'peel'", kStart + 1};
  store_.decide(first, kLeader);
  store_.decide({2, {0}, "clear"}, {"Lea", kStart + 5});
  store_.decide(second, {"Lea", kStart + 1});
  store_.undo_decision(3, kLeader);
  AnnotationStore other(where_, project_);
  std::vector<Decision> expected = {first, second};
  expected[0].current = false;
  EXPECT_EQ(other.decisions(), expected);
  other.undo_decision(2, kLeader);
  expected[1].current = false;
  EXPECT_EQ(store_.decisions(), expected);
  std::vector<std::string> log;
  for (const LogEntry& entry : store_.log(0, 9)) {
    log.push_back(entry.action + " " + entry.subject + ": " + entry.details);
  }
  EXPECT_EQ(log, (std::vector<std::string>{
                     "undid the decision clip 2: ", "settled clip 2: Ann is right; it's 'peel'",
                     "settled clip 2: clear"}));
}

TEST_P(Decisions, AClosedRoundAssignsNothingAndStillSavesAnswers) {
  const int ann = add("Ann");
  const int ben = add("Ben");
  next(ann);
  store_.set_settings({.closed = true}, kLeader);
  const AnnotationStore::Assignment held = store_.next_tasks(ann, kStart + 1);
  EXPECT_TRUE(held.tasks.empty());
  EXPECT_FALSE(held.waiting);
  EXPECT_EQ(held.over, AnnotationStore::Over::Closed);
  EXPECT_EQ(store_.next_tasks(ben, kStart + 1).over, AnnotationStore::Over::Closed);
  const AnnotatorProgress progress = store_.save(ann, 1, kJustCut, kStart + 2);
  EXPECT_EQ(progress.done, 1);
  EXPECT_EQ(progress.total, 1);
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
  store_.set_settings({.closed = false}, kLeader);
  EXPECT_EQ(next(ann), (std::vector{2, 3}));
}

TEST_P(Decisions, TheDeadlineClosesTheRound) {
  const int ann = add("Ann");
  store_.set_settings({.deadline = kStart + 1000}, kLeader);
  EXPECT_EQ(store_.settings().deadline, kStart + 1000);
  EXPECT_EQ(next(ann, kStart + 999), (std::vector{1, 2}));
  EXPECT_EQ(store_.next_tasks(ann, kStart + 1000).over, AnnotationStore::Over::Closed);
  EXPECT_EQ(store_.save(ann, 1, kJustCut, kStart + 1001).done, 1);
}

TEST_P(Decisions, NobodyGetsMoreClipsThanTheQuota) {
  const int ann = add("Ann");
  store_.set_settings({.quota = 3}, kLeader);
  EXPECT_EQ(next(ann), (std::vector{1, 2}));
  EXPECT_EQ(store_.progress(ann, kStart).total, 3);
  store_.save(ann, 1, kJustCut, kStart);
  store_.save(ann, 2, kJustCut, kStart);
  EXPECT_EQ(next(ann), std::vector{3}) << "no clip to preload";
  const AnnotatorProgress progress = store_.save(ann, 3, kJustCut, kStart);
  EXPECT_EQ(progress.done, 3);
  EXPECT_EQ(progress.total, 3);
  const AnnotationStore::Assignment held = store_.next_tasks(ann, kStart);
  EXPECT_TRUE(held.tasks.empty());
  EXPECT_EQ(held.over, AnnotationStore::Over::Quota);
  store_.save(ann, 3, kJustPeel, kStart);  // a correction is possible
  EXPECT_EQ(next(add("Ben")), (std::vector{1, 2}));
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
}

TEST_P(Decisions, AReducedQuotaTakesClipsBack) {
  const int ann = add("Ann");
  EXPECT_EQ(next(ann), (std::vector{1, 2}));
  store_.set_settings({.quota = 1}, kLeader);
  EXPECT_EQ(next(ann), std::vector{1});
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
}

INSTANTIATE_TEST_SUITE_P(Databases, Decisions, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

TEST(Deadline, IsReadInOneFormOnly) {
  EXPECT_EQ(time_in("2023-11-14T22:13:20Z"), 1'700'000'000'000);
  for (const char* text :
       {"", "2023-11-14", "2023-11-14T22:13:20", "2023-02-30T00:00:00Z", "2023-11-14T24:00:00Z",
        "2023-11-14T22:13:20Z ", "2023-11-14T22:13:20+01:00"}) {
    EXPECT_FALSE(time_in(text)) << text;
  }
}

// Three people chose peel for clip 1 (original cut) and clip 2.
TEST(DecidedClips, WinOverBothRules) {
  const ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(scratch.path(), 3);
  std::vector<Person> people;
  std::vector<StoredAnswer> answers;
  for (int person = 1; person <= 3; ++person) {
    people.push_back({person, "somebody", PersonState::Active, true, {}});
    for (const int task : {1, 2}) answers.push_back({person, task, kJustPeel, kStart, true});
  }
  const std::vector<Decision> decisions = {{1, {2}, "it is washed", kStart, true},
                                           {2, {}, "dark", kStart, true},
                                           {3, {0, 4}, "undone", kStart, false}};
  const auto clips = answered_clips(project, answers, people, {}, decisions);
  const AnswerModel model = model_answers(clips);
  for (const auto& finals : {final_clips(clips, 3), final_clips_by_model(clips, 3, model)}) {
    EXPECT_EQ(finals[0].result, (FinalLabels{Outcome::Kept, {2}})) << "without the original";
    EXPECT_EQ(finals[0].decision->reason, "it is washed");
    EXPECT_EQ(finals[1].result, (FinalLabels{Outcome::LeftOut, {}}));
    EXPECT_EQ(finals[2].result, (FinalLabels{Outcome::Incomplete, {}}));
  }
  const auto only_first = answered_clips(project, std::vector(answers.begin(), answers.begin() + 1),
                                         people, {}, decisions);
  EXPECT_EQ(final_clips(only_first, 3)[0].result, (FinalLabels{Outcome::Kept, {2}}))
      << "also without enough answers";
}

}  // namespace
}  // namespace manyverbs
