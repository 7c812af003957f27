// SPDX-License-Identifier: MIT
//
// 100 simulated annotators on SQLite with one answer per second each: measures the time until an
// answer is on disk, while videos are loaded and a leader uses the server. Fails on any error.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

#include "manyverbs/server/annotation_server.h"
#include "manyverbs/server/internal/secrets.h"
#include "manyverbs/server/internal/store.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/http_client.h"

namespace manyverbs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPeople = 100;
constexpr int kTasks = 1500;
constexpr int kSeconds = 20;
constexpr int kVideoBytes = 150'000;
constexpr const char* kPassword = "a password for the bench";

AnnotationProject make_project(const std::filesystem::path& folder) {
  AnnotationProject project;
  project.folder = folder;
  project.name = "bench";
  std::vector<std::string> names;
  for (int i = 0; i < 97; ++i) names.push_back(fmt::format("verb {}", i));
  project.classes = Vocabulary(names);
  std::filesystem::create_directories(folder / "clips");
  for (int number = 1; number <= kTasks; ++number) {
    AnnotationTask task{number, fmt::format("clip {}", number), number % 97, {}, ""};
    for (int i = 0; i < 11; ++i) task.candidates.push_back((number + 7 * i) % 97);
    task.video = fmt::format("clips/{}.mp4", number);
    write_file(folder / task.video, std::string(kVideoBytes, 'v'));
    project.tasks.push_back(task);
  }
  write_project_settings(project);
  write_project_tasks(project);
  return read_project(folder);
}

// Starts a server in a separate process; returns the process and its port.
std::pair<pid_t, int> start_server(const AnnotationProject& project) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) throw Error("cannot create a pipe");
  const pid_t child = fork();
  if (child == 0) {
    AnnotationServer server(project, {.port = 0, .password = kPassword});
    const int port = server.port();
    if (write(ends[1], &port, sizeof port) != sizeof port) _exit(1);
    server.run();
    _exit(0);
  }
  int port = 0;
  if (read(ends[0], &port, sizeof port) != sizeof port) throw Error("the server did not start");
  return {child, port};
}

class Caller {
 public:
  explicit Caller(int port) : client_(port) {}

  Json post(const std::string& path, const Json& body) {
    return checked(client_.post(path, body.dump(), {{"X-Manyverbs", "1"}, {"Cookie", cookie_}}));
  }
  Json get(const std::string& path) { return checked(client_.get(path, {{"Cookie", cookie_}})); }
  void join(const std::string& link) { remember(client_.get(link.substr(link.find("/join/")))); }
  void load_video(const std::string& path) {
    const ClientReply reply = client_.get(path, {{"Cookie", cookie_}, {"Range", "bytes=0-"}});
    if (reply.status != 206 || reply.body.size() != kVideoBytes) {
      throw Error("{}: the video was not sent", path);
    }
  }

 private:
  Json checked(const ClientReply& reply) {
    if (reply.status != 200) throw Error("{}: {}", reply.status, reply.body);
    remember(reply);
    return Json::parse(reply.body);
  }
  void remember(const ClientReply& reply) {
    if (!reply.headers.contains("Set-Cookie")) return;
    const std::string header = reply.headers.value("Set-Cookie");
    cookie_ = header.substr(0, header.find(';'));
  }

  HttpClient client_;
  std::string cookie_;
};

struct Measured {
  std::mutex mutex;
  std::vector<double> milliseconds;
  std::vector<std::string> problems;
};

// Sends one answer per second, from `start` on.
void annotate(int port, const std::string& link, Clock::time_point start, Measured* measured) {
  try {
    Caller caller(port);
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

int run() {
  std::string folder = (std::filesystem::temp_directory_path() / "manyverbs-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw Error("{}: cannot be created", folder);
  const AnnotationProject project = make_project(folder);
  const auto [server, port] = start_server(project);
  Caller leader(port);
  leader.post("/api/leader/login", {{"password", kPassword}});
  std::vector<std::string> links;
  for (int i = 0; i < kPeople; ++i) {
    links.push_back(
        leader.post("/api/leader/people", {{"name", fmt::format("person {}", i)}})["link"]
            .get<std::string>());
  }
  Measured measured;
  const auto start = Clock::now() + std::chrono::seconds(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < kPeople; ++i) {
    threads.emplace_back(annotate, port, links[i],
                         start + std::chrono::milliseconds(1000 * i / kPeople), &measured);
  }
  std::atomic<bool> done = false;
  std::thread looking([&] {
    while (!done) {
      leader.get("/api/leader/overview");
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  looking.join();
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
  check_assignments(project, &measured);
  std::filesystem::remove_all(folder);
  for (const std::string& problem : measured.problems) fmt::print(stderr, "{}\n", problem);
  if (!measured.problems.empty()) return 1;
  std::vector<double>& times = measured.milliseconds;
  std::sort(times.begin(), times.end());
  fmt::print("answer-p50 {:.1f} ms\nanswer-p99 {:.1f} ms\nanswer-max {:.1f} ms\n",
             times[times.size() / 2], times[times.size() * 99 / 100], times.back());
  return 0;
}

}  // namespace
}  // namespace manyverbs

int main() { return manyverbs::run(); }
