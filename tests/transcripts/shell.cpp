// SPDX-License-Identifier: MIT
#include "tests/transcripts/shell.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "manyverbs/support/error.h"

namespace manyverbs::transcripts {
namespace {

std::string reason() { return std::strerror(errno); }

[[noreturn]] void become_bash(const std::string& command, const std::filesystem::path& folder,
                              int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // if the runner is killed, so is its command
  const int input = open("/dev/null", O_RDONLY);
  if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
      dup2(output, STDERR_FILENO) < 0 || chdir(folder.c_str()) != 0) {
    _exit(126);
  }
  execlp("bash", "bash", "-c", command.c_str(), nullptr);
  _exit(127);
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[1 << 12];
  ssize_t count = 0;
  while ((count = read(descriptor, buffer, sizeof buffer)) != 0) {
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  return text;
}

}  // namespace

Shell::Shell(const std::filesystem::path& programs, const std::filesystem::path& tests) {
  std::string name = (std::filesystem::temp_directory_path() / "transcript-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error("{}: cannot be created: {}", name, reason());
  folder_ = name;
  const char* path = std::getenv("PATH");
  const std::string found =
      std::filesystem::absolute(programs).string() + ":" + (path == nullptr ? "" : path);
  setenv("PATH", found.c_str(), 1);
  setenv("MANYVERBS_TEST_FOLDER", std::filesystem::absolute(tests).c_str(), 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  // Tests run in parallel: waiting threads must not use a core.
  setenv("GOMP_SPINCOUNT", "0", 1);
}

Shell::~Shell() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Outcome Shell::run(const std::string& command) const {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("a pipe cannot be made: {}", reason());
  const pid_t child = fork();
  if (child < 0) throw Error("a process cannot be started: {}", reason());
  if (child == 0) become_bash(command, folder_, ends[1]);
  close(ends[1]);
  std::istringstream output(read_all(ends[0]));
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;

  Outcome outcome;
  for (std::string line; std::getline(output, line);) outcome.lines.push_back(line);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace manyverbs::transcripts
