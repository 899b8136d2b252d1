from ..service import Connection
from . import encoded

NAME = "realtime"
KIND = Connection
SETTINGS = {}
ADDRESS = "realtime.url"
KEY = "OPENAI_API_KEY"


def send(connection, number):
    """Sound of a response that is another with each message, and messages without sound that take long to decode."""
    if number == 0:
        connection.event(type="response.created", response={"id": "r", "status": "in_progress", "output": []})
        for _ in range(20):
            connection.event(type="response.output_audio.delta", response_id="r", item_id="i", output_index=0,
                             content_index=0, delta=encoded(24000))
    connection.event(type="response.output_audio.delta", response_id=f"r{number}", item_id="i", output_index=0,
                     content_index=0, delta=encoded(240))
    connection.frame('{"type":"x","x":[' + "[]," * 2000 + "[]]}")
