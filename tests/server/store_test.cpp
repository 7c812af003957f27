// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/store.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/schema.h"
#include "manyverbs/support/internal/random.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/moments.h"
#include "tests/server/status_of.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

const Answer kCut{{0}, true, false, 1200};
const Answer kCutAndPeel{{0, 1}, false, false, 900};

// All tests run with an SQLite file and with a PostgreSQL server.
class Store : public testing::TestWithParam<std::string> {
 protected:
  std::string database() {
    return GetParam() == "sqlite" ? (scratch_ / "answers.sqlite").string()
                                  : PostgresServer::shared().new_database();
  }
  AnnotationProject project(int tasks) { return write_toy_project(scratch_.path(), tasks); }

  ScratchFolder scratch_;
};

int add(AnnotationStore* store, const std::string& name) {
  return store->add_person(name, "link of " + name, kLeader).id;
}

std::vector<int> tasks_of(const AnnotationStore::Assignment& held) { return held.tasks; }

TEST_P(Store, APersonHasTwoClipsAndGetsTheNextOneAfterAnAnswer) {
  AnnotationStore store(database(), project(3));
  const int ann = add(&store, "Ann");
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart)), (std::vector{1, 2}));
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart + 1)), (std::vector{1, 2}));
  const AnnotatorProgress progress = store.save(ann, 1, kCut, kStart + 2);
  EXPECT_EQ(progress.done, 1);
  EXPECT_EQ(progress.total, 3);
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart + 3)), (std::vector{2, 3}));
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Store, InTheInformativeOrderTheMostValuableClipComesFirst) {
  AnnotationStore store(database(), project(4));
  AnnotationSettings settings;
  settings.people = 2;
  settings.order = ClipOrder::Informative;
  store.set_settings(settings, kLeader);
  EXPECT_EQ(store.settings(), settings);
  const int ann = add(&store, "Ann");
  const int ben = add(&store, "Ben");
  const ClipValues values = {{1, {0.1, 0}}, {2, {0.2, 0}}, {3, {0.9, 0}}, {4, {0.5, 0}}};
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart, values)), (std::vector{3, 4}));
  // Ann has 3 and 4, so they are worth 0.45 and 0.25 for Ben.
  EXPECT_EQ(tasks_of(store.next_tasks(ben, kStart, values)), (std::vector{3, 4}));
  store.save(ann, 3, kCut, kStart + 1);
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart + 2, values)), (std::vector{4, 2}));
  const int cyd = add(&store, "Cyd");
  EXPECT_EQ(tasks_of(store.next_tasks(cyd, kStart + 3, values)), (std::vector{2, 1}))
      << "3 and 4 have two people; 2 has one and is worth 0.1, as much as 1";
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Store, WithoutValuesTheInformativeOrderIsTheUsualOne) {
  AnnotationStore store(database(), project(3));
  AnnotationSettings settings;
  settings.order = ClipOrder::Informative;
  store.set_settings(settings, kLeader);
  const int ann = add(&store, "Ann");
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart)), (std::vector{1, 2}));
  store.save(ann, 2, kCut, kStart + 1);
  store.set_state(ann, PersonState::Paused, kLeader);
  EXPECT_EQ(tasks_of(store.next_tasks(add(&store, "Ben"), kStart + 2)), (std::vector{2, 1}));
}

TEST_P(Store, NobodyGetsAClipTwiceAndNoClipIsAssignedTooOften) {
  AnnotationStore store(database(), project(1));
  store.set_settings({.people = 2}, kLeader);
  const int ann = add(&store, "Ann");
  const int ben = add(&store, "Ben");
  const int eve = add(&store, "Eve");
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart)), std::vector{1});
  EXPECT_EQ(tasks_of(store.next_tasks(ben, kStart)), std::vector{1});
  const AnnotationStore::Assignment none = store.next_tasks(eve, kStart);
  EXPECT_TRUE(none.tasks.empty());
  EXPECT_TRUE(none.waiting);
  EXPECT_EQ(none.progress.total, 0);
  store.save(ann, 1, kCut, kStart);
  const AnnotationStore::Assignment done = store.next_tasks(ann, kStart);
  EXPECT_TRUE(done.tasks.empty());
  EXPECT_FALSE(done.waiting);
  store.save(ben, 1, kCut, kStart);
  EXPECT_FALSE(store.next_tasks(eve, kStart).waiting);
}

