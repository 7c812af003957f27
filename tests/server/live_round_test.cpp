// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/live_round.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "manyverbs/support/internal/random.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/moments.h"
#include "tests/server/toy_project.h"

namespace manyverbs {
namespace {

Json live_overview(const AnnotationProject& project, LiveRound* round, Time now) {
  return round->view([&](const LiveRound::View& view) {
    const std::vector<PersonStatistics> people = round->people_of(view, now);
    return overview_json(project, view.settings, view.people,
                         view.statistics->project(view.settings), people);
  });
}

Json recomputed_overview(const AnnotationProject& project, AnnotationStore* store) {
  const std::vector<StoredAnswer> answers = store->answers();
  const std::vector<Person> people = store->people();
  const AnnotationSettings settings = store->settings();
  return overview_json(
      project, settings, people,
      project_statistics(project, answers, people, store->reports(), settings, store->decisions()),
      person_statistics(project, answers, people, settings, store->decisions()));
}

// All tests run with an SQLite file and with a PostgreSQL server.
class Live : public testing::TestWithParam<std::string> {
 protected:
  std::string database() {
    return GetParam() == "sqlite" ? (scratch_ / "answers.sqlite").string()
                                  : PostgresServer::shared().new_database();
  }
  ScratchFolder scratch_;
};

Answer random_answer(Random* random) {
  Answer answer;
  for (const ClassId verb : {0, 1, 2, 3}) {
    if (random->below(3) == 0) answer.chosen.push_back(verb);
  }
  answer.nothing = answer.chosen.empty();
  answer.confident = random->below(4) > 0;
  answer.milliseconds = 500 + static_cast<int>(random->below(5000));
  return answer;
}

// Two servers share the database; each has its own live round.
TEST_P(Live, TheOverviewEqualsOneFromAllAnswersAfterEveryChange) {
  const AnnotationProject project = write_toy_project(scratch_.path(), 12);
  const std::string where = database();
  AnnotationStore one(where, project);
  AnnotationStore other(where, project);
  LiveRound first(&project, &one);
  LiveRound second(&project, &other);
  Random random(7);
  std::vector<int> people;
  for (const char* name : {"Ann", "Ben", "Cyd", "Dan"}) {
    people.push_back(one.add_person(name, std::string("link of ") + name, kLeader).id);
  }
  int changes = 0;
  for (int step = 0; step < 120; ++step) {
    AnnotationStore& store = step % 2 == 0 ? one : other;
    const int person = people[random.below(people.size())];
    const Time now = kStart + step * 7 * kMinute;
    const std::uint64_t what = random.below(23);
    if (what < 12) {
      const std::vector<int> held = store.next_tasks(person, now).tasks;
      if (!held.empty() && store.person(person).state != PersonState::Excluded) {
        store.save(person, held.front(), random_answer(&random), now);
      }
    } else if (what < 15) {
      const std::optional<StoredAnswer> before = store.earlier(person, 0);
      if (before && store.person(person).state != PersonState::Excluded) {
        store.save(person, before->task, random_answer(&random), now);
      }
    } else if (what == 15) {
      store.set_state(person, PersonState::Excluded, kLeader);
    } else if (what == 16) {
      store.set_state(person, PersonState::Active, kLeader);
    } else if (what == 17) {
      const std::vector<int> held = store.next_tasks(person, now).tasks;
      if (!held.empty()) store.report(person, held.back(), now);
    } else if (what == 18) {
      store.forget_reports(1 + static_cast<int>(random.below(12)), kLeader);
    } else if (what < 21) {
      const auto task = 1 + static_cast<int>(random.below(12));
      store.decide({task, random_answer(&random).chosen, "because"}, {"Lea", now});
    } else if (what == 21) {
      for (int task = 1; task <= 6; ++task) store.undo_decision(task, kLeader);
    } else {
      store.set_settings({.people = 1 + static_cast<int>(random.below(3))}, kLeader);
    }
    const Json expected = recomputed_overview(project, &one);
    // The second server is asked less often, so it has more to catch up with.
    ASSERT_EQ(live_overview(project, &first, now), expected) << step;
    if (step % 5 == 0) {
      ASSERT_EQ(live_overview(project, &second, now), expected) << step;
    }
    changes += expected["answers"].get<int>() > 0 ? 1 : 0;
  }
  EXPECT_GT(changes, 100);
}

INSTANTIATE_TEST_SUITE_P(Databases, Live, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

// 2,000 clips with three answers to four verbs: more than is fitted at once.
TEST(LiveModel, OfManyAnswersIsFittedInTheBackgroundAndEvery20Seconds) {
  const ScratchFolder scratch;
  AnnotationProject project = write_toy_project(scratch.path(), 1);
  const AnnotationTask task = project.tasks.front();
  for (int number = 2; number <= 2000; ++number) {
    project.tasks.push_back(task);
    project.tasks.back().number = number;
  }
  RoundStatistics round(&project);
  std::vector<Person> people;
  std::vector<StoredAnswer> answers;
  Random random(3);
  for (int person = 1; person <= 3; ++person) {
    people.push_back({person, "somebody", PersonState::Active, true, {}});
    for (const AnnotationTask& each : project.tasks) {
      answers.push_back({person, each.number, random_answer(&random), kStart, true});
    }
  }
  round.update(answers, people, {});
  LiveModel live;
  EXPECT_TRUE(live.model(round.clips(), round.version(), kStart).people.empty());
  while (live.model(round.clips(), round.version(), kStart).people.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(live.answers(), 6000);
  const AnswerModel expected = model_answers(round.clips());
  EXPECT_EQ(live.model(round.clips(), round.version(), kStart).posteriors, expected.posteriors);

  const std::vector<StoredAnswer> correction = {
      {1, 1, {{0, 1, 2, 3}, true, false, 1}, kStart, true}};
  round.update(correction, people, {});
  const AnswerModel changed = model_answers(round.clips());
  ASSERT_NE(changed.posteriors, expected.posteriors);
  EXPECT_EQ(live.model(round.clips(), round.version(), kStart + 19'999).posteriors,
            expected.posteriors);
  while (live.model(round.clips(), round.version(), kStart + 20'000).posteriors ==
         expected.posteriors) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(live.model(round.clips(), round.version(), kStart + 20'000).posteriors,
            changed.posteriors);
}

}  // namespace
}  // namespace manyverbs
