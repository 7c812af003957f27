// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/feature_links.h"

#include "manyverbs/dataset/array_file.h"

namespace manyverbs {

void link_features(const Dataset& from, const std::filesystem::path& to) {
  for (const std::string& stream : feature_streams(from)) {
    std::filesystem::create_directories(to / "features");
    for (const std::string& file : {stream + ".npy", stream + ".json"}) {
      const std::filesystem::path source = from.folder / "features" / file;
      if (!std::filesystem::exists(source)) continue;
      std::filesystem::create_symlink(std::filesystem::canonical(source), to / "features" / file);
    }
  }
}

void copy_feature_rows(const Dataset& from, std::span<const ClipRow> rows,
                       const std::filesystem::path& to) {
  for (const std::string& stream : feature_streams(from)) {
    std::filesystem::create_directories(to / "features");
    const ArrayFile source(from.folder / "features" / (stream + ".npy"));
    const bool half = source.type() == NumberType::Float16;
    ArrayWriter writer(to / "features" / (stream + ".npy"),
                       half ? NumberType::Float16 : NumberType::Float32, rows.size(),
                       source.columns());
    std::vector<float> numbers(source.columns());
    for (const ClipRow row : rows) {
      if (half) {
        writer.write(source.data() + index(row) * numbers.size() * sizeof(Half), numbers.size());
      } else {
        source.read_row(index(row), numbers.data());
        writer.write(numbers.data(), numbers.size());
      }
    }
    writer.commit();
  }
}

}  // namespace manyverbs
