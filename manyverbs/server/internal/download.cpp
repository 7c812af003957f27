// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/download.h"

#include <stdlib.h>

#include <algorithm>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/server/internal/compression.h"
#include "manyverbs/server/internal/tar.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

// A folder that only this user can read, removed at the end.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "manyverbs-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error("{}: cannot be made", name);
    path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

AnnotationResult read_result(const AnnotationProject& project, AnnotationStore* store, int people) {
  AnnotationResult result;
  result.project = &project;
  result.answers =
      store->answers();  // before people: somebody who joins in between has no answers here
  result.people = store->people();
  std::erase_if(result.answers, [&](const StoredAnswer& stored) {  // deleted in between
    return std::none_of(result.people.begin(), result.people.end(),
                        [&](const Person& person) { return person.id == stored.person; });
  });
  result.former_names = store->former_names();
  result.reports = store->reports();
  result.decisions = store->decisions();
  result.people_per_clip = people > 0 ? people : store->settings().people;
  return result;
}

Download download_of(const AnnotationResult& result, const std::string& format) {
  const std::vector<ExportFormat>& known = export_formats();
  const auto exporter = std::find_if(known.begin(), known.end(),
                                     [&](const ExportFormat& each) { return each.name == format; });
  if (exporter == known.end()) throw HttpError(404, "unknown format '{}'", format);
  AnnotationResult wanted = result;
  wanted.features = false;
  try {
    const PrivateFolder folder;
    const std::filesystem::path out = folder.path() / "out";
    exporter->write(wanted, out);
    if (exporter->extension.empty()) {
      return {format + ".tar.gz", "application/gzip", gzip(tar_of(out, format))};
    }
    return {format + exporter->extension, "application/octet-stream", read_file(out)};
  } catch (const DatabaseError&) {
    throw;
  } catch (const Error& problem) {
    throw HttpError(409, "{}", problem.what());
  }
}

}  // namespace manyverbs
