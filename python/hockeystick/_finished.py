# SPDX-License-Identifier: Apache-2.0
"""The finished settings of a sweep, in memory and, if wanted, in a file that a later run goes on from.

The file is JSON, one document a line: first what the sweep is, then an answer a line. A line that a dying process left
half written is dropped; everything else that does not fit is an error.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Self

from ._core import __version__
from .description import to_dict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    from .mechanisms import Mechanism
    from .quantity import Quantity

FILE_VERSION = 1


@dataclass(frozen=True)
class Answer:
    """Both sides of every quantity of one setting, and why one of them is trivial."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    error: str | None


class Finished:
    """Answers by the index of their setting; a context manager that closes its file."""

    def __init__(self, path: Path | None, mechanisms: Sequence[Any], asked: Sequence[Quantity]) -> None:
        self._answers: dict[int, Answer] = {}
        self._total = len(mechanisms)
        self._file: IO[str] | None = None
        if path is not None:
            self._open(path, _header(mechanisms, asked))
        self.missing = [index for index in range(self._total) if index not in self._answers]

    def __len__(self) -> int:
        return len(self._answers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, indices: Sequence[int], answers: Sequence[Answer]) -> None:
        """Keep the answers to some settings."""
        self._answers.update(zip(indices, answers, strict=True))
        if self._file is not None:
            # repr of a float reads back exactly; infinities are words, which JSON has no numbers for.
            for index, answer in zip(indices, answers, strict=True):
                sides = {"lower": [repr(x) for x in answer.lower], "upper": [repr(x) for x in answer.upper]}
                self._file.write(json.dumps({"index": index, **sides, "error": answer.error}) + "\n")
            self._file.flush()

    def in_order(self) -> list[Answer]:
        """Return the answers to all settings."""
        return [self._answers[index] for index in range(self._total)]

    def _open(self, path: Path, header: dict[str, Any]) -> None:
        complete = 0
        if path.exists() and path.stat().st_size:
            content = path.read_bytes()
            complete = content.rfind(b"\n") + 1
            # What follows the last line break was cut off by a crash; before the first one, only this header may be.
            lines = content[:complete].decode(errors="replace").splitlines()
            if not complete and not json.dumps(header).encode().startswith(content):
                lines = [content.decode(errors="replace")]
            self._read(path, lines, header)
        # Line by line: what was flushed is there after a crash.
        self._file = path.open("r+" if path.exists() else "w", encoding="utf-8", newline="\n")
        self._file.truncate(complete)
        self._file.seek(complete)
        if not complete:
            self._file.write(json.dumps(header) + "\n")
            self._file.flush()

    def _read(self, path: Path, lines: list[str], header: dict[str, Any]) -> None:
        try:
            documents = [json.loads(line) for line in lines]
            if documents and documents[0] != header:
                different = [name for name in header if documents[0].get(name) != header[name]]
                raise ValueError(f"it is of another {' and another '.join(different)}")
            for document in documents[1:]:
                lower, upper = (tuple(float(x) for x in document[side]) for side in ("lower", "upper"))
                self._answers[int(document["index"])] = Answer(lower, upper, document["error"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"resume must be a file of this sweep, got {str(path)!r}: {error}") from error


def _header(mechanisms: Sequence[Mechanism], asked: Sequence[Quantity]) -> dict[str, Any]:
    import hashlib  # here, as it loads a library that only a sweep with a file needs

    digest = hashlib.sha256()
    for mechanism in mechanisms:
        digest.update(json.dumps(to_dict(mechanism), sort_keys=True).encode())
    return {
        "file version": FILE_VERSION,
        "release": __version__,
        "quantities": [quantity.to_dict() for quantity in asked],
        "settings": digest.hexdigest(),
    }