TEST_P(Store, ClipsOfAnInactivePersonGoToOthersAndALateAnswerStillCounts) {
  AnnotationStore store(database(), project(1));
  store.set_settings({.people = 1, .hold_minutes = 10}, kLeader);
  const int ann = add(&store, "Ann");
  const int ben = add(&store, "Ben");
  store.next_tasks(ann, kStart);
  for (int minute = 2; minute <= 10; minute += 2) {
    EXPECT_TRUE(store.next_tasks(ben, kStart + minute * kMinute).tasks.empty());
  }
  EXPECT_EQ(tasks_of(store.next_tasks(ben, kStart + 10 * kMinute + 1)), std::vector{1});
  EXPECT_TRUE(store.next_tasks(ann, kStart + 11 * kMinute).tasks.empty());
  EXPECT_EQ(store.save(ann, 1, kCut, kStart + 11 * kMinute).done, 1);
  EXPECT_EQ(store.kept_counts(), store.true_counts());
  EXPECT_TRUE(store.next_tasks(ben, kStart + 12 * kMinute).tasks.empty()) << "Ann was faster";
  EXPECT_EQ(store.kept_counts(), (std::vector<AnnotationStore::Count>{{1, 1, 1}}));
}

TEST_P(Store, APersonWhoReturnsInTimeKeepsTheClips) {
  AnnotationStore store(database(), project(2));
  store.set_settings({.people = 1, .hold_minutes = 10}, kLeader);
  const int ann = add(&store, "Ann");
  const int ben = add(&store, "Ben");
  store.next_tasks(ann, kStart);
  for (int minute = 3; minute <= 18; minute += 3) {
    if (minute == 9) store.seen(ann, kStart + minute * kMinute);
    EXPECT_TRUE(store.next_tasks(ben, kStart + minute * kMinute).tasks.empty());
  }
  EXPECT_EQ(store.next_tasks(ben, kStart + 20 * kMinute).tasks.size(), 2U);
}

TEST_P(Store, ClipsOfAnExcludedPersonAreAssignedToOthers) {
  AnnotationStore store(database(), project(2));
  store.set_settings({.people = 1}, kLeader);
  const int ann = add(&store, "Ann");
  const int ben = add(&store, "Ben");
  store.next_tasks(ann, kStart);
  store.save(ann, 1, kCut, kStart);
  EXPECT_TRUE(store.next_tasks(ben, kStart).tasks.empty()) << "Ann has 1 and holds 2";
  store.set_state(ann, PersonState::Excluded, kLeader);
  EXPECT_EQ(tasks_of(store.next_tasks(ben, kStart)), (std::vector{1, 2}));
  EXPECT_EQ(status_of([&] { store.save(ann, 2, kCut, kStart); }), 403);
  EXPECT_TRUE(store.next_tasks(ann, kStart).tasks.empty());
  store.save(ben, 1, kCut, kStart);
  store.set_state(ann, PersonState::Active, kLeader);
  EXPECT_EQ(store.kept_counts(), (std::vector<AnnotationStore::Count>{{1, 2, 2}, {2, 0, 1}}));
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Store, ClipsOfPausedPeopleAreReturnedAndLateAnswersAreSaved) {
  AnnotationStore store(database(), project(1));
  store.set_settings({.people = 1}, kLeader);
  const int ann = add(&store, "Ann");
  store.next_tasks(ann, kStart);
  store.set_state(ann, PersonState::Paused, kLeader);
  EXPECT_EQ(store.kept_counts(), (std::vector<AnnotationStore::Count>{{1, 0, 0}}));
  const AnnotationStore::Assignment held = store.next_tasks(ann, kStart);
  EXPECT_TRUE(held.tasks.empty());
  EXPECT_TRUE(held.waiting);
  store.save(ann, 1, kCut, kStart);
  EXPECT_EQ(store.kept_counts(), (std::vector<AnnotationStore::Count>{{1, 1, 1}}));
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Store, AnAnswerSentTwiceCountsOnceAndAnotherOneReplacesIt) {
  AnnotationStore store(database(), project(2));
  const int ann = add(&store, "Ann");
  store.next_tasks(ann, kStart);
  store.save(ann, 1, kCut, kStart);
  store.save(ann, 1, kCut, kStart + 5);
  ASSERT_EQ(store.answers().size(), 1U);
  store.save(ann, 1, kCutAndPeel, kStart + 9);
  const std::vector<StoredAnswer> answers = store.answers();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_FALSE(answers[0].current);
  EXPECT_EQ(answers[0].answer, kCut);
  EXPECT_TRUE(answers[1].current);
  EXPECT_EQ(answers[1].answer, kCutAndPeel);
  EXPECT_EQ(answers[1].time, kStart + 9);
  EXPECT_EQ(store.progress(ann, kStart).done, 1);
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Store, EarlierAnswersAreInTheOrderOfTheFirstSubmission) {
  AnnotationStore store(database(), project(3));
  const int ann = add(&store, "Ann");
  EXPECT_FALSE(store.earlier(ann, 0));
  for (const int task : {1, 2, 3}) {
    store.next_tasks(ann, kStart);
    store.save(ann, task, kCut, kStart + task);
  }
  store.save(ann, 1, kCutAndPeel, kStart + 9);
  EXPECT_EQ(store.earlier(ann, 0)->task, 3);
  EXPECT_EQ(store.earlier(ann, 3)->task, 2);
  EXPECT_EQ(store.earlier(ann, 2)->task, 1);
  EXPECT_EQ(store.earlier(ann, 2)->answer, kCutAndPeel);
  EXPECT_FALSE(store.earlier(ann, 1));
}

