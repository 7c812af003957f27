// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/people.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/exports.h"
#include "manyverbs/server/internal/live_round.h"
#include "manyverbs/server/internal/names.h"
#include "manyverbs/server/internal/store.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/moments.h"
#include "tests/server/old_database.h"
#include "tests/server/status_of.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

using Answers = AnnotationStore::Answers;
using Devices = AnnotationStore::Devices;

constexpr Time kDays = 24 * 60 * kMinute;
const Answer kCut{{0}, true, false, 1200};

// All tests run with an SQLite file and with a PostgreSQL server.
class People : public testing::TestWithParam<std::string> {
 protected:
  int add(const std::string& name) {
    return store_.add_person(name, "link of " + name, kLeader).id;
  }
  // The person gets all clips and answers the first `count`.
  void answer(int person, int count) {
    for (int i = 0; i < count; ++i) {
      store_.save(person, store_.next_tasks(person, kStart).tasks.at(0), kCut, kStart);
    }
  }

  ScratchFolder scratch_;
  std::string where_ = GetParam() == "sqlite" ? (scratch_ / "answers.sqlite").string()
                                              : PostgresServer::shared().new_database();
  AnnotationProject project_ = write_toy_project(scratch_.path(), 3);
  AnnotationStore store_{where_, project_};
};

TEST_P(People, ALinkSignsInOneDeviceOnce) {
  const int ann = add("Ann");
  EXPECT_EQ(store_.person(ann, kStart).link, LinkState::Open);
  EXPECT_EQ(store_.join("link of Ann", "phone", "", kStart)->name, "Ann");
  EXPECT_EQ(store_.session_person("phone", kStart), ann);
  EXPECT_FALSE(store_.join("link of Ann", "stranger", "", kStart)) << "used";
  EXPECT_FALSE(store_.session_person("stranger", kStart));
  EXPECT_FALSE(store_.join("another link", "stranger", "", kStart));
  EXPECT_FALSE(store_.join("", "stranger", "", kStart));
  EXPECT_EQ(store_.person(ann, kStart).link, LinkState::Used);
  EXPECT_EQ(store_.person(ann, kStart).devices, 1);
  EXPECT_EQ(store_.person(ann, kStart + 181 * kDays).devices, 0);
  EXPECT_FALSE(store_.session_person("phone", kStart + 181 * kDays)) << "too old";
  store_.close_session("phone");
  EXPECT_FALSE(store_.session_person("phone", kStart));
}

TEST_P(People, OfManyDevicesThatOpenALinkAtOnceOneSignsIn) {
  AnnotationStore second(where_, project_);
  for (int round = 0; round < 5; ++round) {
    const int person = add(std::to_string(round));
    std::atomic<int> joined = 0;
    std::vector<std::thread> devices;
    for (int i = 0; i < 8; ++i) {
      devices.emplace_back([&, i] {
        AnnotationStore& store = i % 2 == 0 ? store_ : second;
        const std::string key = fmt::format("device {} {}", round, i);
        if (store.join(fmt::format("link of {}", round), key, "", kStart)) ++joined;
      });
    }
    for (std::thread& device : devices) device.join();
    EXPECT_EQ(joined, 1);
    EXPECT_EQ(store_.person(person, kStart).devices, 1);
  }
}

TEST_P(People, AnUnusedLinkExpiresAfterTheDaysOfTheSettings) {
  store_.set_settings({.link_days = 2}, kLeader);
  const int ann = add("Ann");
  EXPECT_EQ(store_.person(ann, kStart + 2 * kDays - 1).link, LinkState::Open);
  EXPECT_EQ(store_.person(ann, kStart + 2 * kDays).link, LinkState::Expired);
  EXPECT_FALSE(store_.join("link of Ann", "phone", "", kStart + 2 * kDays));
  EXPECT_TRUE(store_.join("link of Ann", "phone", "", kStart + 2 * kDays - 1));
}

