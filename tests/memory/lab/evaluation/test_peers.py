import pytest

from memory.lab.evaluation import baselines
from memory.lab.evaluation.guild import GuildChat
from memory.lab.evaluation.loaded_guild import LoadedGuild
from memory.lab.evaluation.locomo import Question
from memory.lab.evaluation.peers import asking, install
from notes.messages.schemas import IncomingAuthor
from tests import toy_embedder

SAID = [
    ("Alice", "The harbour opens at nine."), ("Bob", "My dog eats carrots."), ("Cyd", "The choir meets on Tuesday."),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def peers():
    install.install()


@pytest.fixture
def world(monkeypatch):
    for module in (asking, baselines):
        monkeypatch.setattr(module, "embedder", toy_embedder.ToyEmbedder)
    chat = GuildChat(name="one")
    for number, (author, text) in enumerate(SAID, 1):
        row = {"conversation": "one", "message_id": f"m{number}", "session": 1, "text": text}
        said = {**row, "timestamp": f"2026-01-01T12:0{number}:00"}
        chat.add(said, author=IncomingAuthor(id=author, name=author, display_name=author))
    for text in ("Which dog eats carrots?", "When does the choir meet?"):
        chat.questions.append(Question(text=text, category=0, name="x", evidence=frozenset({"m2"})))
    return LoadedGuild(chat, None, chat.messages[-1].sent_at)


def silent(_what, _done, _total):
    pass


@pytest.mark.parametrize("peer", list(install.PACKAGES))
def test_each_peer_finds_the_nearest_message_by_our_vectors(peer, world):
    ask = asking.ask_peer(peer, world, silent)
    assert next(iter(ask("Which dog eats carrots?"))) == {"m2"}
    assert next(iter(ask("When does the choir meet?"))) == {"m3"}


def test_what_a_peer_says_when_it_fails_is_told(world, monkeypatch):
    monkeypatch.setitem(asking.SCRIPTS, "mem0_raw", "__init__.py")
    with pytest.raises(asking.PeerMissing, match="mem0_raw failed"):
        asking.ask_peer("mem0_raw", world, silent)


def test_without_an_embedder_a_peer_finds_nothing(world, monkeypatch):
    monkeypatch.setattr(asking, "embedder", lambda: None)
    assert list(asking.ask_peer("mem0_raw", world, silent)("Which dog?")) == []
