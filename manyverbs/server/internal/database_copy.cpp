// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/database_copy.h"

#include <fcntl.h>
#include <soci/soci.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "manyverbs/server/internal/private_files.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

// Writes a file or the entries of a folder to disk.
void sync_to_disk(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && fsync(descriptor) == 0;
  const int problem = errno;
  if (descriptor >= 0) close(descriptor);
  if (!done) throw Error("{}: cannot be written to disk: {}", path.string(), strerror(problem));
}

std::filesystem::path free_copy_name(const std::filesystem::path& file, int schema) {
  for (int number = 1;; ++number) {
    std::filesystem::path path = file;
    path.replace_filename(fmt::format("{}.schema-{}{}{}", file.stem().string(), schema,
                                      number == 1 ? "" : fmt::format("-{}", number),
                                      file.extension().string()));
    if (!std::filesystem::exists(path)) return path;
  }
}

// The tables of this user, without earlier copies.
std::vector<std::string> own_tables(soci::session& sql) {
  std::string table;
  soci::statement rows =
      (sql.prepare << "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() "
                      "AND tableowner = current_user AND tablename !~ '_schema_[0-9_]+$' "
                      "ORDER BY tablename",
       soci::into(table));
  rows.execute();
  std::vector<std::string> tables;
  while (rows.fetch()) tables.push_back(table);
  return tables;
}

std::string free_suffix(soci::session& sql, int schema) {
  for (int number = 1;; ++number) {
    const std::string suffix =
        fmt::format("schema_{}{}", schema, number == 1 ? "" : fmt::format("_{}", number));
    const std::string meta = "meta_" + suffix;
    int tables = 0;
    sql << "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() "
           "AND tablename = :name",
        soci::into(tables), soci::use(meta);
    if (tables == 0) return suffix;
  }
}

}  // namespace

void write_sqlite_copy(soci::session& reader, const std::filesystem::path& file) {
  const std::string name = file.string();
  create_private(name);
  reader << "VACUUM INTO :file", soci::use(name);
  sync_to_disk(name);  // SQLite does not
}

std::string copy_sqlite(soci::session& reader, const std::string& file, int schema) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  const std::filesystem::path copy = free_copy_name(path, schema);
  // A copy that was interrupted is overwritten: there is only one writer.
  const std::string partial = copy.string() + ".partial";
  std::filesystem::remove(partial);
  write_sqlite_copy(reader, partial);
  std::filesystem::rename(partial, copy);
  sync_to_disk(copy.parent_path());
  return (std::filesystem::path(file).parent_path() / copy.filename()).string();
}

std::string copy_postgresql(soci::session& sql, int schema) {
  const std::string suffix = free_suffix(sql, schema);
  for (const std::string& table : own_tables(sql)) {
    const std::string copy = fmt::format("\"{}_{}\"", table, suffix);
    sql << fmt::format("CREATE TABLE {} (LIKE \"{}\" INCLUDING ALL)", copy, table);
    sql << fmt::format("INSERT INTO {} SELECT * FROM \"{}\"", copy, table);
  }
  return "tables *_" + suffix;
}

}  // namespace manyverbs
