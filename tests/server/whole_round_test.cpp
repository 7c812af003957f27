// SPDX-License-Identifier: MIT
//
// A whole round: from a data set of videos to an annotated test split, and a model evaluated on it.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/internal/clip_selection.h"
#include "manyverbs/demo/internal/kitchen_clips.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/protocols/runs.h"
#include "manyverbs/server/internal/exports.h"
#include "manyverbs/server/internal/preparation.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/random.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

// A synthetic kitchen with videos, weak features, and a run trained on them.
class Round : public testing::Test {
 protected:
  Round() {
    KitchenSettings kitchen;
    kitchen.train = 30;
    kitchen.val = 6;
    kitchen.test = 10;
    kitchen.scenes.frames = 8;
    write_kitchen_clips(dataset_, kitchen);
    const Dataset dataset = read_dataset(dataset_);
    Matrix<float> features(dataset.clips.size(), 8);
    Random random(3);
    for (float& value : std::span(features.data(), features.values().size())) {
      value = static_cast<float>(random.normal());
    }
    std::filesystem::create_directories(dataset_ / "features");
    write_array(dataset_ / "features" / "x.npy", features);
    RunSettings settings;
    settings.features.hidden = {8};
    settings.epochs = 1;
    train_run(dataset, settings, run_);
  }
  PreparationSettings preparation(const std::string& choice) {
    PreparationSettings settings;
    settings.runs = {run_};
    settings.out = scratch_ / ("project-" + choice);
    settings.choice = choice;
    return settings;
  }
  PreparationReport prepare(const PreparationSettings& settings) const {
    return prepare(settings, dataset_);
  }
  static PreparationReport prepare(const PreparationSettings& settings,
                                   const std::filesystem::path& folder) {
    const Dataset dataset = read_dataset(folder);
    std::vector<Model> models;
    for (const auto& run : settings.runs) models.push_back(Model::open(run));
    std::vector<ClipScores> scores;
    for (const Model& model : models) {
      scores.emplace_back(
          [&](const std::vector<ClipRow>& clips) { return model.probabilities(dataset, clips); });
    }
    return prepare_project(settings, dataset, scores);
  }

  ScratchFolder scratch_;
  std::filesystem::path dataset_ = scratch_ / "kitchen";
  std::filesystem::path run_ = scratch_ / "run";
};

TEST_F(Round, PreparationTakesEveryClipOnceAndPracticeFromAnotherSplit) {
  const PreparationReport report = prepare(preparation("all"));
  EXPECT_EQ(report.eligible, 10);
  EXPECT_EQ(report.made, 13);
  const AnnotationProject project = read_project(scratch_ / "project-all");
  EXPECT_EQ(project.tasks, report.project.tasks);
  const Dataset dataset = read_dataset(dataset_);
  std::map<std::string, const Clip*> clips;
  for (const Clip& clip : dataset.clips) clips[clip.name] = &clip;
  std::set<std::string> seen;
  for (const AnnotationTask& task : project.tasks) {
    EXPECT_TRUE(seen.insert(task.clip).second);
    EXPECT_EQ(clips[task.clip]->split, Split::Test);
    EXPECT_EQ(task.original, clips[task.clip]->original);
    EXPECT_EQ(task.candidates.size(), 11U);
  }
  for (const AnnotationTask& task : project.practice) {
    EXPECT_EQ(clips[task.clip]->split, Split::Val);
  }
}

TEST_F(Round, ClipsForBrowsersAreSmallAndStartBeforeTheyAreLoaded) {
  prepare(preparation("all"));
  const std::filesystem::path video = scratch_ / "project-all" / "clips" / "1.mp4";
  const ClipFrames frames = find_frames(video);
  EXPECT_EQ(frames.count, 8);
  EXPECT_EQ(frames.width, 96);
  const std::string bytes = read_file(video);
  EXPECT_LT(bytes.find("moov"), bytes.find("mdat"));
  EXPECT_NE(bytes.find("avc1"), std::string::npos);
}

TEST_F(Round, AStoppedPreparationResumes) {
  const PreparationReport first = prepare(preparation("all"));
  const std::filesystem::path folder = scratch_ / "project-all";
  std::filesystem::remove(folder / "tasks.csv");
  std::filesystem::remove(folder / "clips" / "4.mp4");
  scratch_.write("project-all/clips/4.part.mp4", "half");
  const PreparationReport second = prepare(preparation("all"));
  EXPECT_EQ(second.made, 1);
  EXPECT_EQ(second.kept, 12);
  EXPECT_EQ(second.project.tasks, first.project.tasks);
  EXPECT_FALSE(std::filesystem::exists(folder / "clips" / "4.part.mp4"));
  PreparationSettings other = preparation("all");
  other.seed = 2;
  EXPECT_EQ(
      error_of(scratch_, [&] { prepare(other); }),
      "project-all: contains a project with other settings; choose another --out or remove it");
}

