// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/answer_model.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "manyverbs/demo/internal/kitchen_clips.h"
#include "manyverbs/server/internal/clip_values.h"
#include "manyverbs/server/internal/simulated_round.h"
#include "manyverbs/server/internal/statistics.h"
#include "tests/scratch.h"
#include "tests/server/moments.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

Answer choice(std::vector<ClassId> chosen) { return {chosen, true, chosen.empty(), 1000}; }

class AnswersOfAToyProject : public testing::Test {
 protected:
  // The toy clips have the candidates peel, cut, wash and dry; the original is cut.
  std::vector<AnsweredClip> clips(const std::vector<StoredAnswer>& answers) {
    return answered_clips(project_, answers, people_);
  }
  static StoredAnswer stored(int person, int task, const Answer& answer) {
    return {person, task, answer, 0, true};
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 3);
  std::vector<Person> people_ = {{1, "Ann", PersonState::Active, true, {}},
                                 {2, "Ben", PersonState::Active, true, {}},
                                 {3, "Cyd", PersonState::Excluded, true, {}}};
};

TEST_F(AnswersOfAToyProject, TheOriginalAppliesAndTheMoreChooseAVerbTheLikelierItIs) {
  const auto answered =
      clips({stored(1, 1, choice({1, 2})), stored(2, 1, choice({1})), stored(3, 1, choice({3}))});
  const AnswerModel model = model_answers(answered);
  ASSERT_EQ(model.posteriors.size(), 3U);
  const std::vector<double>& verbs = model.posteriors[0];  // peel, cut, wash, dry
  EXPECT_EQ(verbs[1], 1);
  EXPECT_GT(verbs[0], verbs[2]);
  EXPECT_GT(verbs[2], verbs[3]);
  EXPECT_EQ(model.people.size(), 2U) << "excluded people are not in the model";
  EXPECT_EQ(model.people.count(3), 0U);
}

TEST_F(AnswersOfAToyProject, DoubtfulClipsAreNoEvidence) {
  Answer doubtful = choice({1, 2, 3});
  doubtful.confident = false;
  const auto answered = clips({stored(1, 1, choice({0})), stored(1, 2, doubtful)});
  const AnswerModel with = model_answers(answered);
  const AnswerModel without = model_answers(clips({stored(1, 1, choice({0}))}));
  EXPECT_EQ(with.posteriors[0], without.posteriors[0]);
  EXPECT_EQ(with.posteriors[2], without.posteriors[2]);
  EXPECT_EQ(with.people.at(1).specificity.value, without.people.at(1).specificity.value);
  EXPECT_LT(with.posteriors[1][1], 0.5) << "its original is not known to apply either";
}

TEST_F(AnswersOfAToyProject, ClipsLeftOutByTheOtherRulesStayLeftOut) {
  Answer doubtful = choice({1});
  doubtful.confident = false;
  const auto answered =
      clips({stored(1, 1, choice({0, 1})), stored(2, 1, choice({0, 1})), stored(1, 2, doubtful),
             stored(2, 2, doubtful), stored(1, 3, choice({0}))});
  const std::vector<FinalClip> finals = final_clips_by_model(answered, 2, model_answers(answered));
  EXPECT_EQ(finals[0].result, (FinalLabels{Outcome::Kept, {0, 1}}));
  EXPECT_EQ(finals[0].posteriors.size(), 4U);
  EXPECT_EQ(finals[1].result.outcome, Outcome::Doubtful);
  EXPECT_TRUE(finals[1].posteriors.empty());
  EXPECT_EQ(finals[2].result.outcome, Outcome::Incomplete);
}

TEST_F(AnswersOfAToyProject, WithoutAnOriginalAClipMayHaveNoVerb) {
  for (AnnotationTask& task : project_.tasks) task.original.reset();
  const auto answered = clips({stored(1, 1, choice({1})), stored(2, 1, choice({2})),
                               stored(1, 2, choice({1})), stored(2, 2, choice({1}))});
  const std::vector<FinalClip> finals = final_clips_by_model(answered, 2, model_answers(answered));
  EXPECT_EQ(finals[1].result, (FinalLabels{Outcome::Kept, {1}}));
  EXPECT_EQ(finals[2].result.outcome, Outcome::Incomplete);
}

