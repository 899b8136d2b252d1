#!/usr/bin/env python3
"""Uses every control of the page of jarvis-bridge in a real browser and checks its effect, on the page and in the daemon.

    page_test.py http://127.0.0.1:8787 TOKEN --ctl "jarvis-voiced ctl --json status" [--media ADDRESS ADDRESS]
                 [--away "COMMAND that takes the daemon away" --back "COMMAND that brings it back"]

Needs chromium, chromedriver, selenium, and axe.min.js (pip install axe-playwright-python, or --axe FILE)."""
import argparse, http.server as http_server, importlib.util, json, pathlib, shlex, socket, subprocess, sys, threading, time
import urllib.error, urllib.parse, urllib.request
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from page_browser import Page, browser, wait

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("base")
parser.add_argument("token")
parser.add_argument("--ctl", required=True, help="command that prints the daemon's status as JSON")
parser.add_argument("--media", nargs=2, metavar="ADDRESS")
parser.add_argument("--away")
parser.add_argument("--back")
parser.add_argument("--axe", type=pathlib.Path)
parser.add_argument("--only", help="run only the checks whose name contains this")
options = parser.parse_args()
base = options.base.rstrip("/")
HOSTILE = "<img src=x onerror=alert(1)>"


def axe_source():
    if options.axe:
        return options.axe.read_text()
    for package in ("axe_playwright_python", "axe_selenium_python"):
        spec = importlib.util.find_spec(package)
        for file in pathlib.Path(spec.origin).parent.rglob("axe.min.js") if spec else ():
            return file.read_text()
    sys.exit("page_test: no axe.min.js: pip install axe-playwright-python, or name it with --axe")


def http(path, data=None, **headers):
    """Status and headers of a request without the page's session."""
    body = None if data is None else json.dumps(data).encode()
    if body:
        headers["Content-Type"] = "application/json"
    try:
        with urllib.request.urlopen(urllib.request.Request(base + path, body, headers), timeout=10) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


def signed_in():
    """The headers of a browser that has shown the token."""
    body = json.dumps({"token": options.token}).encode()
    headers = {"Content-Type": "application/json", "Origin": base}
    with urllib.request.urlopen(urllib.request.Request(base + "/session", body, headers), timeout=10) as answer:
        return {"Origin": base, "Authorization": "Bearer " + json.load(answer)["session"]}


class OtherPort(http_server.BaseHTTPRequestHandler):
    """A page at another port of the bridge's host, which notes what it is sent, and tries to unmute."""
    heard = []

    def do_GET(self):
        self.heard.append(str(self.headers))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"""<script>
            const body = JSON.stringify({{command: 'unmute', arguments: {{}}}});
            const tries = [{{mode: 'no-cors'}}, {{headers: {{'Content-Type': 'application/json'}}}}];
            Promise.allSettled(tries.map(more => fetch('{base}/command', {{method: 'POST', body, credentials: 'include', ...more}})))
                .then(() => document.title = 'tried')</script>""".encode())

    def log_message(self, *_):
        pass


class Wire:
    """A network between browser and bridge. Cut, nothing is closed or lost, but nothing arrives, as with a cable that is out."""
    def __init__(self):
        self.whole = threading.Event()
        self.whole.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.connect, daemon=True).start()

    def connect(self):
        bridge = urllib.parse.urlsplit(base)
        while True:
            ends = [self.listener.accept()[0], socket.create_connection((bridge.hostname, bridge.port))]
            for order in (ends, ends[::-1]):
                threading.Thread(target=self.carry, args=order, daemon=True).start()

    def carry(self, one, other):
        data = b"more"
        while data:
            try:
                data = one.recv(1 << 16)
                self.whole.wait()
                other.sendall(data) if data else other.shutdown(socket.SHUT_WR)
            except OSError:
                return


def daemon():
    done = subprocess.run(shlex.split(options.ctl), capture_output=True, text=True, timeout=20)
    # Its exit status is the health, up to 2.
    assert done.returncode <= 2, f"{options.ctl}: {done.stderr.strip() or done.stdout.strip()}"
    return json.loads(done.stdout)


def in_daemon(what, holds, seconds=12):
    wait(f"the daemon's status: {what}", lambda: holds(daemon()), seconds)


# MARK: Checks

