// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/checkpoint.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "manyverbs/features/internal/pth_file.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

constexpr const char* kFormatKey = "manyverbs";
constexpr int kEpicVerbs = 97;
constexpr int kEpicVerbsAndNouns = 397;
constexpr std::size_t kShown = 6;  // names in an error message

// The names that a tensor of Tsm::state() can have in a file, without the common prefix:
// "layer1.0.conv1.weight" can be "layer1.0.conv1.net.weight".
std::vector<std::string> spellings(const std::string& name) {
  std::vector<std::string> found = {name};
  const std::size_t dot = name.rfind('.');
  const std::string layer = name.substr(0, dot);
  const std::string value = name.substr(dot);
  if (layer.ends_with("downsample.0")) {
    found.push_back(layer.substr(0, layer.size() - 1) + "conv" + value);
  } else if (layer.ends_with("downsample.1")) {
    found.push_back(layer.substr(0, layer.size() - 1) + "bn" + value);
  } else if (const std::size_t norm = layer.rfind("bn"); norm != std::string::npos) {
    found.push_back(layer.substr(0, norm) + "conv" + layer.substr(norm + 2) + ".bn" + value);
  } else {
    for (const char* inner : {".net", ".conv", ".conv.net"}) {
      found.push_back(layer + inner + value);
    }
  }
  return found;
}

// The common prefix of the names in the file, before "layer1.0.conv1".
std::optional<std::string> common_beginning(const TensorFile& file) {
  for (const auto& [name, tensor] : file.tensors) {
    for (const std::string& ending : spellings("layer1.0.conv1.weight")) {
      if (name == ending || name.ends_with("." + ending)) {
        return name.substr(0, name.size() - ending.size());
      }
    }
  }
  return std::nullopt;
}

CheckpointKind kind_of(const TensorFile& file, const std::string& beginning) {
  if (file.metadata.contains(kFormatKey)) return CheckpointKind::Manyverbs;
  if (beginning.ends_with("backbone.")) return CheckpointKind::Mmaction;
  if (!beginning.ends_with("base_model.")) return CheckpointKind::Torchvision;
  const bool has_settings =
      std::any_of(file.metadata.begin(), file.metadata.end(), [](const auto& entry) {
        return entry.first.starts_with("hyper_parameters") || entry.first.starts_with("hparams");
      });
  return has_settings || beginning.ends_with("model.base_model.") ? CheckpointKind::Epic
                                                                  : CheckpointKind::Tsm;
}

// Possible names of the classifier, most likely first: beside the part named base_model or
// backbone, or after the common prefix.
std::vector<std::string> classifier_names(const std::string& beginning, const std::string& value) {
  std::string beside = beginning;
  for (const std::string_view part : {"base_model.", "backbone."}) {
    if (beside.ends_with(part)) beside.resize(beside.size() - part.size());
  }
  return {beside + "new_fc." + value, beside + "cls_head.fc_cls." + value,
          beside + "cls_head.new_fc." + value, beginning + "fc." + value};
}

// The shape according to names and sizes; depth 0 if no supported ResNet has these blocks.
TsmShape shape_of(const std::map<std::string, at::Tensor>& tensors) {
  TsmShape shape;
  const at::Tensor& stem = tensors.at("conv1.weight");
  shape.width = static_cast<int>(stem.size(0));
  shape.input_channels = static_cast<int>(stem.size(1));
  const auto classifier = tensors.find("fc.weight");
  if (classifier != tensors.end()) shape.classes = static_cast<int>(classifier->second.size(0));
  int convolutions = 2;  // the first one, and by convention the classifier
  for (const auto& [name, tensor] : tensors) {
    convolutions += name.starts_with("layer") && name.find(".conv") != std::string::npos ? 1 : 0;
  }
  const auto names = backbone_names();
  const std::string name = fmt::format("resnet{}", convolutions);
  shape.depth = std::find(names.begin(), names.end(), name) == names.end() ? 0 : convolutions;
  return shape;
}

// Tensors that no network uses and that need no remark.
bool is_ignored(const std::string& name) {
  return name.ends_with("num_batches_tracked") || name.starts_with("optimizer") ||
         name.starts_with("lr_schedulers") || name.starts_with("validation.");
}

