"""Nets that tell classes of pictures apart, as `saccade fit` trains them."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from saccade._core import BYTE, FLOAT, INT, Owner, array, created, dense, documented, ffi, lib, path_of, pointer


class Classified(NamedTuple):
    """What a net takes pictures for."""

    labels: np.ndarray
    """[count] of int32: the most probable class of each picture, the lower one of equals"""
    probabilities: np.ndarray
    """[count, classes] of float32: each row sums to 1"""


@documented("sac_classifier")
class Classifier:
    """A net from the file net.safetensors of a run folder.

    classifier(pictures) gives (labels, probabilities), with the bits of `saccade classify`.
    """

    @documented("sac_classifier_load")
    def __init__(self, path: Any, *, threads: int = 1) -> None:
        self._take(created(lib.sac_classifier_load, "sac_classifier", lib.sac_classifier_destroy,
                           path_of(path, "path"), threads))

    @classmethod
    @documented("sac_classifier_read")
    def read(cls, data: bytes, where: str = "memory", *, threads: int = 1) -> Classifier:
        """A net from the bytes of its file."""
        view, net = memoryview(data).cast("B"), cls.__new__(cls)
        net._take(created(lib.sac_classifier_read, "sac_classifier", lib.sac_classifier_destroy,
                          ffi.from_buffer(view), view.nbytes, where.encode(), threads))
        return net

    def _take(self, handle: Any) -> None:
        self._handle, self._owner = handle, Owner("a classifier")
        known = lib.sac_classifier_get_shape(handle)
        self._shape: tuple[int, int, int] = (known.rows, known.columns, known.channels)
        self._classes: int = known.classes
        self._parameters: int = known.parameters

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of a picture: (rows, columns, channels)."""
        return self._shape

    @property
    def classes(self) -> int:
        """How many the net tells apart."""
        return self._classes

    @property
    def parameter_count(self) -> int:
        """Numbers that were learned."""
        return self._parameters

    def __repr__(self) -> str:
        rows, columns, channels = self._shape
        return (f"<saccade.Classifier of {rows} x {columns} pictures with {channels} channel{'s' * (channels > 1)} in "
                f"{self._classes} classes, {self._parameters} parameters>")

    def _pictures(self, pictures: Any) -> np.ndarray:
        """As [count, rows, columns, channels], without a copy."""
        pictures = array(pictures, "pictures", BYTE)
        given, grey = pictures.shape, self._shape[2] == 1
        if grey and pictures.ndim == 3:
            pictures = pictures[..., np.newaxis]
        if pictures.shape[1:] != self._shape:
            rows, columns, channels = self._shape
            raise ValueError(f"pictures: shape {given}, expected (count, {rows}, {columns}, {channels})"
                             + (f" or (count, {rows}, {columns})" if grey else ""))
        return dense(pictures, "pictures", dtype=BYTE)

    def __call__(self, pictures: Any) -> Classified:
        """Classify pictures. What one of them gives depends neither on those beside it nor on the number of threads.

        pictures: [count, rows, columns, channels] of uint8, 0..255; for one channel [count, rows, columns], too
        """
        pictures = self._pictures(pictures)
        count = len(pictures)
        labels, probabilities = np.empty(count, INT), np.empty((count, self._classes), FLOAT)
        with self._owner:
            if count > 0:
                lib.sac_classifier_run(self._handle, pointer(pictures), count, pointer(labels), pointer(probabilities))
        return Classified(labels, probabilities)
