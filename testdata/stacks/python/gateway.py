"""SCGI and FastCGI servers for a WSGI application.

They stand in for flup, which the old stacks used and Debian no longer has. As with
Paste, ten threads share the work. A connection carries one request: nginx, lighttpd
and Apache open a new one for each unless told otherwise.
"""

import io
import struct
import sys
import threading

THREADS = 10


def serve(listener, converse, application):
    """Answers on a listening socket for ever; converse is scgi or fastcgi."""

    def work():
        while True:
            connection, _ = listener.accept()
            try:
                with connection, connection.makefile("rb") as reader:
                    converse(reader, connection, application)
            except (OSError, EOFError, ValueError, struct.error) as error:
                print(f"{converse.__name__}: {error}", file=sys.stderr)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scgi(reader, connection, application):
    """One request: headers as a netstring, then the body."""
    length = b""
    while (byte := take(reader, 1)) != b":":
        length += byte
    fields = take(reader, int(length) + 1)[:-1].split(b"\0")[:-1]
    environ = {k.decode("latin-1"): v.decode("latin-1") for k, v in zip(fields[::2], fields[1::2])}
    body = take(reader, int(environ.get("CONTENT_LENGTH") or 0))
    connection.sendall(answer(application, environ, body))


# Record types of FastCGI (specification, section 8).
BEGIN_REQUEST, END_REQUEST, PARAMS, STDIN, STDOUT = 1, 3, 4, 5, 6
HEADER = struct.Struct("!BBHHBx")  # version, type, request, content's length, padding's
MOST = 65528  # bytes of content in a record: the largest multiple of 8


def fastcgi(reader, connection, application):
    """One request: streams of records, each stream ended by an empty record."""
    parts = {PARAMS: b"", STDIN: b""}
    request = 0
    while True:
        _, kind, request, length, padding = HEADER.unpack(take(reader, HEADER.size))
        content = take(reader, length + padding)[:length]
        if kind in parts:
            parts[kind] += content
        if kind == STDIN and not content:
            break
    page = answer(application, pairs(parts[PARAMS]), parts[STDIN])
    records = b"".join(record(STDOUT, request, page[i : i + MOST]) for i in range(0, len(page), MOST))
    done = record(STDOUT, request, b"") + record(END_REQUEST, request, bytes(8))
    connection.sendall(records + done)


def record(kind, request, content):
    padding = -len(content) % 8
    return HEADER.pack(1, kind, request, len(content), padding) + content + bytes(padding)


def pairs(data):
    """Names and values, each length in one byte or, with its first bit set, in four."""
    stream, environ = io.BytesIO(data), {}

    def size():
        first = take(stream, 1)
        if first[0] < 128:
            return first[0]
        return struct.unpack("!I", first + take(stream, 3))[0] & 0x7FFFFFFF

    while stream.tell() < len(data):
        name, value = size(), size()
        environ[take(stream, name).decode("latin-1")] = take(stream, value).decode("latin-1")
    return environ


def take(reader, count):
    data = reader.read(count)
    if len(data) != count:
        raise EOFError(f"the request ends after {len(data)} of {count} bytes")
    return data


def answer(application, environ, body):
    """What a CGI program prints: Status, the headers, the body."""
    head = []

    def start_response(status, headers, exc_info=None):
        head[:] = [f"Status: {status}"] + [f"{name}: {value}" for name, value in headers]

    environ.update({
        "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr, "wsgi.multithread": True, "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    })
    page = b"".join(application(environ, start_response))
    return "\r\n".join(head + ["", ""]).encode("latin-1") + page