TEST_F(Round, ASampleHasTheRequestedSizeAndWrongSelectsWrongPredictions) {
  PreparationSettings sample = preparation("sample");
  sample.count = 4;
  EXPECT_EQ(prepare(sample).project.tasks.size(), 4U);
  const PreparationReport wrong = prepare(preparation("wrong"));
  EXPECT_EQ(std::ssize(wrong.project.tasks), wrong.wrong);
  const Dataset dataset = read_dataset(dataset_);
  for (const AnnotationTask& task : wrong.project.tasks) {
    const auto clip = std::find_if(dataset.clips.begin(), dataset.clips.end(),
                                   [&](const Clip& each) { return each.name == task.clip; });
    EXPECT_EQ(std::count(clip->labels.begin(), clip->labels.end(), task.candidates.front()), 0);
  }
}

// A round with three people who choose the same verbs for each clip.
AnnotationResult agreed(const AnnotationProject& project,
                        const std::function<Answer(const AnnotationTask&)>& answer) {
  AnnotationResult result;
  result.project = &project;
  for (int person = 1; person <= 3; ++person) {
    result.people.push_back({person, "somebody", PersonState::Active, true, {}});
    for (const AnnotationTask& task : project.tasks) {
      result.answers.push_back({person, task.number, answer(task), 0, true});
    }
  }
  return result;
}

// Another verb than the original, so that a kept clip has two labels.
Answer another_verb(const AnnotationTask& task) {
  const ClassId verb =
      task.candidates[0] == task.original ? task.candidates[1] : task.candidates[0];
  return {{verb}, true, false, 900};
}

TEST_F(Round, DisagreementSelectsClipsWithDifferentTopPredictions) {
  const Dataset dataset = read_dataset(dataset_);
  const std::vector<ClipRow> test = dataset.clips_of(Split::Test);
  // The second model agrees on the first three test clips only.
  const auto model = [&](ClassId otherwise) -> ClipScores {
    return [&test, otherwise, classes = dataset.classes.size()](const auto& clips) {
      Matrix<float> scores(clips.size(), classes);
      for (std::size_t i = 0; i < clips.size(); ++i) {
        const bool same = std::find(test.begin(), test.begin() + 3, clips[i]) != test.begin() + 3;
        scores(i, same ? 0 : otherwise) = 0.9F;
      }
      return scores;
    };
  };
  PreparationSettings settings = preparation("disagreement");
  settings.runs = {run_, run_};
  const PreparationReport report = prepare_project(settings, dataset, {model(1), model(2)});
  EXPECT_EQ(report.disputed, std::ssize(test) - 3);
  EXPECT_EQ(std::ssize(report.project.tasks), report.disputed);
  for (const AnnotationTask& task : report.project.tasks) {
    for (const ClassId verb : {1, 2}) {
      EXPECT_EQ(std::count(task.candidates.begin(), task.candidates.end(), verb), 1)
          << "the verbs come from both models";
    }
  }
  EXPECT_EQ(read_project(settings.out).choice, "disagreement");
  EXPECT_EQ(read_project(settings.out).runs, (std::vector<std::string>{"run", "run"}));

  settings.out = scratch_ / "none";
  EXPECT_EQ(error_of(scratch_,
                     [&] {
                       prepare_project(settings, dataset, {model(1), model(1)});
                     }),
            fmt::format("kitchen: no clip to annotate: 0 of {} test clips have different top "
                        "predictions, 0 skipped",
                        test.size()));
}

TEST_F(Round, TheResultSaysHowItsClipsWereChosen) {
  const AnnotationProject project = prepare(preparation("wrong")).project;
  export_dataset(agreed(project, another_verb), scratch_ / "annotated");
  const std::optional<ClipSelection> selection = read_selection(scratch_ / "annotated");
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->choice, "wrong");
  EXPECT_EQ(selection->runs, std::vector<std::string>{"run"});
  EXPECT_EQ(selection->models, std::vector<std::string>{content_hash(run_ / "model.safetensors")});
  EXPECT_EQ(
      selection_text(*selection),
      "the test clips are those whose top prediction by run was wrong: metrics of this run on "
      "them are biased");
}