def a_stranger_gets_nothing(_):
    for path, kind in [("/", "text/html"), ("/page.css", "text/css"), ("/page.js", "javascript"), ("/icon.svg", "svg"),
                       ("/icon-192.png", "png"), ("/icon-512.png", "png"), ("/apple-touch-icon.png", "png"),
                       ("/manifest.webmanifest", "manifest+json")]:
        status, headers = http(path)
        assert status == 200 and kind in headers["Content-Type"], f"{path}: {status} {headers['Content-Type']}"
        assert "default-src 'self'" in headers["Content-Security-Policy"], f"{path} has no CSP"
    sizes = {coding: sum(int(http(path, **{"Accept-Encoding": coding})[1]["Content-Length"]) for path in ("/", "/page.css", "/page.js"))
             for coding in ("gzip", "identity")}
    assert sizes["gzip"] < sizes["identity"] / 3, f"hardly compressed: {sizes}"
    assert http("/events")[0] == 401
    assert http("/command", {"command": "mute"}, Origin=base)[0] in (401, 403)
    assert http("/session", {"token": "wrong"}, Origin=base)[0] == 403
    page = Page(browser(), base, options.token)
    try:
        page.driver.get(base + "/")
        wait("how to get in", lambda: "jarvis-bridge link" in page.text("#locked"))
        assert not page.one("#page").is_displayed()
        page.driver.get("about:blank")
        page.driver.get(base + "/#wrong")
        wait("that the link is wrong", lambda: "link does not open" in page.text("#locked-why"))
        assert "#" not in page.driver.current_url
        check_axe(page, "locked", [(1280, 900, False), (360, 740, True)])
        page.look(390, 844)
        page.submit("#key", f"{base}/#{options.token}", "[type=submit]")
        wait("that the pasted link lets in", lambda: page.text("#pill-text") == "Live")
        assert page.text("#name") and page.driver.title.startswith(page.text("#name")), page.driver.title
        assert not page.driver.execute_cdp_cmd("Page.getAppManifest", {})["errors"]
    finally:
        page.driver.quit()


def the_link_lets_in(page):
    page.enter()
    assert page.script("return location.hash") == "", "the token stays in the address"
    assert not page.driver.get_cookies(), "a cookie goes to every port of the host"
    assert page.text("#sentence")
    foreign = page.script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert all(name.startswith(base) for name in foreign), foreign


def sliders_set_volumes(page):
    for channel in ("master", "voice", "media", "inputs", "earcons"):
        slider = page.one(f"#v-{channel}")
        before = slider.get_attribute("value")
        slider.send_keys(Keys.HOME, *[Keys.ARROW_RIGHT] * 7)
        in_daemon(f"{channel} 7", lambda s: s["volumes"][channel] == 7)
        time.sleep(0.8)
        wait("the slider stays", lambda: page.text(f"output[for=v-{channel}]") == "7")
        page.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", slider, before)
        in_daemon(f"{channel} {before}", lambda s: s["volumes"][channel] == int(before))


def switches_turn(page):
    for selector, is_on in [("#silence", lambda s: not s["volumes"]["muted"]), ("#quiet", lambda s: s["quiet"])]:
        before = page.one(selector).get_attribute("aria-checked")
        for expected in ("false" if before == "true" else "true", before):
            page.click(selector)
            wait(f"{selector} {expected}", lambda: page.one(selector).get_attribute("aria-checked") == expected)
            in_daemon(f"{selector} {expected}", lambda s: is_on(s) == (expected == "true"))


def mute_closes_the_microphone(page):
    page.click("#mute")
    wait("that it is off", lambda: "microphone is off" in page.text(".say") and page.text("#mute") == "Unmute")
    in_daemon("muted", lambda s: s["microphone_muted"] is True)
    page.click("#mute")
    wait("that it is on", lambda: page.text("#mute") == "Mute")
    in_daemon("not muted", lambda s: s["microphone_muted"] is False)


def modes_change(page):
    before = page.one("[data-mode][aria-pressed=true]").get_attribute("data-mode")
    for mode in ("always", "wake", "push", before):
        button = page.one(f"[data-mode={mode}]")
        # Without a model there is no wake word, and the button says so.
        if mode == "wake" and not button.is_enabled():
            assert button.get_attribute("title") == "No wake word is installed"
            continue
        page.click(f"[data-mode={mode}]")
        wait(f"mode {mode}", lambda: button.get_attribute("aria-pressed") == "true")
        in_daemon(f"mode {mode}", lambda s: s["mode"] == mode)


def in_push_mode(page):
    page.click("[data-mode=push]")
    wait("mode push", lambda: page.one("[data-mode=push]").get_attribute("aria-pressed") == "true")