// Every name that Tsm::state() of any backbone can have.
std::set<std::string> all_tensor_names() {
  std::set<std::string> names;
  for (const std::string& backbone : backbone_names()) {
    TsmShape shape;
    shape.depth = find_backbone(backbone);
    shape.width = 1;
    for (const auto& [name, tensor] : Tsm(shape, 0).state()) names.insert(name);
  }
  return names;
}

// The tensors of the file by the names of Tsm::state(); the names of the others go to `unused`.
std::map<std::string, at::Tensor> renamed(const TensorFile& file, const std::string& beginning,
                                          std::vector<std::string>* unused) {
  std::map<std::string, at::Tensor> by_name(file.tensors.begin(), file.tensors.end());
  std::map<std::string, at::Tensor> found;
  const auto take = [&](const std::string& name, const std::string& target) {
    const auto entry = by_name.find(name);
    if (entry == by_name.end() || found.contains(target)) return;
    found[target] = entry->second;
    by_name.erase(entry);
  };
  for (const std::string& target : all_tensor_names()) {
    for (const std::string& name : spellings(target)) take(beginning + name, target);
  }
  for (const std::string value : {"weight", "bias"}) {
    for (const std::string& name : classifier_names(beginning, value)) take(name, "fc." + value);
  }
  for (const auto& [name, tensor] : by_name) {
    if (!is_ignored(name)) unused->push_back(name);
  }
  return found;
}

// mmaction2 normalises RGB like the others (given for values from 0 to 255), but flow by
// (x - 128) / 128.
Normalisation normalisation_of(CheckpointKind kind) {
  Normalisation normalisation;
  if (kind == CheckpointKind::Mmaction) {
    normalisation.flow_mean = 128 / 255.0;
    normalisation.flow_std = 128 / 255.0;
  }
  return normalisation;
}

// The settings that only files written by manyverbs have.
void read_own_settings(const TensorFile& file, Checkpoint* checkpoint) {
  const Json about = Json::parse(file.metadata.at(kFormatKey), nullptr, false);
  const std::filesystem::path& path = checkpoint->path;
  checkpoint->shape.segments = json_value<int>(about, "segments", path);
  checkpoint->shape.shift = json_value<bool>(about, "shift", path);
  checkpoint->size = json_value<int>(about, "size", path);
  Normalisation& normalisation = checkpoint->normalisation;
  normalisation.mean = json_value<std::array<double, 3>>(about, "mean", path);
  normalisation.std = json_value<std::array<double, 3>>(about, "std", path);
  normalisation.blue_first = json_value<bool>(about, "blue_first", path);
  normalisation.flow_mean = json_value<double>(about, "flow_mean", path);
  normalisation.flow_std = json_value<double>(about, "flow_std", path);
}

std::string sizes_text(const at::Tensor& tensor) {
  return fmt::format("{}", fmt::join(tensor.sizes(), " x "));
}

std::string few(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kShown);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// Converts RGB weights to flow weights.
at::Tensor for_flow(const at::Tensor& weight, std::int64_t channels) {
  return weight.mean(1, true).expand({-1, channels, -1, -1});
}

// The stored classifier, or its rows for verbs; undefined if the shape does not match.
at::Tensor fitting_classifier(const Checkpoint& checkpoint, const at::Tensor& stored,
                              const at::Tensor& place) {
  if (stored.sizes() == place.sizes()) return stored;
  const bool verbs = checkpoint.kind == CheckpointKind::Epic &&
                     stored.size(0) == kEpicVerbsAndNouns && place.size(0) == kEpicVerbs &&
                     stored.sizes().slice(1) == place.sizes().slice(1);
  return verbs ? stored.narrow(0, 0, kEpicVerbs) : at::Tensor();
}

}  // namespace

