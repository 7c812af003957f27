// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/json.h"

#include "manyverbs/support/internal/files.h"

namespace manyverbs {

Json read_json(const std::filesystem::path& path) {
  try {
    return Json::parse(read_file(path));
  } catch (const Json::parse_error& problem) {
    throw Error("{}: is not valid JSON: error at byte {}", path.string(), problem.byte);
  } catch (const Json::out_of_range&) {
    throw Error("{}: contains a number that is too large", path.string());
  }
}

void write_json(const std::filesystem::path& path, const Json& json) {
  try {
    write_file(path, json.dump(2) + "\n");
  } catch (const Json::type_error&) {
    throw Error("{}: cannot be written: a name or a path in it is not UTF-8", path.string());
  }
}

}  // namespace manyverbs
