# SPDX-License-Identifier: MIT
"""Writes feature_files/: small feature files in every layout, by the libraries that people use, and feature_files.json
with what they contain: names, and rows with the frames averaged by NumPy.

Needs python3-numpy and python3-h5py: python3 -P tests/golden/feature_files.py
"""
import collections
import json
import pathlib
import pickle
import struct

import h5py
import numpy as np

FOLDER = pathlib.Path(__file__).parent / 'feature_files'
NAMES = ['P01_01_1', 'P01_01_0', 'P02_03_7', 'P01_02_10']
IDS = np.array([17, 3, 900, 4], dtype=np.int64)
RANDOM = np.random.default_rng(14)
MATRIX = RANDOM.standard_normal((4, 3)).astype(np.float32)
FRAMES = RANDOM.standard_normal((4, 8, 3)).astype(np.float32)
LENGTHS = [2, 1, 5, 3]
CLIPS = [RANDOM.standard_normal((length, 3)).astype(np.float32) for length in LENGTHS]
LABELS = np.array([2, 0, 1, 2])
LABEL_MATRIX = np.array([[1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0]], dtype=np.float32)
EXPECTED = {}


def expect(name, rows, names=(), labels=()):
    EXPECTED[name] = {'names': [str(x) for x in names], 'rows': np.asarray(rows, dtype=np.float32).tolist(),
                      'labels': labels}


def save_pickle(name, contents, protocol=pickle.HIGHEST_PROTOCOL):
    with open(FOLDER / name, 'wb') as file:
        pickle.dump(contents, file, protocol=protocol)


def released(features, labels):
    """The dictionary that the released code of the paper writes."""
    return {'video_ids': IDS, 'labels': labels, 'clip_features': features, 'spatial_indices': np.zeros(4, dtype=int),
            'temporal_indices': np.zeros(4, dtype=int), 'frame_indices': np.zeros((4, 8), dtype=int)}


class Attack:
    def __reduce__(self):
        import os
        return os.system, ('touch /tmp/manyverbs-was-attacked',)


def pickles():
    singles = [[int(x)] for x in LABELS]
    several = [[j for j in range(3) if row[j]] for row in LABEL_MATRIX]
    for protocol in range(2, 6):
        name = f'protocol{protocol}.pkl'
        save_pickle(name, released(FRAMES, LABELS), protocol)
        expect(name, FRAMES.mean(axis=1), IDS, singles)
    save_pickle('tuple.pkl', released((FRAMES,), LABEL_MATRIX))
    expect('tuple.pkl', FRAMES.mean(axis=1), IDS, several)
    save_pickle('matrix.pkl', released(MATRIX, LABEL_MATRIX))
    expect('matrix.pkl', MATRIX, IDS, several)
    save_pickle('fortran.pkl', {'video_ids': list(NAMES), 'clip_features': np.asfortranarray(FRAMES.astype(np.float64))})
    expect('fortran.pkl', FRAMES.astype(np.float64).mean(axis=1), NAMES)
    save_pickle('half.pkl', {'video_ids': [np.int64(i) for i in IDS], 'clip_features': MATRIX.astype(np.float16)}, 2)
    expect('half.pkl', MATRIX.astype(np.float16), IDS)
    save_pickle('dict.pkl', dict(zip(NAMES, CLIPS)))
    expect('dict.pkl', [clip.mean(axis=0) for clip in CLIPS], NAMES)
    save_pickle('dict_of_ids.pkl', collections.OrderedDict(zip(IDS, MATRIX)), 3)
    expect('dict_of_ids.pkl', MATRIX, IDS)
    save_pickle('list.pkl', list(CLIPS))
    expect('list.pkl', [clip.mean(axis=0) for clip in CLIPS], range(4))
    save_pickle('pairs.pkl', list(zip(NAMES, CLIPS)))
    expect('pairs.pkl', [clip.mean(axis=0) for clip in CLIPS], NAMES)
    save_pickle('streams.pkl', {name: {'rgb': clip, 'flow': -clip} for name, clip in zip(NAMES, CLIPS)})
    expect('streams.pkl:flow', [-clip.mean(axis=0) for clip in CLIPS], NAMES)
    save_pickle('array.pkl', FRAMES)
    expect('array.pkl', FRAMES.mean(axis=1))
    save_pickle('attack.pkl', {'clip_features': MATRIX, 'video_ids': Attack()})


def arrays():
    np.save(FOLDER / 'frames.npy', FRAMES)
    expect('frames.npy', FRAMES.mean(axis=1))
    np.save(FOLDER / 'dict.npy', dict(zip(NAMES, CLIPS)), allow_pickle=True)
    expect('dict.npy', [clip.mean(axis=0) for clip in CLIPS], NAMES)
    np.savez(FOLDER / 'names.npz', features=FRAMES, names=np.array(NAMES))
    expect('names.npz', FRAMES.mean(axis=1), NAMES)
    np.savez_compressed(FOLDER / 'objects.npz', rgb=MATRIX, names=np.array(NAMES, dtype=object), labels=LABELS)
    expect('objects.npz', MATRIX, NAMES, [[int(x)] for x in LABELS])
    np.savez_compressed(FOLDER / 'clips.npz', **dict(zip(NAMES, CLIPS)))
    expect('clips.npz', [clip.mean(axis=0) for clip in CLIPS], NAMES)


def main():
    FOLDER.mkdir(exist_ok=True)
    pickles()
    arrays()
    with open(FOLDER.parent / 'feature_files.json', 'w') as file:
        lines = (f' {json.dumps(name)}: {json.dumps(found)}' for name, found in EXPECTED.items())
        file.write('{\n' + ',\n'.join(lines) + '\n}\n')


if __name__ == '__main__':
    main()