def quiet_again(page):
    for _ in range(4):
        page.click("#now [data-command=stop]")
        try:
            return wait("rest", lambda: page.state() == "idle", 6)
        except AssertionError:
            pass
    raise AssertionError("Stop does not end the conversation")


def listen_and_stop(page):
    in_push_mode(page)
    quiet_again(page)
    page.click("[data-command=listen]")
    wait("a conversation", lambda: page.state() not in ("idle", "error", "connecting"))
    in_daemon("a conversation", lambda s: s["state"] != "idle")
    quiet_again(page)
    in_daemon("idle", lambda s: s["state"] == "idle")


def ask_and_say(page):
    in_push_mode(page)
    page.submit("#ask", "What is on today?", "[type=submit]:not([data-command])")
    wait("that it works on it", lambda: page.state() not in ("idle", "error"))
    wait("an empty line", lambda: page.one("#ask-text").get_attribute("value") == "")
    quiet_again(page)
    page.submit("#ask", "Dinner is ready.", "[data-command=say]")
    wait("what became of it", lambda: page.text("#now .reply"))
    quiet_again(page)


def media_plays(page):
    page.submit("#play", "nonsense://nowhere", "[type=submit]:not([data-action])")
    assert page.refused("#media")
    assert page.one("#play-what").get_attribute("value"), "what was typed is lost"
    if not (addresses := options.media):
        return "no --media, so nothing was played"
    label = lambda: page.one("#pause").get_attribute("aria-label")
    state = lambda expected: in_daemon(expected, lambda s: s["media"]["state"] == expected)
    page.submit("#play", addresses[0], "[type=submit]:not([data-action])")
    wait("that it plays", lambda: label() == "Pause" and page.text("#playing") != "Nothing is playing.")
    state("playing")
    queued = len(page.all("#queue li"))
    page.submit("#play", addresses[1], "[data-action=enqueue]")
    wait("the queue", lambda: len(page.all("#queue li")) == queued + 1)
    page.click("#pause")
    wait("that it is paused", lambda: label() == "Play")
    state("paused")
    page.click("#pause")
    wait("that it plays again", lambda: label() == "Pause")
    page.click("#media [data-action=skip]")
    wait("that the queue moves", lambda: len(page.all("#queue li")) == queued)
    page.click("#media [data-action=previous]")
    time.sleep(1)
    assert not page.all("#media .reply.failed"), page.text("#media .reply")
    page.click("#media [data-action=stop]")
    wait("that nothing plays", lambda: page.text("#playing") == "Nothing is playing.")
    state("stopped")


def timers_ring(page):
    before = len(page.timers())
    page.submit("#set-timer", "10m page test", "button")
    wait("the timer", lambda: any("page test" in line for line in page.timers()))
    in_daemon("one timer more", lambda s: s.get("timers", 0) == before + 1)
    page.cancel("page test")
    in_daemon("one timer less", lambda s: s.get("timers", 0) == before)
    page.submit("#set-timer", "when pigs fly", "button")
    assert page.refused("#timers")
    page.submit("#set-timer", "2s snoozed", "button")
    wait("that it rings", lambda: page.one("#ringing").is_displayed() and "snoozed" in page.text("#sentence"))
    page.click("[data-action=snooze]")
    wait("that it waits", lambda: not page.one("#ringing").is_displayed() and any("snoozed" in t for t in page.timers()))
    page.cancel("snoozed")
    page.submit("#set-timer", "2s stopped", "button")
    wait("that it rings", lambda: page.one("#ringing").is_displayed())
    page.click("#ringing [data-action=stop]")
    wait("that it is gone", lambda: len(page.timers()) == before)


def hostile_names_stay_text(page):
    page.submit("#set-timer", f"10m: {HOSTILE}", "button")
    wait("the name as text", lambda: any("onerror" in line for line in page.timers()))
    page.cancel("onerror")
    if options.media:  # whose title is hostile too
        page.submit("#play", options.media[0], "[type=submit]:not([data-action])")
        wait("the title as text", lambda: "onerror" in page.text("#playing"))
    assert page.script("return document.images.length + document.querySelectorAll('body script, iframe').length") == 0
    if options.media:
        page.click("#media [data-action=stop]")


