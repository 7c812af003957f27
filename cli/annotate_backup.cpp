// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/annotate.h"
#include "cli/dataset_text.h"
#include "manyverbs/server/internal/backup.h"

namespace manyverbs::cli {
namespace {

// "2 people, 17 answers"
std::string contents(const BackupReport& report) {
  return fmt::format("{}, {}", counted(report.people, "person", "people"),
                     counted(report.answers, "answer", "answers"));
}

void annotate_backup_command(const Arguments& arguments) {
  CommandLine line("annotate backup",
                   "manyverbs annotate backup project --out /backups/project\n"
                   "manyverbs annotate backup project --database postgresql://me@db/verbs --out "
                   "/backups/project");
  ProjectOptions options;
  std::string out;
  add_project_options(line, &options);
  line.app
      .add_option("--out", out,
                  "Folder of the backup; an earlier backup of the project gets what is new")
      ->required();
  if (!line.parse(arguments)) return;
  const AnnotationProject project = read_project(options.folder);
  const std::unique_ptr<AnnotationStore> store = open_store(options, project);
  const BackupReport report = back_up(project, store->database(), out, time_now());
  fmt::print("{}: {}\n  {} of {} copied\n", report.snapshot.string(), contents(report),
             report.copied, counted(report.files, "file", "files"));
}

void annotate_restore_command(const Arguments& arguments) {
  CommandLine line("annotate restore",
                   "manyverbs annotate restore /backups/project --out project\n"
                   "manyverbs annotate restore /backups/project --out project --database "
                   "postgresql://me@db/verbs");
  std::string backup;
  std::string answers;
  std::string out;
  std::string database;
  line.app.add_option("BACKUP", backup, "A folder created by 'annotate backup'")->required();
  line.app.add_option("--answers", answers,
                      "The file with the answers; default: the newest in BACKUP/answers");
  line.app.add_option("--out", out, "Folder of the project to create")->required();
  line.app.add_option("--database", database,
                      "An empty postgresql://USER@HOST/NAME or a new SQLite file for the answers; "
                      "default: OUT/answers.sqlite");
  if (!line.parse(arguments)) return;
  if (answers.empty()) answers = newest_snapshot(backup).string();
  const BackupReport report = restore(backup, answers, out, database);
  fmt::print("{}: {} from {}\n", out, contents(report), answers);
  fmt::print("next: manyverbs annotate serve {}{}\n", out,
             database.empty() ? "" : ", with the same --database");
}

const Registration kAnnotateBackup("annotate backup", annotate_backup_command);
const Registration kAnnotateRestore("annotate restore", annotate_restore_command);

}  // namespace
}  // namespace manyverbs::cli
