# SPDX-License-Identifier: MIT
"""Writes event_file.json: event files for TensorBoard, byte by byte from their specifications.

TFRecord: length, masked CRC-32C of the length, data, masked CRC-32C of the data. The data is an
Event of TensorFlow's event.proto in the encoding of protocol buffers. The CRC is worked out bit by
bit and checked against the vectors of RFC 3720. Needs Python alone: python3 -P tests/golden/event_file.py
"""
import json
import pathlib
import struct

FILES = [
    # One step as a training writes it.
    [(1700000000.25, 1, [('loss/train', 0.693), ('loss/validation', 1.5), ('validation/top1', 0.0)])],
    # A training that goes on; steps and lengths of more than seven bits; other letters.
    [(1700000001.5, 127, [('a', 1e-3)]),
     (1700000002.5, 128, [('long/' + 'x' * 200, -1.0)]),
     (1700000003.5, 123456789012, [('a', 1e-45), ('β/ü', -0.0)])],
    # Nothing is defined.
    [(1.0, 5, [])],
]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack('<I', (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
    length = struct.pack('<Q', len(data))
    return length + masked(length) + data + masked(data)


def varint(value):
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(value & 0x7F)
    return bytes(group | 0x80 for group in groups[:-1]) + bytes(groups[-1:])


def message(number, data):
    return varint(number * 8 + 2) + varint(len(data)) + data


def event(time, step, what):
    return record(b'\x09' + struct.pack('<d', time) + b'\x10' + varint(step) + what)


def event_file(steps):
    time, step, _ = steps[0]
    contents = event(time, 0, message(3, b'brain.Event:2'))
    contents += event(time, step, message(7, b'\x08\x01'))
    for time, step, scalars in steps:
        values = b''.join(message(1, message(1, tag.encode()) + b'\x15' + struct.pack('<f', value))
                          for tag, value in scalars)
        contents += event(time, step, message(5, values))
    return contents


def main():
    assert crc32c(b'123456789') == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b'\xff' * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    files = [{'steps': [{'time': time, 'step': step,
                         'scalars': [{'tag': tag, 'value': value} for tag, value in scalars]}
                        for time, step, scalars in steps],
              'bytes': event_file(steps).hex()} for steps in FILES]
    path = pathlib.Path(__file__).with_suffix('.json')
    path.write_text('[\n' + ',\n'.join(map(json.dumps, files)) + '\n]\n')


if __name__ == '__main__':
    main()
