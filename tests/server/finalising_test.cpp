// SPDX-License-Identifier: MIT
#include "manyverbs/server/finalising.h"

#include <cmath>

#include <gtest/gtest.h>

#include "manyverbs/server/figures.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

Answer sure(std::vector<ClassId> chosen) { return {chosen, true, chosen.empty(), 1000}; }
Answer unsure(std::vector<ClassId> chosen) { return {chosen, false, chosen.empty(), 1000}; }

// Cut, peel, wash and dry are 0 to 3; the original label is always peel.
struct Case {
  const char* what;
  std::vector<Answer> answers;
  FinalLabels expected;
};

const std::vector<Case> kTable = {
    {"three people: two are at least half", {sure({0}), sure({0, 2}), sure({})}, {false, {0, 1}}},
    {"four people: two are enough", {sure({0}), sure({0}), sure({2}), sure({3})}, {false, {0, 1}}},
    {"four people: one is not", {sure({0}), sure({2}), sure({3}), sure({})}, {false, {1}}},
    {"five people: three are needed",
     {sure({0, 2}), sure({0, 2}), sure({0}), sure({1}), sure({1})},
     {false, {0, 1}}},
    {"six people: three are enough",
     {sure({0}), sure({0}), sure({0}), sure({3}), sure({3}), sure({2})},
     {false, {0, 1}}},
    {"two people: one is half", {sure({0}), sure({2})}, {false, {0, 1, 2}}},
    {"one person decides", {sure({3})}, {false, {1, 3}}},
    {"the original stays though nobody chose it", {sure({}), sure({}), sure({})}, {false, {1}}},
    {"three people: one unsure is not more than half",
     {unsure({0}), sure({0}), sure({0})},
     {false, {0, 1}}},
    {"three people: two unsure are", {unsure({0}), unsure({0}), sure({0})}, {true, {0, 1}}},
    {"four people: two unsure are exactly half",
     {unsure({0}), unsure({0}), sure({0}), sure({0})},
     {false, {0, 1}}},
    {"four people: three unsure are more",
     {unsure({0}), unsure({0}), unsure({0}), sure({0})},
     {true, {0, 1}}},
};

TEST(Finalising, ATableWorkedByHandForOddAndEvenNumbersOfPeople) {
  for (const Case& row : kTable) EXPECT_EQ(final_labels(1, row.answers), row.expected) << row.what;
}

// Three people, three clips; Eve is excluded.
class Figures : public testing::Test {
 protected:
  static StoredAnswer stored(int person, int task, const Answer& answer, bool current = true) {
    return {person, task, answer, 1'700'000'000'000 + 3'600'000 * task, current};
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 3);  // the original is cut, 0
  std::vector<Person> people_ = {{1, "Ann", PersonState::Active, true, {}},
                                 {2, "Ben", PersonState::Paused, true, {}},
                                 {3, "Eve", PersonState::Excluded, true, {}}};
  std::vector<StoredAnswer> answers_ = {
      stored(1, 1, {{2}, true, false, 9000}, false), stored(1, 1, {{0, 1}, true, false, 2000}),
      stored(2, 1, {{0}, true, false, 4000}),        stored(3, 1, {{3}, false, false, 500}),
      stored(1, 2, {{}, false, true, 3000}),         stored(2, 2, {{2}, false, false, 1000}),
      stored(1, 3, {{1}, true, false, 7000}),
  };
  AnnotationSettings settings_{.people = 2};
};

TEST_F(Figures, OnlyLatestAnswersOfPeopleWhoAreNotExcludedCount) {
  const std::vector<AnsweredClip> clips = answered_clips(project_, answers_, people_);
  ASSERT_EQ(clips.size(), 3U);
  EXPECT_EQ(clips[0].people, (std::vector{1, 2}));
  EXPECT_EQ(clips[0].answers[0].chosen, (std::vector<ClassId>{0, 1}));
  const std::vector<FinalClip> finals = final_clips(clips, 2);
  ASSERT_EQ(finals.size(), 2U);
  EXPECT_EQ(finals[0].result, (FinalLabels{false, {0, 1}}));
  EXPECT_EQ(finals[1].result, (FinalLabels{true, {0, 2}}));
}