TEST_F(Round, UnreadableVideosStopOrAreSkipped) {
  const Dataset dataset = read_dataset(dataset_);
  const Clip& bad = dataset.clip(dataset.clips_of(Split::Test).front());
  std::filesystem::rename(dataset_ / bad.video, scratch_ / "aside.mp4");
  PreparationSettings settings = preparation("all");
  EXPECT_NE(error_of(scratch_, [&] { prepare(settings); }).find("clip '" + bad.name + "'"),
            std::string::npos);
  settings.on_error = OnError::Skip;
  const PreparationReport report = prepare(settings);
  EXPECT_EQ(report.project.tasks.size(), 9U);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_EQ(report.skipped[0].find(bad.name + ": "), 0U);

  std::filesystem::rename(scratch_ / "aside.mp4", dataset_ / bad.video);
  const PreparationReport repaired = prepare(settings);
  EXPECT_EQ(repaired.made, 1);
  EXPECT_EQ(repaired.project.tasks.size(), 10U);
  for (const AnnotationTask& task : report.project.tasks) {
    EXPECT_EQ(*repaired.project.find_task(task.number), task) << "its video exists already";
  }
}

TEST_F(Round, AProjectWithOtherClipsIsRejected) {
  PreparationSettings settings = preparation("all");
  prepare(settings);
  settings.practice = 5;
  EXPECT_EQ(
      error_of(scratch_, [&] { prepare(settings); }),
      "project-all: contains a project with other clips: the run, the data set, --practice or "
      "--gold has changed; choose another --out or remove it");
}

TEST_F(Round, GoldClipsHaveNumbersAmongTheOthersAndAreNotInTheResult) {
  const Dataset dataset = read_dataset(dataset_);
  const std::string test = dataset.clip(dataset.clips_of(Split::Test)[2]).name;
  const std::string val = dataset.clip(dataset.clips_of(Split::Val)[0]).name;
  const std::string first = dataset.classes.name(0);
  scratch_.write("gold.csv", fmt::format("clip,labels\n{},{}\n{},\n", test, first, val));
  PreparationSettings settings = preparation("all");
  settings.gold = scratch_ / "gold.csv";
  settings.practice = 5;
  const AnnotationProject project = prepare(settings).project;
  EXPECT_EQ(project.tasks.size(), 9U) << "the gold clip of the test split is not one of them";
  ASSERT_EQ(project.practice.size(), 5U);
  for (const AnnotationTask& task : project.practice) EXPECT_NE(task.clip, val);
  ASSERT_EQ(project.gold.size(), 2U);
  std::set<int> numbers;
  for (const AnnotationTask& task : project.tasks) numbers.insert(task.number);
  for (const GoldClip& clip : project.gold) {
    numbers.insert(clip.task.number);
    EXPECT_EQ(clip.task.candidates.size(), 11U) << "as many as every clip";
    EXPECT_EQ(clip.labels,
              clip.task.clip == test ? std::vector<ClassId>{0} : std::vector<ClassId>{});
    EXPECT_TRUE(std::filesystem::exists(settings.out / clip.task.video));
  }
  EXPECT_EQ(numbers.size(), 11U);
  EXPECT_EQ(*numbers.rbegin(), 11);
  EXPECT_EQ(read_project(settings.out).gold, project.gold);
  EXPECT_EQ(prepare(settings).made, 0) << "the same command resumes";

  export_dataset(agreed(project, another_verb), scratch_ / "annotated");
  for (const Clip& clip : read_dataset(scratch_ / "annotated").clips) {
    EXPECT_TRUE(clip.name != test || clip.split == Split::Val) << "as clips that nobody annotated";
  }
  scratch_.write("gold.csv", fmt::format("clip,labels\n{},{}\n", test, first));
  EXPECT_NE(error_of(scratch_, [&] { prepare(settings); }).find("or --gold has changed"),
            std::string::npos);
}

TEST_F(Round, OnlyAnnotatedClipsAreInTheTestSplitEvenIfTheyWereValidationClips) {
  PreparationSettings settings = preparation("all");
  settings.split = Split::Val;
  const AnnotationProject project = prepare(settings).project;
  ASSERT_EQ(project.tasks.size(), 6U);
  AnnotationResult result;
  result.project = &project;
  for (int person = 1; person <= 3; ++person) {
    result.people.push_back({person, "somebody", PersonState::Active, true, {}});
    result.answers.push_back(
        {person, 1, {{*project.tasks[0].original}, true, false, 900}, 0, true});
  }
  EXPECT_EQ(export_dataset(result, scratch_ / "annotated").written, 1);
  const Dataset annotated = read_dataset(scratch_ / "annotated");
  ASSERT_EQ(annotated.clips_of(Split::Test).size(), 1U);
  EXPECT_EQ(annotated.clip(annotated.clips_of(Split::Test)[0]).name, project.tasks[0].clip);
  EXPECT_EQ(annotated.clips_of(Split::Val).size(), 15U);
}