TEST_P(People, ANewLinkReplacesTheOldOneAndKeepsOrEndsSessions) {
  const int ann = add("Ann");
  store_.join("link of Ann", "phone", "", kStart);
  store_.set_link(ann, "second", Devices::Stay, kLeader);
  EXPECT_EQ(store_.person(ann, kStart).link, LinkState::Open);
  EXPECT_EQ(store_.session_person("phone", kStart), ann);
  EXPECT_TRUE(store_.join("second", "laptop", "", kStart));
  EXPECT_EQ(store_.person(ann, kStart).devices, 2);
  store_.set_link(ann, "third", Devices::SignOut, kLeader);
  EXPECT_FALSE(store_.session_person("phone", kStart));
  EXPECT_EQ(store_.person(ann, kStart).devices, 0);
  store_.set_link(ann, "fourth", Devices::Stay, kLeader);
  EXPECT_FALSE(store_.join("third", "phone", "", kStart)) << "replaced before it was used";
  EXPECT_EQ(store_.log(1, 1).at(0).details, "all devices signed out");
  EXPECT_EQ(status_of([&] { store_.set_link(9, "x", Devices::Stay, kLeader); }), 404);
}

TEST_P(People, JoiningEndsTheEarlierSessionOfTheBrowser) {
  const int ann = add("Ann");
  const int ben = add("Ben");
  store_.join("link of Ann", "first", "", kStart);
  store_.join("link of Ben", "second", "first", kStart);
  EXPECT_FALSE(store_.session_person("first", kStart));
  EXPECT_EQ(store_.session_person("second", kStart), ben);
  EXPECT_EQ(store_.person(ann, kStart).devices, 0);
}

TEST_P(People, TheLinkOfAnExcludedPersonIsNotUsedUp) {
  const int ann = add("Ann");
  store_.set_state(ann, PersonState::Excluded, kLeader);
  EXPECT_EQ(store_.join("link of Ann", "phone", "", kStart)->state, PersonState::Excluded);
  EXPECT_FALSE(store_.session_person("phone", kStart));
  store_.set_state(ann, PersonState::Active, kLeader);
  EXPECT_TRUE(store_.join("link of Ann", "phone", "", kStart));
}

TEST_P(People, NamesAreUniqueAndCleaned) {
  EXPECT_EQ(store_.person(add("  Ann   Lee ")).name, "Ann Lee");
  EXPECT_EQ(status_of([&] { store_.add_person("ann LEE", "x", kLeader); }), 409);
  EXPECT_EQ(status_of([&] { store_.add_person("Ann\nLee", "x", kLeader); }), 400);
  EXPECT_EQ(status_of([&] { store_.add_person(" ", "x", kLeader); }), 400);
  EXPECT_EQ(store_.people().size(), 1U);
  EXPECT_EQ(store_.log_size(), 1);
}

TEST_P(People, ManyAreInvitedAtOnceAndWhoExistsKeepsTheLink) {
  const int ann = add("Ann");
  const auto invited =
      store_.invite({{"Ben", "b"}, {"ANN", "a"}, {"Cyd", "c"}, {"ben", "d"}}, kLeader);
  ASSERT_EQ(invited.size(), 4U);
  EXPECT_FALSE(invited[0].existed);
  EXPECT_TRUE(invited[1].existed);
  EXPECT_EQ(invited[1].person.id, ann);
  EXPECT_FALSE(invited[2].existed);
  EXPECT_TRUE(invited[3].existed) << "a second time in the list";
  EXPECT_EQ(invited[3].person.id, invited[0].person.id);
  EXPECT_TRUE(store_.join("link of Ann", "phone", "", kStart));
  EXPECT_FALSE(store_.join("a", "phone", "", kStart));
  EXPECT_EQ(store_.log_size(), 3);
}

TEST_P(People, OneWrongNameOrAnErrorBeforeSavingInvitesNobody) {
  EXPECT_EQ(status_of([&] { store_.invite({{"Ben", "b"}, {"", "c"}}, kLeader); }), 400);
  const auto fail = [](const auto&) { throw Error("the disk is full"); };
  EXPECT_THROW(store_.invite({{"Ben", "b"}}, kLeader, fail), Error);
  EXPECT_TRUE(store_.people().empty());
  EXPECT_EQ(store_.log_size(), 0);
}

