# SPDX-License-Identifier: Apache-2.0
"""From a report to text: one template a form, all fed by the same document."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .audience import compose_document
from .numbers import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    import jinja2

    from .document import Table, Text
    from .model import Report

__all__ = ["FORMS", "notebook_frame", "render", "save"]

FORMS = ("html", "md", "txt", "tex", "json")

_SPACES = str.maketrans({"\N{NO-BREAK SPACE}": " ", "\N{NARROW NO-BREAK SPACE}": " "})
_PLAIN = _SPACES | str.maketrans({"≈": "~", "·": "-"})
_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\N{NO-BREAK SPACE}": "~",
        "\N{NARROW NO-BREAK SPACE}": r"\,",
        "≈": r"$\approx$",
        "≥": r"$\ge$",
        "≤": r"$\le$",
        "·": r"$\cdot$",
    }
)
# Braces and percent signs are LaTeX's own.
_TEX_MARKS: Any = {
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "block_start_string": "<%",
    "block_end_string": "%>",
}
_POWER = re.compile(r"(?:(\d+(?:\.\d+)?)e(-?\d+))")


def render(report: Report, form: str, audience: str) -> str:
    """Return the report as text of one form; see :meth:`Report.render`."""
    if not isinstance(form, str):
        raise TypeError(f"form must be a string, got {form!r}")
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(FORMS)}, got {form!r}")
    document = compose_document(report, audience)
    if form == "json":
        return report.to_json()
    words: dict[str, Any] = {"document": document, "report": report}
    if form == "html":
        from .figures import draw_figures

        words["figures"] = draw_figures(report, document)
        # A tag inside a string could end the element that holds the data.
        words["data"] = report.to_json().replace("<", "\\u003c")
    text = _environment(form).get_template(f"report.{form}.j2").render(words)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def save(report: Report, path: str | PathLike[str], audience: str) -> None:
    """Write the report; see :meth:`Report.save`."""
    target = Path(path)
    form = target.suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise ValueError(f"path must end in one of {', '.join('.' + each for each in FORMS)}, got {str(path)!r}")
    target.write_text(render(report, form, audience), encoding="utf-8")


def notebook_frame(report: Report) -> str:
    """Return the HTML report in a frame, so that its style stays inside."""
    page = html.escape(render(report, "html", "reviewer"), quote=True)
    return f'<iframe srcdoc="{page}" style="width: 100%; height: 40rem; border: 0" title="Privacy report"></iframe>'


def _environment(form: str) -> jinja2.Environment:
    try:
        import jinja2
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"a report as {form} needs jinja2: pip install 'hockeystick[report]'", name="jinja2"
        ) from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("hockeystick.report"),
        autoescape=form == "html",
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **(_TEX_MARKS if form == "tex" else {}),
    )
    write = _WRITERS[form]
    environment.filters["say"] = lambda text: _joined(text, write)
    environment.filters["wrap"] = _wrapped
    environment.filters["preamble"] = lambda table: _preamble(table, write)
    environment.filters["columns"] = lambda table: _columns(table, write)
    return environment


def _joined(text: Text | str, write: Callable[[str | Quantity], Any]) -> Any:
    if isinstance(text, str):
        return write(text)
    pieces = [write(piece) for piece in text]
    return type(pieces[0])().join(pieces) if pieces else ""


def _as_html(piece: str | Quantity) -> Any:
    from markupsafe import Markup, escape

    shown = Markup(_POWER.sub(_html_power, str(escape(str(piece)))))
    if isinstance(piece, Quantity):
        return Markup('<data value="{}">{}</data>').format(repr(piece.value), shown)
    return shown


def _html_power(match: re.Match[str]) -> str:
    mantissa = "" if match[1] == "1" else f"{match[1]}&#8239;×&#8239;"
    return f"{mantissa}10<sup>{match[2].replace('-', '−')}</sup>"


def _as_markdown(piece: str | Quantity) -> str:
    text = str(piece).translate(_SPACES)
    text = re.sub(r"([\\`*<>|])", r"\\\1", text)
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)


def _as_plain(piece: str | Quantity) -> str:
    return str(piece).translate(_PLAIN)


def _as_tex(piece: str | Quantity) -> str:
    return _POWER.sub(_tex_power, str(piece).translate(_TEX))


def _tex_power(match: re.Match[str]) -> str:
    mantissa = "" if match[1] == "1" else rf"{match[1]} \times "
    return f"${mantissa}10^{{{match[2]}}}$"


def _preamble(table: Table, write: Callable[[str | Quantity], Any]) -> str:
    """The columns of a table in LaTeX, as wide as their widest cell; one of sentences is wrapped."""
    longest = [max(len(_joined(row[number], write)) for row in table.rows) for number in range(len(table.head))]
    wrapped = r"p{0.21\linewidth}" if len(longest) > 3 else r"p{0.4\linewidth}"
    return "".join(
        "r" if number in table.numeric else wrapped if number and length > 30 else "l"
        for number, length in enumerate(longest)
    )


def _wrapped(text: str, indent: str = "", first: str | None = None, width: int = 92) -> str:
    import textwrap

    return textwrap.fill(
        text,
        width,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _columns(table: Table, write: Callable[[str | Quantity], Any]) -> str:
    """A table in plain text: columns as wide as their widest cell, the last one wrapped."""
    rows = [[_joined(cell, write) for cell in row] for row in ((*((head,) for head in table.head),), *table.rows)]
    widths = [max(len(row[number]) for row in rows) for number in range(len(table.head))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if number in table.numeric else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row[:-1], widths[:-1], strict=True))
        ]
        last = row[-1].rjust(widths[-1]) if len(widths) - 1 in table.numeric else row[-1]
        start = "  " + "".join(cell + "  " for cell in cells)
        lines.append(_wrapped(last, " " * len(start), start) if last.strip() else start.rstrip())
    return "\n".join(lines)


_WRITERS: dict[str, Callable[[str | Quantity], Any]] = {
    "html": _as_html,
    "md": _as_markdown,
    "txt": _as_plain,
    "tex": _as_tex,
}