TEST_P(Store, AnAnswerToAClipThatWasNeverAssignedIsRejected) {
  AnnotationStore store(database(), project(3));
  const int ann = add(&store, "Ann");
  store.next_tasks(ann, kStart);
  EXPECT_EQ(status_of([&] { store.save(ann, 3, kCut, kStart); }), 403);
  EXPECT_EQ(status_of([&] { store.save(ann, 77, kCut, kStart); }), 403);
  EXPECT_TRUE(store.answers().empty());
  EXPECT_TRUE(store.was_given(ann, 2));
  EXPECT_FALSE(store.was_given(ann, 3));
}

TEST_P(Store, AReportedClipHasNoAnswerAndGoesToOthers) {
  AnnotationStore store(database(), project(3));
  store.set_settings({.people = 2}, kLeader);
  const int ann = add(&store, "Ann");
  const int ben = add(&store, "Ben");
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart)), (std::vector{1, 2}));
  const AnnotatorProgress progress = store.report(ann, 1, kStart + 1);
  EXPECT_EQ(progress.done, 0);
  EXPECT_EQ(progress.total, 2) << "Ann does not get the clip again";
  EXPECT_EQ(store.report(ann, 1, kStart + 2).total, 2) << "the same again changes nothing";
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart + 3)), (std::vector{2, 3}));
  EXPECT_EQ(store.kept_counts(), store.true_counts());
  const std::vector<int> of_ben = tasks_of(store.next_tasks(ben, kStart + 4));
  store.save(ben, of_ben[0], kCut, kStart + 5);
  store.save(ben, of_ben[1], kCut, kStart + 6);
  EXPECT_EQ(tasks_of(store.next_tasks(ben, kStart + 7)), std::vector{1}) << "others still get it";
  EXPECT_TRUE(store.answers().size() == 2U);
  ASSERT_EQ(store.reports().size(), 1U);
  EXPECT_EQ(store.reports()[0].person, ann);
  EXPECT_EQ(store.reports()[0].task, 1);
  EXPECT_EQ(status_of([&] { store.report(ben, 9, kStart); }), 403) << "never given";
}

