"""A voice client as a user would write it on the official SDK: what the microphone records goes to the service, and what the
model says to the loudspeaker. The peer of `VoiceBench peer`; it has no echo canceller.

    sdk_client.py ADDRESS CARD     ADDRESS: host:port of the service; CARD: PortAudio's name; the key is in OPENAI_API_KEY"""
import asyncio
import base64
import sys

import sounddevice
from openai import AsyncOpenAI

RATE = 24_000
BLOCK = RATE // 50  # 20 ms


async def send(connection, microphone):
    while True:
        block = await microphone.get()
        await connection.input_audio_buffer.append(audio=base64.b64encode(block).decode())


async def receive(connection, voice):
    async for event in connection:
        if event.type == "response.output_audio.delta":
            voice += base64.b64decode(event.delta)
        elif event.type == "input_audio_buffer.speech_started":
            voice.clear()  # the user interrupts
        elif event.type == "error":
            sys.exit(f"the service reports: {event.error.message}")


async def main(address, card):
    loop = asyncio.get_running_loop()
    microphone = asyncio.Queue()
    voice = bytearray()

    def exchange(recorded, played, _frames, _time, _status):
        """Called by PortAudio's thread for each block."""
        loop.call_soon_threadsafe(microphone.put_nowait, bytes(recorded))
        block = voice[: len(played)]
        del voice[: len(block)]
        played[:] = block.ljust(len(played), b"\0")

    audio = {"type": "audio/pcm", "rate": RATE}
    session = {
        "type": "realtime",
        "audio": {"input": {"format": audio, "turn_detection": {"type": "server_vad"}}, "output": {"format": audio}},
    }
    async with (
        AsyncOpenAI(base_url=f"http://{address}/v1", websocket_base_url=f"ws://{address}/v1") as client,
        client.realtime.connect(model="gpt-realtime") as connection,
    ):
        await connection.session.update(session=session)
        with sounddevice.RawStream(
            samplerate=RATE, blocksize=BLOCK, channels=1, dtype="int16", device=card, callback=exchange
        ):
            await asyncio.gather(send(connection, microphone), receive(connection, voice))


asyncio.run(main(*sys.argv[1:]))
