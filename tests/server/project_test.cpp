// SPDX-License-Identifier: MIT
#include "manyverbs/server/project.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "manyverbs/server/internal/preparation.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/scratch.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

TEST(Preparation, CandidatesAreTheTopPredictionsAndTheOriginal) {
  const std::vector<float> scores = {.1F, .7F, .2F};
  EXPECT_EQ(candidate_classes(scores, 2, 0), (std::vector<ClassId>{1, 0}));
  EXPECT_EQ(candidate_classes(scores, 2, 1), (std::vector<ClassId>{1, 2}));
  EXPECT_EQ(candidate_classes(scores, 2, std::nullopt), (std::vector<ClassId>{1, 2}));
  EXPECT_EQ(candidate_classes(scores, 9, 1), (std::vector<ClassId>{1, 2, 0}));
  const std::vector<float> equal = {.5F, .5F, .5F};
  EXPECT_EQ(candidate_classes(equal, 1, 2), (std::vector<ClassId>{2}));
}

TEST(Preparation, TheNumberOfVerbsDoesNotDependOnTheRankOfTheOriginal) {
  for (const int classes : {1, 2, 10, 11, 12, 97}) {
    std::vector<float> scores(classes);
    for (int i = 0; i < classes; ++i) scores[i] = 1.0F / static_cast<float>(1 + i);
    for (ClassId original = 0; original < classes; ++original) {
      const std::vector<ClassId> verbs = candidate_classes(scores, 11, original);
      EXPECT_EQ(std::ssize(verbs), std::min(classes, 11)) << classes << ' ' << original;
      EXPECT_EQ(std::count(verbs.begin(), verbs.end(), original), 1);
      EXPECT_EQ(std::set(verbs.begin(), verbs.end()).size(), verbs.size());
    }
  }
}

TEST(Project, EveryPersonHasTheirOwnFixedOrderOfVerbs) {
  const ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(scratch.path(), 1);
  std::set<std::vector<ClassId>> orders;
  std::map<ClassId, int> first;
  for (int person = 1; person <= 400; ++person) {
    const auto order = candidates_for(project, project.tasks[0], person);
    EXPECT_EQ(order, candidates_for(project, project.tasks[0], person));
    orders.insert(order);
    ++first[order.front()];
  }
  EXPECT_EQ(orders.size(), 24U) << "all orders of four verbs";
  for (const auto& [verb, count] : first) EXPECT_NEAR(count, 100, 40) << verb;
}

TEST(Project, ThePositionOfTheOriginalOnThePageIsUniform) {
  AnnotationProject project;
  project.seed = 5;
  constexpr int kTasks = 2200;
  // The original is the lowest class and the top prediction, or the highest class and the last one.
  for (const ClassId original : {0, 10}) {
    std::vector<int> places(11);
    AnnotationTask task;
    task.original = original;
    for (ClassId i = 0; i < 11; ++i) task.candidates.push_back(i);
    for (task.number = 1; task.number <= kTasks; ++task.number) {
      const auto order = candidates_for(project, task, 3);
      ++places[std::find(order.begin(), order.end(), original) - order.begin()];
    }
    // Within five standard deviations of a uniform position.
    for (const int count : places) EXPECT_NEAR(count, kTasks / 11, 68) << original;
  }
}

TEST(Project, OfAnotherFormatIsRejectedWithAdvice) {
  const ScratchFolder scratch;
  write_toy_project(scratch / "p", 1);
  Json settings = read_json(scratch / "p" / "project.json");
  settings["format"] = 1;
  write_json(scratch / "p" / "project.json", settings);
  EXPECT_EQ(error_of(scratch, [&] { read_project(scratch / "p"); }),
            "p/project.json: has format 1, expected 2: another version of manyverbs made this "
            "project; finish it with that version, or prepare it again in another folder");
}

TEST(Project, ErrorsNameFileAndLine) {
  const ScratchFolder scratch;
  const auto problem = [&] { return error_of(scratch, [&] { read_project(scratch / "p"); }); };
  EXPECT_EQ(problem(),
            "p: is not an annotation project: it has no project.json; create one with "
            "'manyverbs annotate prepare'");
  write_toy_project(scratch / "p", 2);
  scratch.write("p/tasks.csv",
                "task,clip,original,candidates,video\n1,a,cut,cut;pel,clips/1.mp4\n");
  EXPECT_EQ(problem(), "p/tasks.csv:2: 'pel' is not a class in project.json");
  scratch.write("p/tasks.csv", "task,clip,original,candidates,video\n1,a,cut,peel,clips/1.mp4\n");
  EXPECT_EQ(problem(), "p/tasks.csv:2: the original label 'cut' is not among the candidates");
  scratch.write("p/tasks.csv", "task,clip,original,candidates,video\n0,a,cut,cut,clips/1.mp4\n");
  EXPECT_EQ(problem(),
            "p/tasks.csv:2: expected a task number greater than the previous one, found '0'");
  std::filesystem::remove(scratch / "p" / "tasks.csv");
  EXPECT_EQ(problem(),
            "p: is incomplete; run the same 'manyverbs annotate prepare' again to resume");
}

}  // namespace
}  // namespace manyverbs
