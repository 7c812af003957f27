# SPDX-License-Identifier: MIT
"""Writes metrics.json: the metrics of random scores as scikit-learn and plain NumPy have them.

Scores are sixteenths, so that many are equal; clips have 1 to 5 true classes, or none; the last
class is never true. Needs python3-sklearn: python3 -P tests/golden/metrics.py
(-P, or the random.py beside this file would be taken for Python's own)
"""
import json
import pathlib

import numpy as np
from sklearn.metrics import (average_precision_score, f1_score, jaccard_score, precision_score,
                             recall_score)

CLIPS, CLASSES = 60, 9


def interpolated(scores, truth):
    """The area under the precision envelope, with the curve taken at every distinct score."""
    curve = [((truth & (scores >= s)).sum() / truth.sum(), truth[scores >= s].mean())
             for s in np.unique(scores)]
    recalls = sorted({recall for recall, _ in curve})
    area, last = 0.0, 0.0
    for recall in recalls:
        area += (recall - last) * max(p for r, p in curve if r >= recall)
        last = recall
    return area


def or_none(defined, value):
    return float(value) if defined else None


def at(scores, truth, threshold):
    predicted = scores > threshold
    known = truth.any(axis=1)
    return {
        'threshold': float(threshold),
        'iou': jaccard_score(truth[known], predicted[known], average='samples', zero_division=0),
        'f1': f1_score(truth[known], predicted[known], average='samples', zero_division=0),
        'predicted_labels': float(predicted.sum(axis=1).mean()),
    }


def class_metrics(scores, truth, threshold):
    predicted = scores > threshold
    some = truth.any()
    return {
        'positives': int(truth.sum()),
        'precision': or_none(predicted.any(), precision_score(truth, predicted, zero_division=0)),
        'recall': or_none(some, recall_score(truth, predicted, zero_division=0)),
        'ap': or_none(some, average_precision_score(truth, scores) if some else 0),
        'ap_interpolated': or_none(some, interpolated(scores, truth) if some else 0),
    }


def top_set(scores, truth):
    shares = []
    for row, labels in zip(scores, truth):
        if labels.any():
            order = sorted(range(CLASSES), key=lambda j: (-row[j], j))
            shares.append(labels[order[:labels.sum()]].mean())
    return float(np.mean(shares))


def main():
    random = np.random.RandomState(8)
    truth = np.zeros((CLIPS, CLASSES), bool)
    for row in truth[:-3]:
        row[random.choice(CLASSES - 1, random.randint(1, 6), replace=False)] = True
    noise = random.randint(0, 10, (2,) + truth.shape).min(axis=0)
    scores = (noise + truth * random.randint(0, 10, truth.shape)) / 16
    scores[:, 6] /= 4  # never above a half
    distinct = np.unique(scores)
    cuts = list((distinct[1:] + distinct[:-1]) / 2) + [distinct[0] - 1]
    every = [at(scores, truth, cut) for cut in cuts]
    known = truth.any(axis=1)
    classes = [class_metrics(scores[:, j], truth[:, j], 0.5) for j in range(CLASSES)]
    true = [c for c in classes if c['positives'] > 0]
    golden = {
        'scores': scores.tolist(),
        'truth': truth.astype(int).tolist(),
        'top1': float(truth[known, scores[known].argmax(axis=1)].mean()),
        'top_set': top_set(scores, truth),
        'map': float(np.mean([c['ap'] for c in true])),
        'map_interpolated': float(np.mean([c['ap_interpolated'] for c in true])),
        'map_classes': len(true),
        'thresholds': [at(scores, truth, t) for t in (0.1, 0.3, 0.5, 0.75, 2)],
        'best_f1': max(every, key=lambda m: m['f1']),
        'best_iou': max(every, key=lambda m: m['iou']),
        'classes': classes,
    }
    path = pathlib.Path(__file__).with_suffix('.json')
    lines = ',\n'.join(f'  {json.dumps(key)}: {json.dumps(value)}' for key, value in golden.items())
    path.write_text('{\n' + lines + '\n}\n')


if __name__ == '__main__':
    main()
