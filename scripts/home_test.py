"""The checks of scripts/home-test, and the picture of scripts/home-picture.

    home_test.py broker|house|native|assist|picture PROGRAMS OUT      all but broker: in the environment of the rig's `serve`"""
import atexit, base64, http.server, json, os, pathlib, pty, random, re, select, shutil, signal, socket, subprocess, sys, tempfile, threading
import time, urllib.error, urllib.request, wave

part, programs, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
out.mkdir(parents=True, exist_ok=True)
started = []
USER, PASSWORD = "box", "canary-mqtt-0123456789"


def start(name, *command, **variables):
    log = open(out / f"{name}.log", "ab")
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **variables})
    started.append(process)
    return process


def stop(process, how=signal.SIGTERM):
    process.send_signal(how)
    process.wait(10)


def wait(what, holds, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            found = holds()
            if found:
                return found
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            pass
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what}")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def ok(text):
    print("ok   ", text, flush=True)


# MARK: The box

class Daemon:
    """The daemon with a loudspeaker that swallows everything, and a simulated service and agent."""
    def __init__(self, name="daemon", token="simulated", **settings):
        home = out / name
        (home / "state").mkdir(parents=True, exist_ok=True)
        # The path of a socket has 107 bytes at most.
        runtime = pathlib.Path(tempfile.mkdtemp(prefix="home-test-"))
        atexit.register(shutil.rmtree, runtime, ignore_errors=True)
        (home / ".asoundrc").write_text("pcm.endless { type null }\n")
        ports = out / "ports"
        with open(ports, "w") as file:
            started.append(subprocess.Popen([f"{programs}/jarvis-simulator", "serve", "--tones"], stdin=subprocess.DEVNULL, stdout=file))
        found = wait("the simulated services", lambda: dict(re.findall(r"(\w+)=(\d+)", ports.read_text())) or None)
        self.control = runtime / "jarvis-voiced/control.sock"
        values = {"audio.input": "endless", "audio.output": "endless", "activation.mode": "push", "box.name": "Kitchen box",
                  "realtime.url": f"ws://127.0.0.1:{found['realtime']}/v1/realtime", "jarvis.url": f"http://127.0.0.1:{found['jarvis']}/ui",
                  "log.transcripts": "true", **settings}
        arguments = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
        self.run = lambda: start(name, f"{programs}/jarvis-voiced", "run", *arguments, HOME=str(home),
                                 XDG_RUNTIME_DIR=str(runtime), STATE_DIRECTORY=str(home / "state"),
                                 OPENAI_API_KEY="sk-simulated", JARVIS_TOKEN=token)
        self.begin()

    def begin(self):
        self.process = self.run()
        wait("the daemon", lambda: self.ask("status")["ok"], 20)

    def ask(self, command, **arguments):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(15)
            client.connect(str(self.control))
            client.sendall(json.dumps({"id": 1, "command": command, "arguments": arguments}).encode() + b"\n")
            received = b""
            while received.count(b"\n") < 2:
                received += client.recv(65536) or 1 / 0
            return json.loads(received.split(b"\n")[1])

    def status(self):
        return self.ask("status")["result"]

    def answer(self, text):
        """What is answered to a typed question."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(30)
            client.connect(str(self.control))
            client.sendall(json.dumps({"command": "ask", "arguments": {"text": text, "reads": True}}).encode() + b"\n")
            received = b""
            while b'"done":true' not in received:
                received += client.recv(65536) or 1 / 0
            return received.decode()


class Bridge:
    def __init__(self, daemon, broker, name="bridge", **table):
        self.folder = out / name
        self.folder.mkdir(exist_ok=True)
        self.port = free_port()
        (self.folder / "mqtt-password").write_text(table.pop("password", PASSWORD) + "\n")
        table = {"broker": broker, "user": USER, **table} if broker else table
        lines = [f'{key} = {json.dumps(value)}' for key, value in table.items()]
        (self.folder / "bridge.toml").write_text("\n".join([
            f'socket = "{daemon.control}"', f"port = {self.port}", "[mqtt]" if broker else "[esphome]", *lines]) + "\n")
        self.log = out / f"{name}.log"
        self.run()

    def run(self):
        self.process = start(self.log.stem, f"{programs}/jarvis-bridge", "run", "--configuration", self.folder / "bridge.toml", "--state",
                             self.folder, "--page", "Sources/JarvisBridge/Page", CREDENTIALS_DIRECTORY=str(self.folder))

    def said(self, text):
        return self.log.exists() and self.log.read_text().count(text)

    @property
    def identity(self):
        return (self.folder / "identity").read_text().split()[0]

    def usage(self):
        """Seconds of the processor, and megabytes."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return ((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024)


class Terminal:
    """A program that asks its questions."""
    def __init__(self, *command, **variables):
        self.child, self.file = pty.fork()
        if not self.child:
            os.execvpe(command[0], [str(word) for word in command], {**os.environ, **variables})
        self.seen = ""

    def read(self, wanted, seconds=30):
        """What it has written until then."""
        end = time.monotonic() + seconds
        while wanted not in self.seen:
            assert time.monotonic() < end, f"no {wanted!r} in {self.seen!r}"
            if select.select([self.file], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.file, 4096).decode(errors="replace")
                except OSError:
                    assert wanted in self.seen, f"no {wanted!r} in {self.seen!r}"
        before, self.seen = self.seen.split(wanted, 1)
        return before

    def answer(self, prompt, text):
        seen = self.read(prompt)
        time.sleep(0.3)  # what is typed before the terminal hides it is thrown away
        os.write(self.file, text.encode() + b"\n")
        return seen

    def end(self):
        """The rest, and the exit status."""
        try:
            while more := os.read(self.file, 4096):
                self.seen += more.decode(errors="replace")
        except OSError:
            pass
        return self.seen, os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


# MARK: The broker

class Broker:
    """Debian's mosquitto, with an account and a certificate for localhost."""
    def __init__(self):
        self.port, self.secure = free_port(), free_port()
        self.authority, other = out / "ca.pem", out / "other.pem"
        for file in (self.authority, other):
            self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{file}.key",
                         "-out", file, "-days", "2", "-subj", "/CN=house")
        (out / "names").write_text("subjectAltName=DNS:localhost")
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", out / "server.key", "-out",
                     out / "server.csr", "-subj", "/CN=localhost")
        self.openssl("x509", "-req", "-in", out / "server.csr", "-CA", self.authority, "-CAkey", f"{self.authority}.key", "-CAcreateserial",
                     "-out", out / "server.pem", "-days", "2", "-extfile", out / "names")
        subprocess.run(["mosquitto_passwd", "-b", "-c", out / "accounts", USER, PASSWORD], check=True, capture_output=True)
        subprocess.run(["mosquitto_passwd", "-b", out / "accounts", "house", PASSWORD], check=True, capture_output=True)
        for file in out.iterdir():
            file.is_file() and file.chmod(0o644)
        root = "user root\n" if os.geteuid() == 0 else ""
        (out / "mosquitto.conf").write_text(f"""{root}allow_anonymous false
password_file {out}/accounts
log_type all
listener {self.port} 127.0.0.1
listener {self.secure} 127.0.0.1
certfile {out}/server.pem
keyfile {out}/server.key
""")
        self.run()

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    def run(self):
        program = "/usr/sbin/mosquitto" if os.path.exists("/usr/sbin/mosquitto") else "mosquitto"
        self.process = start("broker", program, "-c", str(out / "mosquitto.conf"))
        wait("the broker", lambda: socket.create_connection(("127.0.0.1", self.port), 1).close() is None)

    def publish(self, topic, payload, *more):
        # -s refuses nothing at all.
        how = ["-s"] if payload else ["-n"]
        subprocess.run(["mosquitto_pub", "-p", str(self.port), "-u", "house", "-P", PASSWORD, "-t", topic, *how, *more],
                       input=payload if isinstance(payload, bytes) else payload.encode(), check=True)

    def listen(self):
        return Listener(self.port)


