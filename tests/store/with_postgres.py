#!/usr/bin/env python3
"""Run a command beside a private PostgreSQL server: with_postgres.py [--own] COMMAND [ARGUMENT]...

The server has a new data folder and a Unix socket below the temporary folder, and no network. Its
address is in REFRACT_TEST_POSTGRES while the command runs; the exit status is the command's. It is
stopped and removed afterwards, whatever happens; should this program be killed, the system stops the
server. Where REFRACT_TEST_POSTGRES is set already, that server is used, so that one outside serves many
inside; empty means none. With --own there is a server for this command alone, which may restart it: the
process in REFRACT_TEST_POSTGRES_KEEPER does so at SIGUSR1, and at SIGUSR2 as if the power had gone. Where
PostgreSQL is not installed, the command runs without it and skips what needs it.
"""
import ctypes
import glob
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

VARIABLE = "REFRACT_TEST_POSTGRES"
KEEPER = "REFRACT_TEST_POSTGRES_KEEPER"
START_S = 300
STOP_S = 20
PR_SET_PDEATHSIG = 1
# Small, and as careful with the disk as a real one.
SETTINGS = {
    "listen_addresses": "",
    "fsync": "on",
    "shared_buffers": "32MB",
    "max_connections": "100",
    "unix_socket_permissions": "0700",
}


def programs():
    """The folder with initdb and postgres, the newest; or None."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    found.sort(key=lambda path: float(re.search(r"postgresql/([\d.]+)", path).group(1)))
    path = found[-1] if found else shutil.which("initdb")
    return os.path.dirname(os.path.realpath(path)) if path else None


def server_user():
    """Whom the server runs as: it refuses to be root."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    raise SystemExit("with_postgres: there is no user who could run the server")


def die_with_parent():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGQUIT])
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


class Cluster:
    """A server of its own. Use it with `with`; restart() is for tests of broken connections."""

    def __init__(self, bin_folder):
        self.bin = bin_folder
        self.user = server_user()
        self.process = None
        # Everybody may pass /tmp; a socket's path may not be long.
        self.folder = tempfile.mkdtemp(prefix="refract-pg-", dir="/tmp")
        self.data = os.path.join(self.folder, "data")
        self.log = os.path.join(self.folder, "log")
        self.address = f"postgres:///postgres?host={self.folder}&user=refract"
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)

    def spawn(self, command, **how):
        if self.user:
            how.update(user=self.user.pw_uid, group=self.user.pw_gid, extra_groups=[])
        # A session of its own: Ctrl-C is for the command; the server goes after it.
        return subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL,
                                start_new_session=True, preexec_fn=die_with_parent, **how)

    def make(self):
        """A natural order of texts, not that of their bytes: what relies on one must say so."""
        initdb = os.path.join(self.bin, "initdb")
        command = [initdb, "-D", self.data, "-U", "refract", "-A", "trust", "-E", "UTF8",
                   "--locale=C.UTF-8", "--no-sync"]
        known = subprocess.run([initdb, "--help"], capture_output=True, text=True, check=True).stdout
        natural = ["--locale-provider=icu", "--icu-locale=en-US"]
        for more in [natural, []] if "--locale-provider" in known else [[]]:
            with open(self.log, "ab") as log:
                if self.spawn(command + more, stdout=log, stderr=log).wait() == 0:
                    return
            shutil.rmtree(self.data, ignore_errors=True)
        raise SystemExit("with_postgres: initdb failed:\n" + self.read_log())

    def read_log(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()[-4000:]

    def is_ready(self):
        ask = [os.path.join(self.bin, "pg_isready"), "-q", "-h", self.folder, "-d", "postgres"]
        return subprocess.run(ask, check=False).returncode == 0

    def start(self):
        command = [os.path.join(self.bin, "postgres"), "-D", self.data, "-k", self.folder]
        for name, value in SETTINGS.items():
            command += ["-c", f"{name}={value}"]
        with open(self.log, "ab") as log:
            self.process = self.spawn(command, stdout=log, stderr=log)
        until = time.monotonic() + START_S
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                raise SystemExit("with_postgres: the server does not start:\n" + self.read_log())
            time.sleep(0.05)

    def stop(self, how=signal.SIGINT):
        """SIGINT ends its connections first; SIGQUIT is as if the power went."""
        if not self.process or self.process.poll() is not None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def restart(self, how=signal.SIGINT):
        self.stop(how)
        self.start()

    def __enter__(self):
        try:
            self.make()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)


def run(command, environment):
    """The command's exit status; if we are stopped, it is too."""
    process = subprocess.Popen(command, env=environment)
    while True:
        try:
            status = process.wait()
            return status if status >= 0 else 128 - status
        except KeyboardInterrupt:
            continue  # it got the same signal
        except BaseException:
            process.terminate()
            process.wait()
            raise


def main(command):
    own = command[:1] == ["--own"]
    command = command[own:]
    if not command:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    bin_folder = programs()
    outside = os.environ.get(VARIABLE)
    if outside == "" or (outside and not own) or not bin_folder:
        os.execvp(command[0], command)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(128 + signal.SIGHUP))
    with Cluster(bin_folder) as cluster:
        environment = {**os.environ, VARIABLE: cluster.address}
        if own:
            signal.signal(signal.SIGUSR1, lambda *_: cluster.restart())
            signal.signal(signal.SIGUSR2, lambda *_: cluster.restart(signal.SIGQUIT))
            environment[KEEPER] = str(os.getpid())
        return run(command, environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
