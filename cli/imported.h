// SPDX-License-Identifier: MIT
#pragma once

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "manyverbs/dataset/import_arrays.h"

namespace manyverbs::cli {

/// The output of the subcommands of `import`.

/// Prints clips and classes, and remarks about classes with similar names.
void print_imported(const Dataset& dataset);
void note_alike_classes(const Dataset& dataset);
void print_streams(const std::vector<ImportedStream>& streams);
void suggest_inspect(const std::filesystem::path& folder);

}  // namespace manyverbs::cli