class Listener:
    """What the broker passes on, from now on: [(retained, qos, topic, payload)]."""
    count = 0

    def __init__(self, port):
        Listener.count += 1
        self.file = out / f"heard-{Listener.count}.txt"
        with open(self.file, "w") as file:
            self.process = subprocess.Popen(["mosquitto_sub", "-p", str(port), "-u", "house", "-P", PASSWORD, "-F", "%r|%q|%t|%p",
                                             "-q", "1", "-t", "jarvis/#", "-t", "homeassistant/#"], stdout=file, stderr=file)
        started.append(self.process)

    def all(self):
        return [tuple(line.split("|", 3)) for line in self.file.read_text(errors="replace").splitlines() if line.count("|") >= 3]

    def last(self, topic):
        return next((payload for _, _, heard, payload in reversed(self.all()) if heard == topic), None)

    def wait(self, topic, payload, seconds=10):
        return wait(f"{topic} {payload}", lambda: self.last(topic) == payload, seconds)


def broker_checks():
    broker, daemon = Broker(), Daemon()
    bridge = Bridge(daemon, f"mqtt://127.0.0.1:{broker.port}")
    wait("the broker is there", lambda: bridge.said("the MQTT broker at"))
    base, config = f"jarvis/{bridge.identity}", f"homeassistant/device/jarvis_{bridge.identity}/config"
    heard = broker.listen()
    heard.wait(f"{base}/availability", "online")
    wait("discovery", lambda: heard.last(config))
    # What comes to one that subscribes later is what the broker keeps.
    stop(heard.process)
    heard = broker.listen()
    wait("discovery again", lambda: heard.last(config))
    wait("the states", lambda: heard.last(f"{base}/mode") == "push" and heard.last(f"{base}/health"))
    document = json.loads(heard.last(config))
    assert document["dev"]["name"] == "Kitchen box", document["dev"]
    wait("every state is kept", lambda: {topic.split("/")[2] for retained, _, topic, _ in heard.all() if retained == "1"} >= {
        *(name for name, component in document["cmps"].items() if "stat_t" in component and component["p"] != "event"), "availability"})
    assert next(quality for _, quality, topic, _ in heard.all() if topic == config) == "1"
    assert document["cmps"]["heard"] == {"p": "sensor"} and heard.last(f"{base}/heard") is None
    ok(f"discovery of {len(document['cmps'])} components with QoS 1, every state retained")

    def command(entity, payload, *more):
        broker.publish(f"{base}/{entity}/set", payload, *more)

    began = time.monotonic()
    command("mute", "on")
    heard.wait(f"{base}/mute", "on")
    assert daemon.status()["microphone_muted"] is True
    ok(f"a command acts, and its state is back after {(time.monotonic() - began) * 1000:.0f} ms, mosquitto_pub included")
    command("mute", "off")
    command("volume_media", "33")
    heard.wait(f"{base}/volume_media", "33")
    command("volume_media", "140")
    command("quiet", "on")
    heard.wait(f"{base}/quiet", "on")
    assert daemon.status()["volumes"]["media"] == 33
    command("quiet", "off")
    daemon.ask("timer", action="set", what="10m tea for Ada")
    wait("the timer's event", lambda: '"event_type":"set"' in (heard.last(f"{base}/timer") or ""))
    wait("when it is due", lambda: heard.last(f"{base}/next_timer").startswith("20"))
    assert [retained for retained, _, topic, _ in heard.all() if topic == f"{base}/timer"] == ["0"]
    command("ask", "What is on my calendar today?")
    wait("the turn's event", lambda: "event_type" in (heard.last(f"{base}/turn") or ""), 30)
    command("announce", "Dinner is ready")
    command("stop", "PRESS")
    text = heard.file.read_text(errors="replace")
    assert "calendar today?" not in text.replace(f"{base}/ask/set|What is on my calendar today?", ""), "spoken words on the broker"
    assert "Ada" not in text and "Dinner" not in text.replace(f"{base}/announce/set|Dinner is ready", "")
    ok("switch, number, timer, turn; no word that was said")

    broker_dialog(broker, bridge, heard, base)

    # A command that the broker has kept was meant for another time.
    command("mute", "on", "-r")
    wait("it acts now", lambda: daemon.status()["microphone_muted"] is True)
    daemon.ask("unmute")
    stop(bridge.process, signal.SIGKILL)
    began = time.monotonic()
    heard.wait(f"{base}/availability", "offline", 5)
    ok(f"a bridge that is killed: offline after {(time.monotonic() - began) * 1000:.0f} ms")
    bridge.run()
    heard.wait(f"{base}/availability", "online")
    time.sleep(1)
    assert daemon.status()["microphone_muted"] is False, "a retained command was carried out"
    command("mute", "", "-r")
    ok("a retained command is left alone")

    stop(broker.process, signal.SIGKILL)
    wait("that it is lost", lambda: bridge.said("no MQTT broker"))
    daemon.ask("mute")
    broker.run()
    after = broker.listen()
    after.wait(f"{base}/mute", "on", 15)
    assert json.loads(after.last(config))["cmps"]
    daemon.ask("unmute")
    after.wait(f"{base}/mute", "off")
    ok("a broker that was killed, and has forgotten everything, is told again")
    count = len([1 for _, _, topic, _ in after.all() if topic == config])
    for _ in range(20):
        broker.publish("homeassistant/status", "online")
    wait("discovery again", lambda: len([1 for _, _, topic, _ in after.all() if topic == config]) > count)
    time.sleep(1.5)
    again = len([1 for _, _, topic, _ in after.all() if topic == config]) - count
    assert 1 <= again <= 4, f"{again} times"
    ok(f"20 times \"online\" within a moment: said again {again} times")

    secure = Bridge(daemon, f"mqtts://localhost:{broker.secure}", "secure", ca_file=str(broker.authority))
    wait("TLS", lambda: secure.said("the MQTT broker at"))
    assert secure.identity != bridge.identity
    wrong = Bridge(daemon, f"mqtts://localhost:{broker.secure}", "wrong", ca_file=str(out / "other.pem"))
    wait("the wrong authority", lambda: wrong.said("its certificate is not trusted"))
    name = Bridge(daemon, f"mqtts://127.0.0.2:{broker.secure}", "name", ca_file=str(broker.authority))
    plain = Bridge(daemon, f"mqtts://localhost:{broker.port}", "plain")
    refused = Bridge(daemon, f"mqtt://127.0.0.1:{broker.port}", "refused", password="wrong")
    wait("the wrong password", lambda: refused.said("refuses user or password"))
    wait("no TLS there", lambda: plain.said("no MQTT broker"))
    wait("the wrong name", lambda: name.said("no MQTT broker"))
    for other in (secure, wrong, name, plain, refused):
        stop(other.process)
        print("      ", other.log.read_text().splitlines()[-1])
    ok("TLS; a wrong authority, name and password")

    # Everyone with an account at the broker can send anything.
    spent, before = bridge.usage()
    began, seed = time.monotonic(), random.Random(7)
    entities = list(document["cmps"]) + ["", "..", "a/b", "%s", "mute/set"]
    quiet = {"stop", "reset", "listen", "ask", "announce"}
    for _ in range(300):
        entity = seed.choice(entities)
        size = seed.choice([0, 1, 3, 10, 300, 5000, 16000, 70000])
        payload = seed.randbytes(size) if entity in quiet or seed.random() < 0.7 else seed.choice(
            [b"1e999", b"-0", b"0x10", b"on\0", b"\xff\xfeon", b"None", b"99999999999999999999", b"{}", "５".encode(), b"NaN", b"on\n"])
        broker.publish(f"{base}/{entity}/set", payload)
    wait("it still answers", lambda: daemon.ask("volume", percent="41")["ok"])
    after.wait(f"{base}/volume_master", "41")
    assert bridge.process.poll() is None and daemon.process.poll() is None
    assert daemon.status()["microphone_muted"] is False
    now, memory = bridge.usage()
    lines = bridge.said("outside its limits")
    assert lines <= 20, f"{lines} lines"
    ok(f"300 hostile messages: {now - spent:.2f} s of processor in {time.monotonic() - began:.0f} s, "
       f"{memory - before:+.1f} MB to {memory:.0f} MB, {lines} lines of log")
    began, spent = time.monotonic(), now
    time.sleep(10)
    print(f"       at rest: {(bridge.usage()[0] - spent) / (time.monotonic() - began) * 100:.2f} % of a processor, {memory:.0f} MB")
    logs = "".join(file.read_text(errors="replace") for file in out.glob("*.log") if file.stem != "broker")
    assert PASSWORD not in logs, "the password is in a log"


