// SPDX-License-Identifier: MIT
#pragma once

#include "cli/command.h"
#include "cli/dataset_text.h"

namespace manyverbs::cli {

/// What the subcommands of `import` say about the data set that they made.

/// Its clips and classes; remarks about classes with almost the same name.
void print_imported(const Dataset& dataset);
void note_alike_classes(const Dataset& dataset);
void suggest_inspect(const std::filesystem::path& folder);

}  // namespace manyverbs::cli