def two_tabs_agree(page):
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.driver.get(base + "/")
    wait("the second tab is live", lambda: page.text("#pill-text") == "Live")
    page.click("#mute")
    wait("muted", lambda: page.text("#mute") == "Unmute")
    page.driver.switch_to.window(first)
    wait("muted in the first tab", lambda: page.text("#mute") == "Unmute")
    page.click("#mute")
    wait("open", lambda: page.text("#mute") == "Mute")
    page.driver.switch_to.window(page.driver.window_handles[1])
    wait("open in the second tab", lambda: page.text("#mute") == "Mute")
    page.driver.close()
    page.driver.switch_to.window(first)


def charts_explain_themselves(page):
    skipped = []
    for chart, words in [("#turn-list", "until Jarvis was asked"), ("#dots", "sure to")]:
        bars = page.all(f"{chart} button")
        if not bars:
            skipped.append(f"{chart} is empty")
            continue
        page.show(bars[0])
        assert len([bar for bar in bars if bar.get_attribute("tabindex") == "0"]) == 1, "one stop of the Tab key"
        page.script("arguments[0].focus()", page.one(f"{chart} button[tabindex='0']"))
        tip = lambda: page.one("#tip").is_displayed() and page.text("#tip")
        first = wait("words", tip)
        assert words in first, first
        if len(bars) > 1:
            page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
            wait("other words", lambda: tip() not in (False, first))
        page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        wait("no words", lambda: not tip())
        webdriver.ActionChains(page.driver).move_to_element(bars[0]).perform()
        wait("words under the pointer", tip)
    return ", ".join(skipped)


def keys_reach_every_control(page):
    """Tab visits each control once, and each shows that it has the focus."""
    page.script("document.activeElement.blur(); scrollTo(0, 0)")
    page.one("body").send_keys(Keys.TAB)
    reached = set()
    for _ in range(80):
        seen = page.script("""
            const at = document.activeElement, style = getComputedStyle(at);
            return [at.id || at.dataset.action || at.dataset.mode || at.dataset.command || at.className, style.outlineStyle]""")
        is_body = page.script("return document.activeElement === document.body")
        assert is_body or seen[1] != "none", f"the focus of {seen[0]} cannot be seen"
        reached.add(seen[0])
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
    missing = {"listen", "stop", "mute", "ask-text", "v-master", "v-earcons", "silence", "quiet", "pause", "play-what",
               "timer-what", "push", "always", "leave"} - reached
    assert not missing, f"not reached: {missing}"


def levels_move_only_the_orb(page):
    moved, built = page.driver.execute_async_script("""
        const done = arguments[0];
        let moved = 0, built = 0;
        const observer = new MutationObserver(changes => changes.forEach(change => {
            if (change.type === 'attributes') moved += change.target.className === 'orb';
            built += [...change.addedNodes].filter(node => node.nodeType === 1).length;
        }));
        observer.observe(document.body, {subtree: true, childList: true, attributes: true, attributeFilter: ['style']});
        setTimeout(() => done([moved, built]), 2500);""")
    assert built <= 5, f"{built} elements were built in 2.5 s of rest"
    return "" if moved else "the level did not change"


