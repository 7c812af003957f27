// SPDX-License-Identifier: MIT
//
// 200 simulated annotators on SQLite with one answer per second each: measures the time until an
// answer is on disk, while videos are loaded, a leader uses the server, a stranger sends 1,000
// requests per second, and 5,000 connections are idle. All of them come through a trusted proxy.
// Then the overview of a round with 100,000 answers. Fails on any error.
#include <sys/resource.h>

#include <soci/soci.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

#include "bench/annotation_clients.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPeople = 200;
constexpr int kTasks = 3000;
constexpr int kSeconds = 20;
constexpr int kStrangers = 10;  // connections of one address, 100 requests per second each
constexpr int kIdle = 5000;
constexpr int kManyTasks = 33'400;  // with three answers each

struct Measured {
  std::mutex mutex;
  std::vector<double> milliseconds;
  std::vector<std::string> problems;
};

// Sends one answer per second, from `start` on.
void annotate(int port, int number, const std::string& link, Clock::time_point start,
              Measured* measured) {
  try {
    Caller caller(port, number);
    caller.join(link);
    for (int second = 0; second < kSeconds; ++second) {
      const Json next = caller.post("/api/annotator/next", Json::object());
      if (next["tasks"].empty()) throw Error("there are no tasks left");
      const Json& task = next["tasks"][0];
      caller.load_video(task["video"].get<std::string>());
      const Json body = {
          {"task", task["task"]},
          {"answer",
           {{"chosen", {task["candidates"][0]["class"], task["candidates"][3]["class"]}},
            {"confident", true},
            {"nothing", false},
            {"milliseconds", 1000}}}};
      std::this_thread::sleep_until(start + std::chrono::seconds(second));
      const auto sent = Clock::now();
      caller.post("/api/annotator/answers", body);
      const double took = std::chrono::duration<double, std::milli>(Clock::now() - sent).count();
      const std::lock_guard lock(measured->mutex);
      measured->milliseconds.push_back(took);
    }
  } catch (const std::exception& problem) {
    const std::lock_guard lock(measured->mutex);
    measured->problems.emplace_back(problem.what());
  }
}

// Sends 100 requests per second as an unknown client, and counts them.
void disturb(int port, const std::atomic<bool>& done, std::atomic<int>* sent) {
  constexpr int kStranger = 60'000;
  Caller caller(port, kStranger);
  const char* paths[] = {"/api/annotator/guide", "/api/annotator", "/clips/1.mp4", "/guess"};
  auto next = Clock::now();
  while (!done) {
    caller.status_of(paths[++*sent % std::size(paths)]);
    next += std::chrono::milliseconds(10);
    std::this_thread::sleep_until(next);
  }
}

// Connections that send nothing.
class IdleConnections {
 public:
  IdleConnections(int port, int count) {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    const boost::asio::ip::tcp::endpoint server(boost::asio::ip::address_v4::loopback(), port);
    for (int i = 0; i < count; ++i) sockets_.emplace_back(context_).connect(server);
  }

 private:
  boost::asio::io_context context_;
  std::vector<boost::asio::ip::tcp::socket> sockets_;
};

// Checks that nobody answered a clip twice, that no clip has too many answers, and that the stored
// counts are correct.
void check_assignments(const AnnotationProject& project, Measured* measured) {
  AnnotationStore store((project.folder / "answers.sqlite").string(), project);
  std::set<std::pair<int, int>> seen;
  for (const StoredAnswer& answer : store.answers()) {
    if (!seen.insert({answer.person, answer.task}).second) {
      measured->problems.emplace_back("a person answered a clip twice");
    }
  }
  if (static_cast<int>(seen.size()) != kPeople * kSeconds) {
    measured->problems.push_back(fmt::format("{} answers are stored", seen.size()));
  }
  for (const AnnotationStore::Count& count : store.kept_counts()) {
    if (count.load > AnnotationSettings{}.people)
      measured->problems.emplace_back("too many answers for a clip");
  }
  if (store.kept_counts() != store.true_counts()) measured->problems.emplace_back("wrong counts");
}

