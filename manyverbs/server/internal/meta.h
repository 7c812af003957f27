// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace soci {
class session;
}  // namespace soci

namespace manyverbs {

/// The table meta, and numbers of rows. All functions run in the transaction of the caller.

/// The value of a key, or "".
std::string meta_value(soci::session& sql, const std::string& key);
void set_meta_value(soci::session& sql, const std::string& key, const std::string& value);

/// The number of a new row of people, leaders or answers, above all earlier ones. Numbers of
/// deleted rows are not given again, if remember_ids() was called before the deletion: browsers and
/// servers still know them.
int next_id(soci::session& sql, const std::string& table);
void remember_ids(soci::session& sql, const std::string& table);

}  // namespace manyverbs
