"""An id with a slash, through the web server itself: %2F belongs to the id."""

from tests.api_client import a_message
from tests.verification.hub import a_hub

PATH = "/api/v1/guilds/discord:1/messages"


def test_a_slash_that_is_written_as_percent_2f_belongs_to_the_id(tmp_path):
    with a_hub(tmp_path) as hub:
        hub.serve()
        for name in ("m", "m/derived"):
            hub.call("POST", PATH, a_message(message_id=name))
        one, of_another = hub.call("GET", f"{PATH}/m%2fderived"), hub.call("GET", f"{PATH}/m/derived")
    assert one.json["id"] == "m/derived"
    assert of_another.json["message_id"] == "m"
