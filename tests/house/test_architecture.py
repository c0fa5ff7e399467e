"""The rules of the house: small folders, one name a module, no folder in a circle, and a page that shows all of it."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.house.committed import ROOT, files

PACKAGES = ("memoryhub", "profiles", "notes", "memory", "botrunner")
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MOST_LINES = 80  # of the page
LONGEST_FUNCTION = 50  # lines
LONGEST_MODULE = 350  # lines that are not blank
MOST_MODULES = 15  # in a folder, without its `__init__`
SHARED_NAMES = {
    "models", "api", "views", "urls", "admin", "prompts", "schemas", "rules", "querysets", "tasks", "apps", "checks",
    "base", "compiler",
}  # fmt: skip
"""What Django and its like call the module of a kind in every app."""
OF_ONE_SUBJECT = {"models", "admin", "api", "mem0", "model_context", "schemas", "views", "commands", "actions"}
"""Folders of tables and of doors: the tables of one subject and the doors to it share its noun."""


@cache
def sources() -> dict[str, Path]:
    """Return the modules of the house by their dotted names, without migrations."""
    found = {}
    for path in files():
        parts = path.relative_to(ROOT).with_suffix("").parts
        if path.suffix == ".py" and parts[0] in PACKAGES and "migrations" not in parts:
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def folders() -> dict[Path, list[str]]:
    """Return the modules of each folder."""
    found: dict[Path, list[str]] = defaultdict(list)
    for path in sources().values():
        if path.stem != "__init__":
            found[path.parent.relative_to(ROOT)].append(path.stem)
    return found


def room_of(module: str) -> str:
    """Return the folder that a module lies in; at the top of an app, and where a folder has folders, itself."""
    path = sources()[module]
    folder = ".".join(path.parent.relative_to(ROOT).parts)
    return module if folder in PACKAGES else folder


def rooms() -> dict[str, set[str]]:
    """Return which rooms each room imports; a folder and the folders inside it are one idea, so one room."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, path in sources().items():
        for name in _imported(path):
            target = name if name in sources() else name.rpartition(".")[0]
            if target in sources():
                ours, theirs = room_of(module), room_of(target)
                if not (f"{ours}.".startswith(f"{theirs}.") or f"{theirs}.".startswith(f"{ours}.")):
                    found[ours].add(theirs)
    return found


def _imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_no_folder_holds_more_than_a_reader_takes_in_at_once():
    assert {str(folder): len(names) for folder, names in folders().items() if len(names) > MOST_MODULES} == {}


def test_no_two_modules_share_a_name_but_tables_and_doors_of_one_subject():
    others = [modules for folder, modules in folders().items() if not OF_ONE_SUBJECT & set(folder.parts)]
    names = Counter(name for modules in others for name in modules)
    assert {name: count for name, count in names.items() if count > 1 and name not in SHARED_NAMES} == {}


def test_folders_import_each_other_in_no_circle():
    try:
        TopologicalSorter(rooms()).prepare()
    except CycleError as circle:
        raise AssertionError(f"a circle of folders: {' -> '.join(circle.args[1])}") from None


def test_pages_lie_in_views():
    """Whatever draws a template is looked for in its app's `views`; only the ground keeps doors elsewhere."""
    draws = {"django.shortcuts.render", "memoryhub.common.htmx.render_either", "memoryhub.common.htmx.ask"}
    pages = {module for module, path in sources().items() if draws & _imported(path)}
    assert {module for module in pages if ".views." not in module and not module.startswith("memoryhub.")} == set()


def test_no_function_is_longer_than_a_screen():
    long = {
        f"{module}.{node.name}": length
        for module, path in sources().items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST_FUNCTION
    }
    assert long == {}


def test_no_module_is_too_long_to_read_at_once():
    lines = {module: path.read_text(encoding="utf-8").splitlines() for module, path in sources().items()}
    filled = {module: sum(bool(line.strip()) for line in text) for module, text in lines.items()}
    assert {module: count for module, count in filled.items() if count > LONGEST_MODULE} == {}


def test_the_page_has_at_most_80_lines():
    assert len(PAGE.splitlines()) <= MOST_LINES


def test_the_page_names_every_folder():
    named = PAGE.replace("`", " ").replace("/", " ").replace(",", " ").split()
    unnamed = {str(folder) for folder in folders() if folder.name not in named and "management" not in folder.parts}
    assert unnamed == set()


def test_every_module_opens_with_a_sentence_of_what_it_is_for():
    texts = {module: path.read_text(encoding="utf-8") for module, path in sources().items()}
    assert [module for module, text in texts.items() if text and not text.startswith('"""')] == []
