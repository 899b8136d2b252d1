from ..service import Connection
from . import encoded


class Hero365(Connection):
    """The other protocol: the session begins with one message, and sound comes at a rate that each message states."""

    def _opened(self):
        self.event(type="session_started", session_id="s", agent_type="agent", session_config={"max_duration": 3600000})
        self.ready.set()

    def _take(self, event):
        pass


NAME = "hero365"
KIND = Hero365
SETTINGS = {"service.use": "hero365", "echo.mode": "off"}
ADDRESS = "hero365.url"
KEY = "HERO365_API_KEY"


def send(connection, number):
    """Sound at another rate with each message: 60 kB of them."""
    if number == 0:
        connection.event(type="session_status", status="speaking")
        for place in range(20):
            connection.event(type="audio_output", audio_data=encoded(24000), content_type="audio/pcm", sequence=place,
                             sample_rate=24000)
        return
    for place in range(600):
        connection.event(type="audio_output", audio_data=encoded(20), content_type="audio/pcm", sequence=600 * number + place - 580,
                         sample_rate=16020 + 20 * (place % 1500))
