"""A voice service that plays given sound, records what it hears, and can take turns with its own voice detector."""
import base64
import bisect
import threading
import time

import numpy as np
import webrtcvad

from hostile_test.service import Connection, Service

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
    """One session. Without `answers` it takes no turns: the sound comes from `play`, as from a service that always listens."""

    def __init__(self, plain, answers=None):
        super().__init__(plain)
        self.answers = answers
        self.chunks, self.arrivals, self.ends, self.count = [], [], [], 0
        self.detector = Detector()
        self.starts = []
        self.turns = 0
        self.speaking_until = 0.0
        self.cancel = threading.Event()

    def _take(self, event):
        if event["type"] != "input_audio_buffer.append":
            return super()._take(event)
        samples = np.frombuffer(base64.b64decode(event["audio"]), "<i2")
        self.chunks.append(samples)
        self.count += len(samples)
        self.ends.append(self.count)
        self.arrivals.append(time.monotonic())
        if self.answers is None:
            return None
        for _, has_begun in self.detector.feed(samples):
            if has_begun:
                self.starts.append(time.monotonic())
                self.event(type="input_audio_buffer.speech_started", audio_start_ms=self.count * 1000 // RATE,
                           item_id=f"u{self.turns}")
                self.cancel.set()
            else:
                self._answer()
        return None

    def _answer(self):
        item, self.turns = f"u{self.turns}", self.turns + 1
        self.event(type="input_audio_buffer.speech_stopped", audio_end_ms=self.count * 1000 // RATE, item_id=item)
        self.event(type="input_audio_buffer.committed", item_id=item, previous_item_id=None)
        self.event(type="conversation.item.added", item={"id": item, "type": "message", "role": "user",
                                                         "content": [{"type": "input_audio"}]})
        self.cancel = threading.Event()
        threading.Thread(target=self.play, args=[self.answers(), self.cancel], daemon=True).start()

    def play(self, samples, cancel=None, lead=1.0):
        """Sends a response with these samples, `lead` seconds ahead of time; ends early when cancelled."""
        number = len(self.starts) * 1000 + self.turns
        cancel = cancel or self.cancel
        response, item = f"r{number}", f"m{number}"
        place = dict(response_id=response, item_id=item, output_index=0, content_index=0)
        message = {"id": item, "type": "message", "role": "assistant", "content": []}
        self.event(type="response.created", response={"id": response, "status": "in_progress", "output": []})
        self.event(type="response.output_item.added", response_id=response, output_index=0, item=message)
        self.event(type="response.content_part.added", **place, part={"type": "audio", "transcript": ""})
        began, step = time.monotonic(), RATE // 10
        self.speaking_until = began + len(samples) / RATE
        for at in range(0, len(samples), step):
            if cancel.is_set() or not self.is_open:
                break
            delta = base64.b64encode(samples[at:at + step].astype("<i2").tobytes()).decode()
            self.event(type="response.output_audio.delta", **place, delta=delta)
            time.sleep(max(0.0, began + (at + step) / RATE - lead - time.monotonic()))
        # When speech begins, the daemon discards what was sent ahead.
        while not cancel.is_set() and time.monotonic() < self.speaking_until:
            time.sleep(0.02)
        self.speaking_until = min(self.speaking_until, time.monotonic())
        status = "cancelled" if cancel.is_set() else "completed"
        self.event(type="response.output_audio.done", **place)
        self.event(type="response.output_item.done", response_id=response, output_index=0, item=message)
        self.event(type="response.done", response={"id": response, "status": status, "output": [message], "usage": None})

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

    def __init__(self, plain, answers=None):
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

    def play(self, samples, cancel=None, lead=None):
        self.track = np.concatenate([self.track, samples.astype(np.int16)])


class VoiceService(Service):
    def __init__(self, answers=None, kind=VoiceConnection):
        self.answers = answers
        self.kind = kind
        super().__init__()

    def _accept(self):
        while True:
            plain, _ = self.listener.accept()
            plain.setsockopt(6, 1, 1)
            connection = self.kind(plain, self.answers)
            self.connections.append(connection)
            threading.Thread(target=connection.serve, daemon=True).start()
