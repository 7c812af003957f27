# SPDX-License-Identifier: MIT
"""Writes youtube8m/: records of YouTube-8M at video level with few videos, and youtube8m.json with the data set that the
import must draw from them. Examples are encoded by the protobuf library of Python; the framing and its checksums are
those of event_file.py; the draw is Python's random.

Needs python3-protobuf: python3 tests/golden/youtube8m.py
"""
import json
import pathlib
import random
import struct

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from event_file import record

FOLDER = pathlib.Path(__file__).parent / 'youtube8m'
NAMES = {0: 'Game', 1: 'Vehicle', 3: '', 4: 'Game', 7: 'Rock; pop', 9: 'Rare'}


def example_class():
    """tf.train.Example, as in TensorFlow's example.proto and feature.proto."""
    file = descriptor_pb2.FileDescriptorProto(name='example.proto', package='tf', syntax='proto3')
    field = descriptor_pb2.FieldDescriptorProto

    def message(parent, name, *fields):
        made = parent.add(name=name)
        for number, (key, kind, label, type_name) in enumerate(fields, 1):
            made.field.add(name=key, number=number, type=kind, label=label, type_name=type_name)
        return made

    many, one = field.LABEL_REPEATED, field.LABEL_OPTIONAL
    message(file.message_type, 'BytesList', ('value', field.TYPE_BYTES, many, None))
    message(file.message_type, 'FloatList', ('value', field.TYPE_FLOAT, many, None))
    message(file.message_type, 'Int64List', ('value', field.TYPE_INT64, many, None))
    message(file.message_type, 'Feature', ('bytes_list', field.TYPE_MESSAGE, one, '.tf.BytesList'),
            ('float_list', field.TYPE_MESSAGE, one, '.tf.FloatList'),
            ('int64_list', field.TYPE_MESSAGE, one, '.tf.Int64List'))
    features = message(file.message_type, 'Features', ('feature', field.TYPE_MESSAGE, many, '.tf.Features.FeatureEntry'))
    entry = message(features.nested_type, 'FeatureEntry', ('key', field.TYPE_STRING, one, None),
                    ('value', field.TYPE_MESSAGE, one, '.tf.Feature'))
    entry.options.map_entry = True
    message(file.message_type, 'Example', ('features', field.TYPE_MESSAGE, one, '.tf.Features'))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName('tf.Example'))


def single(x):
    """As float32."""
    return struct.unpack('<f', struct.pack('<f', x))[0]


def videos():
    source = random.Random(8)
    made = []
    for i in range(40):
        labels = sorted(source.sample([0, 1, 3, 4, 7], source.randint(1, 3)))
        if i == 11:
            labels = [9]
        if i == 20:
            labels = [1, 9]
        made.append({'id': f'v{i:03}', 'labels': labels, 'rgb': [single(source.gauss(0, 1)) for _ in range(4)],
                     'audio': [single(source.gauss(0, 1)) for _ in range(2)]})
    return made


def write(name, made, example_of):
    (FOLDER / name).write_bytes(b''.join(record(example_of(video)) for video in made))


def main():
    FOLDER.mkdir(exist_ok=True)
    Example = example_class()

    def packed(video):
        example = Example()
        feature = example.features.feature
        feature['id'].bytes_list.value.append(video['id'].encode())
        feature['labels'].int64_list.value.extend(video['labels'])
        feature['mean_rgb'].float_list.value.extend(video['rgb'])
        feature['mean_audio'].float_list.value.extend(video['audio'])
        return example.SerializeToString(deterministic=True)

    made = videos()
    write('train00.tfrecord', made[:25], packed)
    write('train01.tfrecord', made[25:], packed)
    lines = [f'{id},1,/m/{id},{name},,Games' for id, name in NAMES.items()]
    (FOLDER / 'vocabulary.csv').write_text('Index,TrainVideoCount,KnowledgeGraphId,Name,WikiUrl,Vertical1\n'
                                           + '\n'.join(lines) + '\n')

    # import youtube8m --min-count 3 --train 20 --val 5 --test 10 --seed 7
    pool = [dict(video, labels=[label for label in video['labels'] if label != 9]) for video in made]
    pool = [video for video in pool if video['labels']]
    draw = random.Random(7)
    draw.shuffle(pool)
    names = ['Game', 'Vehicle', 'class 3', 'Game (4)', 'Rock, pop']
    ids = {0: 0, 1: 1, 3: 2, 4: 3, 7: 4}
    clips = []
    for i, video in enumerate(pool[:35]):
        truth = [ids[label] for label in video['labels']]
        clips.append({'clip': video['id'], 'truth': truth, 'rgb': video['rgb'], 'audio': video['audio'],
                      'labels': [truth[draw.randrange(len(truth))]] if i < 25 else truth})
    (FOLDER.parent / 'youtube8m.json').write_text(
        '{"names": ' + json.dumps(names) + ',\n"clips": [\n' + ',\n'.join(json.dumps(clip) for clip in clips) + '\n]}\n')


if __name__ == '__main__':
    main()
