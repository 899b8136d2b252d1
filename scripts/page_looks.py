#!/usr/bin/env python3
"""Takes a picture of every state of the page, by day and night, on a desk and on a phone, for people to look at.

    page_looks.py http://127.0.0.1:8787 TOKEN FOLDER --ctl "jarvis-voiced ctl" --say "COMMAND that speaks its last argument"
                  --media ADDRESS ADDRESS --away COMMAND --back COMMAND

FOLDER gets STATE-LOOK.png, and sheet-LOOK.png with all states. The daemon goes through most states; the status of those in STAND_INS
is made up: the page gets the daemon's with other values."""
import argparse, json, pathlib, shlex, subprocess, sys, time
from datetime import datetime, timedelta, timezone
from page_browser import Page, browser, wait

LOOKS = {"desktop-light": (1280, 900, False), "desktop-dark": (1280, 900, True), "phone-light": (390, 844, False),
         "phone-dark": (390, 844, True)}
SPEECH = "What is on my calendar today? " * 8


def ago(minutes):
    return (datetime.now(timezone.utc) - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


WAKES = [{"at": ago(minutes), "word": "hey jarvis", "score": score, "threshold": 0.5, "heard": score >= 0.5} for minutes, score in
         [(1300, .91), (1180, .44), (900, .31), (700, .88), (655, .95), (640, .47), (410, .38), (300, .97), (130, .83), (8, .93)]]
STAND_INS = {
    "connecting": {"state": "connecting"},
    "processing": {"state": "processing"},
    "filler": {"state": "fillerSpeaking", "levels": {"in": -50, "out": -20}},
    "wake": {"state": "idle", "mode": "wake", "wake_words": ["hey jarvis"], "wake_list": WAKES, "duplex": "half", "duplex_reason": "poor",
             "echo": {"quality": "poor", "erle_db": 4, "delay_ms": 84, "note": "the loudspeaker is too loud: turn it down a little"},
             "spent_today_usd": 4.3, "budget_day_usd": 5, "spent_hour_usd": 1.2, "budget_hour_usd": 1,
             "budget_spent_until": ago(-20)},
    "limited": {"state": "listening", "health": {"level": "limited", "works": "everything but the answers of Jarvis still works",
        "problems": [{"part": "agent", "level": "limited", "text": "Jarvis does not answer", "fix": "see that its server runs",
                      "retry_s": 30}]}},
    "trouble": {"state": "error", "microphone": "lost", "loudspeaker": "lost", "health": {"level": "not_working", "problems": [
        {"part": "service", "level": "not_working", "text": "the voice service refuses the connection (401 invalid API key)",
         "fix": "run sudo jarvis-voiced doctor"},
        {"part": "loudspeaker", "level": "not_working", "text": "loudspeaker lost: it is looked for every second"},
        {"part": "agent", "level": "limited", "text": "Jarvis does not answer", "fix": "see that its server runs"}]}},
}
# Instead of the bridge's stream: the page gets what `standIn` was called with, again and again; without a status it hears nothing.
HOOK = """
const real = fetch;
let timer;
window.fetch = (what, ...more) => what !== "events" ? real(what, ...more) : Promise.resolve(new Response(new ReadableStream({
    start(stream) {
        window.standIn = (values) => {
            const say = () => stream.enqueue(new TextEncoder().encode(
                `data: ${JSON.stringify({event: "snapshot", number: 1, missed: 0, values})}\\n\\n`));
            clearInterval(timer);
            if (!values) return;
            say();
            timer = setInterval(say, 3000);
        };
    }})));"""

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("base")
parser.add_argument("token")
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--media", nargs=2, required=True)
for name in ("ctl", "say", "away", "back"):
    parser.add_argument(f"--{name}", required=True)
options = parser.parse_args()
options.folder.mkdir(parents=True, exist_ok=True)
page = Page(browser(1280, 900, "--hide-scrollbars"), options.base, options.token)
taken = []


def ctl(*arguments):
    done = subprocess.run([*shlex.split(options.ctl), *arguments], capture_output=True, text=True)
    # The exit status of a status is the health, up to 2.
    if done.returncode > 2:
        sys.exit(f"page_looks: {arguments}: {done.stderr}")
    return done.stdout


def take(name, state=None, whole=False):
    """Pictures of what is there, in every look; of all of the page if `whole`."""
    page.script("scrollTo(0, 0)")
    for look, (width, height, is_dark) in LOOKS.items():
        page.look(width, height, is_dark)
        if whole:
            page.look(width, page.script("return document.documentElement.scrollHeight"), is_dark)
        shown = page.state()
        page.driver.save_screenshot(str(options.folder / f"{name}-{look}.png"))
        if state and state != shown:
            print(f"page_looks: {name}-{look} shows {shown}", flush=True)
        over = page.script("return document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            print(f"page_looks: {name}-{look} is {over} px too wide", flush=True)
    taken.append(name)


def take_state(name, state, seconds=20):
    wait(name, lambda: page.state() == state, seconds)
    take(name, state)


def go_through_states():
    take("locked")
    page.enter()
    take_state("idle", "idle")
    ctl("listen")
    take_state("listening", "listening")
    speech = subprocess.Popen([*shlex.split(options.say), SPEECH], stdout=subprocess.DEVNULL)
    take_state("user", "userSpeaking")
    take_state("working", "waitingForJarvis", 40)
    take_state("speaking", "aiSpeaking", 40)
    speech.wait()
    ctl("stop")
    wait("rest", lambda: page.state() == "idle")
    for name, orders in [("muted", [["mute"]]), ("quiet", [["unmute"], ["quiet", "on"]])]:
        for order in orders:
            ctl(*order)
        time.sleep(0.5)
        take(name)
    ctl("quiet", "off")
    ctl("media", "play", options.media[0])
    ctl("media", "enqueue", options.media[1])
    ctl("timer", "set", "25m bread")
    ctl("timer", "set", "tomorrow 7:30 school")
    time.sleep(2)
    take("busy", whole=True)
    ctl("media", "stop")
    ctl("timer", "set", "1s tea")
    wait("that it rings", lambda: page.one("#ringing").is_displayed())
    take("ringing")
    ctl("timer", "stop")
    status = json.loads(ctl("--json", "status"))
    subprocess.run(options.away, shell=True, check=True)
    try:
        wait("that the daemon is gone", lambda: "not running" in page.text("#sentence"), 25)
        take("away", whole=True)
    finally:
        subprocess.run(options.back, shell=True, check=True)
    wait("that it is live again", lambda: page.text("#pill-text") == "Live", 45)
    return status


def stand_in(status):
    hook = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HOOK})
    page.driver.get(options.base + "/")
    wait("the hook", lambda: page.script("return Boolean(window.standIn)"))
    for name, values in STAND_INS.items():
        page.script("standIn(arguments[0])", status | values)
        take(name, values["state"], whole=name in ("wake", "trouble"))
    page.script("standIn()")
    wait("that it is silent", lambda: "silent" in page.text("#sentence"), 20)
    take("silent")
    page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", hook)


