// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/import_arrays.h"

#include <set>

#include "manyverbs/dataset/internal/feature_files.h"
#include "manyverbs/dataset/internal/video_place.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/csv.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

// The row of a clip in the table of clips, for messages.
std::string clip_in_table(const ArraysImport& settings, std::size_t clip) {
  const CsvTable table = read_csv(settings.clips);
  return fmt::format("clip '{}', {}:{}", table.rows[clip].fields[table.column("clip")],
                     settings.clips.string(), table.rows[clip].line);
}

// Whether the file itself can be the features of a data set.
bool usable_as_is(const FeatureFile& file) {
  if (file.store == nullptr || file.store->format != "NPY") return false;
  const StoredArray& array = file.store->arrays.front();
  return !array.fortran_order && array.sizes.size() == 2 && array.type.kind == ElementKind::Float &&
         array.type.bytes <= sizeof(float);
}

ImportedStream import_stream(const FeatureSource& source, const ArraysImport& settings,
                             const std::vector<std::string>& clips,
                             const std::filesystem::path& folder) {
  const FeatureFile file = open_feature_file({source.file, source.array, clips, folder});
  const auto rows = rows_of_clips({&file, 1}, clips, settings.clips.string());
  const std::filesystem::path place = folder / (source.stream + ".npy");
  const bool linked = settings.link && usable_as_is(file);
  if (linked) std::filesystem::create_symlink(std::filesystem::canonical(source.file), place);
  write_feature_rows(
      {&file, 1}, rows, [&](std::size_t clip) { return clip_in_table(settings, clip); },
      linked ? std::filesystem::path() : place);
  ImportedStream stream{source.stream, clips.size(), file.columns, file.type(), linked};
  if (!usable_as_is(file)) stream.layout = file.layout;
  stream.unused = file.rows - clips.size();
  return stream;
}

}  // namespace

FeatureSource parse_feature_source(std::string_view text) {
  FeatureSource source;
  const std::size_t equals = text.find('=');
  // A file name may contain '=', but a stream name contains no '/'.
  if (equals != std::string_view::npos &&
      text.substr(0, equals).find('/') == std::string_view::npos &&
      !std::filesystem::exists(text)) {
    source.stream = text.substr(0, equals);
    text.remove_prefix(equals + 1);
    if (source.stream.empty()) throw Error("'={}': expected a stream name before '='", text);
  }
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && !std::filesystem::exists(text)) {
    source.array = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  source.file = text;
  if (source.stream.empty()) {
    source.stream = source.array.empty() ? source.file.stem().string() : source.array;
  }
  if (source.stream.empty() || source.stream.starts_with('.') ||
      source.stream.find('/') != std::string::npos) {
    throw Error("'{}' is not a valid stream name; use NAME={}", source.stream, text);
  }
  return source;
}

ArraysImported import_arrays(const ArraysImport& settings) {
  FolderWriter out(settings.out);
  ArraysImported result;
  Dataset& dataset = result.dataset;
  dataset.folder = settings.out;
  dataset.created_as = std::filesystem::absolute(settings.out).lexically_normal();
  dataset.name = settings.name.empty() ? folder_name(settings.out) : settings.name;
  dataset.classes = settings.classes.empty() ? classes_in_clips(settings.clips)
                                             : read_vocabulary(settings.classes);
  dataset.clips = read_clips(settings.clips, dataset.classes);
  for (Clip& clip : dataset.clips) {
    clip.video = video_seen_from(out.path(), settings.clips.parent_path(), clip.video);
    clip.flow = video_seen_from(out.path(), settings.clips.parent_path(), clip.flow);
  }
  std::set<std::string> names;
  for (const FeatureSource& source : settings.features) {
    if (!names.insert(source.stream).second) {
      throw Error("duplicate feature stream '{}'; rename one with NAME={}", source.stream,
                  source.file.string());
    }
  }
  write_dataset(out.path(), dataset);
  std::filesystem::create_directory(out.path() / "features");
  std::vector<std::string> clips;
  for (const Clip& clip : dataset.clips) clips.push_back(clip.name);
  for (const FeatureSource& source : settings.features) {
    result.streams.push_back(import_stream(source, settings, clips, out.path() / "features"));
  }
  out.commit();
  return result;
}

}  // namespace manyverbs
