#!/usr/bin/env python3
"""Crowds jarvis-bridge until the standard input ends: 50 tabs, one that reads nothing, a page that sends commands as fast as it
can, strangers without a token, and more connections than the bridge takes. Fails if a reader that behaves missed the levels, if
the bridge has grown, or if it did not refuse what is too much.

    ... | page_crowd.py http://127.0.0.1:8787 TOKEN PROCESS-OF-THE-BRIDGE"""
import collections, http.client, json, pathlib, re, socket, sys, threading, time, urllib.parse

TABS, MOST_TABS, MOST_CONNECTIONS, MOST_MB, LONGEST_GAP_S = 50, 64, 160, 60, 2
base, token, process = sys.argv[1:]
address = (urllib.parse.urlsplit(base).hostname, urllib.parse.urlsplit(base).port)
ends = threading.Event()
answers = collections.Counter()


def request(method, path, body=None, kept=None, **headers):
    """The answer, on a connection of its own unless one is `kept`."""
    connection = kept or http.client.HTTPConnection(*address, timeout=10)
    try:
        if body is not None:
            headers |= {"Content-Type": "application/json", "Origin": base}
        connection.request(method, path, body and json.dumps(body), headers)
        answer = connection.getresponse()
        answer.text = answer.read()
        return answer
    finally:
        if not kept:
            connection.close()


def sign_in():
    """The header of a new session."""
    return {"Authorization": "Bearer " + json.loads(request("POST", "/session", {"token": token}).text)["session"]}


def tab(buffer=None):
    """An event stream."""
    stream = socket.socket()
    if buffer:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    stream.connect(address)
    stream.sendall(f"GET /events HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nAuthorization: {session['Authorization']}\r\n\r\n".encode())
    return stream


def status_of(stream):
    stream.settimeout(10)
    return int(stream.recv(4096).split()[1])


def while_crowded(act):
    """Acts again and again, and counts the answers."""
    def run():
        while not ends.is_set():
            try:
                answers[act().status] += 1
            except (OSError, http.client.HTTPException):
                answers["closed"] += 1
                time.sleep(0.05)  # beyond the connections it takes
    threading.Thread(target=run, daemon=True).start()


def drain(streams):
    def run():
        while not ends.is_set():
            for stream in streams:
                try:
                    while data := stream.recv(1 << 20):
                        pass
                    if not data:
                        answers["tab lost"] += 1
                        streams.remove(stream)
                except BlockingIOError:
                    pass
            time.sleep(0.05)
    for stream in streams:
        stream.setblocking(False)
    threading.Thread(target=run, daemon=True).start()


def read_levels(stream, times):
    def run():
        for line in stream.makefile("rb"):
            if line.startswith(b"data: ") and "levels" in json.loads(line[6:]).get("values", {}):
                times.append(time.monotonic())
    threading.Thread(target=run, daemon=True).start()


def megabytes():
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text())[1]) / 1024


session = sign_in()
before = megabytes()
tabs = [tab() for _ in range(TABS - 1)]
levels = []
read_levels(tab(), levels)
idle = tab(4096)
more = [status_of(tab()) for _ in range(MOST_TABS - TABS)]  # gone again immediately
assert all(status == 200 for status in more), more
time.sleep(0.3)
kept = [tab() for _ in range(MOST_TABS - TABS)]
refused = [status for status in map(status_of, kept) if status != 200]
assert refused == [503], f"beyond {MOST_TABS} tabs: {refused}"
drain(tabs + kept)
start = time.monotonic()
owner = http.client.HTTPConnection(*address, timeout=10)
while_crowded(lambda: request("POST", "/command", {"command": "volume", "arguments": {}}, owner, **session))
while_crowded(lambda: request("GET", "/events"))
while_crowded(lambda: request("GET", "/metrics", Authorization="Bearer nothing"))
for _ in range(24):
    while_crowded(lambda: request("POST", "/session", {"token": "guess"}))
most = 0
connections = []


def fill():
    """Connections that ask for nothing, as long as they are taken."""
    time.sleep(5)
    for _ in range(2 * MOST_CONNECTIONS):
        connections.append(socket.create_connection(address))


def watch():
    global most
    while not ends.is_set():
        most = max(most, megabytes())
        time.sleep(0.1)


for work in (fill, watch):
    threading.Thread(target=work, daemon=True).start()
sys.stdin.read()
end = time.monotonic()
ends.set()
levels = [moment for moment in levels if start < moment < end]
gap = max(later - earlier for earlier, later in zip([start, *levels], [*levels, end]))
print(f"      {TABS + len(kept)} tabs for {end - start:.0f} s; answers {dict(answers)}; levels {len(levels) / (end - start):.1f} a second, "
      f"longest gap {gap:.2f} s; {before:.0f} MB before, at most {most:.0f} MB")
assert gap < LONGEST_GAP_S and len(levels) > 5 * (end - start), "the levels stopped"
assert most < MOST_MB, "the bridge grows"
assert not answers["tab lost"], "a tab that reads was lost"
lacking = {200, 401, 403, 429, "closed"} - set(answers)
assert not lacking, f"never answered: {lacking}"
