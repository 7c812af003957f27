// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/clip_run.h"

#include "manyverbs/learning/internal/run_record.h"
#include "manyverbs/support/error.h"

namespace manyverbs {
namespace {

Json settings_record(const FinetuneSettings& settings) {
  Json json = {{"stream", stream_name(settings.backbone.stream)},
               {"weights", settings.backbone.weights.string()},
               {"backbone", settings.backbone.backbone},
               {"width", settings.backbone.width},
               {"segments", settings.backbone.segments},
               {"size", settings.size},
               {"mirror", settings.mirror},
               {"dropout", settings.regularisation.dropout},
               {"partial_batch_norm", settings.regularisation.partial_batch_norm},
               {"learning_rate", settings.learning_rate},
               {"momentum", settings.sgd.momentum},
               {"weight_decay", settings.sgd.weight_decay},
               {"schedule", schedule_name(settings.schedule)},
               {"batch", settings.batch},
               {"epochs", settings.epochs},
               {"patience", settings.patience},
               {"refresh", settings.refresh.every},
               {"warm_up", settings.refresh.warm_up},
               {"k", settings.refresh.k},
               {"tau", settings.refresh.tau},
               {"metric", metric_name(settings.refresh.metric)},
               {"seed", settings.seed}};
  json.update(loss_record(settings.loss, settings.loss_settings));
  return json;
}

FinetuneSettings settings_of(const RunRecord& record) {
  FinetuneSettings settings;
  std::string weights;
  record.get("weights", &weights);
  settings.backbone.weights = weights;
  settings.backbone.stream = record.find("stream", find_stream);
  record.get("backbone", &settings.backbone.backbone);
  record.get("width", &settings.backbone.width);
  record.get("segments", &settings.backbone.segments);
  record.get("size", &settings.size);
  record.get("mirror", &settings.mirror);
  record.get("dropout", &settings.regularisation.dropout);
  record.get("partial_batch_norm", &settings.regularisation.partial_batch_norm);
  record.get("learning_rate", &settings.learning_rate);
  record.get("momentum", &settings.sgd.momentum);
  record.get("weight_decay", &settings.sgd.weight_decay);
  settings.schedule = record.find("schedule", find_schedule);
  record.get("batch", &settings.batch);
  record.get("epochs", &settings.epochs);
  record.get("patience", &settings.patience);
  record.get("refresh", &settings.refresh.every);
  record.get("warm_up", &settings.refresh.warm_up);
  record.get("k", &settings.refresh.k);
  record.get("tau", &settings.refresh.tau);
  settings.refresh.metric = record.find("metric", find_metric);
  record.get("seed", &settings.seed);
  record.get_loss(&settings.loss, &settings.loss_settings);
  return settings;
}

}  // namespace

Json to_json(const ClipRun& run) {
  Json json = {{"kind", "clips"},
               {"dataset", run.dataset.string()},
               {"classes", run.classes},
               {"made_from", to_json(run.made_from)},
               {"protocol", protocol_name(run.protocol)},
               {"weights_hash", run.weights_hash}};
  json.update(settings_record(run.training));
  return json;
}

ClipRun read_clip_run(const std::filesystem::path& folder) {
  const RunRecord record(folder, "clips");
  ClipRun run;
  std::string dataset;
  record.get("dataset", &dataset);
  run.dataset = dataset;
  run.made_from = record.content();
  record.get("classes", &run.classes);
  run.protocol = record.find("protocol", find_protocol);
  record.get("weights_hash", &run.weights_hash);
  run.training = settings_of(record);
  return run;
}

PreparedBackbone load_backbone(const std::filesystem::path& folder, const ClipRun& run) {
  BackboneSettings settings = run.training.backbone;
  settings.weights = folder / "model.safetensors";
  settings.backbone.clear();
  settings.classes = static_cast<int>(run.classes.size());
  if (!std::filesystem::exists(settings.weights)) {
    throw Error("{}: holds no model yet; run the same 'manyverbs finetune' again to resume",
                folder.string());
  }
  return prepare_backbone(settings);
}

}  // namespace manyverbs
