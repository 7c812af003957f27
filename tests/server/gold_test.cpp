// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/gold.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "manyverbs/server/internal/exports.h"
#include "manyverbs/server/internal/gold_file.h"
#include "manyverbs/server/internal/statistics.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/moments.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

Answer verbs_only(std::vector<ClassId> chosen) { return {chosen, true, chosen.empty(), 1000}; }

// Clips 1 to 24, of which 3, 7, 11 and 15 are gold clips: cut and peel apply.
AnnotationProject project_with_gold(const std::filesystem::path& folder) {
  AnnotationProject project = write_toy_project(folder, 24);
  for (const int number : {3, 7, 11, 15}) {
    project.gold.push_back({*project.find_task(number), {0, 1}});
  }
  std::erase_if(project.tasks, [](const AnnotationTask& task) {
    return std::set{3, 7, 11, 15}.contains(task.number);
  });
  write_project_tasks(project);
  return read_project(folder);
}

TEST(Gold, F1IsOverAllDecisionsTogetherWorkedByHand) {
  EXPECT_DOUBLE_EQ((GoldScore{4, 3, 1, 2}).f1(), 2.0 / 3);
  EXPECT_EQ((GoldScore{4, 0, 0, 5}).f1(), 0) << "never chooses a verb";
  EXPECT_TRUE(std::isnan(GoldScore{}.f1()));
  GoldScore score;
  GoldClip clip{{1, "clip", 0, {1, 0, 2, 3}, "clips/1.mp4"}, {0, 1, 4}};
  count_answer(clip, verbs_only({0, 2}), &score);
  EXPECT_EQ(score, (GoldScore{1, 1, 1, 1})) << "4 is not among the candidates";
  count_answer(clip, verbs_only({}), &score);
  EXPECT_EQ(score, (GoldScore{2, 1, 1, 3}));
  clip.labels.clear();
  count_answer(clip, {{}, true, false, 1000, true}, &score);
  EXPECT_EQ(score, (GoldScore{3, 1, 1, 3})) << "none of these verbs is right";
  count_answer(clip, verbs_only({3}), &score);
  EXPECT_EQ(score, (GoldScore{4, 1, 2, 3}));
}

TEST(Gold, APersonFailsBelowThePassMarkWithEnoughAnswers) {
  AnnotationSettings settings;
  settings.gold_answers = 4;
  settings.least_gold = 0.6;
  EXPECT_TRUE(fails_gold({4, 2, 2, 2}, settings)) << "F1 is 1/2";
  EXPECT_FALSE(fails_gold({3, 2, 2, 2}, settings)) << "too few answers";
  EXPECT_FALSE(fails_gold({4, 3, 2, 2}, settings)) << "F1 is 0.6";
  EXPECT_FALSE(fails_gold({4, 0, 0, 0}, settings)) << "F1 is undefined";
}

TEST(Gold, HalfOfTheFirstPlacesAndThenOneOfEachBlockAreGold) {
  std::set<std::vector<bool>> different;
  for (int person = 1; person <= 20; ++person) {
    const GoldPlaces places("secret", person, 3, 5);
    std::vector<bool> gold;
    for (int place = 1; place <= 6 + 40; ++place) gold.push_back(places.is_gold(place));
    EXPECT_EQ(std::count(gold.begin(), gold.begin() + 6, true), 3);
    for (auto block = gold.begin() + 6; block != gold.end(); block += 5) {
      EXPECT_EQ(std::count(block, block + 5, true), 1);
    }
    different.insert(gold);
  }
  EXPECT_EQ(different.size(), 20U) << "nobody can tell from others where gold clips are";
  int equal = 0;
  for (int place = 1; place <= 100; ++place) {
    EXPECT_FALSE(GoldPlaces("secret", 1, 0, 0).is_gold(place));
    EXPECT_TRUE(GoldPlaces("secret", 1, 0, 1).is_gold(place));
    equal += GoldPlaces("secret", 1, 50, 0).is_gold(place) ==
                     GoldPlaces("another", 1, 50, 0).is_gold(place)
                 ? 1
                 : 0;
  }
  EXPECT_LT(equal, 80) << "or from the source code";
}

TEST(Gold, TheirOrderIsDifferentForDifferentPeople) {
  const std::vector<int> tasks = {3, 7, 11, 15};
  std::set<int> first;
  for (int person = 1; person <= 20; ++person) {
    first.insert(GoldPlaces("secret", person, 3, 5).next_of(tasks));
  }
  EXPECT_EQ(first, std::set<int>(tasks.begin(), tasks.end()));
}