# MARK: Home Assistant

class Home:
    def __init__(self):
        self.url, self.token = os.environ["HA_URL"], os.environ["HA_TOKEN"]

    def ask(self, path, body=None):
        request = urllib.request.Request(self.url + path, None if body is None else json.dumps(body).encode(),
                                         {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=15) as answer:
            return json.load(answer)

    def rig(self, *command, check=True):
        return subprocess.run([os.environ["HOME_RIG"] + "/ha", *command], check=check, capture_output=True, text=True)

    def discovered(self, address):
        """The entities of the device with this address, by the names of their unique ids; none until Home Assistant has it."""
        devices = json.loads(self.rig("devices").stdout)
        found = next((device for device in devices if address in json.dumps(device).lower()), {"entities": {}, "id": ""})
        return {unique.lower(): entity for entity, unique in found["entities"].items()}, found["id"]

    def entities(self, identity):
        """The box's entities by the ids of `HouseEntity`; none until Home Assistant has the device."""
        devices = json.loads(subprocess.run([os.environ["HOME_RIG"] + "/ha", "devices"], check=True, capture_output=True).stdout)
        found = next((device for device in devices if f"jarvis_{identity}" in json.dumps(device["identifiers"])), {"entities": {}})
        return {unique.split("_", 2)[2]: entity for entity, unique in found["entities"].items()}

    def state(self, entity):
        return self.ask(f"/api/states/{entity}")

    def command(self, kind, **data):
        """A command of the WebSocket."""
        done = subprocess.run([os.environ["HOME_RIG"] + "/ha", "ws", json.dumps({"type": kind, **data})], capture_output=True, text=True)
        assert done.returncode == 0, f"{kind}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    def call(self, domain, service, entity, **data):
        return self.ask(f"/api/services/{domain}/{service}", {"entity_id": entity, **data})


class PlainProxy:
    """A proxy in front of Home Assistant that knows no WebSocket."""
    def __init__(self, behind):
        self.asked, self.refused = [], 0
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_GET(self):
                proxy.asked.append(self.path)
                if self.headers.get("Upgrade"):
                    proxy.refused += 1
                    return self.reply(400, b"")
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
                kept = {name: value for name, value in self.headers.items() if name in ("Authorization", "Content-Type")}
                try:
                    with urllib.request.urlopen(urllib.request.Request(behind + self.path, body, kept), timeout=20) as answer:
                        self.reply(answer.status, answer.read())
                except urllib.error.HTTPError as error:
                    self.reply(error.code, error.read())

            do_POST = do_GET

            def reply(self, status, body):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"


def house_checks():
    home, daemon = Home(), Daemon()
    port = os.environ["MQTT_PORT"]
    global USER
    USER = os.environ["MQTT_USER"]
    bridge = Bridge(daemon, f"mqtt://{os.environ['MQTT_HOST']}:{port}", password=os.environ["MQTT_PASSWORD"])
    wait("the broker is there", lambda: bridge.said("the MQTT broker at"))
    entities = wait("the device", lambda: (found := home.entities(bridge.identity)) and len(found) >= 24 and found, 20)
    ok(f"{len(entities)} entities in Home Assistant {os.environ['HA_VERSION']}: " + " ".join(sorted(entities.values())))

    def shows(entity, state, seconds=5):
        wait(f"{entity} is {state}", lambda: home.state(entities[entity])["state"] == state, seconds)

    for entity, state in {"mute": "off", "quiet": "off", "mode": "push", "state": "idle", "playing": "nothing", "next_timer": "unknown",
                          "update": "off"}.items():
        shows(entity, state)
    unavailable = [entity for entity in entities if home.state(entities[entity])["state"] == "unavailable"]
    assert not unavailable, unavailable
    home.call("switch", "turn_on", entities["mute"])
    shows("mute", "on")
    assert daemon.status()["microphone_muted"] is True
    home.call("switch", "turn_off", entities["mute"])
    home.call("number", "set_value", entities["volume_media"], value=27)
    shows("volume_media", "27")
    home.call("select", "select_option", entities["mode"], option="always")
    shows("mode", "always")
    home.call("select", "select_option", entities["mode"], option="push")
    shows("mode", "push")
    time.sleep(2)
    daemon.ask("timer", action="set", what="10m tea")
    wait("when the timer is due", lambda: home.state(entities["next_timer"])["state"].startswith("20"))
    wait("the timer's event", lambda: home.state(entities["timer"])["attributes"]["event_type"] == "set")
    home.call("text", "set_value", entities["ask"], value="What is on my calendar today?")
    wait("a turn", lambda: home.state(entities["turn"])["attributes"]["event_type"] == "finished", 30)
    home.call("notify", "send_message", entities["announce"], message="Dinner \"is\" ready, äöü")
    wait("the announcement", lambda: "announce" in (out / "daemon.log").read_text() or daemon.status()["announcements"] == 1)
    for button in ("stop", "listen", "stop", "reset"):
        home.call("button", "press", entities[button])
    ok("every kind of entity takes its service, and the daemon does it")

    waiting = daemon.status()["announcements"]
    for state in "on", "off":
        home.ask("/api/states/binary_sensor.washing_machine", {"state": state})
    wait("the washing machine's announcement", lambda: daemon.status()["announcements"] > waiting)
    assert home.state("light.kitchen_lamp")["state"] == "off"
    daemon.ask("timer", action="set", what="1s")
    wait("the light of the timer", lambda: home.state("light.kitchen_lamp")["state"] == "on")
    daemon.ask("timer", action="stop")
    ok("the automations of docs/examples")

    # The blueprint, as "Import blueprint" saves it, and an automation that is made of it.
    examples = pathlib.Path("docs/examples")
    home.command("blueprint/save", domain="automation", path="jarvis/say.yaml",
                 yaml=(examples / "home-assistant-blueprint.yaml").read_text(), source_url="https://example.invalid/say.yaml")
    found = home.command("blueprint/list", domain="automation")["jarvis/say.yaml"]
    assert found["metadata"]["name"] == "Say it on the box", found
    folder = pathlib.Path(os.environ["HA_RIG_DIR"]) / "config/of_blueprints"
    folder.mkdir()
    (folder / "door.yaml").write_text(json.dumps([{"id": "door", "alias": "Door", "use_blueprint": {"path": "jarvis/say.yaml", "input": {
        "thing": "binary_sensor.door", "message": "There is a visitor at the {{ 'front' }} door.", "box": entities["announce"],
        "after": "00:00:00", "before": "23:59:59"}}}]))
    home.ask("/api/services/automation/reload", {})
    wait("the automation", lambda: home.state("automation.door")["state"] == "on")
    waiting = daemon.status()["announcements"]
    for state in "off", "on":
        home.ask("/api/states/binary_sensor.door", {"state": state})
    wait("the announcement of the blueprint", lambda: daemon.status()["announcements"] > waiting)
    card = (examples / "home-assistant-card.yaml").read_text()
    for entity in re.findall(r"\bentity: (\w+\.\w+)", card):
        assert home.state(entity)["state"] != "unavailable", entity
    ok("the blueprint of docs/examples, and the entities of its card")

    stop(bridge.process, signal.SIGKILL)
    shows("mute", "unavailable")
    bridge.run()
    shows("mute", "off", 15)
    ok("a killed bridge is unavailable, and comes back")
    subprocess.run([os.environ["HOME_RIG"] + "/ha", "restart"], check=True, capture_output=True)
    shows("mute", "off", 30)
    home.call("switch", "turn_on", entities["mute"])
    shows("mute", "on")
    ok("after a restart of Home Assistant everything is there")
    stop(daemon.process)
    home.call("light", "turn_off", "light.kitchen_lamp")
    # The local voice asks the user's words; the rig's speech server speaks, at a port that only its process tells.
    listening = subprocess.run(["ss", "-ltnp"], capture_output=True, text=True, check=True).stdout
    speech = "127.0.0.1:" + re.search(rf"127.0.0.1:(\d+) .*pid={os.environ['HA_RIG_PID']},", listening)[1]
    agent = Daemon("agent", home.token, **{"jarvis.api": "home-assistant", "jarvis.url": home.url, "service.use": "local",
                                           "local.recogniser": speech, "local.speaker": speech})
    wait("Home Assistant as the agent", lambda: "Jarvis is reachable" in (out / "agent.log").read_text())
    agent.answer("Turn on the kitchen lamp")
    wait("the lamp", lambda: home.state("light.kitchen_lamp")["state"] == "on")
    heard = agent.answer("Turn off the kitchen lamp")
    wait("the lamp", lambda: home.state("light.kitchen_lamp")["state"] == "off")
    assert "Turned off" in heard, heard
    assert home.token not in (out / "agent.log").read_text()
    ok("Home Assistant as the agent: the lamp obeys, and the box says so")

    stop(agent.process)
    proxy = PlainProxy(home.url)
    agent = Daemon("plain", home.token, **{"jarvis.api": "home-assistant", "jarvis.url": proxy.url, "service.use": "local",
                                           "local.recogniser": speech, "local.speaker": speech})
    wait("Home Assistant behind the proxy", lambda: "Jarvis is reachable" in (out / "plain.log").read_text())
    for order in "on", "off":
        heard = agent.answer(f"Turn {order} the kitchen lamp")
        wait("the lamp", lambda: home.state("light.kitchen_lamp")["state"] == order)
    assert "Turned off" in heard, heard
    assert "/api/conversation/process" in proxy.asked and proxy.refused, proxy.asked
    ok("behind a proxy that knows no WebSocket, over the REST API")

    log = pathlib.Path(os.environ["HA_LOG"]).read_text(errors="replace")
    wrong = [line for line in log.splitlines() if re.search(r"WARNING|ERROR", line) and re.search(r"mqtt", line, re.I)]
    assert not wrong, "\n".join(wrong[:5])
    ok("Home Assistant's log has no complaint about MQTT")


def broker_dialog(broker, bridge, heard, base):
    """`jarvis-bridge broker` in a terminal, beside the bridge that runs."""
    folder = out / "dialog"
    folder.mkdir()
    file, secret = folder / "bridge.toml", folder / "mqtt-password"
    others = '# mine\nport = 8787   # of the page\n[esphome]\nenabled = false\n'
    file.write_text(others)
    asking = Terminal(f"{programs}/jarvis-bridge", "broker", "--configuration", file, "--state", folder)
    asking.answer("address of the broker", f"127.0.0.1:{broker.port}")
    asking.answer("The user", USER)
    asking.answer("Its password", "not-the-password")
    seen = asking.answer("Keep it anyway?", "no")
    assert "It does not work" in seen and "refuses user or password" in seen, seen
    asking.answer("address of the broker", "mqtt://8.8.8.8")
    seen = asking.answer("address of the broker", "")
    assert "is not in your own network" in seen, seen
    asking.answer("The user", "")
    shown = asking.answer("Its password", PASSWORD)
    shown += asking.read("It works.")
    rest, status = asking.end()
    assert status == 0 and PASSWORD not in shown + rest, (status, rest)
    assert file.read_text() == others + f'\n[mqtt]\nbroker = "mqtt://127.0.0.1:{broker.port}"\nuser = "{USER}"\n', file.read_text()
    assert secret.read_text() == PASSWORD + "\n" and secret.stat().st_mode & 0o777 == 0o600
    asking = Terminal(f"{programs}/jarvis-bridge", "broker", "--configuration", file, "--state", folder)
    for prompt in "address of the broker", "The user", "Its password":
        asking.answer(prompt, "")
    asking.read("It works.")
    asking.end()
    assert secret.read_text() == PASSWORD + "\n"
    asking = Terminal(f"{programs}/jarvis-bridge", "broker", "--configuration", file, "--state", folder)
    asking.answer("address of the broker", "nas.lan")
    asking.read("The user")
    os.write(asking.file, b"\x03")
    assert asking.end()[1] != 0 and "nas.lan" not in file.read_text()
    assert heard.last(f"{base}/availability") == "online" and bridge.said("the MQTT broker at") == 1, "it took the bridge's place"
    ok("jarvis-bridge broker asks, hides, tries and writes, and leaves every other line")


# MARK: The native API

def native_checks():
    home = Home()
    with wave.open(str(out / "song.wav"), "wb") as song:
        song.setparams((1, 2, 8000, 0, "NONE", ""))
        song.writeframes(random.Random(1).randbytes(16000 * 120))
    # Home Assistant's address is in a private network, and not listed.
    daemon = Daemon("native-daemon", **{"media.folders": str(out)})
    port = free_port()
    bridge = Bridge(daemon, None, "native-bridge", enabled=False, listen="127.0.0.1", port=port)
    file = bridge.folder / "bridge.toml"
    before = file.read_text()
    subprocess.run([f"{programs}/jarvis-bridge", "discover", "on", "--configuration", file], check=True, capture_output=True)
    assert file.read_text() == before.replace("enabled = false", "enabled = true"), file.read_text()
    stop(bridge.process)
    bridge.run()
    wait("the port", lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None)
    key = subprocess.run([f"{programs}/jarvis-bridge", "key", "--configuration", bridge.folder / "bridge.toml", "--state", bridge.folder],
                         check=True, capture_output=True, text=True).stdout.strip()
    assert (bridge.folder / "esphome-key").stat().st_mode & 0o777 == 0o600

    def answer(data):
        with socket.create_connection(("127.0.0.1", port), 5) as client:
            client.settimeout(25)
            client.sendall(data)
            received = b""
            while chunk := client.recv(4096):
                received += chunk
            return received

    # A plain hello and every question after it, then a handshake with another key.
    questions = b"".join(b"\0\0" + bytes([number]) for number in (9, 11, 20, 7))
    assert answer(b"\0\0\x01" + questions) == b"\x01\0\x13\x01Bad indicator byte"
    assert home.rig("add-esphome", "127.0.0.1", str(port), "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=", check=False).returncode != 0
    ok("who has no key, or another one, gets nothing")

    home.rig("add-esphome", "127.0.0.1", str(port), key)
    digits = bridge.identity
    address = ":".join([digits[0] + format(int(digits[1], 16) & 12 | 2, "x"), *(digits[place:place + 2] for place in range(2, 12, 2))])
    found, device = wait("the device", lambda: (found := home.discovered(address)) and len(found[0]) >= 25 and found, 20)
    print("       " + " ".join(sorted(found.values())))
    kinds = {entity.split(".")[0] for entity in found.values()}
    assert kinds >= {"media_player", "assist_satellite", "switch", "number", "select", "sensor", "event", "button", "text"}, kinds

    def entity(kind, part=""):
        # Older editions make the unique id of the id here, newer ones of the name; the entity has the name in all of them.
        return next(entity for entity in sorted(found.values()) if entity.startswith(kind + ".") and part in entity)

    mute, volume, player, satellite = entity("switch", "mute"), entity("number", "media"), entity("media_player"), entity("assist_satellite")
    mode, state = entity("select", "activation"), entity("sensor", "state")

    def shows(entity, value, seconds=5):
        wait(f"{entity} is {value}", lambda: home.state(entity)["state"] == value, seconds)

    assert home.state(satellite)["attributes"]["supported_features"] == 1, "it hears no conversations, so it offers to begin none"
    for name, value in {mute: "off", mode: "push", state: "idle", player: "idle", satellite: "idle"}.items():
        shows(name, value, 10)
    ok(f"{len(found)} entities in Home Assistant {os.environ['HA_VERSION']}, encrypted, with their states")
    home.call("switch", "turn_on", mute)
    shows(mute, "on")
    assert daemon.status()["microphone_muted"] is True
    home.call("switch", "turn_off", mute)
    home.call("number", "set_value", volume, value=27)
    wait("the volume", lambda: float(home.state(volume)["state"]) == 27)
    home.call("select", "select_option", mode, option="always")
    shows(mode, "always")
    home.call("select", "select_option", mode, option="push")
    home.call("text", "set_value", entity("text", "ask"), value="What is on my calendar today?")
    wait("a turn", lambda: home.state(entity("event", "turn"))["attributes"]["event_type"] == "finished", 30)
    home.call("button", "press", entity("button", "stop"))
    home.call("media_player", "volume_set", player, volume_level=0.42)
    wait("the player's volume", lambda: home.state(player)["attributes"]["volume_level"] == 0.42)
    home.call("media_player", "volume_mute", player, is_volume_muted=True)
    wait("the loudspeaker is off", lambda: daemon.status()["volumes"]["muted"] is True)
    home.call("media_player", "volume_mute", player, is_volume_muted=False)
    ok("commands reach the daemon, and their states come back")

    daemon.ask("media", action="play", what=str(out / "song.wav"))
    shows(player, "playing")
    home.call("media_player", "media_pause", player)
    shows(player, "paused")
    home.call("media_player", "media_play", player)
    shows(player, "playing")

    def announce(message, **more):
        began = time.monotonic()
        home.call("assist_satellite", "announce", satellite, message=message, **more)
        shows(satellite, "idle", 1)
        return time.monotonic() - began

    took = announce("Dinner is ready and waits on the table")
    assert took > 1, f"{took:.1f} s: the sound cannot be over"
    wait("the song continues", lambda: daemon.status()["media"]["state"] == "playing" and "song" in daemon.status()["media"]["title"])
    ok(f"an announcement interrupts the song, is ended with its sound ({took:.1f} s), and the song continues")
    threading.Timer(1.5, lambda: daemon.ask("media", action="seek", what="60")).start()
    took = announce("word " * 8)
    assert took > 2, f"{took:.1f} s: it was cut off"
    wait("the song, at another place", lambda: daemon.ask("media")["result"]["position_s"] > 59)
    ok("the song is wound forward during an announcement, which is heard to its end")
    # Only what Home Assistant orders.
    refused = daemon.ask("media", action="interject", what=os.environ["HA_URL"] + "/nothing.mp3")
    assert not refused["ok"] and "allow_hosts" in refused["error"]["message"], refused
    refused = daemon.ask("media", action="interject", what=os.environ["HA_URL"] + "/nothing.mp3", home="192.168.1.5")
    assert not refused["ok"], refused
    ok("for anyone else the address of Home Assistant is in a private network")
    home.call("media_player", "media_stop", player)
    shows(player, "idle")
    assert announce("Once more") > 0.5 and daemon.status()["media"]["state"] == "stopped"

    def stopped_after(seconds, stop):
        threading.Timer(seconds, stop).start()
        return announce("word " * 200)

    took = stopped_after(3, lambda: daemon.ask("media", action="stop"))
    assert took < 8, f"{took:.1f} s"
    took = stopped_after(3, lambda: home.call("button", "press", entity("button", "stop")))
    assert took < 8, f"{took:.1f} s"
    began = time.monotonic()
    home.call("assist_satellite", "announce", satellite, media_id="http://127.0.0.1:9/nothing.mp3", preannounce=False)
    shows(satellite, "idle", 1)
    ok(f"stopped, it is over after ({took - 3:.1f} s); without a sound too ({time.monotonic() - began:.1f} s)")

    try:
        home.ask("/api/conversation/process", {"text": "set a 2 second timer called tea", "language": "en", "device_id": device})
    except urllib.error.HTTPError as refused:
        assert refused.code == 400, refused
        print("       the API of this edition sets no timer for a device")
    else:
        wait("the timer rings", lambda: any(timer["rings"] for timer in daemon.status().get("timer_list", [])), 10)
        daemon.ask("timer", action="stop")
        ok("a timer of Home Assistant rings here")

    clients = [socket.create_connection(("127.0.0.1", port), 5) for _ in range(20)]
    hostile = random.Random(55)
    spent, _ = bridge.usage()
    for client in clients:
        try:
            client.sendall(hostile.choice([b"\x01\0\0", b"\0\0\x01", b""]) + hostile.randbytes(hostile.choice([1, 50, 60000])))
        except OSError:
            pass
    home.call("switch", "turn_on", mute)
    shows(mute, "on")
    home.call("switch", "turn_off", mute)
    for client in clients:
        client.close()
    now, memory = bridge.usage()
    ok(f"20 hostile clients: {now - spent:.2f} s of processor, {memory:.0f} MB, and Home Assistant does not notice")
    began, spent = time.monotonic(), now
    time.sleep(10)
    print(f"       at rest: {(bridge.usage()[0] - spent) / (time.monotonic() - began) * 100:.2f} % of a processor")

    stop(bridge.process, signal.SIGKILL)
    shows(mute, "unavailable")
    bridge.run()
    shows(mute, "off", 60)
    shows(player, "idle")
    ok("a killed bridge is unavailable, and comes back")
    stop(daemon.process)
    shows(mute, "unavailable")
    daemon.begin()
    shows(mute, "off", 90)
    ok("so is the box whose daemon is gone")
    home.rig("restart")
    shows(mute, "off", 60)
    home.call("switch", "turn_on", mute)
    shows(mute, "on")
    ok("after a restart of Home Assistant everything is there")
    log = pathlib.Path(os.environ["HA_LOG"]).read_text(errors="replace")
    wrong = [line for line in log.splitlines() if re.search(r"WARNING|ERROR", line) and re.search("esphome", line, re.I)
             and not re.search("Can't connect|ffmpeg|requires encryption|Invalid encryption key|Cannot listen for outgoing", line)]
    assert not wrong, "\n".join(wrong[:5])
    assert key not in bridge.log.read_text()
    ok("Home Assistant's log has no complaint about the box")


# MARK: Home Assistant hears the calls

class Room:
    """A virtual room with a microphone and a loudspeaker, for the daemon that is started in it."""
    def __init__(self):
        self.rig = pathlib.Path(os.environ["HOME_RIG"]).parent / "virtual-room"
        os.environ.update(VIRTUAL_ROOM=str(out / "room"), ROOM_BUILD=str(out / "room-build"))
        made = subprocess.run([self.rig / "up", "--echo-delay-ms", "20", "--echo-gain-db", "-40"], check=True, capture_output=True, text=True)
        os.environ.update(re.findall(r"^export (\w+)='?([^'\n;]*)'?", made.stdout, re.M))

    def say(self, text):
        subprocess.run([self.rig / "say", "--text", text, "--wait"], check=True, capture_output=True)

    def close(self):
        subprocess.run([self.rig / "down"], capture_output=True)


class StandIn:
    """In the place of a daemon behind its socket: it hears any wake word, and says nothing to it but silence."""
    def __init__(self, path, **values):
        self.values, self.news, self.clients, self.follower, self.runs = values, [], [], None, 0
        path.unlink(missing_ok=True)
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(path))
        self.server.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.server.accept()[0]
            except OSError:
                return
            self.clients.append(client)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    @staticmethod
    def send(client, **line):
        client.sendall(json.dumps(line).encode() + b"\n")

    def serve(self, client):
        self.send(client, hello="jarvis-voiced", protocol=2, version="0")
        try:
            for line in client.makefile():
                request = json.loads(line)
                arguments = request.get("arguments", {})
                self.send(client, id=request.get("id"), ok=True, result={})
                if request["command"] == "subscribe":
                    self.send(client, event="snapshot", number=1, missed=0, values=self.values)
                    for number in range(2, 1000):
                        time.sleep(2)
                        self.send(client, event="changed", number=number, age_ms=0, values={})
                elif arguments.get("action") == "follow":
                    self.follower = client
                elif request["command"] == "assist":
                    self.news.append((int(arguments["run"]), arguments["action"], arguments.get("text")))
        except OSError:
            pass

    def run(self, word):
        """The words of Home Assistant's answer."""
        wait("the bridge follows", lambda: self.follower, 20)
        self.runs += 1
        tell = lambda do, **more: self.send(self.follower, event="assist", do=do, run=self.runs, **more)
        tell("start", word=word)
        for _ in range(25):
            tell("sound", data=base64.b64encode(bytes(1280)).decode())
        tell("sound_ends")
        answer = wait("the answer", lambda: [text for run, news, text in self.news if run == self.runs and news == "says"], 20)
        wait("its end", lambda: (self.runs, "ended", None) in self.news)
        tell("played")
        return answer[0]

    def close(self):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        for client in self.clients:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def assist_checks():
    home, room = Home(), Room()
    try:
        assist_talk(home, room)
    finally:
        room.close()


