"""Markdown made of chat, shown as HTML: no raw HTML, no pictures, no links that run something."""

from __future__ import annotations

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# A picture in a message would make the reader's browser call its sender.
_PARSER = MarkdownIt("commonmark", {"html": False}).disable(["image", "html_block", "html_inline"]).enable("table")


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
