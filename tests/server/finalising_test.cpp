// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/finalising.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "manyverbs/server/internal/statistics.h"
#include "manyverbs/support/internal/random.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

Answer sure(std::vector<ClassId> chosen) { return {chosen, true, chosen.empty(), 1000}; }
Answer unsure(std::vector<ClassId> chosen) { return {chosen, false, chosen.empty(), 1000}; }

Answer other(const std::string& verb = "") { return {{}, true, false, 1000, true, verb}; }

// Cut, peel, wash and dry are 0 to 3; the original label is always peel.
constexpr Outcome kKept = Outcome::Kept;

struct Case {
  const char* what;
  std::vector<Answer> answers;
  FinalLabels expected;
};

const std::vector<Case> kTable = {
    {"three people: two are at least half", {sure({0}), sure({0, 2}), sure({})}, {kKept, {0, 1}}},
    {"four people: two are enough", {sure({0}), sure({0}), sure({2}), sure({3})}, {kKept, {0, 1}}},
    {"four people: one is not", {sure({0}), sure({2}), sure({3}), sure({})}, {kKept, {1}}},
    {"five people: three are needed",
     {sure({0, 2}), sure({0, 2}), sure({0}), sure({1}), sure({1})},
     {kKept, {0, 1}}},
    {"six people: three are enough",
     {sure({0}), sure({0}), sure({0}), sure({3}), sure({3}), sure({2})},
     {kKept, {0, 1}}},
    {"two people: one is half", {sure({0}), sure({2})}, {kKept, {0, 1, 2}}},
    {"one person decides", {sure({3})}, {kKept, {1, 3}}},
    {"the original stays though nobody chose it", {sure({0}), sure({2}), sure({3})}, {kKept, {1}}},
    {"three people: nothing happens", {sure({}), sure({}), sure({})}, {Outcome::Nothing, {}}},
    {"three people: two see nothing", {sure({}), sure({}), sure({1})}, {Outcome::Nothing, {}}},
    {"three people: one sees nothing", {sure({}), sure({1}), sure({1})}, {kKept, {1}}},
    {"four people: two who see nothing are exactly half",
     {sure({}), sure({}), sure({0}), sure({0})},
     {kKept, {0, 1}}},
    {"nothing happens, and two are not sure of it",
     {unsure({}), unsure({}), sure({})},
     {Outcome::Doubtful, {}}},
    {"three people: two say that none of the verbs applies",
     {other("stir"), other(), sure({1})},
     {Outcome::Other, {}}},
    {"three people: one says so, which counts as choosing no verb",
     {other(), sure({0}), sure({0, 2})},
     {kKept, {0, 1}}},
    {"four people: two who say so are exactly half",
     {other(), other(), sure({0}), sure({0})},
     {kKept, {0, 1}}},
    {"three people: nothing and something else are both no verb",
     {sure({}), other(), sure({0})},
     {Outcome::Other, {}}},
    {"three people: two see nothing, one something else",
     {sure({}), sure({}), other()},
     {Outcome::Nothing, {}}},
    {"three people: one unsure is not more than half",
     {unsure({0}), sure({0}), sure({0})},
     {kKept, {0, 1}}},
    {"three people: two unsure are",
     {unsure({0}), unsure({0}), sure({0})},
     {Outcome::Doubtful, {}}},
    {"four people: two unsure are exactly half",
     {unsure({0}), unsure({0}), sure({0}), sure({0})},
     {kKept, {0, 1}}},
    {"four people: three unsure are more",
     {unsure({0}), unsure({0}), unsure({0}), sure({0})},
     {Outcome::Doubtful, {}}},
};

TEST(Finalising, LabelsForOddAndEvenNumbersOfPeopleWorkedByHand) {
  for (const Case& row : kTable) EXPECT_EQ(final_labels(1, row.answers), row.expected) << row.what;
}

TEST(Finalising, WithoutAnOriginalOnlyVerbsChosenByAtLeastHalfAreLabels) {
  const std::vector<Answer> agreed = {sure({0}), sure({0, 2}), sure({3})};
  EXPECT_EQ(final_labels(std::nullopt, agreed), (FinalLabels{kKept, {0}}));
  const std::vector<Answer> different = {sure({0}), sure({2}), sure({3})};
  EXPECT_EQ(final_labels(std::nullopt, different), (FinalLabels{Outcome::NoVerb, {}}));
}

