"""The API server that the data of built-in kinds is taken from."""

import json
import pathlib
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass


@dataclass
class Server:
    """Where it listens, and what it takes to be let in."""

    url: str
    token: str
    context: ssl.SSLContext

    @classmethod
    def of(cls, kubeconfig: str) -> "Server":
        """The server of a kubeconfig in JSON, as the program `control-plane` writes it."""
        config = json.loads(pathlib.Path(kubeconfig).read_text())
        cluster = config["clusters"][0]["cluster"]
        context = ssl.create_default_context(cafile=cluster["certificate-authority"])
        return cls(cluster["server"], config["users"][0]["user"]["token"], context)

    def request(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, dict[str, str], str]:
        """Sends one request; the answer's code, headers and body, whatever the code."""
        data = body.encode() if isinstance(body, str) else body and json.dumps(body).encode()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.context) as answer:
                return answer.status, dict(answer.headers), answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read().decode()

    def get(self, path: str, accept: str = "application/json") -> dict:
        """A document that has to be there."""
        code, _, text = self.request("GET", path, Accept=accept)
        if code != 200:
            raise SystemExit(f"GET {path}: {code} {text}")
        return json.loads(text)
