// SPDX-License-Identifier: MIT
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "manyverbs/server/annotation_server.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/http_client.h"

namespace manyverbs {

/// An annotation server with a large project, and its clients behind a proxy.

inline constexpr int kVideoBytes = 150'000;
inline constexpr const char* kPassword = "a password for the bench";

inline std::filesystem::path new_folder() {
  std::string folder = (std::filesystem::temp_directory_path() / "manyverbs-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw Error("{}: cannot be created", folder);
  return folder;
}

/// A project of 97 classes with `tasks` clips; without videos if `video_bytes` is 0.
inline AnnotationProject make_project(const std::filesystem::path& folder, int tasks,
                                      int video_bytes) {
  AnnotationProject project;
  project.folder = folder;
  project.name = "bench";
  std::vector<std::string> names;
  for (int i = 0; i < 97; ++i) names.push_back(fmt::format("verb {}", i));
  project.classes = Vocabulary(names);
  std::filesystem::create_directories(folder / "clips");
  for (int number = 1; number <= tasks; ++number) {
    AnnotationTask task{number, fmt::format("clip {}", number), number % 97, {}, ""};
    for (int i = 0; i < 11; ++i) task.candidates.push_back((number + 7 * i) % 97);
    task.video = fmt::format("clips/{}.mp4", number);
    if (video_bytes > 0) write_file(folder / task.video, std::string(video_bytes, 'v'));
    project.tasks.push_back(task);
  }
  write_project_settings(project);
  write_project_tasks(project);
  return read_project(folder);
}

/// Starts a server in a separate process; returns the process and its port.
inline std::pair<pid_t, int> start_server(const AnnotationProject& project) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) throw Error("cannot create a pipe");
  const pid_t child = fork();
  if (child == 0) {
    AnnotationServer server(project,
                            {.port = 0, .public_url = "http://127.0.0.1:1", .password = kPassword});
    const int port = server.port();
    if (write(ends[1], &port, sizeof port) != sizeof port) _exit(1);
    server.run();
    _exit(0);
  }
  int port = 0;
  if (read(ends[0], &port, sizeof port) != sizeof port) throw Error("the server did not start");
  return {child, port};
}

inline void stop_server(pid_t server) {
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
}

/// A browser; every request is a success or an Error.
class Caller {
 public:
  /// `number` makes the address that the proxy reports: 10.0.1.44 for 300.
  Caller(int port, int number)
      : client_(port), address_(fmt::format("10.0.{}.{}", number / 256, number % 256)) {}

  Json post(const std::string& path, const Json& body) {
    HttpHeaders headers = common_headers();
    headers.add("X-Manyverbs", "1");
    return checked(client_.post(path, body.dump(), headers));
  }
  Json get(const std::string& path) { return checked(client_.get(path, common_headers())); }
  /// The status of a request that may be refused.
  int status_of(const std::string& path) { return client_.get(path, common_headers()).status; }
  /// Signs in with a personal link and finishes the practice, which clips require.
  void join(const std::string& link) {
    post("/api/annotator/join", {{"token", link.substr(link.find('#') + 1)}});
    const Json practice = get("/api/annotator/practice");
    for (const Json& task : practice["tasks"]) {
      const Json answer = {{"chosen", {task["candidates"][0]["class"]}},
                           {"confident", true},
                           {"nothing", false},
                           {"milliseconds", 3000}};
      post("/api/annotator/practice", {{"task", task["task"]}, {"answer", answer}});
    }
    post("/api/annotator/practised", Json::object());
  }
  void load_video(const std::string& path) {
    HttpHeaders headers = common_headers();
    headers.add("Range", "bytes=0-");
    const ClientReply reply = client_.get(path, headers);
    if (reply.status != 206 || reply.body.size() != kVideoBytes) {
      throw Error("{}: the video was not sent", path);
    }
  }

 private:
  HttpHeaders common_headers() const {
    HttpHeaders headers;
    headers.add("X-Real-IP", address_);
    if (!cookie_.empty()) headers.add("Cookie", cookie_);
    return headers;
  }
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
  std::string address_;
  std::string cookie_;
};

}  // namespace manyverbs
