// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/backup.h"

#include <algorithm>
#include <vector>

#include "manyverbs/server/internal/private_files.h"
#include "manyverbs/server/internal/snapshot.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

namespace fs = std::filesystem;

void make_private_folder(const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) throw Error("{}: cannot be created: {}", folder.string(), problem.message());
  make_private(folder);
}

// The files of a project, relative to its folder, without answers; project.json, which makes a
// folder a project, is last.
std::vector<fs::path> project_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::follow_directory_symlink)) {
    const fs::path file = fs::relative(entry.path(), folder);
    if (!entry.is_regular_file() || is_temporary(file)) continue;
    if (file.string().starts_with("answers.sqlite") || file == "project.json") continue;
    files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  files.emplace_back("project.json");
  return files;
}

// Returns whether the file had to be copied.
bool update_file(const fs::path& from, const fs::path& to) {
  const auto time = fs::last_write_time(from);
  if (fs::exists(to) && fs::file_size(to) == fs::file_size(from) &&
      fs::last_write_time(to) == time) {
    return false;
  }
  make_private_folder(to.parent_path());
  write_file(to, read_file(from));
  make_private(to);
  fs::last_write_time(to, time);
  return true;
}

// The project of an earlier backup must have the same tasks, so that all snapshots belong to it.
void check_backup(const AnnotationProject& project, const fs::path& backup) {
  const fs::path inside =
      fs::weakly_canonical(backup).lexically_relative(fs::weakly_canonical(project.folder));
  if (!inside.empty() && *inside.begin() != "..") {
    throw Error("{}: is inside the project; choose another --out", backup.string());
  }
  if (!fs::exists(backup) || fs::is_empty(backup)) return;
  if (!fs::is_directory(backup / "project")) {
    throw Error("{}: exists and is not a backup; choose another --out", backup.string());
  }
  if (!fs::exists(backup / "project" / "project.json")) return;  // the first backup was interrupted
  if (tasks_stamp(read_project(backup / "project")) != tasks_stamp(project)) {
    throw Error("{}: is a backup of a project with other tasks; choose another --out",
                backup.string());
  }
}

void check_videos(const AnnotationProject& project) {
  for (const auto* tasks : {&project.tasks, &project.practice}) {
    for (const AnnotationTask& task : *tasks) {
      const fs::path video = project.folder / task.video;
      if (!fs::exists(video)) throw Error("{}: is missing in the backup", video.string());
    }
  }
}

void count_contents(const AnnotationProject& project, const fs::path& snapshot,
                    BackupReport* report) {
  AnnotationStore store(snapshot.string(), project);
  check_snapshot(store.database());
  report->people = static_cast<int>(store.people().size());
  const std::vector<StoredAnswer> answers = store.answers();
  report->answers = static_cast<int>(std::count_if(
      answers.begin(), answers.end(), [](const StoredAnswer& answer) { return answer.current; }));
}

// "2026-01-31T14-03-21.042Z.sqlite": in alphabetical order, the newest is last.
std::string snapshot_name(Time now) {
  std::string text = time_text(now);
  std::replace(text.begin(), text.end(), ':', '-');
  text.pop_back();
  return fmt::format("{}.{:03}Z.sqlite", text, now % 1000);
}

}  // namespace

BackupReport back_up(const AnnotationProject& project, Database& database, const fs::path& backup,
                     Time now) {
  check_backup(project, backup);
  make_private_folder(backup);
  const FileLock lock(backup);
  make_private_folder(backup / "project");
  make_private_folder(backup / "answers");
  BackupReport report;
  for (const fs::path& file : project_files(project.folder)) {
    ++report.files;
    if (update_file(project.folder / file, backup / "project" / file)) ++report.copied;
  }
  // Under another name until it is complete.
  const fs::path unfinished = backup / "answers" / "unfinished";
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(unfinished.string() + ending);
  write_snapshot(database, unfinished);
  count_contents(project, unfinished, &report);
  report.snapshot = backup / "answers" / snapshot_name(now);
  fs::rename(unfinished, report.snapshot);
  return report;
}

fs::path newest_snapshot(const fs::path& backup) {
  fs::path newest;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(backup / "answers", problem)) {
    if (entry.path().extension() == ".sqlite") newest = std::max(newest, entry.path());
  }
  if (newest.empty()) {
    throw Error(
        "{}: is not a finished backup: it has no answers/*.sqlite; create one with "
        "'manyverbs annotate backup'",
        backup.string());
  }
  return newest;
}

BackupReport restore(const fs::path& backup, const fs::path& snapshot, const fs::path& folder,
                     const std::string& database) {
  const bool is_file = database.find("://") == std::string::npos;
  if (is_file && !database.empty() && fs::exists(database)) {
    throw Error("{}: exists already; expected a new file", database);
  }
  check_videos(read_project(backup / "project"));
  FolderWriter writer(folder);
  make_private(writer.path());
  BackupReport report{.snapshot = snapshot};
  for (const fs::path& file : project_files(backup / "project")) {
    ++report.files;
    if (update_file(backup / "project" / file, writer.path() / file)) ++report.copied;
  }
  const AnnotationProject project = read_project(writer.path());
  // A copy: opening the snapshot itself would bring its tables up to date.
  const fs::path answers = answers_file(project);
  create_private(answers);
  write_file(answers, read_file(snapshot));
  count_contents(project, answers, &report);
  if (!is_file) {
    Database from(answers.string());
    Database to(database);
    load_snapshot(from, to);
  }
  if (!database.empty()) {
    if (is_file) fs::copy_file(answers, database);  // with its access rights
    fs::remove(answers);
  }
  writer.commit();
  return report;
}

}  // namespace manyverbs
