"""serve.py APPLICATION PROTOCOL PORT

APPLICATION is hello or form, PROTOCOL is http (by Paste), scgi or fastcgi. Listens on
127.0.0.1 and, once it does, makes $RATEBENCH_SCRATCH/PORT.up.
"""

import os
import socket
import sys

import applications
import gateway


# Paste waits for 5 connections if not told otherwise: then a proxy meets dropped SYNs,
# each of which costs it a second.
BACKLOG = 128


def up(port):
    open(os.path.join(os.environ["RATEBENCH_SCRATCH"], f"{port}.up"), "w").close()


def http(application, port):
    from paste import httpserver

    server = httpserver.serve(
        application, "127.0.0.1", port, start_loop=False, request_queue_size=BACKLOG)
    up(port)
    server.serve_forever()


def socketed(converse, application, port):
    listener = socket.create_server(("127.0.0.1", port), backlog=BACKLOG)
    up(port)
    gateway.serve(listener, converse, application)


def main(name, protocol, port):
    application = getattr(applications, name)
    if protocol == "http":
        http(application, int(port))
    else:
        socketed(getattr(gateway, protocol), application, int(port))


main(*sys.argv[1:])
