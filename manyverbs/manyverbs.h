// SPDX-License-Identifier: MIT
#pragma once

/// All public headers, or those of the components that are installed. manyverbs/README.md says what
/// is in each.

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/clip.h"
#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/dataset/import_arrays.h"
#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/knn/kept_neighbours.h"
#include "manyverbs/knn/neighbours.h"
#include "manyverbs/labels/pseudo_labels.h"
#include "manyverbs/labels/targets.h"
#include "manyverbs/metrics/calibration.h"
#include "manyverbs/metrics/coverage.h"
#include "manyverbs/metrics/evaluation.h"
#include "manyverbs/metrics/metrics.h"
#include "manyverbs/metrics/thresholds.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/matrix.h"
#if __has_include("manyverbs/decoding/frames.h")
#include "manyverbs/decoding/frames.h"
#include "manyverbs/decoding/image.h"
#endif
#if __has_include("manyverbs/features/stream.h")
#include "manyverbs/features/stream.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/losses.h"
#include "manyverbs/learning/settings.h"
#include "manyverbs/protocols/learn.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/protocols/pseudo_labelling.h"
#include "manyverbs/protocols/runs.h"
#include "manyverbs/reports/report.h"
#endif
#if __has_include("manyverbs/server/annotation_server.h")
#include "manyverbs/server/annotation_server.h"
#include "manyverbs/server/project.h"
#endif
