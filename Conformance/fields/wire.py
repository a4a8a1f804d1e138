# SPDX-License-Identifier: MIT
"""A server that keeps what came over the wire, and a driver to talk to it. Python's standard library only."""
import json
import os
import queue
import socket
import subprocess
import threading
import time

PATIENCE = 20
# The transport of the drivers, as their option --transport takes it; theirs by default if there is none.
TRANSPORT = os.environ.get("CONFORMANCE_TRANSPORT")


class Request:
    """A request as it came: header fields in order, the body without its framing."""

    def __init__(self, connection, method, target, fields, body, framing):
        self.connection, self.method, self.target = connection, method, target
        self.fields, self.body, self.framing = fields, body, framing
        self.path, _, self.query = target.partition("?")
        self.time = time.monotonic()

    def values(self, name):
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def value(self, name):
        return next(iter(self.values(name)), None)


class Connection:
    """One connection, to which a handler writes whatever it wants."""

    def __init__(self, peer):
        self.socket, self.file = peer, peer.makefile("rb")

    def read(self):
        line = self.file.readline().decode("latin-1").rstrip("\r\n")
        if not line:
            return None
        method, target, _ = line.split(" ")
        fields = []
        while line := self.file.readline().decode("latin-1").rstrip("\r\n"):
            name, _, value = line.partition(":")
            fields.append((name, value.strip()))
        named = {name.lower(): value for name, value in fields}
        if named.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(self.file.readline().split(b";")[0], 16):
                body += self.file.read(size)
                self.file.readline()
            while self.file.readline() not in (b"\r\n", b""):
                pass
            return Request(self, method, target, fields, body, "chunked")
        length = int(named.get("content-length", 0))
        framing = "length" if "content-length" in named else None
        return Request(self, method, target, fields, self.file.read(length), framing)

    def send(self, data):
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def head(self, status=200, fields=(), length=None):
        lines = ["HTTP/1.1 %d Status" % status, *("%s: %s" % field for field in fields)]
        lines.append("Transfer-Encoding: chunked" if length is None else "Content-Length: %d" % length)
        self.send("\r\n".join(lines) + "\r\n\r\n")

    def chunk(self, data):
        data = data.encode() if isinstance(data, str) else data
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self):
        self.send("0\r\n\r\n")

    def reply(self, status=200, body="", fields=()):
        body = body.encode() if isinstance(body, str) else body
        self.head(status, fields, len(body))
        self.send(body)

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.file.close()
        self.socket.close()

    def wait_for_close(self):
        """True once the client has closed the connection."""
        self.socket.settimeout(PATIENCE)
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True
        except TimeoutError:
            return False


class Server:
    """Answers by path; a handler takes a request and writes to its connection."""

    def __init__(self, **handlers):
        self.handlers = {"/" + name: handler for name, handler in handlers.items()}
        self.requests, self.closed, self.lock = [], queue.Queue(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(Connection(peer),), daemon=True).start()

    def serve(self, connection):
        try:
            while request := connection.read():
                with self.lock:
                    self.requests.append(request)
                handler = self.handlers.get(request.path) or self.handlers.get("/any")
                if handler(request) == "close":
                    break
        except (OSError, ValueError):
            pass
        finally:
            connection.close()

    def seen(self, path):
        with self.lock:
            return [request for request in self.requests if request.path == path]

    def wait(self, path, count=1):
        deadline = time.monotonic() + PATIENCE
        while len(self.seen(path)) < count and time.monotonic() < deadline:
            time.sleep(0.005)
        return self.seen(path)

    def stop(self):
        self.listener.close()


class Driver:
    """A driver process; requests get their identifiers here."""

    def __init__(self, program, directory, *options):
        if TRANSPORT:
            options += ("--transport", TRANSPORT)
        self.process = subprocess.Popen(
            [program, "serve", directory, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, bufsize=1,
        )
        self.lines, self.commands, self.last = {}, queue.Queue(), 0
        self.errors = []
        self.readers = [
            threading.Thread(target=self.listen, daemon=True),
            threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def listen(self):
        for text in self.process.stdout:
            line = json.loads(text)
            self.lines[line["id"]].put(line) if "id" in line else self.commands.put(line)

    def write(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def send(self, **request):
        self.last += 1
        self.lines[self.last] = queue.Queue()
        self.write({"id": self.last, **request})
        return self.last

    def line(self, number):
        return self.lines[number].get(timeout=PATIENCE)

    def rest(self, number):
        """The lines up to the last one."""
        lines = []
        while True:
            lines.append(self.line(number))
            if "end" in lines[-1] or "error" in lines[-1] or "body64" in lines[-1] or "file" in lines[-1]:
                return lines

    def ask(self, **request):
        lines = self.rest(self.send(**request))
        assert len(lines) == 1, lines
        return lines[0]

    def stream(self, **request):
        return self.rest(self.send(**request))

    def command(self, **line):
        self.write(line)
        return self.commands.get(timeout=PATIENCE)

    def stop(self):
        self.process.stdin.close()
        try:
            return self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "it did not end with its input"
        finally:
            self.process.wait()
            for reader in self.readers:
                reader.join()
            self.process.stdout.close()
            self.process.stderr.close()
