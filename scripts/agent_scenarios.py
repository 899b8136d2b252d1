"""Everyday and hostile scenarios: the daemon as a process, the real agent server with a scripted model, and a voice
service that only plays the wire protocol. Each row shows what the user hears and how often a tool really ran.

Started by scripts/agent-test.
"""

import argparse
import asyncio
import base64
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import websockets

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
LIMIT = 20  # default timeout, in seconds
LANES = 2  # concurrent runs for each kind of agent in each style


class Wrong(Exception):
    """An expectation of a scenario failed."""


def soon(condition, what, limit=LIMIT):
    """Waits until the condition holds; returns how many seconds it took. Raises `Wrong` after `limit` seconds."""
    start = time.monotonic()
    while time.monotonic() < start + limit:
        if condition():
            return time.monotonic() - start
        time.sleep(0.02)
    raise Wrong(f"not within {limit} s: {what}")


# The three parties.

class Agent:
    """The rig: a real server, its scripted model, its effects file."""

    def __init__(self, serve, *options):
        self.process = subprocess.Popen([serve, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("agent-test: the agent server did not start")
        self.facts = json.loads(line)
        self.url, self.token = self.facts["url"], self.facts["token"]
        self.is_up = True

    def order(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if line in ("kill", "term"):
            self.is_up = False
        if line == "start":
            self.is_up = True
        return answer

    def effects(self):
        return int(self.order("effects"))

    def get(self, path, body=None, session=None):
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + self.token}
        if session:
            headers["session_id"] = session
        data = None if body is None else json.dumps(body).encode()
        with OPENER.open(urllib.request.Request(self.url + path, data, headers), timeout=10) as reply:
            return json.load(reply)

    def state(self, session):
        return self.get(f"/v1/sessions/{session}/state")

    def is_idle(self, session):
        return not self.state(session)["active_run"]

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:  # its server was killed in the moment of the signal
            self.process.kill()
            self.process.wait()


class Voice:
    """The voice service's side of the wire: calls tools as if the user had asked, and records what comes back."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.outputs, self.remarks, self.socket = {}, [], None
        self.answers = 0  # responses that were spoken
        self.is_ready, self.number, self.lock = threading.Event(), 0, threading.Lock()
        ready = threading.Event()
        threading.Thread(target=self.run, args=(ready,), daemon=True).start()
        ready.wait()

    def run(self, ready):
        asyncio.set_event_loop(self.loop)

        async def serve():
            server = await websockets.serve(self.converse, "127.0.0.1", 0, max_size=None)
            self.port = server.sockets[0].getsockname()[1]
            ready.set()
            await asyncio.Future()

        self.loop.run_until_complete(serve())

    def next_id(self, kind):
        with self.lock:
            self.number += 1
            return f"{kind}_{self.number}"

    async def send(self, kind, **fields):
        if self.socket:
            await self.socket.send(json.dumps({"type": kind, "event_id": self.next_id("event"), **fields}))

    async def converse(self, socket, *_):
        self.socket = socket
        session = {"id": "sess_1", "object": "realtime.session", "type": "realtime", "model": "gpt-realtime"}
        await self.send("session.created", session=session)
        try:
            async for text in socket:
                await self.take(json.loads(text), session)
        except websockets.ConnectionClosed:
            pass
        self.is_ready.clear()

    async def take(self, event, session):
        kind = event.get("type")
        if kind == "session.update":
            session.update(event["session"])
            await self.send("session.updated", session=session)
            self.is_ready.set()
        elif kind == "conversation.item.create":
            item = {"id": self.next_id("item"), "status": "completed", **event["item"]}
            await self.send("conversation.item.added", item=item, previous_item_id=None)
            await self.send("conversation.item.done", item=item, previous_item_id=None)
            if item["type"] == "function_call_output":
                self.outputs[item["call_id"]] = item["output"]
                self.to_say = item["output"]
            else:
                self.remarks.append(json.dumps(item.get("content", "")))
        elif kind == "response.create":
            await self.respond([], speaks=event.get("response", {}).get("conversation") != "none")

    async def speak(self, response):
        """Sends silence with a transcript, as long as a fast reader needs for it, so that the text counts as played."""
        seconds = min(8, max(0.6, 0.025 * len(getattr(self, "to_say", ""))))
        self.to_say = ""
        item = {"id": self.next_id("item"), "type": "message", "role": "assistant", "status": "in_progress", "content": []}
        place = {"response_id": response, "output_index": 0}
        part = {**place, "item_id": item["id"], "content_index": 0}
        await self.send("response.output_item.added", **place, item=item)
        await self.send("conversation.item.added", item=item, previous_item_id=None)
        await self.send("response.content_part.added", **part, part={"type": "audio", "transcript": ""})
        await self.send("response.output_audio_transcript.delta", **part, delta="Words.")
        for _ in range(round(10 * seconds)):
            await self.send("response.output_audio.delta", **part, delta=base64.b64encode(bytes(4800)).decode())
        await self.send("response.output_audio.done", **part)
        await self.send("response.output_audio_transcript.done", **part, transcript="Words.")
        item = {**item, "status": "completed", "content": [{"type": "output_audio", "transcript": "Words."}]}
        await self.send("response.content_part.done", **part, part={"type": "audio", "transcript": "Words."})
        await self.send("conversation.item.done", item=item, previous_item_id=None)
        await self.send("response.output_item.done", **place, item=item)
        return item

    async def respond(self, items, speaks=False):
        number = self.next_id("resp")
        whole = {"id": number, "object": "realtime.response", "output": [], "status_details": None, "usage": None}
        await self.send("response.created", response={**whole, "status": "in_progress"})
        if speaks:
            items = [await self.speak(number)]
            await self.send("response.done", response={**whole, "status": "completed", "output": items})
            self.answers += 1
            return
        for index, item in enumerate(items):
            place = {"response_id": number, "output_index": index}
            blank = {**item, "status": "in_progress", "arguments": ""}
            await self.send("response.output_item.added", **place, item=blank)
            await self.send("conversation.item.added", item=blank, previous_item_id=None)
            await self.send("response.function_call_arguments.done", **place, item_id=item["id"], call_id=item["call_id"],
                            name=item["name"], arguments=item["arguments"])
            await self.send("conversation.item.done", item=item, previous_item_id=None)
            await self.send("response.output_item.done", **place, item=item)
        await self.send("response.done", response={**whole, "status": "completed", "output": items})

    async def turn(self, calls):
        """The user speaks, and the model calls functions."""
        user = self.next_id("item")
        await self.send("input_audio_buffer.speech_started", audio_start_ms=0, item_id=user)
        await self.send("input_audio_buffer.speech_stopped", audio_end_ms=600, item_id=user)
        await self.send("input_audio_buffer.committed", item_id=user, previous_item_id=None)
        item = {"id": user, "type": "message", "role": "user", "status": "completed",
                "content": [{"type": "input_audio", "transcript": None}]}
        await self.send("conversation.item.added", item=item, previous_item_id=None)
        await self.send("conversation.item.done", item=item, previous_item_id=None)
        await self.send("conversation.item.input_audio_transcription.completed", item_id=user, content_index=0,
                        transcript="something was said", usage={"type": "duration", "seconds": 1})
        items = []
        for tool, arguments in calls:
            number = self.next_id("call")
            items.append({"id": "item_" + number, "type": "function_call", "status": "completed", "name": tool,
                          "call_id": number, "arguments": json.dumps(arguments)})
        await self.respond(items)
        return [item["call_id"] for item in items]

    def call(self, *calls):
        return asyncio.run_coroutine_threadsafe(self.turn(calls), self.loop).result(LIMIT)


class Card:
    """A virtual sound card: a question that nobody can hear counts as not asked, and no permission can answer it."""

    def __init__(self, room, folder):
        self.down = [os.path.join(room, "down")]
        self.environment = {**os.environ, "VIRTUAL_ROOM": os.path.join(folder, "room"),
                            "VIRTUAL_ROOM_LIB": os.path.join(os.environ["ROOM_BUILD"], "libasound_module_pcm_room.so"),
                            "ALSA_CONFIG_PATH": os.path.join(room, "asound.conf")}
        subprocess.run([os.path.join(room, "up")], env=self.environment, stdout=subprocess.DEVNULL, check=True, timeout=LIMIT)

    def close(self):
        subprocess.run(self.down, env=self.environment, timeout=LIMIT)


class Box:
    """The daemon."""

    def __init__(self, program, agent, voice, card, folder, style, **settings):
        self.voice, self.folder, self.log = voice, folder, os.path.join(folder, "daemon.log")
        self.before = {}
        state = os.path.join(folder, "state")
        empty = os.path.join(folder, "empty.toml")
        open(empty, "w", encoding="utf-8").close()
        token = settings.pop("token", agent.token)
        values = {"jarvis.api": style, "jarvis.url": agent.url, "realtime.url": f"ws://127.0.0.1:{voice.port}/v1/realtime",
                  "audio.earcon_volume": "0", "jarvis.still_working_s": "0", **settings}
        command = [program, "run", "--config", empty]
        for name, value in values.items():
            command += ["--set", f"{name.replace('__', '.')}={value}"]
        # Only the service's events say that a user speaks: with a canceller, the box would look for a voice in its
        # microphone.
        command += ["--set", "echo.mode=off", "--set", "audio.input=room", "--set", "audio.output=room"]
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_STATE_HOME": state,
                            "XDG_RUNTIME_DIR": folder, "OPENAI_API_KEY": "sk-simulated",
                            "JARVIS_TOKEN": token,
                            **{name: card.environment[name]
                               for name in ("VIRTUAL_ROOM", "VIRTUAL_ROOM_LIB", "ALSA_CONFIG_PATH")}}
        self.program = program
        voice.is_ready.clear()
        before = len(self.text()) if os.path.exists(self.log) else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            if not voice.is_ready.wait(LIMIT):
                raise Wrong("the daemon does not come to listen: " + self.tail())
            soon(lambda: re.search(r"Jarvis|jarvis\.url", self.text()[before:]) or not agent.is_up, "a first look at the agent")
        except Wrong:
            self.end(signal.SIGKILL)
            raise

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def tail(self):
        return " | ".join(self.text().splitlines()[-3:])

    def start(self, tool, **arguments):
        before = self.spoken()
        call = self.voice.call((tool, arguments))[0]
        self.before[call] = before
        return call

    def spoken(self):
        """How many answers the voice has given, and how many the daemon has begun to play."""
        return self.voice.answers, self.text().count(" to=speaking")

    def heard(self, call, limit=LIMIT):
        answers, played = self.before.get(call, self.spoken())
        soon(lambda: call in self.voice.outputs, f"an output of {call}; {self.tail()}", limit)
        try:
            soon(lambda: self.spoken()[0] > answers and self.spoken()[1] > played, "an answer", 2)
        except Wrong:
            pass  # not every output is answered aloud
        self.hush()
        return self.voice.outputs[call]

    def hush(self):
        """Waits until the daemon no longer speaks."""
        soon(lambda: re.findall(r"state from=\S+ to=(\w+)", self.text())[-1:] in (["listening"], ["idle"], ["waitingForJarvis"]),
             "silence; " + self.tail())
        time.sleep(0.1)

    def use(self, tool, limit=LIMIT, **arguments):
        return self.heard(self.start(tool, **arguments), limit)

    def ask(self, words, limit=LIMIT):
        return self.use("ask_jarvis", limit, query=words)

    def session(self):
        """The id of the conversation with the agent, from the saved state."""
        for root, _, names in os.walk(os.path.join(self.folder, "state")):
            if "conversation" in names:
                with open(os.path.join(root, "conversation"), encoding="utf-8") as file:
                    found = re.search(r'id = "([^"]+)"', file.read())
                    return found and found[1]
        return None

    def ctl(self, *words):
        return subprocess.run([self.program, "ctl", *words], env=self.environment, capture_output=True, text=True,
                              timeout=LIMIT).stdout

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(LIMIT)


class Stage:
    """The resources of one scenario."""

    def __init__(self, house, style, agent):
        self.house, self.style, self.agent = house, style, agent
        self.folder = tempfile.mkdtemp(prefix="agent-test-")
        self.voice, self.boxes, self.before, self.agents = Voice(), [], agent.effects(), []
        self.card = Card(house.room, self.folder)
        self.words = []

    @property
    def is_chat(self):
        return self.style == "chat"

    def box(self, agent=None, **settings):
        self.boxes.append(Box(self.house.program, agent or self.agent, self.voice, self.card, self.folder, self.style, **settings))
        return self.boxes[-1]

    def other_agent(self, *options):
        self.agents.append(Agent(self.house.serve, *options))
        return self.agents[-1]

    @property
    def effects(self):
        return self.agent.effects() - self.before

    def hears(self, text, *parts):
        """Records what the user hears for the table, and checks that it matches all `parts`."""
        self.words.append(text)
        for part in parts:
            if not re.search(part, text, re.S | re.I):
                raise Wrong(f"heard {text!r}, which has no {part!r}")

    def expect(self, condition, what):
        if not condition:
            raise Wrong(what)

    def close(self):
        for box in self.boxes:
            try:
                box.end(signal.SIGKILL)
            except (Wrong, subprocess.TimeoutExpired):
                pass
        for agent in self.agents:
            agent.end()
        if not self.agent.is_up:
            self.agent.order("start")
        self.card.close()
        shutil.rmtree(self.folder, ignore_errors=True)


# The scenarios. Each gets a stage, runs in its `styles`, and needs the kind of agent that `rig` names.

SCENARIOS = []


def scenario(title, rig="ask", styles=("responses", "chat")):
    def note(function):
        SCENARIOS.append((title, rig, styles, function))
        return function
    return note


@scenario("a question")
def _(s):
    s.hears(s.box().ask("what is on today?"), "two meetings")


@scenario("history over two questions")
def _(s):
    box = s.box()
    box.ask("what is on today?")
    s.hears(box.ask("count my questions"), "asked 2 questions")


@scenario("a fresh conversation (new_conversation)")
def _(s):
    box = s.box()
    box.ask("what is on today?")
    box.use("new_conversation")
    s.hears(box.ask("count my questions"), "asked 1 questions")


@scenario("history after the daemon was restarted")
def _(s):
    box = s.box()
    box.ask("what is on today?")
    soon(box.session, "a saved conversation")
    time.sleep(0.3)
    box.end()
    s.hears(s.box().ask("count my questions"), "asked 2 questions")


@scenario("history after the server was restarted")
def _(s):
    box = s.box()
    box.ask("what is on today?")
    s.agent.order("kill")
    s.agent.order("start")
    s.hears(box.ask("count my questions"), "asked 2 questions")


for _words, _title, _part in [
    ("empty", "an empty answer", "nothing to say"), ("blank", "an answer of white space", "nothing to say"),
    ("think", "thoughts in the answer", "^The answer is four"), ("unicode", "many scripts", "naïve café"),
    ("long", "a long answer with tables and code", "week"), ("slow 3", "an answer after 3 s", "took 3 seconds"),
]:
    @scenario(_title)
    def _(s, words=_words, part=_part):
        answer = s.box().ask(words)
        s.expect("<think>" not in answer and "```" not in answer, f"markup is heard: {answer!r}")
        s.hears(answer, part)


@scenario("the rest of a long answer (continue_reading)")
def _(s):
    box = s.box()
    first = box.ask("long")
    more = box.use("continue_reading")
    s.expect(more and more != first, "nothing more")
    s.hears(more)


@scenario("the provider refuses (400)")
def _(s):
    answer = s.box().ask("error 400")
    s.expect("sk-scripted" not in answer, "the provider's words are heard")
    s.hears(answer, "problem")


@scenario("after a failed question the next one")
def _(s):
    box = s.box()
    box.ask("what is on today?")
    box.ask("error 400")
    s.hears(box.ask("count my questions"), "asked [23] questions")
    s.expect(box.text().count("stale") == 0, "a refused request")


for _code in (500, 429):
    @scenario(f"the provider fails once ({_code})")
    def _(s, code=_code):
        s.hears(s.box().ask(f"error {code} for 1, {s.style} {time.time()}"), "well in the end")


@scenario("an attempt that breaks off is heard once")
def _(s):
    answer = s.box().ask(f"break 1, {s.style} {time.time()}")
    s.hears(answer, "Attempt 2 went well")
    s.expect(s.is_chat or "Attempt 1" not in answer, "the given up attempt is heard")


@scenario("three failures, then a rest")
def _(s):
    box = s.box()
    for _ in range(3):
        box.ask("error 400")
    s.hears(box.ask("what is on today?"), "does not answer")


# Permissions and questions.

def path_of(s, box):
    """The path for which the server asks permission."""
    soon(box.session, "a saved conversation")
    return s.agent.state(box.session())["pending_approval"]["path"]


@scenario("a permission, given")
def _(s):
    box = s.box()
    prompt = box.ask("side effect")
    if s.is_chat:
        s.hears(prompt, "done")
        return s.expect(s.effects == 0, "a tool ran without permission")
    s.expect(s.effects == 0, "a tool ran before the permission")
    s.hears(prompt, "permission|allow")
    s.hears(box.use("approve", command=path_of(s, box), allow=True), "It is done")
    s.expect(s.effects == 1, f"{s.effects} effects")


@scenario("a permission, refused", styles=("responses",))
def _(s):
    box = s.box()
    box.ask("side effect")
    s.hears(box.use("approve", command=path_of(s, box), allow=False))
    s.expect(s.effects == 0, "a tool ran against a no")


@scenario("a permission for another command", styles=("responses",))
def _(s):
    box = s.box()
    box.ask("side effect")
    s.hears(box.use("approve", command="rm -rf /", allow=True), "nothing was allowed")
    s.expect(s.effects == 0, "a tool ran without permission")


@scenario("two commands, two permissions", styles=("responses",))
def _(s):
    box = s.box()
    box.ask("two commands")
    second = box.use("approve", command=path_of(s, box), allow=True)
    s.hears(second, "permission|allow")
    s.hears(box.use("approve", command=path_of(s, box), allow=True), "Both")


@scenario("reading a file, permitted", styles=("responses",))
def _(s):
    box = s.box()
    box.ask("read a file")
    s.hears(box.use("approve", command=path_of(s, box), allow=True), "Dear Ada")


@scenario("a tool's result that gives orders", rig="yolo")
def _(s):
    s.hears(s.box().ask("inject"), "letter")
    s.expect(s.effects == 0, "orders were followed")


@scenario("a question of the agent, answered")
def _(s):
    box = s.box()
    s.hears(box.ask("ask me"), "Which colour")
    s.hears(box.use("answer_question", answers=["blue"]), "Blue")


@scenario("a question of the agent, answered freely")
def _(s):
    box = s.box()
    box.ask("ask me")
    s.hears(box.use("answer_question", answers=["a light purple"]), "light purple")


@scenario("two questions of the agent, one with several choices")
def _(s):
    box = s.box()
    s.hears(box.ask("ask me several"), "Which colours", "Which size")
    s.hears(box.use("answer_question", answers=["red and dark green", "large"]), "Red", "Dark green", "Large")


@scenario("another question instead of an answer")
def _(s):
    box = s.box()
    box.ask("ask me")
    s.hears(box.ask("what is on today?"), "two meetings")


@scenario("another question instead of a permission", styles=("responses",))
def _(s):
    box = s.box()
    box.ask("side effect")
    s.hears(box.ask("what is on today?"), "two meetings")
    s.expect(s.effects == 0, "a tool ran without permission")


# Cancelling.

def at_work(s, box, words="command of 8 seconds", rig_session=None):
    call = box.start("ask_jarvis", query=words)
    soon(lambda: box.session() and not s.agent.is_idle(box.session()), "the agent at work")
    return call


def first(box):
    """Asks a first question: the conversation has an id on disk from its first answer on."""
    box.ask("what is on today?")
    soon(box.session, "a saved conversation")


@scenario("cancelled while at work", rig="yolo")
def _(s):
    box = s.box()
    first(box)
    call = at_work(s, box)
    s.hears(box.use("cancel_request"))
    box.heard(call)
    soon(lambda: s.agent.is_idle(box.session()), "the run's end", 1.2)
    started = time.monotonic()
    s.hears(box.ask("what is on today?"), "two meetings")
    s.expect(time.monotonic() - started < 3, "the next question waited")


@scenario("ctl stop while at work", rig="yolo")
def _(s):
    box = s.box()
    first(box)
    at_work(s, box)
    s.expect("request was cancelled" in box.ctl("stop"), "ctl says otherwise")
    time.sleep(1)  # for a moment, answers still belong to the stopped request
    soon(lambda: s.agent.is_idle(box.session()), "the run's end", 1.2)
    s.hears(box.ask("what is on today?"), "two meetings")


for _title, _afresh in [
    ("ctl reset while at work", lambda box: box.ctl("reset")),
    ("a fresh conversation while at work", lambda box: box.use("new_conversation")),
]:
    @scenario(_title, rig="yolo")
    def _(s, afresh=_afresh):
        box = s.box()
        first(box)
        at_work(s, box)
        old = box.session()
        afresh(box)
        soon(lambda: s.agent.is_idle(old), "the run's end", 1.2)
        s.voice.is_ready.wait(LIMIT)  # a reset also begins a new session of the voice service
        time.sleep(0.5)
        s.hears(box.ask("count my questions"), "asked 1 questions")


@scenario("cancelled over an open permission", styles=("responses",))
def _(s):
    box = s.box()
    first(box)
    box.ask("side effect")
    box.use("cancel_request")
    soon(lambda: s.agent.is_idle(box.session()), "the run's end", 1.2)
    s.hears(box.ask("what is on today?"), "two meetings")
    s.expect(s.effects == 0, "a tool ran without permission")


@scenario("two questions at once wait for each other")
def _(s):
    box = s.box()
    calls = s.voice.call(("ask_jarvis", {"query": "slow 2"}), ("ask_jarvis", {"query": "what is on today?"}))
    s.hears(" + ".join(box.heard(call) for call in calls), "took 2 seconds", "two meetings")


# The end of the daemon.

def order_at_term(s, box):
    """Ends the daemon while the agent is at work: the agent must be idle once the daemon has exited."""
    session = box.session()
    started = time.monotonic()
    status = box.end()
    took = time.monotonic() - started
    s.expect(status == 0, f"status {status}")
    s.expect(took < 2.2, f"it took {took:.1f} s")
    s.expect(s.agent.is_idle(session), "the run goes on without the daemon")
    lines = box.text()
    marks = ["stopping", "Jarvis has stopped", "stopped"]
    places = [re.search(rf"\b{mark}\b", lines[lines.rindex("stopping"):]) for mark in marks]
    s.expect(all(places) and places[0].start() < places[1].start(), "the order in the log")
    s.words.append(f"stopping > Jarvis has stopped > stopped, {took:.1f} s")


@scenario("SIGTERM while at work", rig="yolo")
def _(s):
    box = s.box()
    first(box)
    at_work(s, box)
    order_at_term(s, box)


@scenario("SIGTERM over an open permission", styles=("responses",))
def _(s):
    box = s.box()
    first(box)
    box.ask("side effect")
    order_at_term(s, box)
    s.expect(s.effects == 0, "a tool ran without permission")
    s.hears(s.box().ask("what is on today?"), "^You have two meetings")


@scenario("SIGTERM over an open question")
def _(s):
    box = s.box()
    first(box)
    box.ask("ask me")
    order_at_term(s, box)


@scenario("SIGKILL over an open permission, started again", styles=("responses",))
def _(s):
    box = s.box()
    first(box)
    box.ask("side effect")
    box.end(signal.SIGKILL)
    started = time.monotonic()
    s.hears(s.box().ask("what is on today?"), "earlier request", "two meetings")
    s.expect(time.monotonic() - started < 6, "it took too long")
    s.expect(s.effects == 0, "a tool ran without permission")


@scenario("SIGKILL over an open question, started again")
def _(s):
    box = s.box()
    first(box)
    box.ask("ask me")
    box.end(signal.SIGKILL)
    s.hears(s.box().ask("what is on today?"), "two meetings")


@scenario("SIGKILL while at work, started again", rig="yolo")
def _(s):
    box = s.box()
    first(box)
    at_work(s, box)
    box.end(signal.SIGKILL)
    started = time.monotonic()
    s.hears(s.box().ask("what is on today?"), "two meetings")
    s.expect(time.monotonic() - started < 6, "it waited for the old run")


# The end of the server.

@scenario("another program waits in the same conversation", styles=("responses",))
def _(s):
    box = s.box()
    first(box)
    session = box.session()
    body = json.dumps({"input": "side effect", "stream": True, "previous_response_id": s.agent.state(session)["lastResponseId"]})
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + s.agent.token}
    with OPENER.open(urllib.request.Request(s.agent.url + "/v1/responses", body.encode(), headers), timeout=30):
        soon(lambda: "pending_approval" in s.agent.state(session), "its permission")
        s.hears(box.ask("what is on today?"), "earlier request", "two meetings")
    s.expect(s.effects == 0, "a tool ran without permission")


def cut_off(how, end):
    """What the user hears of a chat whose server was killed, or terminated, which may let the run finish."""
    return "cut off" if how == "kill" else f"restarted|cut off|{end}"


for _rig in ("yolo", "hidden"):
    for _how in ("kill", "term"):
        _mark = ", tools hidden" if _rig == "hidden" else ""

        @scenario(f"server: {_how} before the tool runs{_mark}", rig=_rig)
        def _(s, how=_how):
            box = s.box()
            call = box.start("ask_jarvis", query="slow 3")
            time.sleep(1)
            s.agent.order(how)
            s.agent.order("start")
            s.hears(box.heard(call), "took 3 seconds" if not s.is_chat else cut_off(how, "took 3 seconds"))

        @scenario(f"server: {_how} while the tool is at work{_mark}", rig=_rig)
        def _(s, how=_how):
            box = s.box()
            note = f"echo x >> {s.agent.facts['effects']}"
            call = box.start("ask_jarvis", query=f"run {note}; sleep 4")
            soon(lambda: s.effects == 1, "the effect")
            s.agent.order(how)
            s.agent.order("start")
            # A chat that ends within ten seconds of SIGTERM is delivered.
            s.hears(box.heard(call), "restarted|cut off" if not s.is_chat else cut_off(how, "done"))
            time.sleep(1)
            s.expect(s.effects == 1, f"{s.effects} effects")

        @scenario(f"server: {_how} after the tool has run{_mark}", rig=_rig)
        def _(s, how=_how):
            box = s.box()
            call = box.start("ask_jarvis", query="side effect, wait 3")
            soon(lambda: s.effects == 1, "the effect")
            time.sleep(0.7)
            s.agent.order(how)
            s.agent.order("start")
            s.hears(box.heard(call), "restarted|cut off|done" if not s.is_chat else cut_off(how, "done"))
            time.sleep(0.5)
            s.expect(s.effects == 1, f"{s.effects} effects")
            s.hears(box.ask("what is on today?"), "two meetings")


@scenario("server: kill over an open permission", styles=("responses",))
def _(s):
    box = s.box()
    box.ask("side effect")
    command = path_of(s, box)
    s.agent.order("kill")
    s.agent.order("start")
    s.hears(box.use("approve", command=command, allow=True), "restarted|not waiting")
    s.expect(s.effects == 0, f"{s.effects} effects")
    s.hears(box.ask("what is on today?"), "two meetings")


@scenario("server: dies at work and stays away", rig="yolo")
def _(s):
    box = s.box()
    call = box.start("ask_jarvis", query="command of 8 seconds")
    time.sleep(1)
    s.agent.order("kill")
    started = time.monotonic()
    s.hears(box.heard(call), "cut off")
    took = time.monotonic() - started
    s.expect(took < 9, f"said after {took:.0f} s only")
    s.expect("timeout_s" not in box.text(), "the log wants more time")


@scenario("server: away when asked")
def _(s):
    box = s.box()
    s.agent.order("kill")
    started = time.monotonic()
    s.hears(box.ask("what is on today?"), "offline")
    s.expect(time.monotonic() - started < 7, "it took too long")
    s.agent.order("start")
    s.hears(box.ask("what is on today?"), "two meetings")


@scenario("the server's own limit is reached")
def _(s):
    agent = s.other_agent("--response-timeout", "2s")
    box = s.box(agent)
    s.hears(box.ask("slow 6"), "ran out of time")
    s.expect("timeout_s" not in box.text().replace("serve.response_timeout", ""), "the log wants more time of us")


@scenario("the time of the configuration is over, and the run ends", rig="yolo")
def _(s):
    box = s.box(jarvis__timeout_s="5")
    first(box)
    s.hears(box.ask("command of 9 seconds"), "timed out")
    soon(lambda: s.agent.is_idle(box.session()), "the run's end", 1.5)


@scenario("the provider is away, then back")
def _(s):
    agent = s.other_agent()
    box = s.box(agent)
    agent.order("stop-model")
    call = box.start("ask_jarvis", query="what is on today?")
    time.sleep(2)
    agent.order("start-model")
    s.hears(box.heard(call), "two meetings")


@scenario("a wrong token")
def _(s):
    s.hears(s.box(token="wrong").ask("what is on today?"), "Authentication")


@scenario("a wrong base path")
def _(s):
    box = s.box(**{"jarvis.url": s.agent.url.replace("/ui", "/wrong")})
    s.hears(box.ask("what is on today?"), "address needs to be corrected")


# Running them.

RIGS = {
    "ask": [],
    "yolo": ["--extra=--yolo"],
    "hidden": ["--extra=--yolo", "--suppress-server-tool-calls"],
}


class House:
    def __init__(self, program, serve, room):
        self.program, self.serve, self.room = program, serve, room


def play(house, agent, title, style, function):
    """Runs one scenario; returns its row: the problem if it failed, the duration, the effects and the words."""
    started, stage, problem = time.monotonic(), None, None
    try:
        stage = Stage(house, style, agent)
        function(stage)
    except Exception as trouble:  # any failure becomes a row
        problem = f"{type(trouble).__name__}: {trouble}" if not isinstance(trouble, Wrong) else str(trouble)
    effects, words, log = None, [], ""
    if stage:
        words = stage.words
        if stage.boxes:
            log = stage.boxes[-1].text()
        stage.close()
        effects = stage.effects
    return {"title": title, "style": style, "seconds": time.monotonic() - started, "effects": effects,
            "words": " / ".join(words), "problem": problem, "log": log}


def lane(house, style, rig, rows):
    """Runs the scenarios of one rig in one style, one after the other."""
    agent = Agent(house.serve, *RIGS[rig])
    done = []
    try:
        for title, function in rows:
            row = play(house, agent, title, style, function)
            done.append(row)
            print(f"{'ok    ' if row['problem'] is None else 'FAILED'} {style:9} {title}"
                  + (f": {row['problem']}" if row["problem"] else ""), flush=True)
    finally:
        agent.end()
    return done


def short(text, length=96):
    text = re.sub(r"\s+", " ", text).replace("|", "/")
    return text if len(text) <= length else text[:length - 3] + "..."


def main():
    parser = argparse.ArgumentParser(prog="agent-test")
    parser.add_argument("program")
    parser.add_argument("serve")
    parser.add_argument("room", help="the folder of the virtual sound card")
    parser.add_argument("out")
    parser.add_argument("--only", default="", help="scenarios whose title matches")
    options = parser.parse_args()
    house = House(options.program, options.serve, options.room)
    lanes = {}
    for title, rig, styles, function in SCENARIOS:
        if re.search(options.only, title):
            for style in styles:
                lane_of_rig = sum(len(rows) for (of, kind, _), rows in lanes.items() if (of, kind) == (style, rig)) % LANES
                lanes.setdefault((style, rig, lane_of_rig), []).append((title, function))
    rows = []
    with concurrent.futures.ThreadPoolExecutor(len(lanes) or 1) as pool:
        for done in pool.map(lambda item: lane(house, *item[0][:2], item[1]), lanes.items()):
            rows += done
    order = [title for title, *_ in SCENARIOS]
    rows.sort(key=lambda row: (order.index(row["title"]), row["style"] != "responses"))
    table = ["| scenario | style | tool ran | seconds | what the user is given to hear |", "|---|---|---|---|---|"]
    table += [f"| {row['title']} | {row['style']} | {row['effects']} | {row['seconds']:.1f} | {short(row['words'])} |"
              for row in rows]
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, "table.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(table) + "\n")
    failed = [row for row in rows if row["problem"]]
    for row in failed:
        print(f"--- {row['title']} ({row['style']}): {row['problem']}\n{row['log']}", file=sys.stderr)
    print("\n".join(table))
    print(f"agent-test: {len(rows) - len(failed)} of {len(rows)} scenarios hold; table in {options.out}/table.md")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
