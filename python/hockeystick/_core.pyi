# SPDX-License-Identifier: Apache-2.0
"""Numerical core of hockeystick: stateless functions on float64 arrays."""

class AccuracyError(ArithmeticError): ...
