// SPDX-License-Identifier: MIT
//
// Confirmed answers survive kill -9 of the server.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "manyverbs/server/internal/store.h"
#include "tests/scratch.h"
#include "tests/server/databases.h"
#include "tests/server/toy_project.h"
#include "tests/server/visitor.h"

namespace manyverbs {
namespace {

// A server in its own process.
class ServerProcess {
 public:
  ServerProcess(const AnnotationProject& project, ServeSettings settings) {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) throw Error("a pipe cannot be made");
    child_ = fork();
    if (child_ == 0) {
      settings.port = 0;
      AnnotationServer server(project, settings);
      const int port = server.port();
      if (write(ends[1], &port, sizeof port) != sizeof port) _exit(1);
      server.run();
      _exit(0);
    }
    if (read(ends[0], &port_, sizeof port_) != sizeof port_)
      throw Error("the server did not start");
    close(ends[0]);
    close(ends[1]);
  }
  ~ServerProcess() { kill_now(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void kill_now() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  int port() const { return port_; }

 private:
  pid_t child_ = -1;
  int port_ = 0;
};

class Survival : public testing::TestWithParam<std::string> {
 protected:
  Survival() {
    settings_.password = kPassword;
    settings_.database = GetParam() == "sqlite" ? (scratch_ / "answers.sqlite").string()
                                                : PostgresServer::shared().new_database();
  }

  ScratchFolder scratch_;
  AnnotationProject project_ = write_toy_project(scratch_.path(), 60);
  ServeSettings settings_;
};

Visitor signed_in(int port) {
  Visitor leader(port);
  leader.sign_in();
  return leader;
}

// Sends answers until the server dies; records the confirmed ones.
void answer_until_killed(int port, const std::string& cookies, std::vector<int>* confirmed,
                         std::atomic<int>* answers) {
  try {
    Visitor visitor(port);
    visitor.set_cookies(cookies);
    for (;;) {
      const Json next = visitor.post_json("/api/annotator/next", Json::object());
      const int task = next["tasks"].at(0)["task"].get<int>();
      visitor.post_json("/api/annotator/answers", sent_answer(task, {0, 1}));
      confirmed->push_back(task);
      ++*answers;
    }
  } catch (const Error&) {  // the server is gone
  }
}

TEST_P(Survival, EveryConfirmedAnswerIsStoredAfterTheServerWasKilled) {
  constexpr int kPeople = 6;
  std::vector<std::string> cookies;
  std::map<int, std::set<int>> confirmed_by;  // person, tasks
  {
    ServerProcess server(project_, settings_);
    Visitor leader = signed_in(server.port());
    for (int i = 0; i < kPeople; ++i) {
      Visitor person(server.port());
      person.join(leader.invite(fmt::format("person {}", i)));
      cookies.push_back(person.cookies());
    }
  }
  for (int round = 0; round < 3; ++round) {
    ServerProcess server(project_, settings_);
    std::vector<std::vector<int>> confirmed(kPeople);
    std::vector<std::thread> threads;
    std::atomic<int> answers = 0;
    std::atomic<int> at_work = kPeople;
    for (int i = 0; i < kPeople; ++i) {
      threads.emplace_back([&, i] {
        answer_until_killed(server.port(), cookies[i], &confirmed[i], &answers);
        --at_work;
      });
    }
    while (answers < 15 + 7 * round && at_work > 0) std::this_thread::yield();
    server.kill_now();
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < kPeople; ++i) {
      confirmed_by[i + 1].insert(confirmed[i].begin(), confirmed[i].end());
    }
  }
  AnnotationStore store(settings_.database, project_);
  std::map<int, std::set<int>> kept;
  for (const StoredAnswer& answer : store.answers()) {
    EXPECT_TRUE(kept[answer.person].insert(answer.task).second) << "counted twice";
  }
  std::size_t total = 0;
  for (const auto& [person, tasks] : confirmed_by) {
    total += tasks.size();
    EXPECT_TRUE(std::includes(kept[person].begin(), kept[person].end(), tasks.begin(), tasks.end()))
        << person;
  }
  EXPECT_GE(total, 15U + 22U + 29U);
  EXPECT_EQ(store.kept_counts(), store.true_counts());
}

TEST_P(Survival, AnAnswerSentAgainToTheNextServerCountsOnce) {
  std::string cookies;
  {
    ServerProcess server(project_, settings_);
    Visitor leader = signed_in(server.port());
    Visitor ann(server.port());
    ann.join(leader.invite("Ann"));
    ann.post_json("/api/annotator/next", Json::object());
    ann.post_json("/api/annotator/answers", sent_answer(1, {0}));
    server.kill_now();
    cookies = ann.cookies();
  }
  ServerProcess server(project_, settings_);
  Visitor ann(server.port());
  ann.set_cookies(cookies);
  EXPECT_EQ(ann.post_json("/api/annotator/answers", sent_answer(1, {0}))["progress"]["done"], 1);
  AnnotationStore store(settings_.database, project_);
  EXPECT_EQ(store.answers().size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Databases, Survival, testing::Values("sqlite", "postgresql"),
                         [](const auto& info) { return info.param; });

TEST(TwoServers, ShareOnePostgresqlDatabase) {
  const ScratchFolder scratch;
  const AnnotationProject project = write_toy_project(scratch.path(), 6);
  const ServeSettings settings{.database = PostgresServer::shared().new_database(),
                               .password = kPassword};
  const RunningServer first(project, settings);
  const RunningServer second(project, settings);
  Visitor leader = signed_in(first.port());
  Visitor other_leader(second.port());
  other_leader.set_cookies(leader.cookies());
  EXPECT_EQ(other_leader.get_json("/api/leader")["state"], "signed_in");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    const std::string link = leader.invite(fmt::format("person {}", i));
    threads.emplace_back([&, link, i] {
      Visitor visitor(i % 2 == 0 ? first.port() : second.port());
      visitor.join(link);
      for (;;) {
        const Json next = visitor.post_json("/api/annotator/next", Json::object());
        if (next["tasks"].empty() && next["waiting"] == false) return;
        if (next["tasks"].empty()) continue;
        visitor.post_json("/api/annotator/answers",
                          sent_answer(next["tasks"][0]["task"].get<int>(), {0}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (Visitor* each : {&leader, &other_leader}) {
    const Json overview = each->get_json("/api/leader/overview");
    EXPECT_EQ(overview["answers"], 18);
    EXPECT_EQ(overview["clips"]["complete"], 6);
  }
}

}  // namespace
}  // namespace manyverbs
