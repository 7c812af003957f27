// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/meta.h"

#include <soci/soci.h>

#include <algorithm>

#include "manyverbs/support/internal/numbers.h"

namespace manyverbs {
namespace {

int highest_id(soci::session& sql, const std::string& table) {
  int highest = 0;
  sql << "SELECT COALESCE(MAX(id), 0) FROM " + table, soci::into(highest);
  return std::max(highest, number_in<int>(meta_value(sql, "highest " + table)).value_or(0));
}

}  // namespace

std::string meta_value(soci::session& sql, const std::string& key) {
  std::string value;
  sql << "SELECT value FROM meta WHERE key = :key", soci::into(value), soci::use(key);
  return value;
}

void set_meta_value(soci::session& sql, const std::string& key, const std::string& value) {
  sql << "DELETE FROM meta WHERE key = :key", soci::use(key);
  sql << "INSERT INTO meta (key, value) VALUES (:key, :value)", soci::use(key), soci::use(value);
}

int next_id(soci::session& sql, const std::string& table) { return highest_id(sql, table) + 1; }

void remember_ids(soci::session& sql, const std::string& table) {
  set_meta_value(sql, "highest " + table, std::to_string(highest_id(sql, table)));
}

}  // namespace manyverbs
