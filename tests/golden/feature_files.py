# SPDX-License-Identifier: MIT
"""Writes feature_files/: small feature files in every layout, by the libraries that people use, and feature_files.json
with what they contain: names, rows with the frames averaged by NumPy, and labels.

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
    save_pickle('records.pkl', [{'video_id': name, 'label': 3, 'feature': clip} for name, clip in zip(NAMES, CLIPS)])
    expect('records.pkl', [clip.mean(axis=0) for clip in CLIPS], NAMES)
    save_pickle('streams.pkl', {name: {'rgb': clip, 'flow': -clip} for name, clip in zip(NAMES, CLIPS)})
    expect('streams.pkl:flow', [-clip.mean(axis=0) for clip in CLIPS], NAMES)
    save_pickle('array.pkl', FRAMES)
    expect('array.pkl', FRAMES.mean(axis=1))
    save_pickle('complex.pkl', {'clip_features': MATRIX.astype(np.complex64)})
    save_pickle('settings.pkl', {'lr': 0.1, 'names': {'a': 'b'}})
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


def hdf5():
    means = [clip.mean(axis=0) for clip in CLIPS]
    by_name = sorted(zip(NAMES, means))
    with h5py.File(FOLDER / 'sets.h5', 'w') as file:
        for name, clip in zip(NAMES, CLIPS):
            file[name] = clip
    expect('sets.h5', [mean for _, mean in by_name], [name for name, _ in by_name])
    with h5py.File(FOLDER / 'groups.h5', 'w', libver='latest') as file:
        for name, clip in zip(NAMES, CLIPS):
            file[name + '/rgb'] = clip
            file[name + '/flow'] = -clip.astype('>f8')
    expect('groups.h5:flow', [-clip.astype(np.float64).mean(axis=0) for _, clip in sorted(zip(NAMES, CLIPS))],
           [name for name, _ in by_name])
    with h5py.File(FOLDER / 'names.h5', 'w') as file:
        file.create_dataset('features', data=FRAMES, chunks=(2, 3, 3), compression='gzip', shuffle=True)
        file['video_names'] = NAMES
    expect('names.h5', FRAMES.mean(axis=1), NAMES)
    with h5py.File(FOLDER / 'ids.h5', 'w') as file:
        file['rgb'] = MATRIX.astype(np.float16)
        file['ids'] = IDS.astype(np.int32)
        file['labels'] = LABEL_MATRIX.astype(np.int8)
        file['fixed'] = np.array(NAMES, dtype='S12')
    expect('ids.h5', MATRIX.astype(np.float16), IDS, [[j for j in range(3) if row[j]] for row in LABEL_MATRIX])
    with h5py.File(FOLDER / 'matrix.h5', 'w', userblock_size=512) as file:
        file['resnet'] = MATRIX
    expect('matrix.h5', MATRIX)
    with h5py.File(FOLDER / 'whole_numbers.h5', 'w') as file:
        file['rgb'] = LABEL_MATRIX.astype(np.int32)
    with h5py.File(FOLDER / 'external.h5', 'w') as file:
        file.create_dataset('rgb', shape=(1, 2), dtype='f4', external=[('/etc/hostname', 0, 8)])
    with h5py.File(FOLDER / 'lzf.h5', 'w') as file:
        file.create_dataset('rgb', data=np.zeros((8, 8), dtype=np.float32), compression='lzf')
    with h5py.File(FOLDER / 'huge.h5', 'w') as file:
        file.create_dataset('rgb', shape=(2**60, 2), dtype='f4', chunks=(1, 2))


def save_safetensors(name, tensors, metadata=None):
    """Eight bytes with the length of a JSON header, the header, the numbers."""
    types = {'float32': 'F32', 'float16': 'F16', 'int64': 'I64', 'uint16': 'BF16'}
    header = {'__metadata__': metadata} if metadata else {}
    blob = b''
    for key, tensor in tensors.items():
        bits = np.ascontiguousarray(tensor).tobytes()
        header[key] = {'dtype': types[str(tensor.dtype)], 'shape': list(tensor.shape),
                       'data_offsets': [len(blob), len(blob) + len(bits)]}
        blob += bits
    text = json.dumps(header).encode()
    with open(FOLDER / name, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + blob)


def safetensors():
    save_safetensors('ids.safetensors', {'clip_features': FRAMES, 'video_ids': IDS, 'labels': LABELS}, {'made_by': 'us'})
    expect('ids.safetensors', FRAMES.mean(axis=1), IDS, [[int(x)] for x in LABELS])
    save_safetensors('clips.safetensors', dict(zip(NAMES, CLIPS)))
    expect('clips.safetensors', [clip.mean(axis=0) for clip in CLIPS], NAMES)
    brain = (MATRIX.view(np.uint32) >> 16).astype(np.uint16)
    save_safetensors('brain.safetensors', {'x': brain})
    expect('brain.safetensors', (brain.astype(np.uint32) << 16).view(np.float32))


def texts():
    np.savetxt(FOLDER / 'savetxt.txt', MATRIX, header='two lines\nof header')
    expect('savetxt.txt', np.loadtxt(FOLDER / 'savetxt.txt'))
    lines = [','.join([name] + [repr(float(x)) for x in row]) for name, row in zip(NAMES, MATRIX)]
    (FOLDER / 'names.csv').write_text('\n'.join(lines) + '\n')
    expect('names.csv', MATRIX, NAMES)
    (FOLDER / 'header.csv').write_text('video_id,0,1,2\n' + '\n'.join(
        ','.join([str(i)] + [repr(float(x)) for x in row]) for i, row in zip(IDS, MATRIX)) + '\n')
    expect('header.csv', MATRIX, IDS)
    (FOLDER / 'pandas.tsv').write_bytes(b'\xef\xbb\xbf\tf0\tf1\tf2\r\n' + b''.join(
        '\t'.join([f'"{name}"'] + [repr(float(x)) for x in row]).encode() + b'\r\n' for name, row in zip(NAMES, MATRIX)))
    expect('pandas.tsv', MATRIX, NAMES)


def reference():
    """Both streams of a data set like Confusing-HMDB-102 with 2 x 2 classes, as the released code stores them: flow in
    another order, with a clip that a sampler repeated. reference.csv has the rows that come out."""
    folder = FOLDER.parent / 'reference'
    folder.mkdir(exist_ok=True)
    ids = {'train': np.array([11, 4, 7, 30, 2]), 'test': np.array([8, 5, 21])}
    labels = {'train': np.array([0, 3, 2, 1, 0]), 'test': np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], dtype=float)}
    lines = []
    rows = {}
    for split, numbers in ids.items():
        for stream, protocol in (('rgb', 5), ('flow', 4)):
            features = RANDOM.standard_normal((len(numbers), 8, 2)).astype(np.float32)
            rows[stream] = features.mean(axis=1)
            order = np.arange(len(numbers))
            if stream == 'flow':
                order = np.append(order[::-1], order[0])
            contents = {'video_ids': numbers[order], 'labels': labels[split][order],
                        'clip_features': (features[order],) if stream == 'flow' else features[order],
                        'spatial_indices': np.zeros(len(order), dtype=int)}
            with open(folder / f'{stream}_{split}.pkl', 'wb') as file:
                pickle.dump(contents, file, protocol=protocol)
        for number, rgb, flow in zip(numbers, rows['rgb'], rows['flow']):
            lines.append(','.join([str(number)] + [repr(float(x)) for x in np.concatenate([rgb, flow])]))
    (folder / 'reference.csv').write_text('clip,rgb0,rgb1,flow0,flow1\n' + '\n'.join(lines) + '\n')


def main():
    FOLDER.mkdir(exist_ok=True)
    pickles()
    arrays()
    hdf5()
    safetensors()
    texts()
    reference()
    with open(FOLDER.parent / 'feature_files.json', 'w') as file:
        lines = (f' {json.dumps(name)}: {json.dumps(found)}' for name, found in EXPECTED.items())
        file.write('{\n' + ',\n'.join(lines) + '\n}\n')


if __name__ == '__main__':
    main()