TEST_F(Round, ASecondRoundAndValClipsHaveTheOriginalsOfTheFirst) {
  const AnnotationProject first = prepare(preparation("all")).project;
  std::map<std::string, ClassId> originals;
  for (const Clip& clip : read_dataset(dataset_).clips) {
    if (clip.split == Split::Test) originals[clip.name] = *clip.original;
  }
  export_dataset(agreed(first, another_verb), scratch_ / "annotated");
  PreparationSettings settings = preparation("all");
  settings.out = scratch_ / "second";
  const PreparationReport report = prepare(settings, scratch_ / "annotated");
  EXPECT_EQ(report.without_original, 0);
  ASSERT_EQ(report.project.tasks.size(), 10U);
  for (const AnnotationTask& task : report.project.tasks) {
    EXPECT_EQ(task.original, originals.at(task.clip));
  }
  // Only the first clip of the second round is answered: the others become val clips.
  AnnotationResult result = agreed(report.project, another_verb);
  std::erase_if(result.answers, [](const StoredAnswer& answer) { return answer.task != 1; });
  const ExportReport exported = export_dataset(result, scratch_ / "again");
  EXPECT_EQ(exported.left_out, (std::map<Outcome, int>{{Outcome::Incomplete, 9}}));
  EXPECT_EQ(exported.dropped, 0);
  const Dataset again = read_dataset(scratch_ / "again");
  EXPECT_EQ(again.clips_of(Split::Val).size(), 15U);
  for (const Clip& clip : again.clips) {
    if (!originals.contains(clip.name)) continue;
    EXPECT_EQ(original_label(clip), originals.at(clip.name)) << clip.name;
  }
}

TEST_F(Round, WithoutAnOriginalAllCandidatesComeFromTheModel) {
  Dataset dataset = read_dataset(dataset_);
  std::vector<std::string> names;
  for (Clip& clip : dataset.clips) {
    clip.original.reset();
    if (clip.split == Split::Test && clip.labels.size() > 1) names.push_back(clip.name);
  }
  ASSERT_GT(names.size(), 1U);
  write_dataset(dataset_, dataset);
  const PreparationReport report = prepare(preparation("all"));
  EXPECT_EQ(report.without_original, std::ssize(names));
  const AnnotationProject project = read_project(scratch_ / "project-all");
  int number = 0;
  for (const AnnotationTask& task : project.tasks) {
    EXPECT_EQ(task.candidates.size(), 11U);
    if (task.clip == names[0]) number = task.number;
  }
  EXPECT_EQ(project.find_task(number)->original, std::nullopt);
  // One clip is answered; the others that have no original cannot become val clips.
  AnnotationResult result = agreed(project, another_verb);
  std::erase_if(result.answers, [&](const StoredAnswer& answer) { return answer.task != number; });
  const ExportReport exported = export_dataset(result, scratch_ / "annotated");
  EXPECT_EQ(exported.dropped, std::ssize(names) - 1);
  const Dataset annotated = read_dataset(scratch_ / "annotated");
  EXPECT_EQ(annotated.clips.size(), dataset.clips.size() - names.size() + 1);
  const FeatureTable features = open_features(annotated);
  const FeatureTable before = open_features(dataset);
  for (std::size_t i = 0, j = 0; i < annotated.clips.size(); ++i, ++j) {
    while (dataset.clips[j].name != annotated.clips[i].name) ++j;
    std::vector<float> row(features.columns());
    std::vector<float> expected(features.columns());
    features.read(std::vector{ClipRow(i)}, row.data());
    before.read(std::vector{ClipRow(j)}, expected.data());
    EXPECT_EQ(row, expected) << annotated.clips[i].name;
  }
}