TEST_F(AnswersOfAToyProject, WithoutAnOriginalAndWithoutALikelyVerbThereIsNoLabelByTheModel) {
  for (AnnotationTask& task : project_.tasks) task.original.reset();
  // Two people leave dry every time; of clip 1, they name different verbs. One choice of two is
  // half, so the half rule keeps both; the model holds each for less likely than not.
  const auto answered =
      clips({stored(1, 1, choice({1})), stored(2, 1, choice({2})), stored(1, 2, choice({0})),
             stored(2, 2, choice({0})), stored(1, 3, choice({0})), stored(2, 3, choice({0}))});
  EXPECT_EQ(final_clips(answered, 2)[0].result, (FinalLabels{Outcome::Kept, {1, 2}}));
  const AnswerModel model = model_answers(answered);
  for (const double posterior : model.posteriors[0]) EXPECT_LT(posterior, 0.5);
  const std::vector<FinalClip> finals = final_clips_by_model(answered, 2, model);
  EXPECT_EQ(finals[0].result, (FinalLabels{Outcome::NoVerb, {}}));
  EXPECT_EQ(finals[0].posteriors, model.posteriors[0]);
  EXPECT_EQ(finals[1].result, (FinalLabels{Outcome::Kept, {0}}));
}

TEST_F(AnswersOfAToyProject, NoneOfTheseVerbsIsNoForAllOfThem) {
  const Answer none{{}, true, false, 1000, true, "stir"};
  const Answer nothing = choice({});
  const auto with = [&](const Answer& third) {
    people_[2].state = PersonState::Active;
    return model_answers(
        clips({stored(1, 1, choice({0, 1})), stored(2, 1, choice({0})), stored(3, 1, third)}));
  };
  EXPECT_EQ(with(none).posteriors, with(nothing).posteriors);
  EXPECT_LT(with(none).posteriors[0][0], with(choice({0, 1})).posteriors[0][0]) << "peel";
}

TEST_F(AnswersOfAToyProject, AClipWhoseActionIsNoneOfTheVerbsIsNoEvidenceAndHasNoLabels) {
  const Answer none{{}, true, false, 1000, true};
  const auto answered = clips({stored(1, 1, choice({0, 1})), stored(2, 1, choice({0, 1})),
                               stored(1, 2, none), stored(2, 2, none)});
  const AnswerModel model = model_answers(answered);
  const AnswerModel without =
      model_answers(clips({stored(1, 1, choice({0, 1})), stored(2, 1, choice({0, 1}))}));
  EXPECT_EQ(model.posteriors[0], without.posteriors[0]);
  EXPECT_EQ(model.posteriors[2], without.posteriors[2]);
  EXPECT_EQ(model.people.at(1).specificity.value, without.people.at(1).specificity.value);
  EXPECT_LT(model.posteriors[1][1], 0.5) << "its original is not known to apply either";
  const std::vector<FinalClip> finals = final_clips_by_model(answered, 2, model);
  EXPECT_EQ(finals[1].result, (FinalLabels{Outcome::Other, {}}));
  EXPECT_TRUE(finals[1].posteriors.empty());
}

TEST_F(AnswersOfAToyProject, AnotherAnswerTellsMoreAboutADisputedClip) {
  std::vector<StoredAnswer> answers;
  for (int person : {1, 2}) {
    answers.push_back(stored(person, 1, choice({0})));
    answers.push_back(
        stored(person, 2, choice(person == 1 ? std::vector{0, 1, 2} : std::vector{0})));
  }
  const ClipValues values = clip_values(clips(answers));
  EXPECT_GT(values.at(2).information, values.at(1).information);
  EXPECT_GT(values.at(3).information, values.at(1).information) << "nobody has answered it";
  EXPECT_EQ(values.at(1).answers, 2);
  EXPECT_DOUBLE_EQ(values.at(1).at(2), values.at(1).information);
  EXPECT_DOUBLE_EQ(values.at(1).at(3), values.at(1).information / 2);
  EXPECT_EQ(model_answers(clips({})).information.size(), 3U);
}

