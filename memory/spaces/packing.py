"""The stored form of a chunk's values in all spaces: quantised and compressed.

Numbers are whole numbers of a step, which is stored with them: of a vector or of weights, 8 bits each, so that they are
off by at most 1/254 of the largest; of the token vectors of E12, which take the most room by far, 4 bits each, so by at
most 1/14 of the token's largest. Bits stay as they are.
"""

import zlib
from collections.abc import Mapping
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: A value in the packed form: the number of its space, its kind, and its rows and columns.
_HEAD = Struct("<BcHH")
_DENSE, _SPARSE, _BITS, _TOKENS = b"d", b"s", b"b", b"t"
#: The largest whole number of 8 bits, and of 4.
_OF_8_BITS, _OF_4_BITS = 127, 7


def pack(values: Mapping[str, Any]) -> bytes:
    """The packed form of values of spaces, by the names of the spaces, such as E1."""
    return zlib.compress(b"".join(_packed(int(name[1:]), value) for name, value in values.items()), level=9)


def unpack(packed: bytes) -> dict[str, Any]:
    """The values of `pack`, about. Raises ValueError if it did not make `packed`."""
    try:
        reader = _Reader(zlib.decompress(packed))
        values = {}
        while reader.has_more:
            number, kind, rows, columns = _HEAD.unpack(reader.take(_HEAD.size))
            values[f"E{number}"] = _READ[kind](reader, rows, columns)
    except (zlib.error, KeyError) as error:
        raise ValueError("These are not the values of spaces.") from error
    return values


class _Reader:
    """The bytes that have not been read yet."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def has_more(self) -> bool:
        return self._at < len(self._data)

    def take(self, size: int) -> bytes:
        found = self._data[self._at : self._at + size]
        self._at += size
        if len(found) < size:
            raise ValueError("The values of spaces end early.")
        return found

    def numbers(self, dtype: str, count: int) -> NDArray[Any]:
        return np.frombuffer(self.take(count * np.dtype(dtype).itemsize), dtype)


def _packed(number: int, value: Any) -> bytes:
    if isinstance(value, Mapping):
        dimensions = sorted(value)
        weights = np.array([[value[one] for one in dimensions]], dtype=np.float32)
        head = _HEAD.pack(number, _SPARSE, 1, len(dimensions))
        return head + np.array(dimensions, dtype="<u4").tobytes() + _steps(weights, _OF_8_BITS)
    if value.dtype == np.uint8:
        return _HEAD.pack(number, _BITS, 1, value.size) + bytes(value)
    if value.ndim == 1:
        return _HEAD.pack(number, _DENSE, 1, value.size) + _steps(value[None, :], _OF_8_BITS)
    return _HEAD.pack(number, _TOKENS, *value.shape) + _steps(value, _OF_4_BITS)


def _steps(rows: NDArray[Any], largest: int) -> bytes:
    """Each row as the length of its step and the numbers of steps."""
    step = np.maximum(np.abs(rows).max(axis=1, keepdims=True) / largest, np.finfo(np.float32).tiny)
    numbers = np.rint(rows / step).astype(np.int8)
    return bytes(step.astype("<f4").tobytes() + (_halved(numbers) if largest == _OF_4_BITS else numbers.tobytes()))


def _halved(numbers: NDArray[np.int8]) -> bytes:
    """Two numbers of 4 bits in each byte."""
    flat = (numbers.reshape(-1) + 8).astype(np.uint8)
    if flat.size % 2:
        flat = np.append(flat, np.uint8(0))
    return bytes((flat[0::2] << 4 | flat[1::2]).tobytes())


def _read_dense(reader: _Reader, rows: int, columns: int) -> NDArray[np.float32]:
    step = reader.numbers("<f4", rows)
    return np.asarray(step * reader.numbers("i1", columns), dtype=np.float32)


def _read_sparse(reader: _Reader, rows: int, columns: int) -> dict[int, float]:
    dimensions = reader.numbers("<u4", columns).tolist()
    return dict(zip(dimensions, _read_dense(reader, rows, columns).tolist(), strict=True))


def _read_bits(reader: _Reader, rows: int, columns: int) -> NDArray[np.uint8]:
    return reader.numbers("u1", columns)


def _read_tokens(reader: _Reader, rows: int, columns: int) -> NDArray[np.float32]:
    step = reader.numbers("<f4", rows)[:, None]
    pairs = reader.numbers("u1", (rows * columns + 1) // 2)
    numbers = np.stack((pairs >> 4, pairs & 15), axis=1).reshape(-1)[: rows * columns].astype(np.float32) - 8
    return np.asarray(step * numbers.reshape(rows, columns), dtype=np.float32)


_READ = {_DENSE: _read_dense, _SPARSE: _read_sparse, _BITS: _read_bits, _TOKENS: _read_tokens}
