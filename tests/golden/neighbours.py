# SPDX-License-Identifier: MIT
"""Writes neighbours.json: nearest neighbours of small tables as scikit-learn's distances have them.

Numbers are 64ths, so that float32 holds them exactly. Neighbours are sorted by (distance, position);
distances that differ by rounding alone count as equal. Run with Debian's python3-sklearn:
python3 -P tests/golden/neighbours.py
"""
import json
import pathlib

import numpy as np
from sklearn.metrics import DistanceMetric
from sklearn.metrics.pairwise import cosine_distances

random = np.random.default_rng(1)


def distances(rows, metric):
    if metric == "cosine":
        return np.round(cosine_distances(rows), 13) + 0.0
    return DistanceMetric.get_metric("euclidean").pairwise(rows)


def case(name, rows, metric, k, queries=()):
    """Neighbours of `queries` among the other rows; without queries, of all rows among all others."""
    rows = np.asarray(rows, dtype=np.float64)
    asked = list(queries) or list(range(len(rows)))
    clips = [i for i in range(len(rows)) if i not in queries]
    table = distances(rows, metric)
    answer = {"clips": [], "distances": []}
    for query in asked:
        order = sorted((table[query, clip], clip) for clip in clips if clip != query)[:k]
        answer["clips"].append([clip for _, clip in order])
        answer["distances"].append([distance for distance, _ in order])
    return {"name": name, "metric": metric, "k": k, "rows": rows.tolist(), "queries": list(queries),
            **answer}


def sixty_fourths(count, columns):
    return random.integers(-128, 128, (count, columns)) / 64


scattered = sixty_fourths(40, 7)
grid = [[x, y] for x in range(6) for y in range(6)]
repeated = np.tile(sixty_fourths(8, 5), (4, 1))
with_zeros = sixty_fourths(21, 3)
with_zeros[[0, 11, 12, 19]] = 0
with_zeros[20] = with_zeros[4]

cases = [
    case("scattered", scattered, "euclidean", 5),
    case("scattered, all others", scattered[:15], "euclidean", 14),
    case("scattered, cosine", scattered[:15], "cosine", 14),
    case("grid", grid, "euclidean", 9),
    case("grid, more ties than candidates", [[x, y, 0] for x, y in grid] * 3, "euclidean", 2),
    case("repeated rows", repeated, "euclidean", 6),
    case("identical rows", np.full((9, 4), 1.5), "euclidean", 8),
    case("identical rows, cosine", np.full((9, 4), 1.5), "cosine", 3),
    case("zero rows, cosine", with_zeros, "cosine", 20),
    case("zero rows only, cosine", np.zeros((5, 2)), "cosine", 3),
    case("queries", scattered, "euclidean", 6, queries=[3, 1, 39, 20]),
    case("queries, cosine, all clips", with_zeros, "cosine", 17, queries=[0, 5, 12, 20]),
]
text = ",\n".join(json.dumps(one) for one in cases)
(pathlib.Path(__file__).parent / "neighbours.json").write_text(f"[\n{text}\n]\n")
