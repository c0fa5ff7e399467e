"""Markdown made of chat, shown as HTML: no raw HTML, no pictures, no links that run something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# A picture in a message would make the reader's browser call its sender.
_PARSER = MarkdownIt("commonmark", {"html": False}).disable(["image", "html_block", "html_inline"]).enable("table")


def _close_link(_renderer: Any, tokens: Sequence[Token], place: int, _options: Any, _env: Any) -> str:
    """Write the address behind a link whose label says something else: chat can put any label on any address.

    A link to a page of this site needs none.
    """
    start = max(each for each in range(place) if tokens[each].type == "link_open")
    address, label = str(tokens[start].attrs["href"]), "".join(token.content for token in tokens[start + 1 : place])
    own = address.startswith("/") and not address.startswith("//")
    return "</a>" if own or label == address else f"</a> ({escape(address)})"


_PARSER.add_render_rule("link_close", _close_link)


def to_html(text: str) -> SafeString:
    """Return the Markdown as HTML that is safe whatever it says; headings start one below the page's own."""
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("rel", "noopener noreferrer nofollow")
    html: str = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return mark_safe(html)  # noqa: S308  the renderer escapes