TEST(Gold, TheNumberOfGoldClipsToComeIsThatOfGivingOneClipAfterTheOther) {
  for (const auto& [start, every] : {std::pair{0, 0}, {3, 0}, {0, 4}, {2, 1}, {3, 7}}) {
    const GoldPlaces places("secret", 2, start, every);
    for (int place : {1, 4, 7, 30}) {
      for (int others : {0, 1, 5, 40}) {
        for (int gold : {0, 2, 100}) {
          int expected = 0;
          int left = others;
          for (int at = place; left > 0; ++at) {
            places.is_gold(at) && expected < gold ? ++expected : --left;
          }
          EXPECT_EQ(places.among(place, others, gold), expected)
              << start << " " << every << " " << place << " " << others << " " << gold;
        }
      }
    }
  }
}

TEST(GoldProject, HasAPrivateFileWithTheLabels) {
  const ScratchFolder scratch;
  const AnnotationProject project = project_with_gold(scratch.path());
  ASSERT_EQ(project.gold.size(), 4U);
  EXPECT_EQ(project.gold[1].task.clip, "clip-7");
  EXPECT_EQ(project.gold[1].labels, (std::vector<ClassId>{0, 1}));
  EXPECT_EQ(project.find_task(7), nullptr);
  EXPECT_EQ(project.find_shown(7), &project.gold[1].task);
  EXPECT_EQ(project.find_shown(8), project.find_task(8));
  EXPECT_EQ(project.find_shown(99), nullptr);
  struct stat status {};
  ASSERT_EQ(stat((scratch / "gold.csv").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  AnnotationProject corrected = project;
  corrected.gold[0].labels = {2};
  EXPECT_EQ(tasks_stamp(corrected), tasks_stamp(project)) << "labels can be corrected later";
  corrected.gold.pop_back();
  EXPECT_NE(tasks_stamp(corrected), tasks_stamp(project));
}

TEST(GoldProject, InvalidFilesAreErrors) {
  const ScratchFolder scratch;
  project_with_gold(scratch.path());
  const std::string head = "task,clip,original,candidates,video,labels\n";
  const auto problem = [&](const std::string& line) {
    scratch.write("gold.csv", head + line);
    return error_of(scratch, [&] { read_project(scratch.path()); });
  };
  EXPECT_EQ(problem("4,clip-4,cut,cut;peel,clips/4.mp4,cut\n"),
            "gold.csv:2: task 4 is in tasks.csv, too");
  EXPECT_EQ(problem("3,clip-3,cut,cut;peel,clips/3.mp4,cutt\n"),
            "gold.csv:2: 'cutt' is not a class in project.json");
  EXPECT_EQ(problem("3,clip-3,cut,cut;peel,clips/3.mp4,\n"), "") << "no label applies";
}

TEST(GoldFile, NamesClipsOfTheDataSetAndTheirLabels) {
  const ScratchFolder scratch;
  Dataset dataset;
  dataset.folder = scratch / "kitchen";
  dataset.classes = Vocabulary({"cut", "peel", "wash"});
  for (const char* name : {"a", "b", "c"}) {
    Clip clip;
    clip.name = name;
    dataset.clips.push_back(clip);
  }
  const auto read = [&](const std::string& lines) {
    scratch.write("gold.csv", "clip,labels\n" + lines);
    return read_gold_file(scratch / "gold.csv", dataset);
  };
  const GoldFile file = read("c,peel;cut\na,\n");
  ASSERT_EQ(file.clips.size(), 2U);
  EXPECT_EQ(dataset.clip(file.clips[0]).name, "c");
  EXPECT_EQ(file.labels, (std::vector<std::vector<ClassId>>{{0, 1}, {}}));
  EXPECT_TRUE(file.contains(file.clips[0]));
  EXPECT_NE(file.hash, read("c,peel;cut\na,cut\n").hash);
  const auto problem = [&](const std::string& lines) {
    return error_of(scratch, [&] { read(lines); });
  };
  EXPECT_EQ(problem("a,cut\nd,cut\n"), "gold.csv:3: kitchen has no clip 'd'");
  EXPECT_EQ(problem("a,cut\na,cut\n"), "gold.csv:3: clip 'a' is given twice");
  EXPECT_EQ(problem("a,cut;cook\n"), "gold.csv:2: 'cook' is not a class of the data set");
}

// With an SQLite file and with a PostgreSQL server.
class GoldStore : public testing::TestWithParam<std::string> {
 protected:
  GoldStore() {
    settings_.people = 2;
    settings_.gold_at_start = 2;
    settings_.gold_every = 4;
    settings_.gold_answers = 3;
    store_.set_settings(settings_, kLeader);
  }
  std::string database() {
    return GetParam() == "sqlite" ? (scratch_ / "answers.sqlite").string()
                                  : PostgresServer::shared().new_database();
  }
  int add(const std::string& name) {
    return store_.add_person(name, "link of " + name, kLeader).id;
  }
  bool is_gold(int task) const { return project_.find_gold(task) != nullptr; }
  // Answers all clips of a person, in the order in which they get them.
  std::vector<int> answer_all(int person, const std::function<Answer(int task)>& answer) {
    std::vector<int> seen;
    const auto before = store_.progress(person, kStart).done;
    for (;;) {
      const AnnotationStore::Assignment held = store_.next_tasks(person, kStart);
      if (held.tasks.empty()) return seen;
      seen.push_back(held.tasks.front());
      totals_.insert(held.progress.total);
      EXPECT_EQ(held.progress.done, before + std::ssize(seen) - 1);
      const AnnotatorProgress saved = store_.save(person, seen.back(), answer(seen.back()), kStart);
      totals_.insert(saved.total);
    }
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = project_with_gold(scratch_.path());
  AnnotationSettings settings_;
  AnnotationStore store_{database(), project_};
  std::set<int> totals_;  // the total progress that a person has seen
};

TEST_P(GoldStore, GoldClipsComeAtTheStartAndLaterAndProgressDoesNotRevealThem) {
  const int ann = add("Ann");
  const std::vector<int> seen = answer_all(ann, [](int) { return verbs_only({0, 1}); });
  EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), 24U) << "each clip once";
  EXPECT_EQ(std::count_if(seen.begin(), seen.begin() + 4, [&](int t) { return is_gold(t); }), 2);
  EXPECT_EQ(std::count_if(seen.begin() + 4, seen.begin() + 8, [&](int t) { return is_gold(t); }),
            1);
  EXPECT_EQ(std::count_if(seen.begin() + 8, seen.begin() + 12, [&](int t) { return is_gold(t); }),
            1);
  EXPECT_EQ(totals_, std::set<int>{24}) << "the same before, during and after every gold clip";
  EXPECT_FALSE(std::is_sorted(seen.begin(), seen.end())) << "nor do their numbers";
  std::vector<int> others = seen;
  std::erase_if(others, [&](int task) { return is_gold(task); });
  EXPECT_FALSE(std::is_sorted(others.begin(), others.end()));
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
}

TEST_P(GoldStore, EverybodyGetsThemAsLongAsThereAreOtherClips) {
  std::vector<std::size_t> numbers;
  for (const char* name : {"Ann", "Ben", "Cyd", "Dan"}) {
    totals_.clear();
    std::vector<int> seen = answer_all(add(name), [](int) { return verbs_only({0, 1}); });
    if (seen.empty()) break;
    std::erase_if(seen, [&](int task) { return !is_gold(task); });
    numbers.push_back(seen.size());
  }
  // Two people complete the ordinary clips, so the others get none, and no gold clips alone.
  EXPECT_EQ(numbers, (std::vector<std::size_t>{4, 4}));
}

TEST_P(GoldStore, IfBothNumbersAreZeroNobodyGetsGoldClips) {
  settings_.gold_at_start = 0;
  settings_.gold_every = 0;
  store_.set_settings(settings_, kLeader);
  const std::vector<int> none = answer_all(add("Ann"), [](int) { return verbs_only({0}); });
  EXPECT_EQ(none.size(), 20U);
  EXPECT_EQ(totals_, std::set<int>{20});
}

TEST_P(GoldStore, AClipThatDoesNotPlayIsNotGivenAgain) {
  const int ann = add("Ann");
  std::set<int> reported;
  for (;;) {
    const AnnotationStore::Assignment held = store_.next_tasks(ann, kStart);
    if (held.tasks.empty()) break;
    const int task = held.tasks.front();
    if (is_gold(task)) {
      EXPECT_TRUE(reported.insert(task).second) << task;
      store_.report(ann, task, kStart);
    } else {
      store_.save(ann, task, verbs_only({0}), kStart);
    }
  }
  EXPECT_EQ(reported.size(), 4U);
  const auto clips = reported_clips(project_, store_.answers(), store_.people(), store_.reports());
  EXPECT_EQ(clips.size(), 4U) << "the leader sees them";
}

TEST_P(GoldStore, FailingPeopleArePausedOnlyIfTheSettingsSaySo) {
  const int ann = add("Ann");
  EXPECT_EQ(answer_all(ann, [](int) { return verbs_only({3}); }).size(), 24U);
  EXPECT_EQ(store_.person(ann).state, PersonState::Active);
  settings_.gold_pauses = true;
  store_.set_settings(settings_, kLeader);
  const int ben = add("Ben");
  const std::vector<int> seen = answer_all(ben, [](int) { return verbs_only({3}); });
  EXPECT_EQ(std::count_if(seen.begin(), seen.end(), [&](int task) { return is_gold(task); }), 3);
  EXPECT_TRUE(is_gold(seen.back())) << "after the third gold answer";
  EXPECT_EQ(store_.person(ben).state, PersonState::Paused);
  EXPECT_EQ(store_.person(ben).paused_for, "gold");
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());

  store_.set_state(ben, PersonState::Active, kLeader);
  EXPECT_EQ(store_.person(ben).paused_for, "");
  answer_all(ben, [](int) { return verbs_only({3}); });
  EXPECT_EQ(store_.person(ben).state, PersonState::Active)
      << "one gold clip is left, and three answers are needed from now on";
}