TEST_F(AnswersOfAToyProject, PeopleWithoutAnswersAndExcludedOnesHaveNoQuality) {
  const std::vector<StoredAnswer> answers = {stored(1, 1, choice({0})), stored(3, 1, choice({0}))};
  const std::vector<PersonStatistics> statistics =
      person_statistics(project_, answers, people_, AnnotationSettings{});
  ASSERT_TRUE(statistics[0].quality);
  EXPECT_EQ(statistics[0].rank, 1);
  EXPECT_FALSE(statistics[1].quality);
  EXPECT_FALSE(statistics[2].quality);
  EXPECT_EQ(statistics[2].rank, 0);
  EXPECT_EQ(person_json(people_[1], statistics[1])["quality"], nullptr);
  EXPECT_EQ(person_json(people_[0], statistics[0])["quality"]["sensitivity"]["value"],
            statistics[0].quality->sensitivity.value);
}

TEST_F(AnswersOfAToyProject, ClipValuesOfAServerAreComputedAgainAfterTwentySeconds) {
  AnnotationStore store((scratch_ / "answers.sqlite").string(), project_);
  ClipValueCache cache;
  EXPECT_TRUE(cache.values(project_, &store, kStart)->empty()) << "in the usual order";
  AnnotationSettings settings;
  settings.order = ClipOrder::Informative;
  store.set_settings(settings, kLeader);
  EXPECT_TRUE(cache.values(project_, &store, kStart + 19'999)->empty());
  EXPECT_EQ(cache.values(project_, &store, kStart + 20'000)->size(), 3U);
  const int ann = store.add_person("Ann", "link", kLeader).id;
  store.next_tasks(ann, kStart + 20'001);
  store.save(ann, 1, choice({0}), kStart + 20'002);
  EXPECT_EQ(cache.values(project_, &store, kStart + 39'999)->at(1).answers, 0);
  EXPECT_EQ(cache.values(project_, &store, kStart + 40'000)->at(1).answers, 1);
}

TEST_F(AnswersOfAToyProject, SettingsOfEarlierVersionsHaveTheUsualOrder) {
  Json json = settings_json(AnnotationSettings{});
  json.erase("order");
  EXPECT_EQ(settings_in(json.dump()), AnnotationSettings{});
}

// The clips of the demo, without rendering them. The candidates are the labels and random verbs.
class SevenPeople : public testing::Test {
 protected:
  SevenPeople() {
    KitchenSettings settings;
    settings.test = 150;
    Random random(7);
    int number = 0;
    dataset_ = choose_kitchen_clips(settings).dataset;
    project_.classes = dataset_.classes;
    for (const Clip& clip : dataset_.clips) {
      if (clip.split != Split::Test) continue;
      AnnotationTask task{++number, clip.name, original_label(clip), clip.labels, ""};
      while (task.candidates.size() < 11) {
        const auto verb = static_cast<ClassId>(random.below(dataset_.classes.size()));
        if (std::count(task.candidates.begin(), task.candidates.end(), verb) == 0) {
          task.candidates.push_back(verb);
        }
      }
      project_.tasks.push_back(task);
    }
    truth_ = true_candidates(project_, dataset_);
  }
  std::vector<AnsweredClip> answered(const AnnotationResult& round) {
    return answered_clips(project_, round.answers, round.people);
  }

  Dataset dataset_;
  AnnotationProject project_;
  std::vector<std::vector<ClassId>> truth_;
};

TEST_F(SevenPeople, AreRankedByTheirQuality) {
  const AnnotationResult round = simulated_round(project_, truth_, kSimulatedPeople, 3, 1);
  const std::vector<PersonStatistics> statistics =
      person_statistics(project_, round.answers, round.people, AnnotationSettings{});
  // careful, hasty, lazy, first, random, all, contrarian
  EXPECT_EQ(statistics[0].rank, 1);
  EXPECT_EQ(statistics[1].rank, 2);
  EXPECT_EQ(statistics[2].rank, 3);
  EXPECT_EQ(statistics[6].rank, 7);
  EXPECT_GT(statistics[0].quality->score(), 0.8);
  EXPECT_LT(statistics[6].quality->score(), -0.6);
  for (const int chance : {3, 4, 5}) {
    EXPECT_NEAR(statistics[chance].quality->score(), 0, 0.15) << kSimulatedPeople[chance].name;
  }
}

TEST_F(SevenPeople, TheLabelsOfTheModelAreBetterThanThoseOfTheHalfRule) {
  for (const int answers : {2, 3, 5, 7}) {
    const AnnotationResult round = simulated_round(project_, truth_, kSimulatedPeople, answers, 2);
    const std::vector<AnsweredClip> clips = answered(round);
    const double half = label_quality(final_clips(clips, answers), truth_).f1;
    const AnswerModel model = model_answers(clips);
    const double f1 = label_quality(final_clips_by_model(clips, answers, model), truth_).f1;
    EXPECT_GT(f1, half + 0.05) << answers;
  }
}

TEST_F(SevenPeople, GoodPeopleNeedNoModel) {
  const SimulatedPerson& careful = kSimulatedPeople[0];
  const SimulatedPerson& hasty = kSimulatedPeople[1];
  const std::vector<SimulatedPerson> good = {careful, careful, hasty, hasty, hasty};
  const AnnotationResult round = simulated_round(project_, truth_, good, 5, 3);
  const std::vector<AnsweredClip> clips = answered(round);
  const double half = label_quality(final_clips(clips, 5), truth_).f1;
  const AnswerModel model = model_answers(clips);
  const double f1 = label_quality(final_clips_by_model(clips, 5, model), truth_).f1;
  EXPECT_GT(half, 0.9);
  EXPECT_NEAR(f1, half, 0.01);
}

TEST_F(SevenPeople, AnswersToInformativeClipsAreWorthMore) {
  const auto f1 = [&](ClipOrder order) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const AnnotationResult round =
          simulated_round_in_order(project_, truth_, kSimulatedPeople, 3, order, seed);
      const std::vector<AnsweredClip> clips = answered(round);
      EXPECT_EQ(round.answers.size(), 3 * project_.tasks.size());
      const AnswerModel model = model_answers(clips);
      sum += label_quality(final_clips_by_model(clips, 1, model), truth_).f1;
    }
    return sum / 3;
  };
  EXPECT_GT(f1(ClipOrder::Informative), f1(ClipOrder::Complete) + 0.01);
}

// The model cannot know that everybody is mistaken, but it does not make it worse.
TEST_F(SevenPeople, SharedMistakesRemain) {
  const auto seen = mistaken_truth(project_, truth_, 0.05, 1);
  EXPECT_NE(seen, truth_);
  EXPECT_EQ(mistaken_truth(project_, truth_, 0, 1), truth_);
  const AnnotationResult round = simulated_round(project_, seen, kSimulatedPeople, 7, 1);
  const std::vector<AnsweredClip> clips = answered(round);
  const AnswerModel model = model_answers(clips);
  const std::vector<FinalClip> finals = final_clips_by_model(clips, 7, model);
  EXPECT_GT(label_quality(finals, seen).f1, 0.95);
  EXPECT_LT(label_quality(finals, truth_).f1, 0.9);
  EXPECT_GT(label_quality(finals, truth_).f1, label_quality(final_clips(clips, 7), truth_).f1);
}

TEST_F(SevenPeople, NeedClipsWithAllTheirLabels) {
  for (Clip& clip : dataset_.clips) {
    clip.truth.clear();
    clip.labels.resize(1);
  }
  EXPECT_THROW(true_candidates(project_, dataset_), Error);
  dataset_.clips.clear();
  EXPECT_THROW(true_candidates(project_, dataset_), Error);
}

}  // namespace
}  // namespace manyverbs