TEST_P(People, ARenamedPersonKeepsAnswersAndLink) {
  const int ann = add("Ann");
  add("Ben");
  answer(ann, 1);
  store_.rename(ann, " Anna ", {"Lea", kStart + 1});
  EXPECT_EQ(store_.person(ann).name, "Anna");
  EXPECT_EQ(store_.log(0, 1).at(0), (LogEntry{kStart + 1, "Lea", "renamed", "Ann", "Anna", 3}));
  EXPECT_EQ(status_of([&] { store_.rename(ann, "BEN", kLeader); }), 409);
  EXPECT_EQ(status_of([&] { store_.rename(ann, "", kLeader); }), 400);
  EXPECT_EQ(status_of([&] { store_.rename(9, "Eve", kLeader); }), 404);
  store_.rename(ann, "ANNA", kLeader);
  EXPECT_EQ(store_.person(ann).name, "ANNA") << "the same name in another form";
  EXPECT_EQ(store_.answers().size(), 1U);
  EXPECT_TRUE(store_.join("link of Ann", "phone", "", kStart));
}

TEST_P(People, ARemovedPersonsAnswersCountUnderNoName) {
  store_.set_settings({.people = 1}, kLeader);
  const int ann = add("Ann");
  const int ben = add("Ben");
  answer(ann, 1);
  store_.next_tasks(ann, kStart);
  store_.join("link of Ann", "phone", "", kStart);
  store_.remove_person(ann, Answers::Keep, kLeader);
  const std::vector<Person> people = store_.people(kStart);
  ASSERT_EQ(people.size(), 2U);
  EXPECT_EQ(people[0].name, "Ben") << "removed people are last";
  EXPECT_EQ(people[1].name, "former annotator 1");
  EXPECT_EQ(people[1].state, PersonState::Removed);
  EXPECT_EQ(people[1].link, LinkState::Used);
  EXPECT_EQ(people[1].devices, 0);
  EXPECT_FALSE(store_.session_person("phone", kStart));
  EXPECT_EQ(store_.next_tasks(ben, kStart).tasks, (std::vector{2, 3})) << "1 is answered";
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
  EXPECT_EQ(store_.answers().size(), 1U);
  EXPECT_EQ(store_.log(0, 1).at(0).details, "answers kept");
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { store_.set_state(ann, PersonState::Active, kLeader); },
           [&] { store_.set_link(ann, "x", Devices::Stay, kLeader); },
           [&] { store_.rename(ann, "Eve", kLeader); }, [&] { store_.end_practice(ann, kLeader); },
           [&] { store_.remove_person(ann, Answers::Delete, kLeader); }}) {
    EXPECT_EQ(status_of(change), 404);
  }
  EXPECT_NE(add("Ann"), ann) << "the name is free again";
}

TEST_P(People, ADeletedPersonLeavesNothingAndTheirClipsGoToOthers) {
  store_.set_settings({.people = 1}, kLeader);
  const int ann = add("Ann");
  const int ben = add("Ben");
  answer(ann, 2);
  store_.save(ann, 1, {{1}, true, false, 5}, kStart + 1);  // a correction
  store_.next_tasks(ann, kStart);
  store_.report(ann, 3, kStart);
  store_.add_practised_clip(ann, 1);
  store_.join("link of Ann", "phone", "", kStart);
  const int last = store_.answers().back().id;
  store_.remove_person(ann, Answers::Delete, kLeader);
  EXPECT_EQ(store_.people().size(), 1U);
  EXPECT_TRUE(store_.answers().empty());
  EXPECT_TRUE(store_.reports().empty());
  EXPECT_TRUE(store_.practised_clips(ann).empty());
  EXPECT_FALSE(store_.was_given(ann, 1));
  EXPECT_FALSE(store_.session_person("phone", kStart));
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
  EXPECT_EQ(store_.log(0, 1).at(0).details, "answers deleted: 2");
  answer(ben, 3);
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
  EXPECT_GT(store_.answers().front().id, last) << "numbers are not given again";
  EXPECT_EQ(add("Cyd"), 3);
  store_.remove_person(3, Answers::Delete, kLeader);
  EXPECT_EQ(add("Dan"), 4) << "numbers are not given again";
}