def fits_phones_and_walls(page):
    for size in [(360, 740), (768, 1024), (1280, 800), (1920, 1080)]:
        page.look(*size)
        over = page.script("return document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, f"{over} px too wide at {size}"
    page.look(1280, 900, is_calm=True)
    assert page.script("return getComputedStyle(document.querySelector('.ball')).animationName") == "none"
    page.look(1280, 900)


def check_axe(page, name, looks):
    for width, height, is_dark in looks:
        page.look(width, height, is_dark)
        page.script(axe)
        findings = page.driver.execute_async_script(
            "axe.run({resultTypes: ['violations']}).then(r => arguments[0](r.violations.map(v =>"
            " `${v.id}: ${v.help}: ${v.nodes.map(n => n.target.join(' ') + ' ' + n.any.map(a => a.message)).slice(0, 3)}`)))")
        assert not findings, f"axe, {name} {width} px {'dark' if is_dark else 'light'}:\n    " + "\n    ".join(findings)
    page.look(1280, 900)


def axe_has_no_findings(page):
    check_axe(page, "page", [(1280, 900, False), (1280, 900, True), (360, 740, False), (360, 740, True)])


def says_when_the_daemon_is_away(page):
    if not (options.away and options.back):
        return "no --away and --back"
    subprocess.run(options.away, shell=True, check=True, stdout=subprocess.DEVNULL)
    try:
        wait("that it is stale", lambda: page.text("#pill-text").endswith(" old"), 30)
        sentence = page.text("#sentence")
        assert any(word in sentence for word in ("not running", "silent", "Cannot reach")), sentence
        assert not page.one("#now [data-command=stop]").is_enabled(), "an order that cannot arrive"
        check_axe(page, "away", [(1280, 900, False), (360, 740, True)])
    finally:
        subprocess.run(options.back, shell=True, check=True, stdout=subprocess.DEVNULL)
    wait("that it is live again", lambda: page.text("#pill-text") == "Live", 45)


def comes_back_over_a_cut_network(page):
    wire = Wire()
    page.enter(wire.base)
    before = page.text("output[for=v-media]")
    headers = signed_in()
    wire.whole.clear()
    try:
        wait("that it hears nothing", lambda: "silent" in page.text("#sentence") and page.text("#pill-text").endswith(" old"), 15)
        wait("that it gives up", lambda: "Cannot reach" in page.text("#sentence"), 15)
        assert http("/command", {"command": "volume", "arguments": {"channel": "media", "percent": "9"}}, **headers)[0] == 200
        time.sleep(1)
        assert page.text("output[for=v-media]") == before, "news from nowhere"
    finally:
        wire.whole.set()
    start = time.monotonic()
    wait("that it is live again, with what it missed",
         lambda: page.text("#pill-text") == "Live" and page.text("output[for=v-media]") == "9", 25)
    took = time.monotonic() - start
    http("/command", {"command": "volume", "arguments": {"channel": "media", "percent": before}}, **headers)
    page.enter()
    return f"back after {took:.1f} s"


def another_port_of_the_host_gets_nothing(page):
    server = http_server.ThreadingHTTPServer(("127.0.0.1", 0), OtherPort)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page.click("#mute")
    in_daemon("muted", lambda s: s["microphone_muted"])
    session = page.script("return localStorage.getItem('jarvis-session')")
    assert session
    page.driver.get(f"http://127.0.0.1:{server.server_port}/")
    wait("that it has tried", lambda: page.driver.title == "tried")
    assert page.script("return Object.keys(localStorage).length") == 0
    assert OtherPort.heard and not any(session in headers for headers in OtherPort.heard)
    time.sleep(1)
    assert daemon()["microphone_muted"]
    server.shutdown()
    assert http("/events", Authorization=f"Bearer {session}", Host="127.0.0.1:1")[0] == 401, "bound to its host and port"
    page.enter()
    page.click("#mute")
    in_daemon("open", lambda s: not s["microphone_muted"])


def leaving_ends_the_session(page):
    session = page.script("return localStorage.getItem('jarvis-session')")
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.driver.get(base + "/")
    wait("the second tab is live", lambda: page.text("#pill-text") == "Live")
    page.click("#leave")
    wait("the lock", lambda: page.one("#locked").is_displayed())
    page.driver.close()
    page.driver.switch_to.window(first)
    wait("the lock in the first tab", lambda: page.one("#locked").is_displayed())
    assert http("/events", Authorization=f"Bearer {session}")[0] == 401, "the session is still good"
    page.driver.get(base + "/")
    wait("still the lock", lambda: "jarvis-bridge link" in page.text("#locked"))
    page.enter()


def console_is_clean(page):
    expected = ("401 (", "403 (", "ERR_BLOCKED_BY_RESPONSE", "ERR_FAILED", "CORS policy", "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY_RESPONSE")
    odd = [entry["message"] for entry in page.driver.get_log("browser") if not any(text in entry["message"] for text in expected)]
    assert not odd, "\n    ".join(odd)


CHECKS = [
    a_stranger_gets_nothing, the_link_lets_in, sliders_set_volumes, switches_turn, mute_closes_the_microphone, modes_change,
    listen_and_stop, ask_and_say, media_plays, timers_ring, hostile_names_stay_text, two_tabs_agree, charts_explain_themselves,
    keys_reach_every_control, levels_move_only_the_orb, fits_phones_and_walls, axe_has_no_findings,
    says_when_the_daemon_is_away, comes_back_over_a_cut_network, another_port_of_the_host_gets_nothing, leaving_ends_the_session, console_is_clean,
]
axe = axe_source()
page = Page(browser(), base, options.token)
failures = 0
try:
    page.enter()
    for check in CHECKS:
        name = check.__name__.replace("_", " ")
        if options.only and options.only not in name:
            continue
        try:
            note = check(page)
            print(f"ok      {name}" + (f" ({note})" if note else ""), flush=True)
        except Exception as error:
            failures += 1
            print(f"FAILED  {name}: {type(error).__name__}: {error}", flush=True)
finally:
    page.driver.quit()
sys.exit(f"page_test: {failures} failed" if failures else 0)
