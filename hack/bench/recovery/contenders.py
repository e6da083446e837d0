"""The programs that are measured, and what they have reported.

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
        # By kind, and by the time of a change: when it was seen first.
        self.seen: dict[str, dict[int, int]] = defaultdict(dict)
        self.lock = threading.Lock()
        self.reader = threading.Thread(target=self.read)

    def wait_until_synced(self) -> None:
        # The first state holds changes of the run before, and kube-rs reports those.
        if not any(line.strip() == "synced" for line in self.process.stdout):
            raise SystemExit(f"{self.program}: no sync")
        self.reader.start()

    def read(self) -> None:
        for line in self.process.stdout:
            kind, changed, at = line.split()
            with self.lock:
                self.seen[kind].setdefault(int(changed), int(at))

    def watches_since(self, ready: int) -> int | None:
        """When the last kind had its second change made after `ready`, or `None` if it has not.

        The first change may have come with a list. The second one then comes from a watch.
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