// Three people, three clips; Eve is excluded.
class Statistics : public testing::Test {
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

TEST_F(Statistics, OnlyLatestAnswersOfPeopleWhoAreNotExcludedCount) {
  const std::vector<AnsweredClip> clips = answered_clips(project_, answers_, people_);
  ASSERT_EQ(clips.size(), 3U);
  EXPECT_EQ(clips[0].people, (std::vector{1, 2}));
  EXPECT_EQ(clips[0].answers[0].chosen, (std::vector<ClassId>{0, 1}));
  const std::vector<FinalClip> finals = final_clips(clips, 2);
  ASSERT_EQ(finals.size(), 3U);
  EXPECT_EQ(finals[0].result, (FinalLabels{kKept, {0, 1}}));
  EXPECT_EQ(finals[1].result, (FinalLabels{Outcome::Doubtful, {}}));
  EXPECT_EQ(finals[2].result, (FinalLabels{Outcome::Incomplete, {}}));
}

TEST_F(Statistics, OfAProjectWorkedByHand) {
  const ProjectStatistics statistics =
      project_statistics(project_, answers_, people_, {}, settings_);
  EXPECT_EQ(statistics.clips, 3);
  EXPECT_EQ(statistics.complete, 2);
  EXPECT_EQ(statistics.begun, 1);
  EXPECT_EQ(statistics.outcomes,
            (std::map<Outcome, int>{{kKept, 1}, {Outcome::Doubtful, 1}, {Outcome::Incomplete, 1}}));
  EXPECT_EQ(statistics.answers, 5);
  EXPECT_EQ(statistics.labels_per_clip, 2);
  EXPECT_EQ(statistics.label_counts, (std::map<ClassId, int>{{0, 1}, {1, 1}}));
  EXPECT_EQ(statistics.label_pairs, (std::map<std::pair<ClassId, ClassId>, int>{{{0, 1}, 1}}));
  EXPECT_EQ(statistics.disputes, 2);
  ASSERT_EQ(statistics.answers_per_hour.size(), 3U);
  EXPECT_EQ(statistics.answers_per_hour[0].second, 3);
}

TEST_F(Statistics, AClipIsUnplayableWithEnoughReportsAndTooFewAnswers) {
  // Clip 1 is complete despite its reports. Eve is excluded, so her report of clip 3 does not
  // count; Ann's does.
  std::vector<PlayReport> reports = {{1, 1, 0}, {2, 1, 0}, {2, 3, 0}, {3, 3, 0}};
  const auto outcomes = [&] {
    return project_statistics(project_, answers_, people_, reports, settings_).outcomes;
  };
  EXPECT_EQ(outcomes()[Outcome::Unplayable], 0);
  EXPECT_EQ(outcomes()[Outcome::Incomplete], 1);
  reports.push_back({1, 3, 0});
  EXPECT_EQ(outcomes()[Outcome::Unplayable], 1);
  EXPECT_EQ(outcomes()[Outcome::Incomplete], 0);
  const ProjectStatistics statistics =
      project_statistics(project_, answers_, people_, reports, settings_);
  EXPECT_EQ(statistics.complete, 2);
  EXPECT_EQ(statistics.reported, 2);
}

TEST_F(Statistics, OfPeopleWorkedByHand) {
  const std::vector<PersonStatistics> statistics =
      person_statistics(project_, answers_, people_, settings_);
  EXPECT_EQ(statistics[0].answers, 3);
  EXPECT_DOUBLE_EQ(statistics[0].found, 0.5);  // cut in clip 1, not in 3; nothing happens in 2
  EXPECT_DOUBLE_EQ(statistics[0].verbs_per_clip, 1);
  EXPECT_DOUBLE_EQ(statistics[0].seconds_per_clip, 3);
  // With Ben: the same on 6 of 8 verbs of clips 1 and 2; both chose 2 of 8, so chance is 5/8.
  EXPECT_DOUBLE_EQ(statistics[0].agreement, 1.0 / 3);
  EXPECT_EQ(statistics[0].compared, 2) << "nobody else answered clip 3";
  EXPECT_DOUBLE_EQ(statistics[0].chosen_share, (2.0 + 0 + 1) / 12);
  EXPECT_DOUBLE_EQ(statistics[1].seconds_per_clip, 2.5);
  EXPECT_EQ(statistics[2].answers, 1);
  // With Ann and Ben in clip 1: 0, 1/2, 1 and 0 of cut, peel, wash and dry; Eve chose 1/4 and the
  // others 3/8 of them, so chance is 9/16.
  EXPECT_DOUBLE_EQ(statistics[2].agreement, -3.0 / 7);
  EXPECT_EQ(statistics[2].compared, 1);
  EXPECT_TRUE(statistics[0].warnings.empty()) << "too few answers to tell";
}

TEST_F(Statistics, WarnOfTooFewVerbsFromTenAnswersOn) {
  const AnnotationProject larger = write_toy_project(scratch_.path(), 10);
  std::vector<StoredAnswer> answers;
  for (int task = 1; task <= 10; ++task) {
    answers.push_back(stored(1, task, {{1}, true, false, 2000}));
    answers.push_back(stored(2, task, {{task % 2 == 0 ? 0 : 2, 1}, true, false, 2000}));
  }
  const std::vector<PersonStatistics> statistics = person_statistics(larger, answers, people_, {});
  EXPECT_EQ(statistics[0].warnings, (std::vector<std::string>{"found", "few_verbs"}));
  EXPECT_TRUE(statistics[1].warnings.empty()) << "half of the original labels, two verbs per clip";
  EXPECT_TRUE(std::isnan(statistics[2].found));
  EXPECT_TRUE(std::isnan(statistics[2].agreement));
  EXPECT_TRUE(std::isnan(statistics[2].same_keys));
  answers.pop_back();
  answers.pop_back();
  EXPECT_TRUE(person_statistics(larger, answers, people_, {})[0].warnings.empty())
      << "nine answers";
}

// Three careful people and one who always presses the first key.
class Careless : public testing::Test {
 protected:
  static constexpr int kClips = 120;
  static constexpr int kPresser = 4;

