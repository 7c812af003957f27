// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dataset_text.h"
#include "manyverbs/features/internal/extraction.h"

namespace manyverbs::cli {
namespace {

struct ExtractWords {
  std::string stream = "rgb";
  std::string type = "float32";
  std::string on_error = "stop";
  std::string recipe = "paper";
  std::string weights;
};

void add_network_options(CommandLine& line, ExtractionSettings* settings, ExtractWords* words) {
  line.app.add_option("--stream", words->stream, "rgb, or flow computed by 'manyverbs flow'")
      ->check(one_of({"rgb", "flow"}));
  line.app.add_option(
      "--weights", words->weights,
      "Weights of torchvision, TSM, EPIC-Kitchens C1, mmaction2 or finetune: .pth, .pt, .ckpt "
      "or .safetensors; default: random weights");
  line.app
      .add_option("--backbone", settings->backbone.backbone,
                  "Network; default: that of the weights, otherwise resnet50")
      ->check(one_of(backbone_names()));
  line.app
      .add_option("--segments", settings->backbone.segments,
                  "Frames per clip; default: that of the weights, otherwise 8")
      ->default_str("")
      ->check(from_to(1, 1024));
  line.app
      .add_option("--size", settings->size,
                  "Input size in pixels, cropped from the centre; default: that of the weights if "
                  "they record it, otherwise 224")
      ->default_str("")
      ->check(from_to(kSmallestSize, 4096));
  line.app
      .add_option("--recipe", words->recipe,
                  "Frame sampling and crop of the paper, or of its released code")
      ->check(one_of({"paper", "released"}));
  line.app.add_option("--seed", settings->backbone.seed, "Seed of random weights");
  line.counts_if({"--seed"}, "with --weights", [words] { return words->weights.empty(); });
}

void add_work_options(CommandLine& line, ExtractionSettings* settings, ExtractWords* words) {
  line.app.add_option("--batch", settings->batch, "Clips per batch and core")
      ->check(from_to(1, 1024));
  line.app.add_option("--out-type", words->type, "float32 or float16")
      ->check(one_of({"float32", "float16"}));
  line.app
      .add_option("--on-error", words->on_error,
                  "If a clip cannot be read: stop, or skip it and write a row of zeros")
      ->check(one_of({"stop", "skip"}));
  line.app.add_flag("--replace", settings->replace,
                    "Replace existing features that have other settings");
  line.app
      .add_option("--peek", settings->peek,
                  "Write the network input of this number of clips as images to DATASET/peek")
      ->check(from_up(0));
}

void take_words(const ExtractWords& words, ExtractionSettings* settings) {
  settings->backbone.stream = find_stream(words.stream);
  settings->backbone.weights = words.weights;
  settings->type = words.type == "float16" ? NumberType::Float16 : NumberType::Float32;
  settings->on_error = find_on_error(words.on_error);
  settings->released = words.recipe == "released";
}

Json report_json(const Dataset& dataset, const PreparedBackbone& backbone,
                 const ExtractionReport& report) {
  Json pictures = Json::array();
  for (const auto& file : report.pictures) pictures.push_back(file.string());
  return {{"file", report.file.string()}, {"clips", dataset.clips.size()},
          {"columns", report.columns},    {"computed", report.computed},
          {"kept", report.kept},          {"weights", backbone.origin},
          {"remarks", backbone.remarks},  {"skipped", problems_json(dataset, report.problems)},
          {"pictures", pictures}};
}

void print_report(const Dataset& dataset, const ExtractionSettings& settings,
                  const ExtractionReport& report) {
  fmt::print("{}: {} x {} {}, {} computed", report.file.string(),
             grouped(std::ssize(dataset.clips)), report.columns, type_name(settings.type),
             counted(report.computed, "clip", "clips"));
  if (report.kept > 0) fmt::print(", {} existed already", grouped(report.kept));
  if (!report.problems.empty()) fmt::print(", {} skipped", grouped(std::ssize(report.problems)));
  fmt::print("\n{}", problem_lines(dataset, report.problems));
  for (const auto& file : report.pictures) fmt::print("{}\n", file.string());
}

void extract_command(const Arguments& arguments) {
  CommandLine line("extract",
                   "manyverbs extract kitchen --weights resnet50-torchvision.pth\n"
                   "manyverbs extract kitchen --stream flow --weights tsm_flow.ckpt --peek 4\n"
                   "manyverbs extract kitchen --backbone resnet18 --size 112 --on-error skip");
  std::string folder;
  ExtractionSettings settings;
  ExtractWords words;
  bool as_json = false;
  line.app.add_option("DATASET", folder, "The data set")->required();
  add_network_options(line, &settings, &words);
  add_work_options(line, &settings, &words);
  line.app.add_flag("--json", as_json, "Print one JSON object instead");
  if (!line.parse(arguments)) return;

  take_words(words, &settings);
  const Dataset dataset = read_dataset(folder);
  const PreparedBackbone backbone = prepare_backbone(settings.backbone);
  for (const std::string& text : backbone.remarks) remark(text);
  const ExtractionReport report = extract_features(dataset, backbone, settings);
  if (as_json) {
    print_json(report_json(dataset, backbone, report));
    return;
  }
  print_report(dataset, settings, report);
  suggest("manyverbs inspect " + shell_word(folder));
}

const Registration kExtract("extract", extract_command);

}  // namespace
}  // namespace manyverbs::cli