TEST_P(GoldStore, PeopleAboveThePassMarkAreNotPaused) {
  settings_.gold_pauses = true;
  store_.set_settings(settings_, kLeader);
  const int ann = add("Ann");
  answer_all(ann, [&](int task) { return is_gold(task) ? verbs_only({0}) : verbs_only({3}); });
  EXPECT_EQ(store_.person(ann).state, PersonState::Active) << "F1 is 2/3";
}

TEST_P(GoldStore, AnswersToGoldClipsAreInNoOtherNumber) {
  const int ann = add("Ann");
  answer_all(ann, [&](int task) { return is_gold(task) ? verbs_only({0, 2}) : verbs_only({0}); });
  const std::vector<StoredAnswer> answers = store_.answers();
  const std::vector<Person> people = store_.people();
  const ProjectStatistics project = project_statistics(project_, answers, people, {}, settings_);
  EXPECT_EQ(project.clips, 20);
  EXPECT_EQ(project.answers, 20);
  EXPECT_EQ(project.answers_per_hour[0].second, 20);
  const PersonStatistics person = person_statistics(project_, answers, people, settings_)[0];
  EXPECT_EQ(person.answers, 20);
  EXPECT_EQ(person.verbs_per_clip, 1);
  EXPECT_EQ(person.gold, (GoldScore{4, 4, 4, 4}));
  EXPECT_EQ(std::count(person.warnings.begin(), person.warnings.end(), "gold"), 0) << "F1 is 1/2";
  settings_.least_gold = 0.51;
  EXPECT_EQ(person_statistics(project_, answers, people, settings_)[0].warnings[0], "gold");

  AnnotationResult result{&project_, people, answers};
  result.people_per_clip = 1;
  EXPECT_EQ(export_spmv(result, scratch_ / "labels.csv").written, 20);
  EXPECT_EQ(read_file(scratch_ / "labels.csv").find("clip-7,"), std::string::npos);
  EXPECT_EQ(export_answers(result, scratch_ / "answers.jsonl").written, 24);
  const std::string lines = read_file(scratch_ / "answers.jsonl");
  EXPECT_NE(lines.find(R"("task":7,"item":"clip-7","gold":true)"), std::string::npos);
  EXPECT_NE(lines.find(R"("task":8,"item":"clip-8","gold":false)"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Databases, GoldStore, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

TEST(GoldServer, APageCannotTellAGoldClipAndAPausedPersonIsToldWhy) {
  const ScratchFolder scratch;
  const AnnotationProject project = project_with_gold(scratch.path());
  const RunningServer server(project);
  Visitor leader(server.port());
  leader.set_up(server.setup_url());
  Json settings = leader.get_json("/api/leader/overview")["settings"];
  settings["gold_pauses"] = true;
  settings["gold_answers"] = 2;
  leader.post_json("/api/leader/settings", settings);
  Visitor ann(server.port());
  ann.join(leader.invite("Ann"));
  int given = 0;
  for (;;) {
    const Json next = ann.post_json("/api/annotator/next", Json::object());
    if (next["tasks"].empty()) break;
    const Json& task = next["tasks"][0];
    EXPECT_EQ(task.size(), 3U) << task;
    EXPECT_EQ(task["candidates"].size(), 4U);
    EXPECT_EQ(next["progress"]["total"], 24);
    EXPECT_EQ(ann.get(task["video"].get<std::string>()).status, 200);
    const Json saved =
        ann.post_json("/api/annotator/answers", sent_answer(task["task"].get<int>(), {3}));
    EXPECT_EQ(saved.size(), 1U) << "a gold answer gets the same reply";
    ++given;
  }
  EXPECT_LE(given, 6) << "two of the first six are gold clips";
  const Json me = ann.get_json("/api/annotator");
  EXPECT_EQ(me["state"], "paused");
  EXPECT_EQ(me["paused_for"], "gold");
  const Json overview = leader.get_json("/api/leader/overview");
  EXPECT_EQ(overview["gold"], 4);
  const Json& person = overview["people"][0];
  EXPECT_EQ(person["gold"],
            Json::parse(R"({"answers": 2, "hits": 0, "wrong": 2, "missed": 4, "f1": 0.0})"));
  EXPECT_EQ(person["warnings"], std::vector<std::string>{"gold"});
  EXPECT_EQ(person["paused_for"], "gold");
}

}  // namespace
}  // namespace manyverbs