def sheet(look):
    """All pictures of a look in one, as a page that is photographed."""
    width = 320 if "phone" in look else 480
    figures = "".join(f"<figure><img src='{name}-{look}.png' width={width}><figcaption>{name}"
                      f"{' (made up)' * (name in {*STAND_INS, 'silent'})}</figcaption></figure>" for name in taken)
    file = options.folder / f"sheet-{look}.html"
    file.write_text("<meta charset=utf-8><style>body{display:flex;flex-wrap:wrap;background:#777;font:16px sans-serif}"
                    f"figure{{margin:8px}}img{{display:block;height:{width * 9 // 5 if width == 320 else 338}px;object-fit:cover;"
                    f"object-position:top}}</style>{figures}")
    page.driver.get(file.resolve().as_uri())
    page.look(5 * (width + 16) + 24, 900)
    page.look(5 * (width + 16) + 24, page.script("return document.documentElement.scrollHeight"))
    page.driver.save_screenshot(str(file.with_suffix(".png")))
    file.unlink()


try:
    page.driver.get(options.base + "/")
    wait("the lock", lambda: page.one("#locked").is_displayed())
    stand_in(go_through_states())
    for look in LOOKS:
        sheet(look)
finally:
    page.driver.quit()
print(f"ok    {len(taken)} states in {len(LOOKS)} looks: {options.folder}")
