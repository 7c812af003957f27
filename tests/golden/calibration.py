# SPDX-License-Identifier: MIT
"""Writes calibration.json: calibrated label probabilities of random probabilities and their errors.

Isotonic regression by its min-max formula: the value at the i-th distinct score is the maximum over
j <= i of the minimum over k >= i of the mean from j to k. Scores are sixteenths, so many are equal.

python3 -P tests/golden/calibration.py
"""
import json
import pathlib

import numpy as np

CLIPS, NEW_CLIPS, CLASSES = 60, 12, 4


def isotonic(scores, hits):
    """The distinct scores and their values."""
    distinct = np.unique(scores)
    groups = [hits[scores == s] for s in distinct]
    values = [max(min(np.concatenate(groups[j:k + 1]).mean() for k in range(i, len(groups)))
                  for j in range(i + 1))
              for i in range(len(groups))]
    return distinct, np.array(values)


def at(fit, x):
    below = fit[0] <= x
    return fit[1][below][-1] if below.any() else fit[1][0]


def main():
    random = np.random.default_rng(11)
    scores = np.round(random.random((CLIPS + NEW_CLIPS, CLASSES)) ** 2 * 16) / 16
    weights = scores ** 2 * [1, 2, 4, 0.2] + 0.01
    labels = np.array([random.choice(CLASSES, p=row / row.sum()) for row in weights])
    known = np.eye(CLASSES)[labels[:CLIPS]]
    common = isotonic(scores[:CLIPS].ravel(), known.ravel())
    own = [isotonic(scores[:CLIPS, c], known[:, c]) for c in range(CLASSES)]
    share = known.sum(axis=0) / (known.sum(axis=0) + 20)
    made = np.array([[share[c] * at(own[c], x) + (1 - share[c]) * at(common, x)
                      for c, x in enumerate(row)] for row in scores[CLIPS:]])
    made /= made.sum(axis=1, keepdims=True)
    truth = np.eye(CLASSES)[labels[CLIPS:]]
    best, right = made.max(axis=1), truth[np.arange(NEW_CLIPS), made.argmax(axis=1)]
    bins = np.digitize(best, np.arange(1, 15) / 15, right=True)
    error = sum(abs(best[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
                for b in np.unique(bins))
    golden = {'clips': CLIPS, 'probabilities': scores.tolist(), 'labels': labels.tolist(),
              'common': [common[0].tolist(), common[1].tolist()],
              'label_probabilities': made.tolist(), 'error': error,
              'brier': ((made - truth) ** 2).sum(axis=1).mean()}
    pathlib.Path(__file__).with_suffix('.json').write_text(json.dumps(golden) + '\n')


main()