TEST_P(Store, AClipThatPlaysForNobodyIsNoLongerAssigned) {
  AnnotationStore store(database(), project(1));
  store.set_settings({.people = 2}, kLeader);
  const int ann = add(&store, "Ann");
  const int ben = add(&store, "Ben");
  const int eve = add(&store, "Eve");
  for (const int person : {ann, ben}) {
    store.next_tasks(person, kStart);
    store.report(person, 1, kStart);
    EXPECT_FALSE(store.next_tasks(person, kStart).waiting);
  }
  const AnnotationStore::Assignment none = store.next_tasks(eve, kStart);
  EXPECT_TRUE(none.tasks.empty());
  EXPECT_FALSE(none.waiting);
  EXPECT_EQ(none.progress.total, 0);
  // Reports of excluded people do not count.
  store.set_state(ben, PersonState::Excluded, kLeader);
  EXPECT_EQ(tasks_of(store.next_tasks(eve, kStart)), std::vector{1});
  store.set_state(ben, PersonState::Active, kLeader);
  store.forget_reports(1, kLeader);
  EXPECT_EQ(tasks_of(store.next_tasks(ann, kStart)), std::vector{1});
  EXPECT_TRUE(store.reports().empty());
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Store, AnAnswerDeletesAReportButAReportNoAnswer) {
  AnnotationStore store(database(), project(1));
  const int ann = add(&store, "Ann");
  store.next_tasks(ann, kStart);
  store.report(ann, 1, kStart);
  EXPECT_EQ(store.save(ann, 1, kCut, kStart).done, 1);
  EXPECT_TRUE(store.reports().empty());
  EXPECT_EQ(store.report(ann, 1, kStart).done, 1);
  EXPECT_TRUE(store.reports().empty());
  EXPECT_EQ(store.answers().size(), 1U);
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Store, FewerPeoplePerClipReleaseAssignedClips) {
  AnnotationStore store(database(), project(1));
  store.set_settings({.people = 2}, kLeader);
  const int ann = add(&store, "Ann");
  const int ben = add(&store, "Ben");
  store.next_tasks(ann, kStart);
  store.next_tasks(ben, kStart);
  store.save(ann, 1, kCut, kStart);
  store.set_settings({.people = 1}, kLeader);
  EXPECT_TRUE(store.next_tasks(ben, kStart).tasks.empty());
  EXPECT_EQ(store.kept_counts(), (std::vector<AnnotationStore::Count>{{1, 1, 1}}));
}

TEST_P(Store, AllDataIsReadAgainAfterReopening) {
  const std::string where = database();
  const AnnotationProject toy = project(2);
  {
    AnnotationStore store(where, toy);
    const int ann = add(&store, "Änn 'O; DROP TABLE people");
    store.set_practised(ann);
    store.next_tasks(ann, kStart);
    store.save(ann, 1, kCutAndPeel, kStart);
    store.set_settings({.people = 5, .hold_minutes = 7, .least_found = 0.25, .least_verbs = 2},
                       kLeader);
    EXPECT_EQ(store.join("link of Änn 'O; DROP TABLE people", "key", "", kStart)->id, ann);
  }
  AnnotationStore store(where, toy);
  ASSERT_EQ(store.people().size(), 1U);
  const Person ann = store.person(1);
  EXPECT_EQ(ann.name, "Änn 'O; DROP TABLE people");
  EXPECT_TRUE(ann.practised);
  EXPECT_EQ(ann.last_seen, kStart);
  EXPECT_EQ(store.answers().at(0).answer, kCutAndPeel);
  EXPECT_EQ(
      store.settings(),
      (AnnotationSettings{.people = 5, .hold_minutes = 7, .least_found = 0.25, .least_verbs = 2}));
  EXPECT_EQ(store.session_person("key", kStart), 1);
}

TEST_P(Store, ADatabaseWithOtherTasksIsRejected) {
  std::string where = database();
  if (where.find("tester") != std::string::npos) where.insert(where.find('@'), ":secret");
  { const AnnotationStore store(where, project(2)); }
  const std::string problem =
      error_of(scratch_, [&] { const AnnotationStore store(where, project(3)); });
  EXPECT_NE(problem.find("contains answers to other tasks"), std::string::npos) << problem;
  EXPECT_EQ(problem.find("secret"), std::string::npos) << problem;
}

// One of many concurrent annotators; some answers are sent twice.
void work(AnnotationStore* store, int person, std::uint64_t seed,
          std::vector<std::string>* problems) {
  Random random(seed);
  Time now = kStart;
  for (int round = 0; round < 1000; ++round) {
    const AnnotationStore::Assignment held = store->next_tasks(person, now);
    if (held.tasks.empty() && !held.waiting) return;
    if (held.tasks.empty()) std::this_thread::yield();
    for (const AnnotationStore::Count& count : store->kept_counts()) {
      if (count.load > 3) problems->push_back(fmt::format("task {}: {}", count.task, count.load));
    }
    if (held.tasks.empty()) continue;
    store->save(person, held.tasks.front(), kCut, now);
    if (random.below(4) == 0) store->save(person, held.tasks.front(), kCut, now);
    now += 1;
  }
  problems->push_back("never done");
}

