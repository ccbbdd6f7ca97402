# SPDX-License-Identifier: Apache-2.0
"""Many settings, the same questions: grids and lists, over threads or any executor, restartable."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _validate
from ._finished import Answer, Finished
from .dpsgd import dpsgd
from .quantity import Quantity

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from ._questions import Questions

    Report = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Sweep:
    """The certified brackets of a sweep, a row a setting, a column a quantity.

    Attributes
    ----------
    settings : tuple of dict
        The settings, in the order in which they were given.
    quantities : tuple of Quantity
        What was asked.
    lower, upper : numpy.ndarray, shape (settings, quantities)
        The brackets. Where nothing could be certified, the trivial one: from 0 to 1 for a rate, else from 0 to inf.
    errors : tuple of (str or None)
        For each setting why a bracket is trivial, or None.

    Examples
    --------
    >>> import hockeystick as hs
    >>> table = hs.sweep({"noise_multiplier": [1.0, 2.0]}, hs.Quantity.delta(epsilon=1.0), make=hs.Gaussian)
    >>> for row in table.records():
    ...     print(row["noise_multiplier"], f"{row['delta(epsilon=1) upper']:.6f}")
    1.0 0.126937
    2.0 0.006830
    """

    settings: tuple[dict[str, Any], ...]
    quantities: tuple[Quantity, ...]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    errors: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.settings)

    def guarantee(self, quantity: Quantity) -> NDArray[np.float64]:
        """Return the side of the brackets of one quantity that may be promised.

        Parameters
        ----------
        quantity : Quantity
            One of :attr:`quantities`.

        Returns
        -------
        numpy.ndarray, shape (settings,)

        Raises
        ------
        ValueError
            If it was not asked.
        """
        column = self.quantities.index(quantity)
        return (self.lower if quantity.larger_is_safer else self.upper)[:, column]

    def records(self) -> list[dict[str, Any]]:
        """Return a dictionary a setting: its entries, both sides of every quantity, and the error.

        Returns
        -------
        list of dict
        """
        names = self._names()
        sides = np.stack([self.lower, self.upper], axis=2).reshape(len(self), -1).tolist()
        return [
            {**setting, **dict(zip(names, row, strict=True)), "error": error}
            for setting, row, error in zip(self.settings, sides, self.errors, strict=True)
        ]

    def to_numpy(self) -> NDArray[Any]:
        """Return a structured array, a field an entry: those of :meth:`records` without the error.

        Returns
        -------
        numpy.ndarray, shape (settings,)
        """
        columns = {name: np.array([setting[name] for setting in self.settings]) for name in self.settings[0]}
        for index, name in enumerate(self._names()):
            columns[name] = (self.lower, self.upper)[index % 2][:, index // 2]
        table = np.empty(len(self), dtype=[(name, column.dtype) for name, column in columns.items()])
        for name, column in columns.items():
            table[name] = column
        return table

    def to_pandas(self) -> Any:
        """Return a data frame of :meth:`records`; pandas must be installed.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame.from_records(self.records())

    def _names(self) -> list[str]:
        return [f"{quantity} {side}" for quantity in self.quantities for side in ("lower", "upper")]


def sweep(
    settings: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    quantities: Quantity | Iterable[Quantity],
    *,
    make: Callable[..., Questions] = dpsgd,
    threads: int = 1,
    executor: Any = None,
    chunk_size: int = 16,
    progress: bool | Report = False,
    resume: str | Path | None = None,
) -> Sweep:
    """Ask the same quantities of many settings.

    Every bracket is what ``quantity.bounds(make(**setting))`` returns, whoever computes it: the values do not depend
    on threads, executor or interruptions.

    Parameters
    ----------
    settings : mapping or iterable of mapping
        A mapping is a grid: its entries are the values of each argument of `make` (or one value), and every combination
        is taken, the last entry varying fastest. Otherwise one mapping a setting, all with the same entries.
    quantities : Quantity or iterable of Quantity
        What is asked of each.
    make : callable
        From the entries of a setting, by keyword, to a mechanism. It is called before the work begins, so that a
        setting out of its domain fails at once.
    threads : int
        Threads of this process, at least 1; the core works without the interpreter's lock.
    executor : concurrent.futures.Executor, optional
        Or anything else whose ``submit(function, *arguments)`` returns something with a ``result()``: a process pool,
        ``dask.distributed.Client.get_executor()``, an MPI pool. It is not shut down. Mechanisms are pickled, `make` is
        not.
    chunk_size : int
        Settings a task.
    progress : bool or callable
        True shows a progress bar (needs the package rich); a callable gets (settings done, settings in all).
    resume : path, optional
        A file for what is finished. If it is there, it must be of the same sweep and of this release, and what it holds
        is not computed again. The mechanisms must be such as :func:`to_dict` describes. One run at a time may use it.

    Returns
    -------
    Sweep

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain, a file of another sweep, and whatever `make` raises.
    ImportError
        If ``progress=True`` and rich is not installed.

    Examples
    --------
    >>> import hockeystick as hs
    >>> table = hs.sweep(
    ...     {"noise_multiplier": [0.8, 1.0], "sampling_rate": 0.01, "steps": [500, 1000]}, hs.Quantity.epsilon(delta=1e-5))
    >>> [f"{epsilon:.3f}" for epsilon in table.guarantee(hs.Quantity.epsilon(delta=1e-5))]
    ['2.399', '3.141', '1.326', '1.828']
    """
    rows = _rows(settings)
    asked = _asked(quantities)
    threads = _at_least_one("threads", threads)
    chunk_size = _at_least_one("chunk_size", chunk_size)
    if executor is not None and threads != 1:
        raise ValueError(f"threads must be left out where an executor is given, got {threads!r}")
    mechanisms = [make(**row) for row in rows]
    finished = Finished(None if resume is None else Path(resume), mechanisms, asked)
    with finished, _reporting(progress, len(rows)) as report:
        report(len(finished), len(rows))
        chunks = [finished.missing[i : i + chunk_size] for i in range(0, len(finished.missing), chunk_size)]
        tasks = [[mechanisms[index] for index in chunk] for chunk in chunks]
        with _pool(threads, executor) as pool:
            for chunk, answers in zip(chunks, _computed(pool, tasks, asked), strict=True):
                finished.add(chunk, answers)
                report(len(finished), len(rows))
    return _table(rows, asked, finished.in_order())


