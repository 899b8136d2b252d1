"""One check of scripts/sound-inputs-test or airplay-check: waits for its moment, records the loudspeaker, and judges the level of the music's tone.

    sound_inputs.py alone|asked|voice|back|quieter|stopped|device

In the environment: CONTROL, the command of the control socket; RECORD, that of the room; OUT, a folder. `alone` is what the others
are compared with."""
import array, json, math, os, pathlib, statistics, subprocess, sys, time, wave

what, out = sys.argv[1], pathlib.Path(os.environ["OUT"])
TONE = 5000
# In dB below `alone`: ducked_level 0.6; volumes are cubes, 0.4 against 0.7.
EXPECTED = {"asked": 20 * math.log10(0.6), "voice": 20 * math.log10(0.6), "back": 0,
            "quieter": 60 * math.log10(40 / 70), "device": 0}
# The state of the conversation in which it is recorded, and for how long, in seconds.
MOMENTS = {"asked": ("waitingForJarvis", 1.5), "voice": ("aiSpeaking", 1.0)}
# What snapserver, snapclient and the daemon's own volume make of a sine of -12 dBFS: its peak at 70 %, in dBFS.
ALONE = -12 + 60 * math.log10(0.7)


def state():
    asked = subprocess.run([*os.environ["CONTROL"].split(), "--json", "status"], capture_output=True, text=True, check=True)
    return json.loads(asked.stdout)["state"]


def until(wanted, seconds):
    end = time.monotonic() + seconds
    while (now := state()) not in wanted:
        if time.monotonic() > end:
            sys.exit(f"sound_inputs.py: {what}: the state is {now}, not {' or '.join(wanted)}, after {seconds} s")
        time.sleep(0.02)


def level(samples, rate):
    """The peak of the tone, in dBFS, by its part of a Fourier transform. In pieces of 20 ms, since snapclient moves its frequency a
    little."""
    turn, step = 2 * math.pi * TONE / rate, rate // 50
    waves = [(math.cos(turn * index), math.sin(turn * index)) for index in range(step)]
    powers = []
    for start in range(0, len(samples) - step + 1, step):
        piece = samples[start:start + step]
        real = sum(value * wave[0] for value, wave in zip(piece, waves))
        imaginary = sum(value * wave[1] for value, wave in zip(piece, waves))
        powers.append((2 * math.hypot(real, imaginary) / step / 32768) ** 2)
    return 10 * math.log10(max(1e-12, sum(powers) / len(powers)))


def recorded(seconds):
    """Its levels, by quarters of a second."""
    file = out / f"{what}.wav"
    subprocess.run([os.environ["RECORD"], str(file), "--seconds", str(seconds)], check=True, stdout=subprocess.DEVNULL)
    with wave.open(str(file)) as sound:
        rate = sound.getframerate()
        samples = array.array("h", sound.readframes(sound.getnframes()))[::sound.getnchannels()]
    step = rate // 4
    return [level(samples[start:start + step], rate) for start in range(0, len(samples) - step + 1, step)]


moment, seconds = MOMENTS.get(what, (None, 1.5))
if moment:
    until({moment}, 20)
    # The way down takes a moment.
    time.sleep(0.4)
if what == "back":
    until({"listening", "idle"}, 20)
    time.sleep(1)
if what in ("quieter", "stopped"):
    time.sleep(0.5)
levels = recorded(seconds)
if moment and state() != moment:
    # Its end belongs to the next moment.
    levels = levels[:-2]
# snapclient leaves a gap where it follows its server's clock, at first and on a busy machine.
level_now = statistics.median(levels) if levels else -120
shown = " ".join(f"{value:.1f}" for value in levels)
if what == "stopped":
    # A program that continues must stay silent.
    levels += recorded(3)
    if max(levels) > -80:
        sys.exit(f"sound_inputs.py: stopped: the tone is still heard, {max(levels):.1f} dBFS")
    print("ok    stopped: silent, while the program plays on")
    sys.exit()
if what == "alone":
    (out / "alone").write_text(str(level_now))
    if abs(level_now - ALONE) > 1.5:
        sys.exit(f"sound_inputs.py: alone: {shown} dBFS, not {ALONE:.1f}")
    print(f"ok    alone: {level_now:.1f} dBFS")
    sys.exit()
alone = float((out / "alone").read_text())
if abs(level_now - alone - EXPECTED[what]) > 1:
    sys.exit(f"sound_inputs.py: {what}: {shown} dBFS, not {alone + EXPECTED[what]:.1f}")
print(f"ok    {what}: {level_now - alone:+.1f} dB")