def assist_talk(home, room):
    host = os.environ["HA_URL"].split("/")[2]
    heard_file = pathlib.Path(os.environ["HA_RIG_DIR"]) / "heard"
    daemon = Daemon("assist-daemon", **{
        "service.use": "home-assistant", "media.allow_hosts": host, "audio.input": "default", "audio.output": "default",
        "activation.engine": "pocketsphinx", "activation.wake_words": "jarvis, hello computer", "activation.follow_up_s": "6", "assist.answer_s": "8", "echo.duplex": "full"})
    assert daemon.status()["house_hears"] is True
    refused = daemon.ask("listen")
    assert not refused["ok"] and "no Home Assistant is connected" in refused["error"]["message"], refused
    ok("without Home Assistant a call is refused: " + refused["error"]["message"])
    port = free_port()
    bridge = Bridge(daemon, None, "assist-bridge", enabled=True, listen="127.0.0.1", port=port)
    wait("the port", lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None)
    key = subprocess.run([f"{programs}/jarvis-bridge", "key", "--configuration", bridge.folder / "bridge.toml", "--state", bridge.folder],
                         check=True, capture_output=True, text=True).stdout.strip()
    home.rig("add-esphome", "127.0.0.1", str(port), key)
    digits = bridge.identity
    address = ":".join([digits[0] + format(int(digits[1], 16) & 12 | 2, "x"), *(digits[place:place + 2] for place in range(2, 12, 2))])
    found, _ = wait("the device", lambda: (found := home.discovered(address)) and len(found[0]) >= 25 and found, 20)
    print("       " + " ".join(sorted(found.values())))
    satellite = next(entity for entity in found.values() if entity.startswith("assist_satellite."))
    pipeline = next(entity for unique, entity in found.items() if entity.startswith("select.") and unique.endswith("-pipeline"))
    shows = lambda value, seconds=10: wait(f"the satellite is {value}", lambda: home.state(satellite)["state"] == value, seconds)
    shows("idle")
    assert home.state(satellite)["attributes"]["supported_features"] == 3, home.state(satellite)
    wait("all is well", lambda: daemon.status()["health"]["level"] == "well", 40)
    home.call("select", "select_option", pipeline, option="Agent")
    ok("Home Assistant may begin conversations, and the voice service is there")

    def states(times, name, seconds=20):
        wait(f"{name} {times} times", lambda: (out / "assist-daemon.log").read_text().count(f"to={name}") >= times, seconds)

    def count(name):
        return (out / "assist-daemon.log").read_text().count(f"to={name}")

    def listen():
        if daemon.status()["state"] == "idle":
            reply = daemon.ask("listen")
            assert reply["ok"], reply
        wait("it listens", lambda: daemon.status()["state"] == "listening")

    def idle():
        wait("the conversation is over", lambda: daemon.status()["state"] == "idle", 30)
        shows("idle")

    def talk(heard, said="What time is it over there"):
        heard_file.write_text(heard)
        listen()
        room.say(said)

    def words(who):
        return [line["text"] for line in daemon.status().get("transcript", []) if line["who"] == who]

    talk("say: One two three.")
    wait("the answer is spoken", lambda: daemon.status()["state"] == "aiSpeaking", 20)
    shows("responding")
    wait("it listens again", lambda: daemon.status()["state"] == "listening", 20)
    shows("idle")
    assert words("user")[-1] == "say: One two three." and words("jarvis")[-1] == "One two three.", daemon.status()["transcript"]
    with wave.open(str(heard_file.parent / "heard.wav")) as sound:
        samples = sound.readframes(sound.getnframes())
        loudest = max(abs(int.from_bytes(samples[place:place + 2], "little", signed=True)) for place in range(0, len(samples), 2))
        assert (sound.getframerate(), sound.getnchannels()) == (16000, 1) and 0.5 < sound.getnframes() / 16000 < 8 and loudest > 3000
        ok(f"a spoken question is answered by Home Assistant, which heard {sound.getnframes() / 16000:.1f} s of it, loudest {loudest}")

    talk("long")
    wait("a long answer", lambda: daemon.status()["state"] == "aiSpeaking", 20)
    time.sleep(1)
    heard_file.write_text("say: Four five.")
    room.say("And what about the other one please")
    wait("the next answer", lambda: words("jarvis")[-1] == "Four five.", 20)
    idle()
    ok("an answer is interrupted, and the next question answered")

    for order in ("stop", "interrupt"):
        talk("long")
        wait("a long answer", lambda: daemon.status()["state"] == "aiSpeaking", 20)
        assert daemon.ask(order)["ok"]
        shows("idle", 5)
        daemon.ask("stop")
        idle()
    talk("slow 6")
    shows("processing")
    daemon.ask("stop")
    shows("idle", 5)
    idle()
    ok("stopped while it speaks and while it works, the satellite is idle immediately")

    talk("crash")
    idle()
    assert "intent-failed" in (out / "assist-daemon.log").read_text()
    talk("slow 20")
    shows("processing")
    shows("idle", 15)
    assert "has not answered for 8 s" in (out / "assist-daemon.log").read_text()
    idle()
    ok("an agent that crashes, and one that does not answer in time, leave nothing behind")

    def ask_question(seconds=40, **data):
        """The answer, or nothing; and how long it took."""
        began, request = time.monotonic(), urllib.request.Request(
            home.url + "/api/services/assist_satellite/ask_question?return_response",
            json.dumps({"entity_id": satellite, "question": "Shall I?", "preannounce": False, **data}).encode(),
            {"Authorization": f"Bearer {home.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return json.load(answer)["service_response"], time.monotonic() - began
        except urllib.error.HTTPError as error:
            return None, time.monotonic() - began

    heard_file.write_text("yes please")
    threading.Timer(3, lambda: room.say("Yes please do that")).start()
    answer, took = ask_question(answers=[{"id": "yes", "sentences": ["yes [please]"]}])
    assert answer and "yes" in json.dumps(answer), answer
    idle()
    ok(f"ask_question returns what was said ({took:.1f} s)")
    answer, took = ask_question()
    assert answer is None and took < 30, (answer, took)
    idle()
    ok(f"a question without an answer fails after {took:.1f} s")
    threading.Timer(4, lambda: daemon.ask("stop")).start()
    answer, took = ask_question()
    assert answer is None and took < 12, (answer, took)
    idle()
    daemon.ask("mute")
    answer, took = ask_question()
    assert answer is None and took < 12, (answer, took)
    daemon.ask("unmute")
    shows("idle")
    ok(f"so does one that the user stops, or that a muted box cannot hear ({took:.1f} s)")

    heard_file.write_text("count my questions")
    threading.Timer(3, lambda: room.say("How many are there now")).start()
    home.call("assist_satellite", "start_conversation", satellite, start_message="Which room?", preannounce=False,
              extra_system_prompt="The user is asked for a room.")
    wait("its answer", lambda: "question" in words("jarvis")[-1].lower() or "asked" in words("jarvis")[-1].lower(), 20)
    idle()
    ok("start_conversation: " + words("jarvis")[-1])

    talk("long")
    wait("a long answer", lambda: daemon.status()["state"] == "aiSpeaking", 20)
    stop(bridge.process, signal.SIGKILL)
    wait("the session has ended", lambda: daemon.status()["state"] != "aiSpeaking", 10)
    bridge.run()
    shows("idle", 60)
    daemon.ask("stop")
    wait("all is well", lambda: daemon.status()["health"]["level"] == "well", 60)
    talk("say: Back again.")
    wait("an answer", lambda: words("jarvis")[-1] == "Back again.", 30)
    idle()
    ok("a bridge that is killed in an answer ends it, and the next one works")
    talk("long")
    wait("a long answer", lambda: daemon.status()["state"] == "aiSpeaking", 20)
    stop(daemon.process, signal.SIGKILL)
    daemon.begin()
    shows("idle", 90)
    wait("all is well", lambda: daemon.status()["health"]["level"] == "well", 60)
    talk("say: Back again too.")
    wait("an answer", lambda: words("jarvis")[-1:] == ["Back again too."], 30)
    idle()
    ok("so does a daemon")
    talk("slow 6")
    shows("processing")
    home.rig("restart")
    wait("the session has ended", lambda: daemon.status()["state"] in ("idle", "connecting"), 30)
    shows("idle", 60)
    daemon.ask("stop")
    wait("all is well", lambda: daemon.status()["health"]["level"] == "well", 60)
    talk("say: And once more.")
    wait("an answer", lambda: words("jarvis")[-1:] == ["And once more."], 30)
    idle()
    ok("after a restart of Home Assistant in the middle of a run the next one works")
    select = {unique: entity for unique, entity in found.items() if entity.startswith("select.")}
    word, second = (next(entity for unique, entity in select.items() if unique.endswith(end)) for end in ("wake_word", "wake_word_2"))
    assert set(home.state(word)["attributes"]["options"]) == {"no_wake_word", "Jarvis", "Hello Computer"}, home.state(word)
    home.call("select", "select_option", word, option="Hello Computer")
    wait("the other word is off", lambda: daemon.status().get("wake_words_off") == ["jarvis"])
    stop(daemon.process)
    shows("unavailable")
    daemon.begin()
    assert daemon.status()["wake_words_off"] == ["jarvis"]
    shows("idle", 90)
    wait("the choice is shown", lambda: home.state(word)["state"] == "Hello Computer")
    home.call("select", "select_option", second, option="Jarvis")
    wait("both call", lambda: "wake_words_off" not in daemon.status())
    second_pipeline = next(entity for unique, entity in select.items() if unique.endswith("-pipeline_2"))
    home.call("select", "select_option", second_pipeline, option="Rig")
    stop(daemon.process)
    shows("unavailable")
    stand_in = StandIn(daemon.control, name="Kitchen box", house_hears=True, wake_words=["jarvis", "hello computer"])
    shows("idle", 90)
    heard_file.write_text("turn on the kitchen lamp")
    said = {called: stand_in.run(called) for called in ("hello computer", "jarvis")}
    assert said == {"hello computer": "You said: turn on the kitchen lamp", "jarvis": "Turned on the light"}, said
    stand_in.close()
    shows("unavailable")
    daemon.begin()
    shows("idle", 90)
    ok("each wake word has the assistant that was chosen for it: " + ", ".join(said.values()))
    # In this order: Home Assistant shows the first active word at the first select, wherever it was chosen.
    home.call("select", "select_option", second, option="no_wake_word")
    wait("one word calls", lambda: daemon.status().get("wake_words_off") == ["jarvis"])
    home.call("select", "select_option", word, option="no_wake_word")
    wait("none calls", lambda: daemon.status().get("wake_words_off") == ["jarvis", "hello computer"])
    ok("Home Assistant chooses which wake words call, over a restart too")
    log = pathlib.Path(os.environ["HA_LOG"]).read_text(errors="replace")
    wrong = [line for line in log.splitlines() if re.search(r"WARNING|ERROR", line) and re.search("esphome|assist_satellite", line, re.I)
             and not re.search("Can't connect|ffmpeg|requires encryption|Invalid encryption key|No answer", line)]
    assert not wrong, "\n".join(wrong[:5])
    ok("Home Assistant's log has no complaint about the box")


def picture():
    """The page of the box in Home Assistant, after a question, while a song plays."""
    from page_browser import browser
    home = Home()
    with wave.open(str(out / "Nocturne.wav"), "wb") as song:
        song.setparams((1, 2, 8000, 0, "NONE", ""))
        song.writeframes(bytes(16000 * 120))
    daemon = Daemon("picture-daemon", **{"media.folders": str(out)})
    port = free_port()
    bridge = Bridge(daemon, None, "picture-bridge", enabled=True, listen="127.0.0.1", port=port)
    wait("the key", lambda: (bridge.folder / "esphome-key").read_text())
    wait("the port", lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None)
    home.rig("add-esphome", "127.0.0.1", str(port), (bridge.folder / "esphome-key").read_text().strip())
    digits = bridge.identity
    address = ":".join([digits[0] + format(int(digits[1], 16) & 12 | 2, "x"), *(digits[place:place + 2] for place in range(2, 12, 2))])
    _, device = wait("the device", lambda: (found := home.discovered(address)) and len(found[0]) >= 25 and found, 20)
    daemon.ask("volume", channel="master", percent="60")
    daemon.ask("ask", text="What is on my calendar today?")
    daemon.ask("timer", action="set", what="25m bread")
    daemon.ask("media", action="play", what=str(out / "Nocturne.wav"))
    wait("the song", lambda: daemon.status()["media"]["state"] == "playing")
    driver = browser(1250, 1500, "--lang=en-GB", "--force-device-scale-factor=1")
    try:
        driver.get(home.url + "/manifest.json")
        tokens = {"access_token": home.token, "token_type": "Bearer", "expires_in": 10**9, "hassUrl": home.url, "clientId": home.url + "/",
                  "expires": 10**13, "refresh_token": ""}
        driver.execute_script("localStorage.setItem('hassTokens', arguments[0])", json.dumps(tokens))
        driver.get(f"{home.url}/config/devices/device/{device}")
        text = """function text(node) {
            let all = node.nodeType === 3 ? node.data : '';
            for (const child of [...(node.shadowRoot ? [node.shadowRoot] : []), ...node.childNodes]) all += ' ' + text(child);
            return all; }
            return text(document.body);"""
        wait("the page of the box", lambda: all(word in driver.execute_script(text) for word in ("Kitchen box", "Microphone mute", "Speaker")), 60)
        # An offer of Home Assistant's own, which says nothing of the box.
        later = """function find(node) {
            if (node.localName === 'ha-button' && node.textContent.trim() === 'Later') node.click();
            for (const child of [...(node.shadowRoot ? [node.shadowRoot] : []), ...node.children]) find(child); }
            find(document.body);"""
        time.sleep(3)
        driver.execute_script(later)
        time.sleep(3)
        driver.save_screenshot(str(out / "home-assistant.png"))
    finally:
        driver.quit()


try:
    {"broker": broker_checks, "house": house_checks, "native": native_checks, "assist": assist_checks, "picture": picture}[part]()
except AssertionError as error:
    sys.exit(f"home-test: {error}; the logs are in {out}")
finally:
    for process in reversed(started):
        if process.poll() is None:
            process.kill()
