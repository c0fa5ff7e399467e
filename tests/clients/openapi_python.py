"""Makes the client from the document and calls a hub by it: `openapi_python.py DOCUMENT`; prints JSON."""

import json
import os
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

GENERATOR = Path(sys.executable).parent / "openapi-python-client"
made = subprocess.run(
    [GENERATOR, "generate", "--path", sys.argv[1], "--output-path", "made"], check=True, capture_output=True, text=True
)
sys.path[:0] = ["made"]
from memoryhub_client import AuthenticatedClient  # noqa: E402
from memoryhub_client.api.facts import list_facts, remember_fact  # noqa: E402
from memoryhub_client.api.members_and_channels import export_member  # noqa: E402
from memoryhub_client.api.messages import receive_message  # noqa: E402
from memoryhub_client.api.search_and_context import build_context, search_memory  # noqa: E402
from memoryhub_client.models import IncomingAuthor, IncomingChannel, IncomingMessage, NewFact, Problem, TurnIn  # noqa: E402

guild = os.environ["MEMORYHUB_GUILD"]
client = AuthenticatedClient(base_url=os.environ["MEMORYHUB_URL"], token=os.environ["MEMORYHUB_KEY"])
message = IncomingMessage(
    message_id="typed-1", channel=IncomingChannel(id="c1"), author=IncomingAuthor(id="u1"), text="Hello.",
    sent_at=datetime(2026, 2, 23, 19, 4, tzinfo=UTC),
)  # fmt: skip
received = receive_message.sync(guild, client=client, body=message)
fact = remember_fact.sync(guild, client=client, body=NewFact(member="u1", text="Plays the cello", lore=False))
found = search_memory.sync(guild, client=client, q="Who plays the cello?")
context = build_context.sync(guild, client=client, body=TurnIn(text="Who plays the cello?", members=["u1"]))
export = export_member.sync(guild, "u1", client=client)
refused = list_facts.sync(guild, client=client, member="nobody")
assert isinstance(refused, Problem)
told = {
    "status": received.status, "fact": fact.text, "found": [row.text for row in found.items if row.kind == "fact"],
    "context": context.text, "refused": refused.detail, "missing": made.stdout.count("WARNING parsing"),
    "export": zipfile.ZipFile(export.payload).namelist(),
}  # fmt: skip
sys.stdout.write(json.dumps(told) + "\n")
