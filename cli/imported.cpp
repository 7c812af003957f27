// SPDX-License-Identifier: MIT
#include "cli/imported.h"

#include <algorithm>

#include <fmt/format.h>

#include "manyverbs/dataset/internal/inspection.h"

namespace manyverbs::cli {

// Printed at import, because each spelling becomes a separate class.
void note_alike_classes(const Dataset& dataset) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> alike = alike_classes(dataset);
  for (std::size_t i = 0; i < std::min(kShown, alike.size()); ++i) {
    remark(fmt::format("note: separate classes with similar names: {}", alike[i]));
  }
  if (alike.size() > kShown) {
    remark(fmt::format("note: and {} more such names", alike.size() - kShown));
  }
}

void print_imported(const Dataset& dataset) {
  fmt::print("{}: {}, {}\n{}", titled(dataset),
             counted(static_cast<std::int64_t>(dataset.clips.size()), "clip", "clips"),
             counted(dataset.classes.size(), "class", "classes"), split_lines(dataset));
  note_alike_classes(dataset);
}

void print_streams(const std::vector<ImportedStream>& streams) {
  for (const ImportedStream& stream : streams) {
    fmt::print("  stream {}: {} x {} {}{}\n", stream.name,
               grouped(static_cast<std::int64_t>(stream.rows)),
               grouped(static_cast<std::int64_t>(stream.columns)), type_name(stream.type),
               stream.linked ? ", linked" : "");
    if (!stream.layout.empty()) fmt::print("    from {}\n", stream.layout);
    if (stream.unused > 0) {
      remark(fmt::format("note: {} of stream {} {} to no clip",
                         counted(static_cast<std::int64_t>(stream.unused), "row", "rows"),
                         stream.name, stream.unused == 1 ? "belongs" : "belong"));
    }
  }
}

void suggest_inspect(const std::filesystem::path& folder) {
  suggest(fmt::format("manyverbs inspect {}", shell_word(folder)));
}

}  // namespace manyverbs::cli
