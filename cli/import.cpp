// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/imported.h"
#include "manyverbs/dataset/import_arrays.h"

namespace manyverbs::cli {

namespace {

void import_arrays_command(const Arguments& arguments) {
  CommandLine line("import arrays",
                   "manyverbs import arrays --clips clips.csv --features rgb.npy --out kitchen\n"
                   "manyverbs import arrays --clips clips.csv --classes classes.csv "
                   "--features rgb.npy --features flow=both.npz:flow --out kitchen");
  ArraysImport settings;
  std::vector<std::string> features;
  line.app
      .add_option("--clips", settings.clips, "CSV file with the columns clip, split and labels")
      ->required();
  line.app.add_option(
      "--classes", settings.classes,
      "CSV file with the columns id and name; default: the labels of the clips, sorted");
  line.app
      .add_option(
          "--features", features,
          "Features as NPY, NPZ, pickle, safetensors, HDF5 or CSV: [NAME=]FILE[:ARRAY]; may be "
          "repeated. Rows are found by "
          "the names of the clips if the file has them, otherwise by their order")
      ->required()
      ->type_name("FILE")
      ->default_str("");
  line.app.add_option("--name", settings.name,
                      "Name of the data set; default: the name of its folder");
  line.app.add_flag("--link", settings.link,
                    "Link feature files instead of copying them, if they need no conversion");
  line.app.add_option("--out", settings.out, "Folder to create")->required();
  if (!line.parse(arguments)) return;

  for (const std::string& text : features) settings.features.push_back(parse_feature_source(text));
  const ArraysImported imported = import_arrays(settings);
  print_imported(imported.dataset);
  print_streams(imported.streams);
  suggest_inspect(settings.out);
}

const Registration kImportArrays("import arrays", import_arrays_command);

}  // namespace
}  // namespace manyverbs::cli