int measure_answers() {
  const AnnotationProject project = make_project(new_folder(), kTasks, kVideoBytes);
  const auto [server, port] = start_server(project);
  Caller leader(port, 0);
  leader.post("/api/leader/login", {{"name", "leader"}, {"password", kPassword}});
  std::vector<std::string> links;
  for (int i = 0; i < kPeople; ++i) {
    links.push_back(
        leader.post("/api/leader/people", {{"name", fmt::format("person {}", i)}})["link"]
            .get<std::string>());
  }
  Measured measured;
  // The server closes them after 20 seconds.
  const IdleConnections idle(port, kIdle);
  const auto start = Clock::now() + std::chrono::seconds(2);
  std::vector<std::thread> people;
  for (int i = 0; i < kPeople; ++i) {
    people.emplace_back(annotate, port, i + 1, links[i],
                        start + std::chrono::milliseconds(1000 * i / kPeople), &measured);
  }
  std::atomic<bool> done = false;
  std::atomic<int> sent = 0;
  std::vector<std::thread> others;
  for (int i = 0; i < kStrangers; ++i) {
    others.emplace_back([&, port = port] { disturb(port, done, &sent); });
  }
  others.emplace_back([&] {
    while (!done) {
      leader.get("/api/leader/overview");
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
  });
  const auto begin = Clock::now();
  for (std::thread& thread : people) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  done = true;
  for (std::thread& thread : others) thread.join();
  stop_server(server);
  check_assignments(project, &measured);
  std::filesystem::remove_all(project.folder);
  for (const std::string& problem : measured.problems) fmt::print(stderr, "{}\n", problem);
  if (!measured.problems.empty()) return 1;
  std::vector<double>& times = measured.milliseconds;
  std::sort(times.begin(), times.end());
  fmt::print(
      "answer-p50 {:.1f} ms\nanswer-p99 {:.1f} ms\nanswer-max {:.1f} ms\nstranger {:.0f} per "
      "second\n",
      times[times.size() / 2], times[times.size() * 99 / 100], times.back(), sent / seconds);
  return 0;
}

// A round with three answers to each of many clips, by 200 people.
void answer_everything(const AnnotationProject& project) {
  AnnotationStore store((project.folder / "answers.sqlite").string(), project);
  for (int i = 0; i < kPeople; ++i) {
    store.add_person(fmt::format("person {}", i), fmt::format("link {}", i), {"bench", 1});
  }
  store.database().write(Database::Sync::Now, [&](soci::session& sql) {
    int id = 0;
    for (const AnnotationTask& task : project.tasks) {
      for (int i = 0; i < 3; ++i) {
        const int person = (task.number * 7 + i * 31) % kPeople + 1;
        ++id;
        sql << fmt::format(
            "INSERT INTO answers (id, person, task, position, chosen, confident, no_action, "
            "milliseconds, answered_at, latest) VALUES ({}, {}, {}, {}, '{},{}', 1, 0, 9000, {}, "
            "1)",
            id, person, task.number, id, task.candidates[0], task.candidates[1 + (id % 3)],
            1'700'000'000'000 + id);
      }
    }
    sql << "UPDATE tasks SET answered = 3, load = 3";
  });
}

void measure_overview() {
  const AnnotationProject project = make_project(new_folder(), kManyTasks, 0);
  answer_everything(project);
  const auto [server, port] = start_server(project);
  Caller leader(port, 0);
  leader.post("/api/leader/login", {{"name", "leader"}, {"password", kPassword}});
  const auto milliseconds = [&] {
    const auto begin = Clock::now();
    leader.get("/api/leader/overview");
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  };
  const double first = milliseconds();
  std::vector<double> later;
  for (int i = 0; i < 20; ++i) {
    leader.post("/api/leader/people", {{"name", fmt::format("new {}", i)}});  // changes it
    later.push_back(milliseconds());
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  stop_server(server);
  std::filesystem::remove_all(project.folder);
  std::sort(later.begin(), later.end());
  fmt::print("overview-first {:.0f} ms\noverview-p50 {:.1f} ms\noverview-max {:.1f} ms\n", first,
             later[later.size() / 2], later.back());
}

int run() {
  measure_overview();
  return measure_answers();
}

}  // namespace
}  // namespace manyverbs

int main() { return manyverbs::run(); }
