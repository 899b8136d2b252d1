// The page of a voice box: draws what the daemon says on /events, and sends commands to /command.
// Everything that comes from the box is data: it only ever becomes textContent.

const $ = (id) => document.getElementById(id);
const body = document.body;

// MARK: Values from outside

/// The daemon's status as last heard. Without a prototype, so that no name of a member means anything else.
const box = Object.create(null);
/// When each member last changed, in ms, to count on from a number of seconds.
const since = Object.create(null);

const number = (value) => (typeof value === "number" && Math.abs(value) < 1e12 ? value : undefined);
const list = (name) => (Array.isArray(box[name]) ? box[name].filter((item) => item && typeof item === "object") : []);
const record = (name) => (box[name] && typeof box[name] === "object" && !Array.isArray(box[name]) ? box[name] : {});
const sentences = (name) => (Array.isArray(box[name]) ? box[name].map((item) => clean(item)).filter(Boolean) : []);

/// A text from outside on one line: what is invisible or turns the direction of the text is shown as its number.
function clean(value, longest = 300) {
  if (typeof value !== "string" && typeof value !== "number") return "";
  const text = String(value).replace(/[\r\n\t]+/g, " ").replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (hidden) => `\\u{${hidden.codePointAt(0).toString(16)}}`);
  return text.length > longest ? `${letters(text, longest).trimEnd()}…` : text;
}

/// The beginning of a text, of at most so many units of UTF-16, without splitting a letter.
function letters(text, longest) {
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, longest + 40))) {
    if (kept.length + segment.length > longest) break;
    kept += segment;
  }
  return kept;
}

const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const count = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
const seconds = (ms) => `${(ms / 1000).toFixed(2)}\u00a0s`;
const dollars = (n) => n.toLocaleString("en", { style: "currency", currency: "USD" });