// Two stores on one database act as two servers.
TEST_P(Store, TwentyFourConcurrentPeopleOnTwoServersAnswerEveryClipExactlyThreeTimes) {
  const std::string where = database();
  const AnnotationProject toy = project(40);
  AnnotationStore first(where, toy);
  AnnotationStore second(where, toy);
  constexpr int kPeople = 24;
  std::vector<int> ids;
  for (int i = 0; i < kPeople; ++i) ids.push_back(add(&first, fmt::format("person {}", i)));
  std::vector<std::vector<std::string>> problems(kPeople);
  std::vector<std::thread> threads;
  for (int i = 0; i < kPeople; ++i) {
    threads.emplace_back([&, i] { work(i % 2 == 0 ? &first : &second, ids[i], i, &problems[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& list : problems) EXPECT_EQ(list, std::vector<std::string>());
  std::map<int, std::set<int>> people_of;
  for (const StoredAnswer& answer : first.answers()) {
    EXPECT_TRUE(answer.current);
    EXPECT_TRUE(people_of[answer.task].insert(answer.person).second) << "twice the same person";
  }
  EXPECT_EQ(people_of.size(), 40U);
  for (const auto& [task, people] : people_of) EXPECT_EQ(people.size(), 3U) << task;
  EXPECT_EQ(first.kept_counts(), second.true_counts());
}

INSTANTIATE_TEST_SUITE_P(Databases, Store, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

TEST(PostgresStore, ACrashOfTheDatabaseLosesNoAnswerAndTheStoreRecovers) {
  const ScratchFolder scratch;
  PostgresServer postgres;
  AnnotationStore store(postgres.new_database(), write_toy_project(scratch.path(), 3));
  const int ann = add(&store, "Ann");
  store.next_tasks(ann, kStart);
  store.save(ann, 1, kCut, kStart);
  postgres.control("restart -m immediate");
  // Each connection notices the crash once.
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (status_of([&] { store.people(); }) == 200 &&
        status_of([&] { store.save(ann, 2, kCut, kStart); }) == 200) {
      break;
    }
  }
  EXPECT_EQ(store.answers().size(), 2U);
}

TEST(PostgresStore, ALockTimeoutLeavesNoBrokenConnection) {
  const ScratchFolder scratch;
  const std::string where = PostgresServer::shared().new_database();
  AnnotationStore store(where + "&options=-c%20lock_timeout%3D50",
                        write_toy_project(scratch.path(), 1));
  Database other(where);
  other.write(Database::Sync::Now, [&](soci::session&) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(status_of([&] { store.set_settings({}, kLeader); }), 503)
          << "another server holds the lock";
    }
  });
  for (int i = 0; i < 10; ++i) EXPECT_EQ(status_of([&] { store.set_settings({}, kLeader); }), 200);
}

TEST(StoreErrors, PasswordsInTheUrlAreHidden) {
  const ScratchFolder scratch;
  const std::string problem = error_of(scratch, [&] {
    const Database database("postgresql:///x?password=secret&host=" + (scratch / "none").string());
  });
  EXPECT_NE(problem.find("postgresql:///x?&host="), std::string::npos) << problem;
  EXPECT_EQ(problem.find("secret"), std::string::npos) << problem;
}

TEST(StoreErrors, AnUnavailableDatabaseIsNamedWithoutItsPassword) {
  const ScratchFolder scratch;
  const std::string problem = error_of(scratch, [&] {
    const AnnotationStore store("postgresql://me:secret@/x?host=" + (scratch / "none").string(),
                                write_toy_project(scratch.path(), 1));
  });
  EXPECT_NE(problem.find("postgresql://me@/x"), std::string::npos) << problem;
  EXPECT_EQ(problem.find("secret"), std::string::npos) << problem;
}

TEST(StoreErrors, ADatabaseOfAnotherVersionIsRejectedAndUnchanged) {
  const ScratchFolder scratch;
  const std::string path = (scratch / "answers.sqlite").string();
  {
    soci::session sql(soci::sqlite3, "dbname=" + path);
    sql << "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)";
    sql << "INSERT INTO meta (key, value) VALUES ('schema', '1')";
  }
  EXPECT_EQ(error_of(scratch, [&] { Database database(path); }),
            fmt::format("answers.sqlite: has schema 1, expected 2 to {}: it was created by another "
                        "version of manyverbs; export the answers with that version",
                        current_schema()));
  soci::session sql(soci::sqlite3, "dbname=" + path);
  int tables = 0;
  sql << "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'", soci::into(tables);
  EXPECT_EQ(tables, 1);
}

TEST(StoreTimes, AreFormattedAsIso8601) {
  EXPECT_EQ(time_text(1'700'000'000'123), "2023-11-14T22:13:20Z");
}

}  // namespace
}  // namespace manyverbs
