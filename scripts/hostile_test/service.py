"""A voice service that opens a session correctly and then does what a case says."""
import base64
import hashlib
import json
import os
import socket
import struct
import threading
import time


class Connection:
    def __init__(self, plain):
        self.socket = plain
        self.lock = threading.Lock()
        self.is_open = True
        self.pongs = 0
        self.outputs = []
        self.received = 0
        self.sound = 0
        self.ready = threading.Event()

    def frame(self, payload, opcode=1, final=True):
        payload = payload if isinstance(payload, bytes) else payload.encode("utf-8", "surrogatepass")
        size = len(payload)
        head = bytes([opcode | (0x80 if final else 0)])
        head += bytes([size]) if size < 126 else (b"\x7e" + struct.pack(">H", size) if size < 65536
                                                   else b"\x7f" + struct.pack(">Q", size))
        self.raw(head + payload)

    def raw(self, data):
        try:
            with self.lock:
                self.socket.sendall(data)
        except OSError:
            self.is_open = False

    def event(self, **event):
        self.frame(json.dumps(event))

    def settle(self, seconds=3):
        """Waits until everything sent was read, as the pong to a final ping shows. False if the connection is gone."""
        before = self.pongs
        self.frame(b"", opcode=9)
        end = time.monotonic() + seconds
        while self.is_open and self.pongs == before and time.monotonic() < end:
            time.sleep(0.005)
        return self.is_open and self.pongs > before

    def _read(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        self.received += count
        return data

    def serve(self):
        try:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += self._read(1)
            key = next(line.split(b":", 1)[1].strip() for line in head.split(b"\r\n")
                       if line.lower().startswith(b"sec-websocket-key"))
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            self.raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
            self._opened()
            while True:
                first, size = self._read(2)
                size &= 127
                if size > 125:
                    size = int.from_bytes(self._read(2 if size == 126 else 8), "big")
                mask = self._read(4)
                payload = self._read(size)
                opcode = first & 15
                if opcode == 10:
                    self.pongs += 1
                elif opcode == 9:
                    self.frame(bytes(b ^ mask[i % 4] for i, b in enumerate(payload)), opcode=10)
                elif opcode == 8:
                    raise ConnectionError
                elif size < 1 << 16 and opcode == 1:
                    repeated = (mask * (size // 4 + 1))[:size]
                    text = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
                    self._take(json.loads(text))
        except (OSError, ConnectionError, ValueError, StopIteration):
            pass
        self.is_open = False
        self.socket.close()

    def _opened(self):
        self.event(type="session.created", event_id="e0", session={"id": "s", "type": "realtime"})

    def _take(self, event):
        if event["type"] == "input_audio_buffer.append":
            self.sound += len(json.dumps(event, separators=(",", ":")))
            return
        if event["type"] == "session.update":
            self.event(type="session.updated", event_id="e1",
                       session={"id": "s", "object": "realtime.session", **event["session"]})
            self.ready.set()
        elif event["type"] == "conversation.item.create":
            item = event["item"]
            self.event(type="conversation.item.added", item=item)
            if item.get("type") == "function_call_output":
                self.outputs.append(item)


class Service:
    def __init__(self, kind=Connection):
        self.kind = kind
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            plain, _ = self.listener.accept()
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = self.kind(plain)
            self.connections.append(connection)
            threading.Thread(target=connection.serve, daemon=True).start()

    def current(self, seconds=12):
        """The newest connection with an open session; None if there is none in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for connection in reversed(self.connections):
                if connection.is_open and connection.ready.is_set():
                    return connection
            time.sleep(0.01)
        return None


def turn(connection, number, call=None, name="ask_jarvis"):
    """A turn of the user, answered by a tool call if `call` has its arguments."""
    item = f"u{number}"
    connection.event(type="input_audio_buffer.speech_started", audio_start_ms=number * 10, item_id=item)
    connection.event(type="input_audio_buffer.speech_stopped", audio_end_ms=number * 10 + 500, item_id=item)
    connection.event(type="input_audio_buffer.committed", item_id=item, previous_item_id=None)
    connection.event(type="conversation.item.added", item={"id": item, "type": "message", "role": "user",
                                                           "content": [{"type": "input_audio"}]})
    connection.event(type="response.created", response={"id": f"r{number}", "status": "in_progress", "output": []})
    if call is not None:
        function = {"id": f"f{number}", "type": "function_call", "name": name, "call_id": f"c{number}",
                    "arguments": call, "status": "completed"}
        connection.event(type="response.output_item.added", response_id=f"r{number}", output_index=0,
                         item={**function, "arguments": "", "status": "in_progress"})
        connection.event(type="response.function_call_arguments.done", response_id=f"r{number}", item_id=f"f{number}",
                         output_index=0, call_id=f"c{number}", name=name, arguments=call)
        connection.event(type="response.output_item.done", response_id=f"r{number}", output_index=0, item=function)
    connection.event(type="response.done", response={"id": f"r{number}", "status": "completed",
                                                     "output": [function] if call is not None else [], "usage": None})


class Replies:
    """An HTTP server: `reply` answers POST and GET /m..., `usual` everything else."""

    def __init__(self, usual=b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.usual = usual
        self.reply = None
        self.asked = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            plain, _ = self.listener.accept()
            threading.Thread(target=self._serve, args=[plain], daemon=True).start()

    def _serve(self, plain):
        try:
            plain.settimeout(5)
            head = b""
            while b"\r\n\r\n" not in head and len(head) < 1 << 20:
                piece = plain.recv(65536)
                if not piece:
                    return
                head += piece
            reply = self.reply if b"POST" in head[:5] or b"GET /m" in head[:7] else None
            self.asked += 1
            for piece in reply() if callable(reply) else [reply or self.usual]:
                if isinstance(piece, float):
                    time.sleep(piece)
                else:
                    plain.sendall(piece)
            plain.shutdown(socket.SHUT_WR)
            plain.recv(1 << 20)
        except OSError:
            pass
        finally:
            plain.close()


class Wyoming:
    """A wake word server that reports a detection on command."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.received = 0
        self.clients = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            self.clients.append(client)
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client):
        try:
            while piece := client.recv(65536):
                self.received += len(piece)
        except OSError:
            pass
        client.close()

    def detect(self, word="hey_jarvis"):
        self.clients[-1].sendall(json.dumps({"type": "detection", "data": {"name": word}}).encode() + b"\n")


def noise(count):
    return os.urandom(count)
