"""A voice service that plays given sound and records what it hears; a voice detector for what was recorded."""
import base64
import bisect
import time

import numpy as np
import webrtcvad

from hostile_test.service import Connection

RATE = 24000
FRAME = RATE // 50
LOUD_DBFS = -50.0
# Speech for a detector at the far end: NEEDED of WINDOW frames of 20 ms. SILENT frames end it.
NEEDED, WINDOW, SILENT = 10, 15, 25


def dbfs(samples):
    return 10 * np.log10(np.mean(np.square(samples.astype(np.float64) / 32768)) + 1e-12) if len(samples) else -120.0


class Detector:
    """Speech in a 24 kHz stream: loud enough, and speech to WebRTC's detector."""

    def __init__(self):
        self.vad = webrtcvad.Vad(2)
        self.rest = np.zeros(0, np.int16)
        self.frames = []
        self.quiet = 0
        self.speaks = False

    def feed(self, samples):
        """Yields (sample of this stream, True if speech has begun, False if it has ended)."""
        self.rest = np.concatenate([self.rest, samples])
        while len(self.rest) >= FRAME:
            frame, self.rest = self.rest[:FRAME], self.rest[FRAME:]
            narrow = frame.reshape(-1, 3).mean(axis=1).astype(np.int16)
            is_speech = dbfs(frame) > LOUD_DBFS and self.vad.is_speech(narrow.tobytes(), RATE // 3)
            self.frames.append(is_speech)
            self.quiet = 0 if is_speech else self.quiet + 1
            if not self.speaks and sum(self.frames[-WINDOW:]) >= NEEDED:
                self.speaks = True
                yield len(self.frames) * FRAME, True
            elif self.speaks and self.quiet >= SILENT:
                self.speaks = False
                self.frames[-WINDOW:] = [False] * min(WINDOW, len(self.frames))
                yield len(self.frames) * FRAME, False


class VoiceConnection(Connection):
    """One session, which takes no turns: the sound comes from `play`, as from a service that always listens."""

    def __init__(self, plain):
        super().__init__(plain)
        self.chunks, self.arrivals, self.ends, self.count = [], [], [], 0

    def _take(self, event):
        if event["type"] != "input_audio_buffer.append":
            return super()._take(event)
        samples = np.frombuffer(base64.b64decode(event["audio"]), "<i2")
        self.chunks.append(samples)
        self.count += len(samples)
        self.ends.append(self.count)
        self.arrivals.append(time.monotonic())
        return None

    def play(self, samples, lead=1.0):
        """Sends a response with these samples, `lead` seconds ahead of time."""
        response, item = "r0", "m0"
        place = dict(response_id=response, item_id=item, output_index=0, content_index=0)
        message = {"id": item, "type": "message", "role": "assistant", "content": []}
        self.event(type="response.created", response={"id": response, "status": "in_progress", "output": []})
        self.event(type="response.output_item.added", response_id=response, output_index=0, item=message)
        self.event(type="response.content_part.added", **place, part={"type": "audio", "transcript": ""})
        began, step = time.monotonic(), RATE // 10
        for at in range(0, len(samples), step):
            if not self.is_open:
                break
            delta = base64.b64encode(samples[at:at + step].astype("<i2").tobytes()).decode()
            self.event(type="response.output_audio.delta", **place, delta=delta)
            time.sleep(max(0.0, began + (at + step) / RATE - lead - time.monotonic()))
        time.sleep(max(0.0, began + len(samples) / RATE - time.monotonic()))
        self.event(type="response.output_audio.done", **place)
        self.event(type="response.output_item.done", response_id=response, output_index=0, item=message)
        self.event(type="response.done", response={"id": response, "status": "completed", "output": [message], "usage": None})

    # What was heard

    def heard(self):
        """All samples, and a function from a sample's index to its time of arrival."""
        count = len(self.arrivals)
        ends, arrivals = self.ends[:count], self.arrivals[:count]
        samples = np.concatenate(self.chunks[:count]) if count else np.zeros(0, np.int16)
        return samples, lambda at: arrivals[min(count - 1, bisect.bisect_left(ends, at))]


class LiveConnection(VoiceConnection):
    """One session of GPT-Live: its output is a track without end, at the pace of what it is sent. It hears nobody, so it goes on
    speaking while the user does."""
    DELAY, BLOCK = round(0.7 * RATE), RATE // 10

    def __init__(self, plain):
        super().__init__(plain)
        self.track, self.told, self.reported = np.zeros(0, np.int16), 0, 15 * RATE

    def _opened(self):
        pass

    def _take(self, event):
        kind = event["type"]
        if kind == "session.start":
            self.event(type="session.started", session={"id": "live_people", "status": "active", "delegation": {"type": "client"}})
            self.ready.set()
        elif kind == "session.input_audio.append":
            super()._take(dict(event, type="input_audio_buffer.append"))
            while self.count - self.DELAY >= self.told:
                block, self.track = self.track[:self.BLOCK], self.track[self.BLOCK:]
                block = np.pad(block, (0, self.BLOCK - len(block)))
                self.event(type="session.output_audio.delta", delta=base64.b64encode(block.astype("<i2").tobytes()).decode())
                self.told += self.BLOCK
            if self.count >= self.reported:
                self.event(type="session.usage.updated", usage={"seconds": self.count / RATE})
                self.reported += 15 * RATE
        elif kind == "session.close":
            self.event(type="session.closed", reason="close_requested", usage={"seconds": self.count / RATE})

    def play(self, samples, lead=None):
        self.track = np.concatenate([self.track, samples.astype(np.int16)])
