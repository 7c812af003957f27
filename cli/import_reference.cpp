// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/imported.h"
#include "manyverbs/dataset/internal/reference.h"

namespace manyverbs::cli {
namespace {

// A stream without a name is called "features".
std::vector<FeatureSource> sources_of(const std::vector<std::string>& texts) {
  std::vector<FeatureSource> sources;
  for (const std::string& text : texts) {
    const bool named = text.find('=') != std::string::npos && !std::filesystem::exists(text);
    sources.push_back(parse_feature_source(named ? text : "features=" + text));
    for (std::size_t i = 0; i + 1 < sources.size(); ++i) {
      if (sources[i].stream == sources.back().stream) {
        throw UsageError(fmt::format(
            "manyverbs import reference: duplicate stream '{}'; name streams such as rgb={}",
            sources[i].stream, sources.back().file.string()));
      }
    }
  }
  return sources;
}

void import_reference_command(const Arguments& arguments) {
  CommandLine line(
      "import reference",
      "manyverbs import reference --train train.pkl --test test.pkl --out hmdb\n"
      "manyverbs import reference --train rgb=rgb_train.pkl --train flow=flow_train.pkl "
      "--test rgb=rgb_test.pkl --test flow=flow_test.pkl --classes classes.txt "
      "--out confusing");
  ReferenceImport settings;
  std::vector<std::string> train;
  std::vector<std::string> val;
  std::vector<std::string> test;
  const auto add = [&](const char* name, std::vector<std::string>& files, const char* what) {
    return line.app.add_option(name, files, what)->type_name("FILE")->default_str("");
  };
  add("--train", train,
      "Features with ids and labels of the training clips: [STREAM=]FILE[:ARRAY]; repeat it for "
      "more streams")
      ->required();
  add("--val", val, "The same for validation clips");
  add("--test", test, "The same for test clips, with all their labels");
  line.app.add_option("--classes", settings.classes,
                      "Class names: CSV with the columns id and name or key, or one name per line; "
                      "default: numbers");
  line.app.add_option("--name", settings.name,
                      "Name of the data set; default: the name of its folder");
  line.app.add_option("--out", settings.out, "Folder to create")->required();
  if (!line.parse(arguments)) return;

  settings.train = sources_of(train);
  settings.val = sources_of(val);
  settings.test = sources_of(test);
  const ReferenceImported imported = import_reference(settings);
  print_imported(imported.dataset);
  for (const ReferenceStream& stream : imported.streams) {
    fmt::print("  stream {}: {} x {} {}\n", stream.name,
               grouped(static_cast<std::int64_t>(imported.dataset.clips.size())),
               grouped(static_cast<std::int64_t>(stream.columns)), type_name(stream.type));
    for (std::size_t i = 0; i < stream.files.size(); ++i) {
      fmt::print("    from {}: {}\n", stream.files[i], stream.layouts[i]);
    }
  }
  suggest_inspect(settings.out);
}

const Registration kImportReference("import reference", import_reference_command);

}  // namespace
}  // namespace manyverbs::cli
