// SPDX-License-Identifier: MIT
//
// Answers that arrive late, and clocks that jump.
#include <gtest/gtest.h>

#include "manyverbs/server/internal/exports.h"
#include "manyverbs/server/internal/lease_clock.h"
#include "manyverbs/server/internal/store.h"
#include "manyverbs/support/internal/random.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/moments.h"
#include "tests/server/old_database.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

constexpr Time kHour = 60 * kMinute;
const Answer kCut{{0}, true, false, 1200};
const Answer kPeel{{1}, true, false, 900};
const Answer kWash{{2}, true, false, 700};

// All tests run with an SQLite file and with a PostgreSQL server.
class Answering : public testing::TestWithParam<std::string> {
 protected:
  int add(const std::string& name) {
    return store_.add_person(name, "link of " + name, kLeader).id;
  }
  StoredAnswer current() {
    for (const StoredAnswer& each : store_.answers()) {
      if (each.current) return each;
    }
    return {};
  }

  ScratchFolder scratch_;
  std::string where_ = GetParam() == "sqlite" ? (scratch_ / "answers.sqlite").string()
                                              : PostgresServer::shared().new_database();
  AnnotationProject project_ = write_toy_project(scratch_.path(), 2);
  AnnotationStore store_{where_, project_};
};

TEST_P(Answering, TheAnswerThatWasGivenLastCountsWhicheverArrivesLast) {
  const int ann = add("Ann");
  store_.next_tasks(ann, kStart);
  store_.save(ann, 1, kPeel, kStart + 5 * kHour, kHour);     // given at 4 o'clock
  store_.save(ann, 1, kCut, kStart + 6 * kHour, 3 * kHour);  // at 3, from a phone without a network
  const std::vector<StoredAnswer> answers = store_.answers();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_TRUE(answers[0].current);
  EXPECT_EQ(answers[0].time, kStart + 4 * kHour);
  EXPECT_FALSE(answers[1].current);
  EXPECT_EQ(answers[1].answer, kCut);
  EXPECT_EQ(answers[1].time, kStart + 3 * kHour);
  EXPECT_EQ(store_.earlier(ann, 0)->answer, kPeel);
  EXPECT_EQ(store_.progress(ann, kStart).done, 1);
  store_.save(ann, 1, kWash, kStart + 7 * kHour, 2 * kHour);  // at 5
  EXPECT_EQ(current().answer, kWash);
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
}