TEST_P(People, AnExcludedPersonCanOnlyBeRemovedWithTheirAnswers) {
  const int ann = add("Ann");
  answer(ann, 2);
  store_.set_state(ann, PersonState::Excluded, kLeader);
  EXPECT_EQ(status_of([&] { store_.remove_person(ann, Answers::Keep, kLeader); }), 409);
  store_.remove_person(ann, Answers::Delete, kLeader);
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
  EXPECT_EQ(store_.kept_counts().at(0).answered, 0);
  EXPECT_EQ(status_of([&] { store_.set_state(ann, PersonState::Removed, kLeader); }), 400);
}

TEST_P(People, FormerNamesAreThoseThatNobodyHasAnyMore) {
  const int ann = add("Ann");
  const int ben = add("Ben");
  add("Cyd");
  store_.rename(ann, "Anna", kLeader);
  store_.rename(ann, "Annika", kLeader);
  store_.remove_person(ben, Answers::Keep, kLeader);
  EXPECT_EQ(store_.former_names(), (std::vector<std::string>{"Ann", "Anna", "Ben"}));
  AnnotationResult result{&project_, store_.people(), {}};
  result.former_names = store_.former_names();
  result.decisions = {{1, {}, "Ann, Anna, Ben and Cyd differ; Bennet does not", kStart}};
  use_pseudonyms("secret", &result);
  const std::string& reason = result.decisions[0].reason;
  for (const char* name : {"Ann", "Ben ", "Cyd"}) {
    EXPECT_EQ(reason.find(name), std::string::npos) << reason;
  }
  EXPECT_NE(reason.find("Bennet"), std::string::npos) << reason;
}

// The page of a leader on another server must notice it as well.
TEST_P(People, TheStatisticsOfARunningRoundForgetDeletedAnswers) {
  AnnotationStore second(where_, project_);
  LiveRound round(&project_, &second);
  const int ann = add("Ann");
  const int ben = add("Ben");
  answer(ann, 3);
  answer(ben, 1);
  const auto compare = [&] {
    round.view([&](const LiveRound::View& view) {
      const AnnotationSettings settings = store_.settings();
      const ProjectStatistics expected = project_statistics(
          project_, store_.answers(), store_.people(), store_.reports(), settings);
      const ProjectStatistics found = view.statistics->project(settings);
      EXPECT_EQ(found.answers, expected.answers);
      EXPECT_EQ(found.disputes, expected.disputes);
      EXPECT_EQ(found.answers_per_hour, expected.answers_per_hour);
      EXPECT_EQ(round.people_of(view, kStart).size(), store_.people().size());
    });
  };
  compare();
  store_.remove_person(ann, Answers::Delete, kLeader);
  compare();
  answer(ben, 1);
  compare();
  store_.remove_person(ben, Answers::Keep, kLeader);
  compare();
}

INSTANTIATE_TEST_SUITE_P(, People, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

TEST(Names, HaveSingleSpacesAndAreComparedWithoutCase) {
  EXPECT_EQ(clean_name(" Ann  Lee"), "Ann Lee");
  EXPECT_EQ(folded_name("Ann  LEE "), "ann lee");
  EXPECT_EQ(folded_name("Ärzte"), "Ärzte") << "only A to Z";
  EXPECT_EQ(clean_name(std::string(100, 'x')).size(), 100U);
  EXPECT_EQ(character_count("né"), 2);
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "é";
  EXPECT_EQ(clean_name(accents), accents) << "100 characters";
  for (const std::string& wrong : {std::string(), std::string("  "), std::string("a\tb"),
                                   std::string("a\x7f"), std::string(101, 'x')}) {
    EXPECT_THROW(clean_name(wrong), HttpError) << wrong;
  }
}

}  // namespace
}  // namespace manyverbs