/// "45 s", "3 min 20 s", "2 h 5 min", "3 d 2 h"
function span(s) {
  s = Math.max(0, Math.round(s));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min` + (s % 60 ? ` ${s % 60} s` : "");
  const [big, small, unit, rest] = s < 86400 ? [3600, 60, "h", "min"] : [86400, 3600, "d", "h"];
  const left = Math.floor((s % big) / small);
  return `${Math.floor(s / big)} ${unit}` + (left ? ` ${left} ${rest}` : "");
}

/// "9:05", "1:02:30"
function clock(s) {
  s = Math.max(0, Math.round(s));
  const two = (n) => String(n).padStart(2, "0");
  const minutes = Math.floor(s / 60) % 60;
  return s < 3600 ? `${minutes}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(minutes)}:${two(s % 60)}`;
}

function bytes(n) {
  const units = ["bytes", "kB", "MB", "GB"];
  let unit = 0;
  while (n >= 1000 && unit < 3) [n, unit] = [n / 1000, unit + 1];
  return `${n < 10 && unit ? n.toFixed(1) : Math.round(n)}\u00a0${units[unit]}`;
}

function date(value) {
  const time = typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : new Date(time);
}

function timeOfDay(value, withSeconds) {
  const options = { hour: "2-digit", minute: "2-digit", second: withSeconds ? "2-digit" : undefined, hourCycle: "h23" };
  return date(value)?.toLocaleTimeString("en", options) ?? "";
}

// MARK: Drawing

/// Sets a text only if it changed, so that screen readers and selections are left alone.
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function show(node, text) {
  write(node, text);
  node.hidden = !text;
}

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

function attribute(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/// Makes the children of `parent` one per item. Nodes are kept by key, so focus and scrolling survive.
function fill(parent, items, key, create, update) {
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  const seen = new Map();
  const nodes = items.map((item) => {
    const name = String(key(item));
    seen.set(name, (seen.get(name) ?? 0) + 1);
    const unique = `${seen.get(name)} ${name}`;
    const node = old.get(unique) ?? create(item);
    old.delete(unique);
    node.dataset.key = unique;
    update(node, item);
    return node;
  });
  const hadFocus = [...old.values()].some((node) => node.contains(document.activeElement));
  for (const node of old.values()) node.remove();
  nodes.forEach((node, index) => {
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
  });
  // One stop of the Tab key for a whole chart; the arrow keys move within.
  if (parent.classList.contains("rove") && nodes.length && !nodes.some((node) => stop(node).tabIndex === 0)) {
    stop(nodes[0]).tabIndex = 0;
  }
  if (hadFocus) (parent.querySelector("button") ?? parent.closest("section").querySelector("input"))?.focus();
}

const stop = (node) => (node.matches("button") ? node : node.querySelector("button"));
const lines = (parent, texts) => fill(parent, texts, (text) => text, () => make("li"), (node, text) => write(node, text));

/// Rows of a description list; those without a value are left out.
function rows(parent, pairs) {
  fill(parent, pairs.filter(([, value]) => value), ([name]) => name, ([name]) => {
    const row = make("div");
    row.append(make("dt", "", name), make("dd"));
    return row;
  }, (row, [, value]) => write(row.lastChild, value));
}

// MARK: What the box is doing

/// How the page is connected: opening, live, bridge (the bridge is away), daemon (the daemon is away), silent (it hangs).
let link = "opening";
let lastWord = Date.now();
/// When the box last said something; undefined before.
let heardAt;
let announced = "";
let announcement;

const activities = {
  connecting: "Getting ready.",
  listening: "Listening. Go ahead.",
  userSpeaking: "Hearing you.",
  processing: "Thinking.",
  fillerSpeaking: "Still on it.",
  waitingForJarvis: "Jarvis is working on it.",
  aiSpeaking: "Speaking.",
  error: "Cannot talk right now.",
};
const away = {
  opening: "Connecting to the voice box.",
  bridge: "Cannot reach the voice box.",
  daemon: "The voice box is not running.",
  silent: "The voice box has gone silent.",
};

function resting() {
  if (box.microphone_muted === true) return "The microphone is off.";
  if (box.mode === "push") return "Resting. Press Listen to talk.";
  const word = Array.isArray(box.wake_words) ? clean(box.wake_words[0], 40).replaceAll(" ", "\u00a0") : "";
  return box.mode === "wake" ? `Resting. Say ${word ? `“${word}”` : "its wake word"} to talk.` : "Resting.";
}

/// What works, as the box itself judges it.
function wellness() {
  const said = record("health");
  const problems = (Array.isArray(said.problems) ? said.problems : []).filter((item) => item && typeof item === "object")
    .map((item) => ({ part: clean(item.part, 20), text: clean(item.text), fix: clean(item.fix), retry: number(item.retry_s) }))
    .filter((item) => item.text);
  const isWrong = ["limited", "not_working"].includes(said.level) && problems.length > 0;
  return { level: isWrong ? said.level : said.level === "well" ? "well" : "", problems: isWrong ? problems : [], works: clean(said.works) };
}

/// What to do about a problem, and when the box tries again.
function wayOut(problem, counts = true) {
  const left = counts && problem.retry !== undefined ? Math.ceil(problem.retry - passed("health")) : 0;
  return [problem.fix, left > 0 ? `next try in ${span(left)}` : ""].filter(Boolean).join("; ");
}

const whole = (problem) => [problem.text, wayOut(problem)].filter(Boolean).join(": ");
/// Without what is in brackets: the reason is under Health.
const short = (problem) => `${upper(problem.text.replace(/ \(.*\)$/, ""))}.`;
const isAtRest = () => ["idle", "connecting", "listening", "error"].includes(box.state);

function sentence() {
  if (link !== "live") return away[link];
  const rings = list("timer_list").find((timer) => timer.rings === true);
  if (rings) return `Ringing: ${clean(rings.name, 60) || kind(rings)}.`;
  const [problem] = wellness().problems;
  if (problem && isAtRest()) return short(problem);
  return activity();
}

/// The assistant whose conversation is open.
function called() { return clean(box.assistant, 40) || "Jarvis"; }

function activity() {
  if (box.state === "listening" && box.microphone_muted === true) return "The microphone is off.";
  if (typeof box.state === "string" && Object.hasOwn(activities, box.state)) {
    return activities[box.state].replace("Jarvis", () => called());
  }
  return box.state === "idle" ? resting() : clean(box.text) || "Nothing is known of the voice box yet.";
}

/// - counts: whether it counts down to the next try.
function detail(counts = true) {
  if (link === "opening") return "";
  if (link !== "live") {
    const age = counts && heardAt ? ` It is from ${span((Date.now() - heardAt) / 1000)} ago.` : "";
    return `What you see below is no longer known.${age} This page comes back on its own.`;
  }
  const { level, problems, works } = wellness();
  const parts = [];
  if (problems.length) {
    const isFirst = sentence() === short(problems[0]);
    const fix = wayOut(problems[0], counts);
    if (!isFirst) parts.push(short(problems[0]));
    if (fix) parts.push(`${upper(fix)}.`);
    if (works) parts.push(`${upper(works)}.`);
    if (isFirst && level === "limited" && box.state !== "error") parts.push(activity());
  }
  if (box.microphone_muted === true && !`${sentence()} ${parts.join(" ")}`.includes("The microphone is off")) parts.push("The microphone is off.");
  if (record("volumes").muted === true) parts.push("The loudspeaker is off.");
  if (box.quiet === true) parts.push("Quiet hours.");
  return parts.join(" ");
}

function drawNow() {
  const state = link === "live" && typeof box.state === "string" ? box.state : "idle";
  const isMuted = box.microphone_muted === true;
  const { level, problems } = wellness();
  attribute(body, "data-state", state);
  attribute(body, "data-health", link === "live" ? level || "unknown" : "unknown");
  attribute(body, "data-link", link);
  body.toggleAttribute("data-muted", isMuted);
  write($("sentence"), sentence());
  show($("detail"), detail());
  const more = problems.slice(1).map((problem) => upper(whole(problem)));
  lines($("wrong"), link !== "live" ? [] : more.length < 3 ? more : [more[0], `and ${more.length - 1} more, under Health`]);
  attribute($("mute"), "data-command", isMuted ? "unmute" : "mute");
  attribute($("mute").querySelector("use"), "href", isMuted ? "#i-mic-off" : "#i-mic");
  write($("mute").lastChild, isMuted ? "Unmute" : "Mute");
  const name = clean(box.name, 40);
  write($("name"), name);
  write($("assistant"), called());
  document.title = `${name || "Jarvis"}: ${link === "live" ? sentence() : "away"}`;
  drawLink();
  drawControls();
  dropRefusals();

  // Spoken by a screen reader only when it matters; the box itself is heard talking.
  const rings = list("timer_list").some((timer) => timer.rings === true);
  const matters = [
    link !== "live" || rings || level !== "well" || state === "error" ? sentence() : "", detail(false),
    ...problems.slice(1).map((problem) => upper(problem.text)),
  ].filter(Boolean);
  // While it connects, this is not known yet.
  const text = matters.join(" ") || (state === "connecting" ? "" : "All is well.");
  if (!text || text === announced || link === "opening") return;
  const isFirst = !announced;
  announced = text;
  clearTimeout(announcement);
  if (!isFirst || matters.length) announcement = setTimeout(() => write($("live"), text), 800);
}

/// Controls that cannot work now are disabled.
function drawControls() {
  const isLive = link === "live";
  const isMuted = box.microphone_muted === true;
  const parts = wellness().problems.map((problem) => problem.part);
  const isPoor = wellness().level === "not_working" && parts.includes("budget");
  const media = record("media");
  const stands = media.state === "playing" || media.state === "paused";
  const waits = (Array.isArray(media.queue) && media.queue.length > 0) || media.queue_length > 0;
  const hasPlayer = media.state !== undefined;
  const able = {
    listen: !isMuted && !isPoor, ask: !isPoor, say: box.quiet !== true && !parts.includes("loudspeaker"),
    volume: Object.keys(record("volumes")).length > 0, quiet: box.quiet !== undefined, mode: box.mode !== undefined,
  };
  const ableMedia = {
    previous: stands || waits, skip: stands || waits, resume: stands || waits, pause: stands, stop: stands, clear: waits,
    seek: stands && media.length_s > 0, play: hasPlayer, enqueue: hasPlayer, remove: true,
  };
  for (const node of document.querySelectorAll("#page button")) {
    const command = node.dataset.command ?? node.form?.dataset.command;
    if (!command) continue;
    const action = node.dataset.action ?? node.form?.dataset.action;
    let can = isLive && (command === "media" ? hasPlayer && (ableMedia[action] ?? true) : able[command] ?? true);
    if (command === "mode" && node.dataset.mode === "wake") {
      const isDeaf = box.mode !== "wake" && box.wake_engine === "off";
      can = can && !isDeaf;
      node.title = isDeaf ? "No wake word is installed" : "";
    }
    if (node.disabled === can) node.disabled = !can;
  }
  $("station").disabled = !isLive;
  for (const input of document.querySelectorAll("#page form input")) input.disabled = !isLive || (input.form.id === "play" && !hasPlayer);
  if (!isLive) for (const slider of document.querySelectorAll("#page input[type=range]")) slider.disabled = true;
}

// MARK: Refusals

/// Refusals on the page, each with what caused it: it leaves when its cause does.
const refusals = new Set();
const causes = {
  muted: () => box.microphone_muted === true,
  quiet: () => box.quiet === true,
  service: () => ["connecting", "error", "idle"].includes(box.state),
};

function holds({ cause }) {
  if (Object.hasOwn(causes, cause)) return causes[cause]();
  return wellness().problems.some((problem) => problem.part === cause);
}

function refuse(reply, text, cause) {
  const refusal = { reply, text, cause, isSeen: false };
  refusals.add(refusal);
  // One whose cause is not known disappears after a while.
  if (!cause) reply.timer = setTimeout(() => dropRefusal(refusal), 30_000);
  dropRefusals();
}

function dropRefusal(refusal) {
  refusals.delete(refusal);
  if (refusal.reply.textContent === refusal.text) write(refusal.reply, "");
}

/// The status may come a moment after the refusal, so a cause must have been seen before it can be gone.
function dropRefusals() {
  for (const refusal of refusals) {
    if (refusal.reply.textContent !== refusal.text) refusals.delete(refusal);
    else if (refusal.cause && holds(refusal)) refusal.isSeen = true;
    else if (refusal.cause && refusal.isSeen) dropRefusal(refusal);
  }
}

function drawLink() {
  const age = Math.round((Date.now() - lastWord) / 1000);
  write($("pill-text"), link === "live" ? "Live" : link === "opening" ? "Connecting" : `${span(age)} old`);
}

/// Ten times a second: moves the orb and nothing else.
function drawLevels() {
  const levels = record("levels");
  const speaks = box.state === "aiSpeaking" || box.state === "fillerSpeaking";
  const level = number(speaks ? levels.out : levels.in) ?? -96;
  const share = link === "live" ? Math.min(1, Math.max(0, (level + 58) / 46)) : 0;
  document.querySelector(".orb").style.setProperty("--level", share.toFixed(2));
}

// MARK: Sound

/// Sliders that are being moved, or whose command is under way; they are not drawn.
const held = new Set();

function drawVolumes() {
  const volumes = record("volumes");
  for (const slider of document.querySelectorAll("input[data-channel]")) {
    const percent = number(volumes[slider.dataset.channel]);
    slider.disabled = percent === undefined || link !== "live";
    if (percent !== undefined && !held.has(slider)) slider.value = percent;
    drawSlider(slider);
  }
  const isOff = volumes.muted === true;
  attribute($("silence"), "aria-checked", !isOff);
  attribute($("silence"), "data-percent", isOff ? "on" : "off");
  attribute($("quiet"), "aria-checked", box.quiet === true);
  attribute($("quiet"), "data-switch", box.quiet === true ? "off" : "on");
}

function drawSlider(slider) {
  slider.style.setProperty("--value", `${slider.value}%`);
  attribute(slider, "aria-valuetext", `${slider.value} percent`);
  write(slider.nextElementSibling, number(record("volumes")[slider.dataset.channel]) === undefined ? "–" : slider.value);
}

// MARK: Media

function drawMedia() {
  const media = record("media");
  const title = [clean(media.title, 200), clean(media.song, 200)].filter(Boolean).join(": ");
  const plays = media.state === "playing";
  const stands = plays || media.state === "paused";
  write($("playing"), stands ? title || "Something without a title" : "Nothing is playing.");
  attribute($("pause"), "data-action", plays ? "pause" : "resume");
  attribute($("pause"), "aria-label", plays ? "Pause" : "Play");
  attribute($("pause").querySelector("use"), "href", plays ? "#i-pause" : "#i-play");
  const queue = Array.isArray(media.queue) ? media.queue.slice(0, 20).map((item) => (typeof item === "string" ? item : "")) : [];
  $("queue-box").hidden = !queue.length;
  fill($("queue"), queue.map((title, index) => ({ title, index })), ({ title }) => title, () => {
    const node = make("li");
    const remove = make("button", "quietly", "Remove");
    remove.type = "button";
    Object.assign(remove.dataset, { command: "media", action: "remove" });
    remove.append(make("span", "sr"));
    node.append(Object.assign(make("span", "title"), { dir: "auto" }), remove);
    return node;
  }, (node, { title, index }) => {
    const shown = clean(title, 200) || "Without a title";
    write(node.firstChild, shown);
    // With its title, so that nothing else is removed if the list has moved on.
    node.lastChild.dataset.what = title ? `${index + 1} ${title}` : String(index + 1);
    write(node.lastChild.lastChild, ` ${shown}`);
  });
  const more = (number(media.queue_length) ?? queue.length) - queue.length;
  show($("queue-more"), more > 0 ? `and ${more.toLocaleString("en")} more` : "");
  const stations = Array.isArray(box.stations) ? box.stations.map((name) => clean(name, 80)).filter(Boolean) : [];
  $("station-box").hidden = !stations.length;
  if (document.activeElement !== $("station")) {
    fill($("station"), ["", ...stations], (name) => name, () => make("option"), (node, name) => {
      write(node, name || "Choose a station");
      node.value = name;
    });
  }
  drawProgress();
}

function drawProgress() {
  const media = record("media");
  const position = number(media.position_s);
  const length = number(media.length_s);
  const plays = media.state === "playing";
  $("progress").hidden = position === undefined || !(plays || media.state === "paused");
  if ($("progress").hidden) return;
  const now = Math.min(position + (plays ? passed("media") : 0), length > 0 ? length : Infinity);
  const bar = $("seek");
  bar.hidden = !(length > 0);
  bar.disabled = link !== "live";
  if (length > 0 && document.activeElement !== bar) {
    bar.max = Math.round(length);
    bar.value = Math.round(now);
    bar.style.setProperty("--value", `${(100 * now) / length}%`);
    attribute(bar, "aria-valuetext", `${clock(now)} of ${clock(length)}`);
  }
  write($("progress-text"), clock(now) + (length > 0 ? ` of ${clock(length)}` : ""));
}

/// Seconds since a member was heard; while the box is away, up to its last word.
const passed = (name) => Math.max(0, ((link === "live" ? Date.now() : lastWord) - (since[name] ?? Date.now())) / 1000);

// MARK: Timers

const kind = (timer) => (["alarm", "reminder"].includes(timer.kind) ? timer.kind : "timer");

function drawTimers() {
  const timers = list("timer_list");
  $("no-timers").hidden = timers.length > 0;
  const rings = timers.some((timer) => timer.rings === true);
  $("ringing").hidden = !rings;
  body.toggleAttribute("data-rings", rings);
  fill($("timer-list"), timers, (timer) => `${timer.kind} ${timer.number} ${timer.name}`, () => {
    const node = make("li");
    const text = make("span");
    text.append(make("strong", "time"), Object.assign(make("span", "name"), { dir: "auto" }));
    const cancel = make("button", "quietly", "Cancel");
    cancel.type = "button";
    cancel.dataset.command = "timer";
    cancel.dataset.action = "cancel";
    cancel.append(make("span", "sr"));
    node.append(text, cancel);
    return node;
  }, (node, timer) => {
    const name = clean(timer.name, 120);
    write(node.querySelector(".name"), name || upper(kind(timer)));
    node.classList.toggle("rings", timer.rings === true);
    const cancel = node.lastChild;
    // A number is exact; without one the daemon finds the name, or says that it is ambiguous.
    cancel.dataset.what = number(timer.number) ?? (typeof timer.name === "string" ? timer.name : "");
    write(cancel.lastChild, ` ${kind(timer)} ${name}`);
  });
  drawCountdowns();
}

function drawCountdowns() {
  const nodes = $("timer-list").children;
  list("timer_list").forEach((timer, index) => {
    const left = number(timer.left_s);
    const at = clean(timer.at, 40);
    // A time of day is never written like a length.
    let text = at ? `at ${at}` : left === undefined ? "" : `in ${span(left - passed("timer_list"))}`;
    if (timer.paused === true) text = `${span(left ?? 0)} left, paused`;
    write(nodes[index].querySelector(".time"), timer.rings === true ? "Rings" : text);
  });
}

// MARK: Answers

/// The parts of a wait, one after another.
const segments = [
  ["request", "until Jarvis was asked"], ["agent", "Jarvis"], ["voice", "the voice"], ["sound", "to the loudspeaker"],
];
const stages = [
  ["acknowledged", "noticed"], ["dispatched", "sent to the agent"], ["answered", "answered"],
  ["first_delta", "voice ready"], ["first_sample", "heard"],
];

function drawTurns() {
  const turns = list("turn_list").slice(-10).reverse().map((turn) => {
    const steps = stages.map(([name, words]) => ({ name, words, ms: number(turn[name + "_ms"]) }))
      .filter((step) => step.ms >= 0).sort((one, other) => one.ms - other.ms);
    const cut = number(turn.cut_ms);
    const failed = clean(turn.failed, 20);
    const parts = turn.wait && typeof turn.wait === "object" ? segments.filter(([name]) => number(turn.wait[name]) >= 0) : [];
    const wait = parts.length ? parts.reduce((sum, [name]) => sum + turn.wait[name], 0) : undefined;
    return { turn, steps, cut, failed, parts, wait, isCut: turn.interrupted === true || cut !== undefined };
  });
  $("turns-box").hidden = !turns.length;
  const longest = Math.max(1000, ...turns.map((turn) => turn.wait ?? turn.steps.at(-1)?.ms ?? 0));
  const scale = Math.min(60_000, Math.ceil(longest / 500) * 500);
  const share = (ms) => 100 * Math.min(1, ms / scale);
  write($("turns-scale"), `${scale / 1000} s`);
  const heard = turns.filter((turn) => !turn.failed).map((turn) => turn.wait).filter((ms) => ms >= 0).sort((a, b) => a - b);
  const cuts = number(box.turns_interrupted);
  const failures = number(box.turns_failed) ?? 0;
  const answers = (number(box.turns_total) ?? 0) - failures;
  write($("turns-text"), !turns.length ? "No one has asked yet." : [
    heard.length ? `Usually heard after ${(heard[heard.length >> 1] / 1000).toFixed(1)} s` : "",
    answers > 0 ? count(answers, "answer") : "", failures ? `${failures} failed` : "", cuts ? `${cuts} cut off` : "",
  ].filter(Boolean).join(" · "));
  fill($("turn-list"), turns, ({ turn }) => `${turn.turn} ${turn.at}`, () => {
    const node = make("li");
    const button = make("button", "bar");
    button.type = "button";
    button.tabIndex = -1;
    const stack = make("span", "stackbar");
    stack.setAttribute("aria-hidden", "true");
    button.append(make("span", "when"), stack, make("span", "total"), make("span", "sr words"));
    node.append(button);
    return node;
  }, (node, { turn, steps, cut, failed, parts, wait, isCut }) => {
    const words = failed ? [failed === "agent" ? "Jarvis had no answer" : "the voice service had no answer"]
      : parts.length ? [`waited ${wait} ms: ${parts.map(([name, what]) => `${turn.wait[name]} ms ${what}`).join(", ")}`]
        : steps.map((step) => `${step.words} after ${seconds(step.ms)}`);
    node.classList.toggle("failed", failed !== "");
    if (turn.calls > 0) words.push(count(turn.calls, "question") + " to the agent");
    if (isCut) words.push(cut === undefined ? "cut off" : `cut off after ${seconds(cut)}`);
    const [when, bars, total, text] = node.firstChild.children;
    write(when, timeOfDay(turn.at));
    write(total, failed ? "failed" : wait === undefined ? "–" : seconds(wait));
    write(text, `. ${upper(words.join(", ")) || "No stage is known"}.`);
    const marks = isCut ? [...steps, { name: "cut", ms: cut ?? wait ?? scale }] : steps;
    fill(bars, marks, (mark) => mark.name, (mark) => make("span", mark.name), (bar, mark) => {
      const from = mark.name === "cut" ? mark.ms : steps[steps.indexOf(mark) - 1]?.ms ?? 0;
      bar.style.left = `${share(from)}%`;
      if (mark.name !== "cut") bar.style.width = `${share(mark.ms) - share(from)}%`;
    });
  });
}

// MARK: Wake words

const day = 86_400_000;

function drawWake() {
  const all = list("wake_list").map((call) => ({ call, at: date(call.at)?.getTime(), score: number(call.score) }))
    .filter((item) => item.at !== undefined && item.score !== undefined);
  const end = Math.max(Date.now(), ...all.map((item) => item.at));
  const calls = all.filter((item) => item.at > end - day);
  const misses = calls.filter((item) => item.call.heard !== true).length;
  $("wake-box").hidden = !calls.length;
  write($("wake-text"), calls.length
    ? `In 24 hours ${calls.length - misses} heard, ${count(misses, "near miss", "near misses")}`
    : "Nothing heard in the last 24 hours.");
  const threshold = number(calls.at(-1)?.call.threshold);
  // Most engines score 0 to 1; PocketSphinx, powers of ten around its threshold.
  const isShare = calls.every(({ call, score }) => score >= 0 && score <= 1 && (number(call.threshold) ?? 1) <= 1);
  const share = (score, needed = threshold) =>
    `${100 * Math.min(1, Math.max(0, isShare ? score : 0.5 + (score - (needed ?? score)) / 40))}%`;
  const shown = (score) => (isShare ? `${Math.round(100 * score)} %` : `${Math.round(score)}`);
  $("threshold").hidden = threshold === undefined;
  if (threshold !== undefined) $("threshold").style.bottom = share(threshold);
  fill($("dots"), calls, (item) => `${item.at} ${item.score}`, () => {
    const dot = make("button", "dot");
    dot.type = "button";
    dot.tabIndex = -1;
    dot.append(make("span", "sr words"));
    return dot;
  }, (dot, { call, at, score }) => {
    dot.classList.toggle("near", call.heard !== true);
    dot.style.left = `${(100 * (at - end + day)) / day}%`;
    const needed = number(call.threshold);
    dot.style.bottom = share(score, needed);
    write(dot.firstChild, `${timeOfDay(call.at)}, “${clean(call.word, 60)}”: `
      + (call.heard === true ? "heard" : "near miss, not heard")
      + `, scored ${shown(score)}` + (needed === undefined ? "" : ` (needs ${shown(needed)})`)
      + (call.heard === true || !call.sensitivity ? "" : `; with sensitivity “${clean(call.sensitivity, 10)}” it counts`));
  });
  const first = new Date(end - day);
  first.setMinutes(0, 0, 0);
  const marks = [];
  for (let time = first; time <= end; time = new Date(time.getTime() + 3_600_000)) {
    if (time > end - day && time.getHours() % 6 === 0) marks.push(time);
  }
  fill($("hours"), marks, (time) => time.getTime(), () => make("span"), (node, time) => {
    write(node, timeOfDay(time.toISOString()));
    node.style.left = `${(100 * (time - end + day)) / day}%`;
  });
}

// MARK: Hearing

const modes = {
  push: "It starts to listen at a button, or from this page.",
  wake: "It starts to listen at its wake word.",
  always: "It always listens, and what is said in the room is sent.",
};
const reasons = {
  learning: "It hears better once it has played for a while.",
  poor: "Much of its own voice comes back to its microphone.",
  clipping: "Its own voice overdrives the microphone.",
  canceller_off: "Its echo canceller is off.",
  moved: "It was moved, and learns the room anew.",
  configuration: "Its configuration says so.",
  clear: "None of its own voice reaches the microphone.",
  good: "You can interrupt it at any time.",
};
const qualities = { good: "good", fair: "fair", poor: "poor", unknown: "not known yet" };
const devices = {
  running: "", waiting: "not there yet", lost: "lost", silent: "gives only silence", resting: "resting", file: "a file",
};
const speakers = { user: "a person", box: "its own voice", nothing: "nothing" };
const known = (table, key) => (typeof key === "string" && Object.hasOwn(table, key) ? table[key] : "");

function drawHearing() {
  for (const button of document.querySelectorAll("[data-mode]")) {
    attribute(button, "aria-pressed", button.dataset.mode === box.mode);
  }
  show($("mode-text"), known(modes, box.mode));
  const isLearning = box.duplex_reason === "learning";
  show($("duplex"), isLearning ? "Still learning the room"
    : known({ full: "Hears you over its own voice", half: "Listens only while it is silent" }, box.duplex));
  show($("duplex-why"), known(reasons, box.duplex_reason));
  const echo = record("echo");
  show($("echo-note"), upper(clean(echo.note)));
  const removed = number(echo.erle_db);
  const delay = number(echo.delay_ms);
  const drift = number(echo.drift_ppm);
  rows($("echo"), [
    ["Hears now", known(speakers, box.heard)],
    ["Echo", [known(qualities, echo.quality), removed === undefined ? "" : `${removed} dB removed`].filter(Boolean).join(", ")],
    ["Delay", delay === undefined ? "" : `${delay} ms` + (drift ? `, drift ${drift} ppm` : "")],
    ["Moved", echo.moves > 0 ? count(echo.moves, "time") : ""],
    ["Microphone", box.microphone_muted === true ? "off" : known(devices, box.microphone)],
    ["Loudspeaker", known(devices, box.loudspeaker)],
  ]);
}

// MARK: Spending

function drawGauge(node, spent, limit, words) {
  node.hidden = spent === undefined;
  if (node.hidden) return;
  const share = limit > 0 ? spent / limit : 0;
  node.classList.toggle("open", !(limit > 0));
  node.classList.toggle("high", share >= 0.8);
  node.classList.toggle("over", share >= 1);
  const arc = node.querySelector(".value");
  arc.style.visibility = share > 0.005 ? "visible" : "hidden";
  arc.setAttribute("stroke-dasharray", `${Math.min(100, 100 * share)} 200`);
  write(node.querySelector("strong"), dollars(spent));
  write(node.querySelector("small"), limit > 0 ? `of ${dollars(limit)} ${words}` : words);
  attribute(node, "role", limit > 0 ? "meter" : "group");
  attribute(node, "aria-label", `Spent ${words}`);
  const values = { "aria-valuemin": 0, "aria-valuemax": limit, "aria-valuenow": Math.min(spent, limit),
    "aria-valuetext": `${dollars(spent)} of ${dollars(limit ?? 0)}` };
  for (const [name, value] of Object.entries(values)) {
    if (limit > 0) attribute(node, name, value);
    else node.removeAttribute(name);
  }
}

function drawMoney() {
  const spent = [number(box.spent_today_usd), number(box.spent_hour_usd)];
  drawGauge($("g-day"), spent[0], number(box.budget_day_usd), "today");
  drawGauge($("g-hour"), spent[1], number(box.budget_hour_usd), "this hour");
  const until = clean(box.budget_spent_until, 60);
  show($("spent-until"), until && `The budget is spent until ${timeOfDay(until) || until}.`);
  const tokens = record("tokens");
  const pair = (one, other) => [[one, "in"], [other, "out"]].filter(([name]) => number(tokens[name]) !== undefined)
    .map(([name, words]) => `${tokens[name].toLocaleString("en")} ${words}`).join(", ");
  rows($("tokens"), [
    ["Sound tokens", pair("audio_in", "audio_out")],
    ["Text tokens", pair("text_in", "text_out")],
    ["Of these cached", tokens.cached_in > 0 ? tokens.cached_in.toLocaleString("en") : ""],
  ]);
  $("money").hidden = spent.every((value) => value === undefined) && !until && !$("tokens").children.length;

  const time = number(box.sent_today_s);
  const size = number(box.sent_today_bytes);
  $("left").hidden = time === undefined && size === undefined;
  write($("sent"), time || size ? [time ? `${span(time)} of sound` : "", size ? bytes(size) : ""].filter(Boolean).join(", ") : "Nothing");
  const talk = number(box.talk_today_min);
  const service = clean(box.service, 120);
  show($("sent-more"), [service && `To ${service}`, talk ? `${talk} min of conversation` : ""].filter(Boolean).join(" · "));
}

// MARK: Conversation, health, log

/// Keeps a scrolled list at its end, unless the user has scrolled up.
function fillTail(parent, items, key, create, update) {
  const isAtEnd = parent.scrollHeight - parent.scrollTop - parent.clientHeight < 30;
  fill(parent, items, key, create, update);
  if (isAtEnd) parent.scrollTop = parent.scrollHeight;
}

addEventListener("resize", () => {
  for (const tail of document.querySelectorAll(".scroll")) tail.scrollTop = tail.scrollHeight;
});

function drawWords() {
  $("words").hidden = !Array.isArray(box.transcript);
  fillTail($("transcript"), list("transcript").slice(-50), (line) => `${line.at} ${line.who}`, () => {
    const node = make("li");
    node.append(make("small"), Object.assign(make("p"), { dir: "auto" }));
    return node;
  }, (node, line) => {
    node.className = line.who === "user" ? "user" : "jarvis";
    write(node.firstChild, `${line.who === "user" ? "You" : clean(line.name, 40) || "Jarvis"} ${timeOfDay(line.at)}`);
    write(node.lastChild, clean(line.text, 4000));
  });
}

function drawHealth() {
  const { level, problems } = wellness();
  const wrong = [
    ...problems.map(whole), ...sentences("word_problems").map((text) => `Wake word: ${text}`),
  ];
  lines($("health-wrong"), link === "live" ? wrong.map(upper) : []);
  const isWell = level === "well" && box.state !== "connecting";
  write($("well"), link !== "live" ? "Not known while the voice box is away." : isWell ? "All is well." : "Getting ready.");
  $("well").hidden = link === "live" && wrong.length > 0;
  const xruns = [["capture_xruns", "recording"], ["playback_xruns", "playing"]]
    .filter(([name]) => box[name] > 0).map(([name, words]) => `${box[name]} ${words}`).join(", ");
  const reconnects = Object.entries(record("reconnects")).filter(([, times]) => times > 0)
    .map(([reason, times]) => `${times} × ${clean(reason, 80)}`).join(", ");
  const latest = list("connection_list").at(-1);
  const trouble = record("last_trouble");
  const memory = number(box.rss_bytes);
  const age = number(box.session_age_s);
  const up = number(box.uptime_s);
  rows($("facts"), [
    ["Running for", up === undefined ? "" : coarse(up)],
    ["Session", age === undefined ? "none" : `open for ${coarse(age)}`],
    ["Reconnects", reconnects || "none"],
    ["Latest reconnect", latest ? `${timeOfDay(latest.at)} ${clean(latest.reason, 120)}` : ""],
    ["Gaps in sound", number(box.capture_xruns) === undefined ? "" : xruns || "none"],
    ["Devices lost", box.device_losses > 0 ? count(box.device_losses, "time") : ""],
    ["Latest trouble", clean(trouble.event, 60).replaceAll("_", " ")],
    ["Announcements", box.announcements > 0 ? `${box.announcements} waiting` : ""],
    ["Memory", memory === undefined ? "" : bytes(memory) + (number(box.threads) ? `, ${count(box.threads, "thread")}` : "")],
    ["Wake engine", clean(box.wake_engine, 60)],
  ]);
  const version = clean(box.version, 40);
  write($("version"), version && `jarvis-voiced ${version}`);
}

/// A span without its seconds once it is longer than two minutes, so that it does not change all the time.
const coarse = (s) => span(s < 120 ? s : s - (s % 60));

function drawLog() {
  const entries = list("log").slice(-50);
  $("no-log").hidden = entries.length > 0;
  $("log").hidden = !entries.length;
  fillTail($("log"), entries, (line) => `${line.at} ${line.text}`, () => {
    const node = make("li");
    node.append(make("time"), make("b"), make("span"));
    return node;
  }, (node, line) => {
    const level = clean(line.level, 12);
    const isBad = ["warning", "error", "critical"].includes(level);
    node.className = isBad ? "bad" : "";
    write(node.children[0], timeOfDay(line.at, true));
    write(node.children[1], isBad ? level : "");
    write(node.children[2], clean(line.text, 1000));
  });
}

// MARK: Changes

const health = ["health", "word_problems", "state", "capture_xruns", "playback_xruns",
  "reconnects", "connection_list", "last_trouble", "rss_bytes", "threads", "session_age_s", "uptime_s", "device_losses",
  "announcements", "wake_engine", "version"];
/// Which members each part of the page shows.
const parts = [
  [drawLevels, ["levels", "state"]],
  [drawNow, ["state", "text", "health", "microphone_muted", "volumes", "quiet", "mode", "wake_words", "wake_engine",
    "timer_list", "media", "name", "assistant"]],
  [drawVolumes, ["volumes", "quiet"]],
  [drawMedia, ["media", "stations"]],
  [drawTimers, ["timer_list"]],
  [drawTurns, ["turn_list", "turns_total", "turns_interrupted", "turns_failed"]],
  [drawWake, ["wake_list"]],
  [drawHearing, ["mode", "duplex", "duplex_reason", "echo", "heard", "microphone", "loudspeaker", "microphone_muted"]],
  [drawMoney, ["spent_today_usd", "spent_hour_usd", "budget_day_usd", "budget_hour_usd", "budget_spent_until",
    "tokens", "sent_today_s", "sent_today_bytes", "talk_today_min", "service"]],
  [drawWords, ["transcript"]],
  [drawHealth, health],
  [drawLog, ["log"]],
];

function draw(isTouched) {
  for (const [part, members] of parts) {
    if (!members.some(isTouched)) continue;
    try {
      part();
    } catch (error) {
      console.error(part.name, error); // One odd value must not stop the rest of the page.
    }
  }
}

function setLink(to) {
  if (link === to) return;
  link = to;
  draw((member) => ["levels", "state", "volumes", "media"].includes(member));
}

function take(line) {
  if (!line || typeof line !== "object") return;
  if (line.event === "bridge") {
    if (line.connected === false) setLink("daemon");
    return;
  }
  if (line.event !== "snapshot" && line.event !== "changed") return;
  const values = line.values && typeof line.values === "object" ? line.values : {};
  const isWhole = line.event === "snapshot";
  if (isWhole) for (const name of Object.keys(box)) delete box[name];
  lastWord = heardAt = Date.now();
  for (const [name, value] of Object.entries(values)) {
    since[name] = lastWord;
    if (value === null) delete box[name];
    else box[name] = value;
  }
  setLink("live");
  draw((member) => isWhole || Object.hasOwn(values, member));
}

// MARK: The connection

let stream;
/// The running loop of `follow`; none while the page is locked or hidden.
let following;

/// Follows /events until the session is refused, and tries again whenever the connection ends.
async function follow() {
  if (following) return;
  const me = (following = {});
  for (let pause = 500; following === me; pause = Math.min(pause * 2, 5000)) {
    stream = new AbortController();
    try {
      const answer = await fetch("events", { signal: stream.signal, cache: "no-store", headers: { Accept: "text/event-stream", ...session.header } });
      if (answer.status === 401) return lock();
      if (answer.ok) {
        pause = 250;
        lastBytes = Date.now();
        await read(answer.body.getReader());
      }
    } catch {
      // The bridge is away; the loop tries again.
    }
    if (following !== me) return;
    setLink("bridge");
    await new Promise((done) => setTimeout(done, pause));
  }
}

function unfollow() {
  following = undefined;
  stream?.abort();
}

let lastBytes = Date.now();
addEventListener("online", () => link !== "live" && stream?.abort());

async function read(reader) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    lastBytes = Date.now();
    const texts = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = texts.pop();
    if (rest.length > 4_000_000) throw new Error("a line without end");
    for (const text of texts) {
      if (!text.startsWith("data:")) continue;
      try {
        take(JSON.parse(text.slice(5)));
      } catch (error) {
        console.error("not understood", error);
      }
    }
  }
}

setInterval(() => {
  if (!following || document.hidden) return;
  // The daemon says something every 5 s at least.
  if (link === "live" && Date.now() - lastWord > 10_000) setLink("silent");
  // Nothing for longer than the bridge waits for a daemon that hangs: the network is cut, and no one has said so.
  if (Date.now() - lastBytes > 15_000) {
    lastBytes = Date.now();
    stream?.abort();
  }
  drawLink();
  write($("detail"), detail());
  drawProgress();
  drawCountdowns();
}, 1000);

// A hidden page leaves its connection to others: a browser keeps only six to one address.
let leaving;
document.addEventListener("visibilitychange", () => {
  clearTimeout(leaving);
  if (!document.hidden) return void enter();
  leaving = setTimeout(() => {
    unfollow();
    setLink("opening");
  }, 30_000);
});

// MARK: Coming in

/// The value that this browser was given for the token. Not a cookie: other ports of this host would be sent that.
const session = {
  name: "jarvis-session",
  own: "",
  get value() {
    try {
      return localStorage.getItem(this.name) ?? this.own;
    } catch {
      return this.own; // A browser that keeps nothing: until the page is closed.
    }
  },
  set value(value) {
    this.own = value;
    try {
      if (value) localStorage.setItem(this.name, value);
      else localStorage.removeItem(this.name);
    } catch {
      // As above.
    }
  },
  get header() {
    return this.value ? { Authorization: `Bearer ${this.value}` } : {};
  },
};

// Signed in or out in another tab.
addEventListener("storage", (event) => {
  if (event.key === session.name && event.newValue !== event.oldValue) enter();
});

function lock(why = "") {
  unfollow();
  body.classList.add("is-locked");
  $("page").hidden = true;
  $("locked").hidden = false;
  stopReading();
  $("answer").hidden = true;
  for (const node of [$("answer-question"), $("answer-text")]) write(node, "");
  show($("locked-why"), why);
  document.title = "Jarvis: locked";
  $("locked").focus();
}

/// Takes the token from the address, if there is one, and follows the box.
async function enter() {
  const token = location.hash.slice(1);
  if (token) {
    history.replaceState(null, "", location.pathname + location.search);
    try {
      const answer = await post("session", { token });
      if (answer.status === 403) return lock("That link does not open this page: it is old, or not complete.");
      if (!answer.ok) return lock(`The bridge could not let you in (${answer.status}). Try the link again in a moment.`);
      session.value = (await answer.json()).session;
    } catch {
      return lock("The bridge does not answer. Open the link again in a moment.");
    }
  }
  if (!session.value) return lock();
  body.classList.remove("is-locked");
  $("page").hidden = false;
  $("locked").hidden = true;
  follow();
}

const post = (path, values) => fetch(path, {
  method: "POST", headers: { "Content-Type": "application/json", ...session.header }, body: JSON.stringify(values),
});

addEventListener("hashchange", enter);
show($("open"), location.protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)
  && "Everyone in this network can read along: there is no encryption.");
$("again").addEventListener("click", enter);
$("leave").addEventListener("click", async () => {
  const answer = await post("logout", {}).catch(() => undefined);
  if (!answer) return lock("The bridge does not answer: this browser is still signed in. Try again in a moment.");
  session.value = "";
  lock("You are signed out.");
});

// MARK: Commands

/// Sends a command. What comes of it is said next to the control: an error always, a result if it was asked for.
async function send(from, command, values, saysResult) {
  const reply = from.closest("section").querySelector(".reply");
  clearTimeout(reply.timer);
  write(reply, "");
  from.setAttribute("aria-busy", "true");
  let error = "";
  let cause = "";
  let result;
  try {
    const reads = command === "ask";
    const answer = await post("command", { command, arguments: reads ? { ...values, reads: true } : values });
    if (answer.status === 401) return lock();
    const told = reads ? await readAnswer(answer, values.text) : await answer.json().catch(() => undefined);
    if (told?.ok === true) result = told.result;
    else error = clean(told?.error?.message, 500) || `The bridge answers ${answer.status}.`;
    cause = clean(told?.error?.cause, 20);
  } catch {
    error = "The bridge does not answer; nothing was done.";
  } finally {
    from.removeAttribute("aria-busy");
  }
  reply.classList.toggle("failed", error !== "");
  write(reply, error ? upper(error) : saysResult ? upper(clean(result?.text, 300)) : "");
  if (error) refuse(reply, reply.textContent, cause);
  else reply.timer = setTimeout(() => write(reply, ""), 8000);
  return !error;
}

/// Shows what comes of a typed question, below it, on this page alone. Returns the first line, the rest follows.
async function readAnswer(answer, question) {
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  async function line() {
    for (;;) {
      const end = rest.indexOf("\n");
      if (end >= 0) {
        const text = rest.slice(0, end);
        rest = rest.slice(end + 1);
        return JSON.parse(text);
      }
      const { value, done } = await reader.read();
      if (done) {
        if (!rest.trim()) return undefined;
        rest += "\n";
        continue;
      }
      rest += decoder.decode(value, { stream: true });
      if (rest.length > 100_000) throw new Error("a line without end");
    }
  }
  const first = await line().catch(() => undefined);
  if (first?.ok !== true) return first;
  stopReading();
  const me = (reading = { reader });
  $("answer").hidden = false;
  write($("answer-question"), clean(question, 1000));
  write($("answer-text"), "");
  $("answer").setAttribute("aria-busy", "true");
  (async () => {
    try {
      for (let next; (next = await line()) && reading === me;) {
        if (next.event !== "answer") continue;
        const text = clean(next.text, 4000);
        if (text) $("answer-text").append(make("p", "", text));
        if (next.done === true) break;
      }
    } catch {
      // What was read stays; the box is heard anyway.
    }
    if (reading !== me) return;
    $("answer").removeAttribute("aria-busy");
    if (!$("answer-text").children.length) $("answer-text").append(make("p", "faint", "There was no answer to read."));
  })();
  return first;
}

/// The question whose answer is being shown, and its stream.
let reading;

function stopReading() {
  reading?.reader.cancel().catch(() => {});
  reading = undefined;
}

const commandOf = ({ command, ...values }) => [command, values];

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-command]");
  if (!button || button.type === "submit") return;
  send(button, ...commandOf(button.dataset), button.dataset.action === "snooze");
});

// A page on the home screen of some phones has no address to open a link in.
$("key").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = $("key-text").value.trim();
  $("key-text").value = "";
  location.hash = given.slice(given.lastIndexOf("#") + 1);
});

for (const form of document.querySelectorAll("form[data-command]")) {
  // What was wrong with the words is no longer.
  form.addEventListener("input", () => {
    for (const refusal of refusals) if (!refusal.cause && form.closest("section").contains(refusal.reply)) dropRefusal(refusal);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = form.querySelector("input");
    const given = { ...form.dataset, ...event.submitter?.dataset, [input.name]: input.value };
    const sent = input.value;
    if (await send(form, ...commandOf(given), true) && input.value === sent) input.value = "";
  });
}

$("seek").addEventListener("input", ({ target }) => target.style.setProperty("--value", `${(100 * target.value) / target.max}%`));
$("seek").addEventListener("change", ({ target }) => {
  send(target, "media", { action: "seek", what: String(target.value) });
  target.blur();
});
$("station").addEventListener("change", async ({ target }) => {
  if (target.value) await send(target, "media", { action: "play", what: target.value }, true);
  target.value = "";
});

for (const slider of document.querySelectorAll("input[data-channel]")) {
  // One command at a time, and the latest value last.
  slider.addEventListener("input", async () => {
    drawSlider(slider);
    if (held.has(slider)) return;
    held.add(slider);
    for (let sent; sent !== slider.value;) {
      sent = slider.value;
      if (!await send(slider, "volume", { channel: slider.dataset.channel, percent: sent })) break;
    }
    held.delete(slider);
    setTimeout(drawVolumes, 500);
  });
}

// MARK: Explanations of the charts

let hiding;

function explain(button) {
  clearTimeout(hiding);
  const tip = $("tip");
  tip.textContent = button.querySelector(".words").textContent.replace(/^\. /, "");
  tip.hidden = false;
  const place = button.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const left = place.left + place.width / 2 - size.width / 2;
  const above = place.top - size.height - 6;
  tip.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - size.width - 8))}px`;
  tip.style.top = `${above > 8 ? above : place.bottom + 6}px`;
}

function hush(delay = 0) {
  clearTimeout(hiding);
  hiding = setTimeout(() => ($("tip").hidden = true), delay);
}

for (const chart of document.querySelectorAll(".rove")) {
  const target = (event) => event.target.closest("button");
  for (const name of ["pointerover", "focusin", "click"]) {
    chart.addEventListener(name, (event) => target(event) && explain(target(event)));
  }
  chart.addEventListener("pointerout", () => hush(200));
  chart.addEventListener("focusout", () => hush());
  chart.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const buttons = [...chart.querySelectorAll("button")];
    const to = buttons.indexOf(document.activeElement) + steps[event.key];
    buttons[Math.max(0, Math.min(buttons.length - 1, to))].focus();
  });
  chart.addEventListener("focusin", (event) => {
    for (const button of chart.querySelectorAll("button")) button.tabIndex = button === event.target ? 0 : -1;
  });
}
$("tip").addEventListener("pointerover", () => clearTimeout(hiding));
$("tip").addEventListener("pointerout", () => hush());
addEventListener("keydown", (event) => event.key === "Escape" && hush());
addEventListener("scroll", () => hush(), { passive: true });

enter();