def _pool(threads: int, executor: Any) -> AbstractContextManager[Any]:
    """The executor that was given, which is not ours to shut down, or one of threads."""
    if threads == 1:
        return nullcontext(executor)
    from concurrent.futures import ThreadPoolExecutor  # imported here, as most programs never sweep

    return ThreadPoolExecutor(threads)


def _computed(pool: Any, tasks: list[list[Any]], asked: tuple[Quantity, ...]) -> Iterator[list[Answer]]:
    """The answers to the tasks, in their order, each as soon as it and those before it are there."""
    if pool is None:
        yield from (_answers(task, asked) for task in tasks)
        return
    futures = [pool.submit(_answers, task, asked) for task in tasks]
    try:
        for future in futures:
            yield future.result()
    finally:
        # After an error or an interruption nobody waits for the rest.
        for future in futures:
            future.cancel()


def _answers(mechanisms: list[Any], asked: tuple[Quantity, ...]) -> list[Answer]:
    return [_answer(mechanism, asked) for mechanism in mechanisms]


def _answer(mechanism: Any, asked: tuple[Quantity, ...]) -> Answer:
    lower, upper, errors = [], [], []
    for quantity in asked:
        try:
            bounds = quantity.bounds(mechanism)
        except (_core.AccuracyError, MemoryError) as error:
            bounds = quantity.trivial
            errors.append(f"{quantity}: {error}")
        lower.append(float(bounds.lower))
        upper.append(float(bounds.upper))
    return Answer(tuple(lower), tuple(upper), "; ".join(errors) or None)


def _table(rows: list[dict[str, Any]], asked: tuple[Quantity, ...], answers: list[Answer]) -> Sweep:
    lower = np.array([answer.lower for answer in answers], dtype=np.float64)
    upper = np.array([answer.upper for answer in answers], dtype=np.float64)
    return Sweep(tuple(rows), asked, lower, upper, tuple(answer.error for answer in answers))


def _rows(settings: Any) -> list[dict[str, Any]]:
    if isinstance(settings, Mapping):
        axes = [_values(value) for value in settings.values()]
        rows = [dict(zip(settings, row, strict=True)) for row in itertools.product(*axes)]
    elif isinstance(settings, Iterable) and not isinstance(settings, (str, bytes)):
        rows = []
        for row in settings:
            if not isinstance(row, Mapping):
                raise TypeError(f"settings must hold mappings, got {row!r}")
            rows.append(dict(row))
    else:
        raise TypeError(f"settings must be a mapping or an iterable of mappings, got {settings!r}")
    if not rows or not rows[0]:
        raise ValueError("settings must hold at least one setting, got none")
    for row in rows:
        if row.keys() != rows[0].keys():
            raise ValueError(f"settings must all have the entries {', '.join(rows[0])}, got {', '.join(map(str, row))}")
    return rows


def _values(value: Any) -> list[Any]:
    """The values of one axis of a grid, as plain Python numbers where they are NumPy's."""
    if isinstance(value, np.ndarray):
        return list(np.atleast_1d(value).tolist())
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return [value]
    return [each.item() if isinstance(each, np.generic) else each for each in value]


def _asked(quantities: Any) -> tuple[Quantity, ...]:
    if isinstance(quantities, Quantity):
        return (quantities,)
    if not isinstance(quantities, Iterable):
        raise TypeError(f"quantities must be a Quantity or several, got {quantities!r}")
    asked = tuple(quantities)
    for quantity in asked:
        if not isinstance(quantity, Quantity):
            raise TypeError(f"quantities must be a Quantity or several, got {quantity!r}")
    if not asked or len(set(asked)) < len(asked):
        raise ValueError(f"quantities must hold each quantity once and at least one, got {asked!r}")
    return asked


def _at_least_one(name: str, value: Any) -> int:
    number = _validate.count(name, value)
    if not number:
        raise ValueError(f"{name} must be at least 1, got {value!r}")
    return number


def _reporting(progress: bool | Report, total: int) -> AbstractContextManager[Report]:
    if callable(progress):
        return nullcontext(progress)
    if not isinstance(progress, bool):
        raise TypeError(f"progress must be a boolean or callable, got {progress!r}")
    return _bar(total) if progress else nullcontext(lambda done, total: None)


@contextmanager
def _bar(total: int) -> Iterator[Report]:
    """A progress bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("sweep"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("sweep", total=total)
        yield lambda done, total: bar.update(task, completed=done)
