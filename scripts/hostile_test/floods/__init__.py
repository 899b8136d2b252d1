"""One file for each service whose messages can keep the daemon busy. `send(connection, 0)` begins an answer."""
import base64
import struct

TONE = [8000 if number // 20 % 2 else -8000 for number in range(4800)]


def encoded(count):
    return base64.b64encode(struct.pack(f"<{count}h", *(TONE * (count // len(TONE) + 1))[:count])).decode()