  Careless() {
    project_.seed = 7;
    Random random(1);
    for (int number = 1; number <= kClips; ++number) {
      AnnotationTask task;
      task.number = number;
      for (ClassId verb = 0; verb < 11; ++verb) task.candidates.push_back(verb);
      task.original = static_cast<ClassId>(random.below(11));
      project_.tasks.push_back(task);
      for (int person = 1; person <= 3; ++person) add(person, task, careful(task, &random));
      const ClassId first = candidates_for(project_, task, kPresser).front();
      add(kPresser, task, {{first}, true, false, 700});
    }
    for (int person = 1; person <= kPresser; ++person) {
      people_.push_back({person, "somebody", PersonState::Active, true, {}});
    }
  }
  void add(int person, const AnnotationTask& task, const Answer& answer) {
    answers_.push_back({person, task.number, answer, 0, true});
  }
  // The original, the next verb and, in one of three answers, a random one.
  static Answer careful(const AnnotationTask& task, Random* random) {
    std::set<ClassId> chosen = {*task.original, (*task.original + 1) % 11};
    if (random->below(3) == 0) chosen.insert(static_cast<ClassId>(random->below(11)));
    return {{chosen.begin(), chosen.end()}, true, false, 6000};
  }

  AnnotationProject project_;
  std::vector<Person> people_;
  std::vector<StoredAnswer> answers_;
};

TEST_F(Careless, AlwaysPressingTheFirstKeyAgreesOnlyByChance) {
  const std::vector<PersonStatistics> statistics =
      person_statistics(project_, answers_, people_, {});
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(statistics[i].agreement, 0.4);
    EXPECT_TRUE(statistics[i].warnings.empty());
  }
  const PersonStatistics& presser = statistics[kPresser - 1];
  EXPECT_NEAR(presser.agreement, 0, 0.1);
  EXPECT_EQ(presser.compared, kClips);
  EXPECT_EQ(presser.same_keys, 1);
  EXPECT_EQ(presser.warnings,
            (std::vector<std::string>{"found", "few_verbs", "fast", "same_keys", "agreement"}));
}

TEST_F(Careless, ChoosingEverythingOrNothingGivesAWarning) {
  for (StoredAnswer& stored : answers_) {
    if (stored.person == 1) stored.answer.chosen = project_.tasks[0].candidates;
    if (stored.person == 2) stored.answer = {{}, true, true, 6000};
  }
  const std::vector<PersonStatistics> statistics =
      person_statistics(project_, answers_, people_, {});
  EXPECT_EQ(statistics[0].chosen_share, 1);
  EXPECT_EQ(statistics[0].warnings,
            (std::vector<std::string>{"many_verbs", "same_keys", "agreement"}));
  EXPECT_TRUE(std::isnan(statistics[1].found)) << "no clip in which something happens";
  EXPECT_EQ(statistics[1].warnings,
            (std::vector<std::string>{"few_verbs", "same_keys", "agreement"}));
}

TEST_F(Statistics, ClipsAreOrderedByDisagreement) {
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
