# SPDX-License-Identifier: Apache-2.0
"""Bridges to other accounting tools, each a module of its own that is imported only when it is asked for.

``hockeystick.interop.opacus``
    An accountant for Opacus. Needs Opacus.
``hockeystick.interop.dp_event``
    Events of dp-accounting, as objects or as their named tuples, to mechanisms. Needs nothing.
``hockeystick.interop.dp_accounting``
    An accountant on dp-accounting's hook, and mechanisms to events. Needs dp-accounting.
``hockeystick.interop.dp_pld``
    Privacy loss distributions of dp-accounting, in and out. Needs dp-accounting only on the way out.
``hockeystick.interop.gdpnum``, ``riskcal``, ``prv_accountant``, ``tf_privacy``
    The calls of these tools, answered here. Need nothing.

The calls keep the names, the order and the defaults of the arguments of the tools that they stand in for; the page on
migration says how the numbers differ.
"""
