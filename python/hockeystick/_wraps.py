# SPDX-License-Identifier: Apache-2.0
"""What wraps any mechanism: sampling schemes, beside Poisson sampling, and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .mechanisms import Gaussian, Mechanism


class Wraps:
    """Mixin of mechanisms: one method a scheme, each a line over its class."""

    __slots__ = ()

    def without_replacement(self, *, batch_size: int, dataset_size: int) -> Mechanism:
        """Apply this to a fresh uniform subset of fixed size; for releases under the replace relation.

        Parameters
        ----------
        batch_size, dataset_size : int
            At least 1, the batch at most the data set.

        Returns
        -------
        WithoutReplacement

        Raises
        ------
        TypeError, ValueError
            See :class:`WithoutReplacement`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> base = hs.Gaussian(noise_multiplier=4.0, relation="replace")
        >>> print(f"{base.without_replacement(batch_size=10, dataset_size=1000).delta(epsilon=0.0):.6f}")
        0.000995
        """
        from .sampling import WithoutReplacement

        return WithoutReplacement(base=self._itself(), batch_size=batch_size, dataset_size=dataset_size)

    def with_replacement(self, *, batch_size: int, dataset_size: int) -> Mechanism:
        """Apply this to independent draws, in which a record may occur several times; for the Gaussian under replace.

        Parameters
        ----------
        batch_size, dataset_size : int
            At least 1.

        Returns
        -------
        WithReplacement

        Raises
        ------
        TypeError, ValueError
            See :class:`WithReplacement`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> step = hs.Gaussian(noise_multiplier=2.0, relation="replace").with_replacement(batch_size=10, dataset_size=1000)
        >>> print(f"{step.epsilon(delta=1e-5):.3f}")
        0.030
        """
        from .sampling import WithReplacement

        base = cast("Gaussian", self)
        return WithReplacement(base=base, batch_size=batch_size, dataset_size=dataset_size)

    def random_allocation(self, *, steps: int, participations: int = 1) -> Mechanism:
        """Release this `steps` times, the record entering one of them (or several), drawn uniformly.

        Parameters
        ----------
        steps : int
            Releases in an epoch, at least 1.
        participations : int
            In how many of them the record takes part.

        Returns
        -------
        RandomAllocation

        Raises
        ------
        TypeError, ValueError
            See :class:`RandomAllocation`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> epoch = hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=100)
        >>> print(f"{(10 * epoch).epsilon(delta=1e-6):.2f}")
        1.96
        """
        from .sampling import RandomAllocation

        return RandomAllocation(base=self._itself(), steps=steps, participations=participations)

    def group(self, *, size: int) -> Mechanism:
        """Return this mechanism as it is for `size` records at once; see :func:`group`.

        Parameters
        ----------
        size : int
            Number of records, at least 1.

        Returns
        -------
        Mechanism

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain.

        Examples
        --------
        >>> import hockeystick as hs
        >>> hs.Gaussian(noise_multiplier=2.0).group(size=4)
        Gaussian(noise_multiplier=0.5, relation='add_remove')
        """
        from .group import group

        return group(self._itself(), size=size)

    def _itself(self) -> Mechanism:
        return cast("Mechanism", self)
