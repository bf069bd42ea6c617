#!/usr/bin/env python3
"""A PostgreSQL password on its way: a server that knows no encryption and asks for the password as it is gets it on
this machine's loopback, and never at an address that could be another machine's.

    test_postgres_password.py PATH-OF-REFRACT [elsewhere]

The other machine is an address in a network of our own (a namespace that has nothing but its loopback interface).
"""
import ctypes
import fcntl
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading

REFRACT = os.path.abspath(sys.argv[1])
ELSEWHERE = "192.0.2.1"  # for documentation: nobody has it
PASSWORD = "swordfish-4711"
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFADDR, SIOCSIFFLAGS, IFF_UP = 0x8916, 0x8914, 1


def enter_own_network():
    """Our loopback interface becomes the other machine's address. Why not, where that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return f"no network of our own: {os.strerror(ctypes.get_errno())}"
    name = b"lo".ljust(16, b"\0")
    address = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(ELSEWHERE))
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            fcntl.ioctl(s, SIOCSIFFLAGS, name + struct.pack("H", IFF_UP) + bytes(14))
            fcntl.ioctl(s, SIOCSIFADDR, name + address)
    except OSError as e:
        return f"no address for the loopback interface: {e}"
    return None


class Server:
    """Speaks as much of PostgreSQL's protocol as it takes to be told a password. `heard` is all that it was sent."""

    def __init__(self, host):
        self.heard, self.asked_for_encryption = b"", False
        self.listener = socket.create_server((host, 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(30)
                try:
                    self.talk(connection)
                except OSError:
                    pass

    def talk(self, connection):
        while data := connection.recv(4096):
            self.heard += data
            if data[4:8] in (struct.pack("!I", 80877103), struct.pack("!I", 80877104)):  # SSLRequest, GSSENCRequest
                self.asked_for_encryption = True
                connection.sendall(b"N")
            elif data[4:8] == struct.pack("!I", 196608):                                 # StartupMessage
                connection.sendall(b"R" + struct.pack("!II", 8, 3))                      # the password, as it is
            else:
                message = b"SFATAL\0C28P01\0Mno\0\0"
                connection.sendall(b"E" + struct.pack("!I", len(message) + 4) + message)
                return


def list_sessions(address, folder, **env):
    config = folder / "config" / "refract"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.yaml").write_text(f"store: {{address: \"{address}\"}}\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return subprocess.run(
        [REFRACT, "sessions", "list"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={**kept, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "PGPASSWORD": PASSWORD,
             "PGUSER": "anna", **env})


def expect(good, message):
    if not good:
        raise AssertionError(message)


def here(folder):
    server = Server("127.0.0.1")
    done = list_sessions(f"postgres://127.0.0.1:{server.port}/x", folder)
    if "without PostgreSQL" in done.stderr or "library of PostgreSQL" in done.stderr:
        return "skipped: " + done.stderr.strip()
    expect(done.returncode == 8, done)
    expect(PASSWORD.encode() in server.heard, f"the server was not told: {done.stderr}")
    return "a server on the loopback is told the password"


def elsewhere(folder):
    ways = [({}, ""), ({}, "?sslmode=prefer"), ({}, "?sslmode=disable"), ({}, "?sslmode=allow"),
            ({"PGSSLMODE": "disable"}, ""), ({"PGSSLMODE": "prefer"}, "")]
    for env, query in ways:
        server = Server(ELSEWHERE)
        done = list_sessions(f"postgres://{ELSEWHERE}:{server.port}/x{query}", folder, **env)
        expect(PASSWORD.encode() not in server.heard, f"{env} {query}: the password was sent in clear")
        expect(b"anna" not in server.heard, f"{env} {query}: who asks was sent in clear")
        expect(done.returncode == 8 and "hint:" in done.stderr, f"{env} {query}: {done}")
        refused = "disable" in (query + str(env)) or "allow" in query
        expect(server.asked_for_encryption != refused, f"{env} {query}: {done.stderr}")
        expect(("unencrypted" if refused else "SSL") in done.stderr, f"{env} {query}: {done.stderr}")
        expect(PASSWORD not in done.stderr, done.stderr)
    return f"a server elsewhere is told nothing in clear, in {len(ways)} ways to ask for it"


def main():
    with tempfile.TemporaryDirectory(prefix="refract-password-") as folder:
        if sys.argv[2:] == ["elsewhere"]:
            why = enter_own_network()
            print(f"skipped: {why}" if why else elsewhere(pathlib.Path(folder)))
            return 0
        said = here(pathlib.Path(folder))
        print(said, flush=True)
        # A process that has threads cannot leave its namespaces: another one does.
        return 0 if said.startswith("skipped") else subprocess.run([sys.executable, *sys.argv, "elsewhere"]).returncode


if __name__ == "__main__":
    sys.exit(main())
