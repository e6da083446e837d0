"""The measured programs, and the changes that they have reported.

Times are in nanoseconds since 1970.
"""

import subprocess
import threading
from collections import defaultdict

from .markers import KINDS


class Contender:
    """A running program. A thread reads what it prints."""

    def __init__(self, program: str, env: dict[str, str]) -> None:
        self.program = program
        self.process = subprocess.Popen([program], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        # Time at which a change was first seen, by kind and by the time of the change.
        self.seen: dict[str, dict[int, int]] = defaultdict(dict)
        self.lock = threading.Lock()
        self.reader = threading.Thread(target=self.read)

    def wait_until_synced(self) -> None:
        # Lines before `synced` are ignored: kube-rs reports the annotations of the initial state,
        # which are from the previous run.
        if not any(line.strip() == "synced" for line in self.process.stdout):
            raise SystemExit(f"{self.program}: no sync")
        self.reader.start()

    def read(self) -> None:
        for line in self.process.stdout:
            kind, changed, at = line.split()
            with self.lock:
                self.seen[kind].setdefault(int(changed), int(at))

    def watches_since(self, ready: int) -> int | None:
        """Returns the time since which all kinds are watched, or `None` if one is not.

        A kind is watched if two changes made after `ready` were seen. The first one may be from a
        list; then the second one is from a watch.
        """
        with self.lock:
            times = [sorted(at for changed, at in self.seen[kind].items() if changed > ready) for kind in KINDS]
        return max(of_kind[1] for of_kind in times) if all(len(of_kind) > 1 for of_kind in times) else None

    def __enter__(self) -> "Contender":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        if self.reader.is_alive():
            self.reader.join()
        self.process.stdout.close()
