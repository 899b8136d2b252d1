"""A long conversation in the virtual room: people ask, interrupt and talk over music; the box answers with other voices."""
import http.server
import os
import random
import sys
import threading
import time

from hostile_test.service import Replies

from . import judge
from .room import BOX_DBFS, FAR_SIDE, NEAR_SIDE, TALKER_DBFS, Daemon, Room, Voice, for_wire, kit, roomctl, save, write_wav
from .service import RATE, VoiceService

PEOPLE = ["en_man", "cs_woman", "en_woman", "nl_man", "en_low_man", "cs_man", "words", "nl_woman"]
BOXES = ["say", "fr_woman", "en_woman", "cs_man", "nl_woman", "en_man"]
# Media plays in every other stretch of this many seconds; each stretch has another person.
STRETCH = 90
# A turn is lost if no speech is reported by this many seconds after its end.
GRACE = 1.0
# After an xrun, which a late host causes, this many seconds are void: the echo has to be found again.
VOID = 10.0


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def copyfile(self, source, outputfile):
        try:
            super().copyfile(source, outputfile)
        except OSError:  # the player has enough and disconnected
            pass


def serve_files(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Quiet(*a, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def resident_mb(process):
    with open(f"/proc/{process.pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1048576


class Conversation:
    def __init__(self, options, room, daemon, connection, media):
        self.options, self.room, self.daemon, self.connection = options, room, daemon, connection
        self.chance = random.Random(options.seed)
        self.media = media
        self.pieces = kit.names(options.voices, "music")
        self.began = time.monotonic()
        self.count = dict(turns=0, lost=0, lost_after_an_xrun=0, interruptions=0, not_within_a_second=0, over_music=0)
        self.lost, self.slow = [], []
        self.stretch = -1
        self.plays_until = None

        self.disturbed = []
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        """Records when the sound was disturbed."""
        control = roomctl.Room(self.room.environment["VIRTUAL_ROOM"])
        before = 0
        while self.daemon.process.poll() is None:
            told = control.status()
            now = told["xruns_playback"] + told["xruns_capture"]
            if now != before:
                self.disturbed.append(time.monotonic())
            before = now
            time.sleep(0.5)

    def is_void(self, moment):
        return any(at - 1 <= moment <= at + VOID for at in self.disturbed)

    def elapsed(self):
        return time.monotonic() - self.began

    def is_answering(self):
        return time.monotonic() < self.connection.speaking_until

    def change(self):
        """Changes the person and the music with each stretch."""
        if int(self.elapsed() / STRETCH) != self.stretch:
            self.stretch = int(self.elapsed() / STRETCH)
            name = PEOPLE[self.stretch % len(PEOPLE)]
            self.person = Voice(self.options.voices, name, NEAR_SIDE, TALKER_DBFS, self.stretch)
            self.plays_music = self.stretch % 2 == 1
            if not self.plays_music and self.plays_until:
                self.daemon.order("media", "stop")
                self.plays_until = None
            self.tell(name)
        if self.plays_music and (self.plays_until is None or time.monotonic() > self.plays_until):
            self.piece = self.pieces[self.chance.randrange(len(self.pieces))]
            told = self.daemon.order("media", "play", f"http://127.0.0.1:{self.media}/{self.piece}.wav")
            self.plays_until = time.monotonic() + 95
            print(f"        music: {self.piece}: {told}", flush=True)

    def tell(self, name):
        starts = len([at for at in self.connection.starts if not judge.is_near(at, self.room.said)])
        print(f"{self.elapsed() / 60:7.1f} min  {name:10} {'music' if self.plays_music else '':6} turns {self.count['turns']:4} "
              f"interruptions {self.count['interruptions']:4} lost {self.count['lost']:3} itself {starts:3} "
              f"RSS {resident_mb(self.daemon.process):.1f} MB", flush=True)

    def speak(self, kind):
        begin, end = self.room.say(self.person.clip(3.0))
        self.count[kind] += 1
        self.count["over_music"] += self.plays_until is not None
        while time.monotonic() < end + GRACE and not self.heard(begin, end):
            time.sleep(0.02)
        found = self.heard(begin, end)
        if not found:
            is_void = self.is_void(begin)
            self.count["lost_after_an_xrun" if is_void else "lost"] += 1
            self.lost.append((round(begin - self.began, 2), kind, self.plays_until is not None, is_void))
            print(f"        {'void' if is_void else 'LOST'} at {begin - self.began:.2f} s: "
                  f"{kind}{' over music' if self.plays_until else ''}", flush=True)
        elif found[0] - begin > 1.0:
            self.count["not_within_a_second"] += 1
            self.slow.append((round(begin - self.began, 2), round(found[0] - begin, 2), kind, self.plays_until is not None))
        # The turn ends half a second after the last word, and the answer begins.
        time.sleep(max(0, end - time.monotonic()) + 1.2)

    def heard(self, begin, end):
        return [at for at in self.connection.starts if begin <= at <= end + GRACE]

    def run(self, seconds):
        while self.elapsed() < seconds:
            if self.daemon.process.poll() is not None or not self.connection.is_open:
                sys.exit("room-people: the program ended or lost its connection")
            self.change()
            if self.is_answering():
                if self.chance.random() < 0.2:
                    while self.is_answering():
                        time.sleep(0.1)
                    continue
                time.sleep(self.chance.uniform(0.3, 5))
                self.speak("interruptions" if self.is_answering() else "turns")
            else:
                time.sleep(self.chance.uniform(0.3, 2.5))
                self.speak("interruptions" if self.is_answering() else "turns")


def run(options, verdict):
    folder = os.path.realpath(options.out)
    boxes = [Voice(options.voices, name, FAR_SIDE, BOX_DBFS, options.seed) for name in BOXES]
    chance = random.Random(options.seed + 1)
    answers = [for_wire(boxes[i % len(boxes)].talk(chance.uniform(5, 14))) for i in range(60)]
    order = iter(range(1 << 30))
    service, agent = VoiceService(lambda: answers[next(order) % len(answers)]), Replies()
    media = serve_files(os.path.realpath(options.voices) + "/music")
    room = Room(f"{options.scratch}/soak")
    daemon = None
    try:
        room.record(folder, ("speech", "echo", "mic", "speaker"))
        # One session: what it received is judged as a whole.
        settings = [f"media.allow_hosts=127.0.0.1:{media}"]
        daemon = Daemon(options.program, folder, room, service.port, agent.port, settings, 80)
        connection = service.current()
        if connection is None:
            sys.exit(f"room-people: the program does not connect: {folder}/daemon.log")
        time.sleep(1)
        talk = Conversation(options, room, daemon, connection, media)
        talk.run(options.soak_minutes * 60)
        late = room.late_ms()
        heard, arrival = connection.heard()
        room.recordings()
        code, counts = daemon.stop()
    finally:
        if daemon and daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()
        room.down()
    write_wav(f"{folder}/upstream.wav", heard / 32768, RATE)
    false = [at for at in connection.starts if not judge.is_near(at, room.said)]
    itself = [round(at - talk.began, 2) for at in false if not talk.is_void(at)]
    void = [round(at - talk.began, 2) for at in false if talk.is_void(at)]
    save(f"{folder}/soak.json", dict(
        began=talk.began, first_frame={tap: at for tap, (_, at) in room.recorded.items()}, said=room.said,
        starts=connection.starts, arrivals=connection.arrivals[::5], ends=connection.ends[::5], itself=itself, itself_after_an_xrun=void,
        disturbed=[round(at - talk.began, 2) for at in talk.disturbed],
        lost=talk.lost, slow=talk.slow, count=talk.count, counts=counts, late=late))
    said = talk.count["turns"] + talk.count["interruptions"]
    verdict("self-interruptions", not itself, f"{len(itself)} {itself[:20]}")
    print(f"        {len(talk.disturbed)} times the sound was disturbed; within {VOID:.0f} s after that {len(void)} self-interruptions "
          f"and {talk.count['lost_after_an_xrun']} lost turns, which say nothing")
    verdict("lost turns", not talk.count["lost"], f"{talk.count['lost']} of {said} {talk.lost[:20]}")
    verdict("heard later than a second", talk.count["not_within_a_second"] <= 0.02 * said,
            f"{talk.count['not_within_a_second']} {talk.slow[:20]}")
    verdict("ends with status 0", code == 0, code)
    print(f"        {talk.count}, at the end {counts}, host late {late:.1f} ms")
