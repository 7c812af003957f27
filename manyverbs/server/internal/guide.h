// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "manyverbs/server/project.h"

namespace manyverbs {

/// What annotators read beside the clips. The leader writes it as files in the project folder:
///
///   instructions.md  Markdown, shown before the first clip and in the help
///   definitions.csv  class,definition: what the verbs mean; optional
///   strings.csv      key,text: texts of the page to replace; optional

using Definitions = std::map<ClassId, std::string>;

/// Texts of the annotator's page by key. A name in braces, as in "Thank you, {name}!", stands for a
/// value.
using AnnotatorStrings = std::map<std::string, std::string>;

struct AnnotatorGuide {
  std::string instructions;
  Definitions definitions;   ///< of some classes, or of none
  AnnotatorStrings strings;  ///< those to replace
};

/// Reads the files. A project without instructions.md has default_instructions(). Throws Error with
/// file and line for text that is not UTF-8, and for invalid definitions and strings; also for
/// instructions of more than 32 kB.
AnnotatorGuide read_guide(const AnnotationProject& project);

/// Throws Error with file and line for an unknown class, for a second definition of a class, and
/// for a definition that is empty or longer than 1000 bytes.
Definitions read_definitions(const std::filesystem::path& path, const Vocabulary& classes);
/// The same of the text of a file; `path` is its name in messages.
Definitions parse_definitions(std::string_view text, const std::filesystem::path& path,
                              const Vocabulary& classes);

/// Throws Error with file and line for an unknown key, for a second text of a key, for a text that
/// is empty or longer than 1000 bytes, and for a value in braces that the built-in text does not
/// have.
AnnotatorStrings parse_strings(std::string_view text, const std::filesystem::path& path);

/// The text without a byte-order mark. Throws Error for more than 32 kB, or text that is not UTF-8.
std::string parse_instructions(std::string text, const std::filesystem::path& path);

/// The built-in texts in a language of annotation_languages().
AnnotatorStrings built_in_strings(const std::string& language);

/// Writes instructions.md, unless it exists, and definitions.csv as a copy of `definitions`, unless
/// that is empty.
void write_guide(const AnnotationProject& project, const std::filesystem::path& definitions);

/// Instructions that are valid for any data set, in a language of annotation_languages().
std::string_view default_instructions(std::string_view language);

/// The annotator's page with this language in its <html> element.
std::string page_in_language(std::string_view page, std::string_view language);

}  // namespace manyverbs
