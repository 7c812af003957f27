# SPDX-License-Identifier: MIT
"""Writes intervals.json: quantiles, intervals and rank tests by SciPy.

The crossed interval is computed from the mean squares of a two-way analysis of variance, with the quantile of Cochran
and Cox. Friedman's statistic and its ties are those of SciPy.
python3 -P tests/golden/intervals.py (python3-scipy)
"""
import json
import math
import pathlib
import random

import numpy
from scipy import stats


def mean_squares(values):
    """Of runs, clips and their interaction, as variances of the mean, with degrees of freedom."""
    values = numpy.array(values)
    runs, clips = values.shape
    grand = values.mean()
    of_runs, of_clips = values.mean(axis=1), values.mean(axis=0)
    ms_clips = runs * ((of_clips - grand) ** 2).sum() / (clips - 1)
    if runs == 1:
        return [(0, 0), (ms_clips / clips, clips - 1), (0, 0)]
    ms_runs = clips * ((of_runs - grand) ** 2).sum() / (runs - 1)
    total = ((values - grand) ** 2).sum()
    freedom = (runs - 1) * (clips - 1)
    ms_rest = (total - (runs - 1) * ms_runs - (clips - 1) * ms_clips) / freedom
    size = runs * clips
    return [(ms_runs / size, runs - 1), (ms_clips / size, clips - 1), (ms_rest / size, freedom)]


def crossed(datasets):
    runs, clips, rest = [numpy.sum(part, axis=0) for part in zip(*map(mean_squares, datasets))]
    parts = [(runs[0], runs[1]), (max(0, clips[0] - rest[0]), clips[1]), (max(0, rest[0] - runs[0]), rest[1])]
    variance = sum(value for value, _ in parts)
    t = sum(value * stats.t.ppf(0.975, freedom) for value, freedom in parts if value > 0) / variance
    return {"mean": numpy.mean([numpy.mean(values) for values in datasets]),
            "half_width": t * math.sqrt(variance) / len(datasets)}


def sample(draw, runs, clips, run_noise, clip_noise):
    of_run = [draw.gauss(0.1, run_noise) for _ in range(runs)]
    of_clip = [draw.gauss(0, clip_noise) for _ in range(clips)]
    return [[r + c + draw.gauss(0, 0.3) for c in of_clip] for r in of_run]


def friedman(values):
    statistic = stats.friedmanchisquare(*zip(*values)).statistic
    datasets, methods = len(values), len(values[0])
    f = (datasets - 1) * statistic / (datasets * (methods - 1) - statistic)
    return {
        "values": values,
        "mean_ranks": numpy.mean([stats.rankdata([-value for value in line]) for line in values], axis=0).tolist(),
        "chi_squared": statistic,
        "f": f,
        "p": stats.f.sf(f, methods - 1, (methods - 1) * (datasets - 1)),
    }


def main():
    draw = random.Random(5)
    shapes = [[(3, 20, 0.1, 0.3)], [(2, 7, 0.0, 0.2)], [(5, 12, 0.2, 0.0)], [(1, 9, 0.1, 0.3)],
              [(3, 8, 0.1, 0.2), (2, 11, 0.1, 0.4)]]
    drawn = [[sample(draw, *shape) for shape in each] for each in shapes]
    values = [draw.gauss(0, 1) for _ in range(4)]
    student = stats.t.interval(0.95, 3, numpy.mean(values), stats.sem(values))
    rounded = [[round(draw.gauss(method / 4, 1)) for method in range(5)] for _ in range(6)]
    result = {
        "t": [{"p": p, "freedom": freedom, "quantile": stats.t.ppf(p, freedom)}
              for p in (0.025, 0.6, 0.975, 0.9995) for freedom in (0.7, 1, 2, 3.6, 29, 1234.5, 100000)],
        "f": [{"f": f, "a": a, "b": b, "tail": stats.f.sf(f, a, b)}
              for f in (0.2, 1, 3.7, 40) for a, b in ((1, 1), (3, 39), (8, 16), (2, 1000))],
        "range": [{"k": k, "quantile": stats.studentized_range.ppf(0.95, k, numpy.inf)} for k in (2, 3, 4, 9, 40)],
        "student": {"values": values, "low": student[0], "high": student[1]},
        "crossed": [{"datasets": datasets, **crossed(datasets)} for datasets in drawn],
        "friedman": [friedman([[draw.random() for _ in range(4)] for _ in range(9)]), friedman(rounded)],
    }
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(result) + "\n")


main()
