// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs::cli {

/// Common options of the subcommands of `annotate`.

struct ProjectOptions {
  std::string folder;
  std::string database;  ///< empty: answers.sqlite in the project
};
/// PROJECT and --database.
void add_project_options(CommandLine& line, ProjectOptions* options);
/// Checks the URL of a reverse proxy.
CLI::Validator public_url();
/// Opens the database of the answers. Throws Error if the database file does not exist.
std::unique_ptr<AnnotationStore> open_store(const ProjectOptions& options,
                                            const AnnotationProject& project);

}  // namespace manyverbs::cli
