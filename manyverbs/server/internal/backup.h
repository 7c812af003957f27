// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "manyverbs/server/internal/database.h"
#include "manyverbs/server/internal/store.h"
#include "manyverbs/server/project.h"

namespace manyverbs {

/// A backup is a folder with everything that a round needs to continue elsewhere:
///
///   project/                                the files of the project, without answers
///   answers/2026-01-31T14-03-21.042Z.sqlite   a snapshot of the database for each call of
///   back_up()
///
/// Only the owner can read it. Nothing in it is ever deleted.

struct BackupReport {
  std::filesystem::path snapshot;  ///< the file that was written or read
  int files = 0;                   ///< of the project
  int copied = 0;                  ///< those that were new or changed
  int people = 0;                  ///< in the snapshot
  int answers = 0;                 ///< in the snapshot, without those that were corrected later
};

/// Adds a snapshot to a backup, and the files of the project that are new or have another size or
/// time; servers may use the project meanwhile. Creates the folder if it does not exist. Throws
/// Error if it is something else than a backup of this project, or inside the project.
BackupReport back_up(const AnnotationProject& project, Database& database,
                     const std::filesystem::path& backup, Time now);

/// The newest snapshot of a backup. Throws Error if there is none.
std::filesystem::path newest_snapshot(const std::filesystem::path& backup);

/// Makes a project from a backup and one of its snapshots. `database` is an empty PostgreSQL
/// database, a new SQLite file or, if empty, answers.sqlite in the project. Throws Error if the
/// folder or the file exists, if the database is not empty, or if the backup is incomplete; then
/// nothing remains.
BackupReport restore(const std::filesystem::path& backup, const std::filesystem::path& snapshot,
                     const std::filesystem::path& folder, const std::string& database);

}  // namespace manyverbs