TEST_P(Answering, AnOldAnswerThatIsSentAgainHasNoEffect) {
  const int ann = add("Ann");
  store_.next_tasks(ann, kStart);
  store_.save(ann, 1, kCut, kStart);
  store_.save(ann, 1, kPeel, kStart + 5000);
  // The confirmation of the first one was lost.
  store_.save(ann, 1, kCut, kStart + 8000, 8000);
  store_.save(ann, 1, kCut, kStart + 2 * kHour, 2 * kHour + 3);
  EXPECT_EQ(store_.answers().size(), 2U);
  EXPECT_EQ(current().answer, kPeel);
  store_.save(ann, 1, kWash, kStart + 3 * kHour, 3 * kHour + 60'000);
  store_.save(ann, 1, kWash, kStart + 4 * kHour, 4 * kHour + 60'000);
  EXPECT_EQ(store_.answers().size(), 3U) << "an older one is stored once as well";
  EXPECT_EQ(current().answer, kPeel);
  store_.save(ann, 1, kCut, kStart + 5 * kHour);
  EXPECT_EQ(current().answer, kCut) << "a change of mind";
}

// The first answer took 8 seconds; the correction, given meanwhile, waited for it.
TEST_P(Answering, ACorrectionThatSeemsEarlierByASlowConnectionCounts) {
  const int ann = add("Ann");
  store_.next_tasks(ann, kStart);
  store_.save(ann, 1, kCut, kStart + 8000);
  store_.save(ann, 1, kPeel, kStart + 8100, 7000);
  EXPECT_EQ(current().answer, kPeel);
  EXPECT_EQ(current().time, kStart + 8000);
  store_.save(ann, 1, kWash, kStart + 60'000, 60'000 - 8000 + 10'001);
  EXPECT_EQ(current().answer, kPeel);
}

TEST_P(Answering, ACorrectionCountsThoughTheClockOfTheServerWasSetBack) {
  const int ann = add("Ann");
  store_.next_tasks(ann, kStart);
  store_.save(ann, 1, kCut, kStart);
  store_.save(ann, 1, kPeel, kStart - kHour);
  EXPECT_EQ(current().answer, kPeel);
  EXPECT_EQ(current().time, kStart) << "times do not go back";
  store_.save(ann, 1, kCut, kStart - kHour + 1000);
  EXPECT_EQ(current().answer, kCut) << "a change of mind";
  EXPECT_EQ(store_.answers().size(), 3U);
}

TEST_P(Answering, ExportsHaveTheTimeWhenAnAnswerWasGiven) {
  const int ann = add("Ann");
  store_.next_tasks(ann, kStart);
  store_.save(ann, 1, kCut, kStart + 2 * kHour, 2 * kHour);
  const AnnotationResult result{&project_, store_.people(), store_.answers()};
  export_answers(result, scratch_ / "answers.jsonl");
  EXPECT_NE(read_file(scratch_ / "answers.jsonl").find("\"time\":\"2023-11-14T22:13:20Z\""),
            std::string::npos);
}

TEST_P(Answering, AClockThatIsSetForwardFreesNoClips) {
  store_.set_settings({.people = 1, .hold_minutes = 15}, kLeader);
  const int ann = add("Ann");
  const int ben = add("Ben");
  store_.next_tasks(ann, kStart);
  const Time wrong = kStart + 5 * kHour;
  for (int minute = 0; minute < 5; ++minute) {
    EXPECT_TRUE(store_.next_tasks(ben, wrong + minute * kMinute).tasks.empty()) << minute;
  }
  EXPECT_EQ(store_.next_tasks(ann, wrong + 6 * kMinute).tasks.size(), 2U) << "Ann was here";
  // Back to the right time: it passes as usual.
  for (int minute = 7; minute <= 20; ++minute) {
    EXPECT_TRUE(store_.next_tasks(ben, kStart + minute * kMinute).tasks.empty()) << minute;
  }
  for (int minute = 21; minute <= 24; ++minute) store_.next_tasks(ben, kStart + minute * kMinute);
  EXPECT_EQ(store_.next_tasks(ben, kStart + 25 * kMinute).tasks.size(), 2U)
      << "Ann has been away for more than 15 minutes";
  EXPECT_EQ(store_.kept_counts(), store_.true_counts());
}

TEST_P(Answering, AClockThatIsSetBackHoldsNoClips) {
  store_.set_settings({.people = 1, .hold_minutes = 15}, kLeader);
  const int ann = add("Ann");
  const int ben = add("Ben");
  store_.next_tasks(ann, kStart);
  const Time wrong = kStart - 5 * kHour;
  for (int minute = 0; minute <= 15; ++minute) {
    EXPECT_TRUE(store_.next_tasks(ben, wrong + minute * kMinute).tasks.empty()) << minute;
  }
  EXPECT_EQ(store_.next_tasks(ben, wrong + 16 * kMinute).tasks.size(), 2U);
}

TEST_P(Answering, ServersWhoseClocksDifferFreeNoClipsEarly) {
  store_.set_settings({.people = 1, .hold_minutes = 15}, kLeader);
  AnnotationStore second(where_, project_);
  const int ann = add("Ann");
  const int ben = add("Ben");
  const int cyd = add("Cyd");
  store_.next_tasks(ann, kStart);
  const Time ahead = 2 * kHour;
  for (int second_number = 0; second_number < 15 * 60; second_number += 10) {
    const Time now = kStart + second_number * 1000;
    EXPECT_TRUE(store_.next_tasks(ben, now).tasks.empty()) << second_number;
    EXPECT_TRUE(second.next_tasks(cyd, now + ahead).tasks.empty()) << second_number;
  }
  store_.next_tasks(ben, kStart + 15 * kMinute);
  EXPECT_EQ(store_.next_tasks(ben, kStart + 15 * kMinute + 1).tasks.size(), 2U);
}

TEST_P(Answering, TheLeaseClockNeverGoesBackAndIsNeverFasterThanItsServers) {
  Random random(7);
  Time now = kStart;
  Time passed = 0;
  Time before = 0;
  store_.database().write(Database::Sync::Later, [&](soci::session& sql) {
    before = advance_lease_clock(sql, "a", now, kMinute);
    EXPECT_EQ(before, kStart);
    for (int i = 0; i < 300; ++i) {
      const Time step = random.below(20'000);
      now += step;
      passed += step;
      const Time disorder = random.below(4) == 0 ? random.below(3000) : 0;
      const Time clock = advance_lease_clock(sql, i % 2 == 0 ? "a" : "b",
                                             now - disorder + (i % 2) * 977'000, kMinute);
      EXPECT_GE(clock, before);
      EXPECT_LE(clock, kStart + passed + 3000);
      before = clock;
    }
    EXPECT_GT(before, kStart + passed * 9 / 10);
  });
}

TEST_P(Answering, TheExampleOfTheLeaseClockHolds) {
  store_.database().write(Database::Sync::Later, [&](soci::session& sql) {
    EXPECT_EQ(advance_lease_clock(sql, "a", 1000, 60), 1000);
    EXPECT_EQ(advance_lease_clock(sql, "a", 1050, 60), 1050);
    EXPECT_EQ(advance_lease_clock(sql, "a", 9000, 60), 1110);
    EXPECT_EQ(advance_lease_clock(sql, "b", 5, 60), 1110) << "another server";
    EXPECT_EQ(advance_lease_clock(sql, "b", 15, 60), 1120);
  });
}

INSTANTIATE_TEST_SUITE_P(, Answering, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

TEST(AnsweringServer, TheAgeOfAnAnswerIsChecked) {
  const ScratchFolder scratch;
  const RunningServer server(write_toy_project(scratch.path(), 2));
  Visitor leader(server.port());
  leader.set_up(server.setup_url());
  Visitor ann(server.port());
  ann.join(leader.invite("Ann"));
  ann.post_json("/api/annotator/next", Json::object());
  Json body = sent_answer(1, {0});
  for (const Json& wrong :
       {Json(-1), Json(60LL * 86'400'000 + 1), Json(1.5), Json("1"), Json(nullptr)}) {
    body["age"] = wrong;
    EXPECT_EQ(ann.post("/api/annotator/answers", body).status, 400) << wrong;
  }
  body["age"] = 60LL * 86'400'000;
  EXPECT_EQ(ann.post("/api/annotator/answers", body).status, 200);
  ann.post_json("/api/annotator/answers", sent_answer(1, {1}));
  body["answer"]["chosen"] = {2};
  body["age"] = 86'400'000;
  EXPECT_EQ(ann.post_json("/api/annotator/answers", body)["progress"]["done"], 1);
  EXPECT_EQ(ann.get_json("/api/annotator/answers")["answer"]["chosen"], Json({1}));
}

}  // namespace
}  // namespace manyverbs
