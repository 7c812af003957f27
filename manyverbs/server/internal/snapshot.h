// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/server/internal/database.h"

namespace manyverbs {

/// A snapshot is an SQLite file with all tables of a database at one moment.

/// Writes a snapshot to a new file, also while servers use the database: they do not wait for it.
/// The file is on disk when the function returns, and readable by its owner only. If the function
/// throws, the file does not exist.
void write_snapshot(Database& database, const std::filesystem::path& file);

/// Throws Error if the file of a snapshot is damaged.
void check_snapshot(Database& snapshot);

/// Replaces all rows of a database by those of a snapshot with the same schema, in one transaction.
/// Throws Error if the database was used by a server already.
void load_snapshot(Database& snapshot, Database& database);

}  // namespace manyverbs
