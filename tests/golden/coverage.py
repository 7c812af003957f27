# SPDX-License-Identifier: MIT
"""Writes coverage.json: conformal label sets of random probabilities, by the formulas of
Angelopoulos and Bates, "A gentle introduction to conformal prediction" (2021), section 1: the
score of a clip is 1 minus the share of its label, the limit is the quantile of the scores at
ceil((n + 1) coverage) / n, and the set has every class with a score up to the limit.

python3 -P tests/golden/coverage.py
"""
import json
import pathlib

import numpy as np

CLIPS, NEW_CLIPS, CLASSES = 40, 10, 6


def main():
    random = np.random.default_rng(7)
    probabilities = (random.random((CLIPS + NEW_CLIPS, CLASSES)) ** 3).astype(np.float32)
    shares = probabilities.astype(np.float64)
    shares /= shares.sum(axis=1, keepdims=True)
    labels = np.array([random.choice(CLASSES, p=row) for row in shares])
    scores = 1 - shares
    rules = []
    for coverage in (0.1, 0.5, 0.8, 0.9, 0.95):
        level = np.ceil((CLIPS + 1) * coverage) / CLIPS
        limit = np.quantile(scores[np.arange(CLIPS), labels[:CLIPS]], level, method='inverted_cdf')
        sets = [np.flatnonzero(row <= limit).tolist() for row in scores[CLIPS:]]
        sets = [found or [int(row.argmin())] for found, row in zip(sets, scores[CLIPS:])]
        rules.append({
            'coverage': coverage,
            'least_share': 1 - limit,
            'sets': sets,
            'covered': np.mean([label in found for label, found in zip(labels[CLIPS:], sets)]),
            'labels_per_set': np.mean([len(found) for found in sets]),
        })
    golden = {'clips': CLIPS, 'probabilities': probabilities.tolist(), 'labels': labels.tolist(),
              'rules': rules}
    path = pathlib.Path(__file__).with_suffix('.json')
    path.write_text(json.dumps(golden) + '\n')


main()
