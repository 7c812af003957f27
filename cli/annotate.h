// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs::cli {

/// Shared by the steps of `annotate`.

/// Sets the summary of a step as the description of its options.
void describe_annotate(CommandLine* line, std::string_view step);

struct ProjectOptions {
  std::string folder;
  std::string database;  ///< empty: answers.sqlite in the project
};
/// PROJECT and --database.
void add_project_options(CommandLine& line, ProjectOptions* options);
/// Opens the answers. Throws Error if the database file does not exist.
std::unique_ptr<AnnotationStore> open_store(const ProjectOptions& options,
                                            const AnnotationProject& project);

void annotate_serve_command(const Arguments& arguments);
void annotate_status_command(const Arguments& arguments);

}  // namespace manyverbs::cli