TEST_F(Round, AClipInWhichNothingHappensLeavesTheTestSplit) {
  const AnnotationProject project = prepare(preparation("all")).project;
  const AnnotationResult result = agreed(project, [](const AnnotationTask& task) {
    return task.number == 1 ? Answer{{}, true, true, 900} : another_verb(task);
  });
  const ExportReport report = export_dataset(result, scratch_ / "annotated");
  EXPECT_EQ(report.written, 9);
  EXPECT_EQ(report.left_out, (std::map<Outcome, int>{{Outcome::Nothing, 1}}));
  const std::string& name = project.tasks[0].clip;
  const Dataset annotated = read_dataset(scratch_ / "annotated");
  EXPECT_EQ(annotated.clips_of(Split::Test).size(), 9U);
  for (const Clip& clip : annotated.clips) {
    if (clip.name != name) continue;
    EXPECT_EQ(clip.split, Split::Val) << "with the other clips that are left out, as in the paper";
    EXPECT_EQ(clip.labels, (std::vector<ClassId>{*project.tasks[0].original}));
  }
  EXPECT_EQ(read_file(scratch_ / "annotated" / "left_out.csv"),
            "clip,outcome,reason,split\n" + name +
                ",nothing,more than half said that nothing happens,val\n");
}

// Each person chooses the true labels, except for some that they miss; the third is often not
// confident.
void annotate(int port, const std::string& link, const AnnotationProject& project,
              const std::map<std::string, std::vector<ClassId>>& truth, int person) {
  Visitor visitor(port);
  visitor.join(link);
  Random random(person);
  for (;;) {
    const Json next = visitor.post_json("/api/annotator/next", Json::object());
    if (next["tasks"].empty()) {
      if (next["waiting"] == false) return;
      continue;
    }
    const int number = next["tasks"][0]["task"].get<int>();
    EXPECT_EQ(visitor.get(next["tasks"][0]["video"].get<std::string>()).status, 200);
    const std::vector<ClassId>& right = truth.at(project.find_task(number)->clip);
    std::vector<int> chosen;
    for (const Json& verb : next["tasks"][0]["candidates"]) {
      const int id = verb["class"].get<int>();
      const bool fits = std::find(right.begin(), right.end(), id) != right.end();
      if (fits && random.below(5) > 0) chosen.push_back(id);
    }
    // This test is about verbs: nobody chooses "nothing happens".
    if (chosen.empty()) chosen.push_back(*project.find_task(number)->original);
    visitor.post_json("/api/annotator/answers", sent_answer(number, chosen, number != 1));
  }
}

TEST_F(Round, ThreePeopleMakeATestSplitAndTheModelIsEvaluatedOnIt) {
  const AnnotationProject project = prepare(preparation("all")).project;
  std::map<std::string, std::vector<ClassId>> truth;
  for (const Clip& clip : read_dataset(dataset_).clips) truth[clip.name] = clip.truth;
  {
    const RunningServer server(project);
    Visitor leader(server.port());
    leader.set_up(server.setup_url());
    std::vector<std::thread> threads;
    for (int person = 1; person <= 3; ++person) {
      const std::string link = leader.invite(fmt::format("person {}", person));
      threads.emplace_back(
          [&, link, person] { annotate(server.port(), link, project, truth, person); });
    }
    for (std::thread& thread : threads) thread.join();
    const Json overview = leader.get_json("/api/leader/overview");
    EXPECT_EQ(overview["clips"]["complete"], 10);
    EXPECT_EQ(overview["clips"]["doubtful"], 1);
    EXPECT_GT(overview["agreement"]["alpha"].get<double>(), 0.5);
  }
  AnnotationStore store((project.folder / "answers.sqlite").string(), project);
  const AnnotationResult result{&project, store.people(), store.answers(), 3};
  const ExportReport report = export_dataset(result, scratch_ / "annotated");
  EXPECT_EQ(report.written, 9);
  EXPECT_EQ(report.left_out, (std::map<Outcome, int>{{Outcome::Doubtful, 1}}));
  const Dataset annotated = read_dataset(scratch_ / "annotated");
  EXPECT_EQ(annotated.clips_of(Split::Test).size(), 9U);
  EXPECT_EQ(annotated.clips_of(Split::Val).size(), 7U) << "the doubtful clip as well";
  for (const ClipRow row : annotated.clips_of(Split::Test)) {
    for (const ClassId label : annotated.clip(row).labels) {
      EXPECT_EQ(
          std::count(annotated.clip(row).truth.begin(), annotated.clip(row).truth.end(), label), 1);
    }
    EXPECT_TRUE(std::filesystem::exists(annotated.clip(row).video));
  }
  const Evaluation evaluation = Model::open(run_).evaluate(annotated, Split::Test, {});
  EXPECT_EQ(evaluation.clips, 9);
}

}  // namespace
}  // namespace manyverbs