std::string_view kind_name(CheckpointKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"torchvision", "TSM", "EPIC-Kitchens C1",
                                                      "mmaction2", "manyverbs"};
  return kNames[static_cast<int>(kind)];
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const TensorFile file = read_weights(path);
  const auto beginning = common_beginning(file);
  if (!beginning) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : file.tensors) names.push_back(name);
    throw Error("{}: contains no ResNet: expected a tensor 'layer1.0.conv1.weight', found {}",
                path.string(), few(names));
  }
  Checkpoint checkpoint;
  checkpoint.path = path;
  checkpoint.kind = kind_of(file, *beginning);
  checkpoint.normalisation = normalisation_of(checkpoint.kind);
  const auto tensors = renamed(file, *beginning, &checkpoint.unused);
  if (!tensors.contains("conv1.weight") || tensors.at("conv1.weight").dim() != 4) {
    throw Error("{}: the first convolution, '{}conv1.weight', is missing", path.string(),
                *beginning);
  }
  checkpoint.shape = shape_of(tensors);
  if (checkpoint.shape.depth == 0) {
    throw Error("{}: unsupported ResNet; supported: {}", path.string(),
                fmt::join(backbone_names(), ", "));
  }
  checkpoint.tensors.assign(tensors.begin(), tensors.end());
  if (checkpoint.kind == CheckpointKind::Manyverbs) read_own_settings(file, &checkpoint);
  return checkpoint;
}

CheckpointFit load_checkpoint(const Checkpoint& checkpoint, Tsm* tsm) {
  const at::NoGradGuard no_gradients;
  CheckpointFit fit;
  std::vector<std::string> missing;
  std::vector<std::string> other_shape;
  const std::map<std::string, at::Tensor> stored(checkpoint.tensors.begin(),
                                                 checkpoint.tensors.end());
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;
  for (const auto& [name, place] : tsm->state()) {
    const auto found = stored.find(name);
    if (name.starts_with("fc.")) {
      const at::Tensor classifier = found == stored.end() || found->second.dim() != place.dim()
                                        ? at::Tensor()
                                        : fitting_classifier(checkpoint, found->second, place);
      if (classifier.defined()) copies.emplace_back(place, classifier);
      if (!classifier.defined() && name == "fc.weight") {
        fit.remarks.push_back(fmt::format(
            "the classifier is initialised randomly: expected {} classes, the file has {}",
            place.size(0), found == stored.end() ? "none" : fmt::to_string(found->second.size(0))));
      }
      continue;
    }
    if (found == stored.end()) {
      missing.push_back(name);
    } else if (found->second.sizes() == place.sizes()) {
      copies.emplace_back(place, found->second);
    } else if (name == "conv1.weight" && found->second.dim() == 4 && found->second.size(1) == 3 &&
               found->second.size(0) == place.size(0) && found->second.size(2) == place.size(2)) {
      copies.emplace_back(place, for_flow(found->second, place.size(1)));
      fit.remarks.push_back(fmt::format(
          "the first convolution is for RGB: its mean over red, green and blue is used for each "
          "of the {} flow channels",
          place.size(1)));
    } else {
      other_shape.push_back(fmt::format("{} (expected {}, found {})", name, sizes_text(place),
                                        sizes_text(found->second)));
    }
  }
  if (!missing.empty() || !other_shape.empty()) {
    throw Error("{}: the {} ResNet-{} does not match the network{}{}", checkpoint.path.string(),
                kind_name(checkpoint.kind), checkpoint.shape.depth,
                missing.empty() ? "" : "; missing: " + few(missing),
                other_shape.empty() ? "" : "; wrong shape: " + few(other_shape));
  }
  for (const auto& [place, values] : copies) place.detach().copy_(values);
  for (const std::string& name : checkpoint.unused) {
    fit.remarks.push_back(fmt::format("unused tensor '{}'", name));
  }
  return fit;
}

std::map<std::string, std::string> checkpoint_metadata(const TsmShape& shape,
                                                       const Normalisation& normalisation,
                                                       int size) {
  const Json about = {{"segments", shape.segments},
                      {"shift", shape.shift},
                      {"size", size},
                      {"mean", normalisation.mean},
                      {"std", normalisation.std},
                      {"blue_first", normalisation.blue_first},
                      {"flow_mean", normalisation.flow_mean},
                      {"flow_std", normalisation.flow_std}};
  return {{kFormatKey, about.dump()}};
}

}  // namespace manyverbs