TEST_F(Figures, OfTheProjectByHand) {
  const ProjectFigures figures = project_figures(project_, answers_, people_, settings_);
  EXPECT_EQ(figures.clips, 3);
  EXPECT_EQ(figures.complete, 2);
  EXPECT_EQ(figures.begun, 1);
  EXPECT_EQ(figures.doubtful, 1);
  EXPECT_EQ(figures.answers, 5);
  EXPECT_EQ(figures.labels_a_clip, 2);
  EXPECT_EQ(figures.label_counts, (std::map<ClassId, int>{{0, 1}, {1, 1}}));
  EXPECT_EQ(figures.label_pairs, (std::map<std::pair<ClassId, ClassId>, int>{{{0, 1}, 1}}));
  EXPECT_EQ(figures.disputes, 2);
  ASSERT_EQ(figures.answers_per_hour.size(), 3U);
  EXPECT_EQ(figures.answers_per_hour[0].second, 3);
}

TEST_F(Figures, OfPeopleByHand) {
  const std::vector<PersonFigures> figures = person_figures(project_, answers_, people_, settings_);
  EXPECT_EQ(figures[0].answers, 3);
  EXPECT_DOUBLE_EQ(figures[0].found, 0.5);  // cut in clip 1, not in 3; nothing happens in 2
  EXPECT_DOUBLE_EQ(figures[0].verbs_a_clip, 1);
  EXPECT_DOUBLE_EQ(figures[0].seconds_a_clip, 3);
  // Of cut, peel, wash and dry, Ben says the same of three in clip 1 and of three in clip 2.
  EXPECT_DOUBLE_EQ(figures[0].agreement, 0.75);
  EXPECT_DOUBLE_EQ(figures[1].seconds_a_clip, 2.5);
  EXPECT_EQ(figures[2].answers, 1);
  EXPECT_DOUBLE_EQ(figures[2].agreement, (1.0 / 4 + 2.0 / 4) / 2);
  EXPECT_TRUE(figures[0].warnings.empty()) << "too few answers to tell";
}

TEST_F(Figures, WarnOfThoseWhoChooseTooLittleOnceThereIsEnoughToTell) {
  const AnnotationProject larger = write_toy_project(scratch_.path(), 10);
  std::vector<StoredAnswer> answers;
  for (int task = 1; task <= 10; ++task) {
    answers.push_back(stored(1, task, sure({1})));
    answers.push_back(stored(2, task, task % 2 == 0 ? sure({0, 1}) : sure({1, 2})));
  }
  const std::vector<PersonFigures> figures = person_figures(larger, answers, people_, {});
  EXPECT_EQ(figures[0].warnings, (std::vector<std::string>{"found", "verbs"}));
  EXPECT_TRUE(figures[1].warnings.empty()) << "half of the original labels, two verbs a clip";
  EXPECT_TRUE(std::isnan(figures[2].found));
}

TEST_F(Figures, ClipsOnWhichPeopleDifferMostComeFirst) {
  // Of four verbs, people differ on one in clip 1, on two in clip 2 and on none in clip 3.
  const std::vector<StoredAnswer> answers = {stored(1, 1, sure({0, 1})), stored(2, 1, sure({0})),
                                             stored(1, 2, sure({0})),    stored(2, 2, sure({1})),
                                             stored(1, 3, sure({0})),    stored(2, 3, sure({0}))};
  const std::vector<AnsweredClip> clips = answered_clips(project_, answers, people_);
  const std::vector<Dispute> found = disputes(clips);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].clip->task->number, 2);
  EXPECT_DOUBLE_EQ(found[0].disagreement, 0.5);
  EXPECT_EQ(found[1].clip->task->number, 1);
  EXPECT_DOUBLE_EQ(found[1].disagreement, 0.25);
}

}  // namespace
}  // namespace manyverbs
