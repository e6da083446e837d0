"""Clients of the API server from which the data of built-in kinds is recorded."""

import base64
import http.client
import json
import pathlib
import re
import ssl
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass
class Server:
    """Address of an API server, with the TLS context that authenticates the client."""

    url: str
    context: ssl.SSLContext

    @classmethod
    def of(cls, kubeconfig: str) -> "Server":
        """Reads a kubeconfig in JSON, as the program `control-plane` writes it."""
        config = json.loads(pathlib.Path(kubeconfig).read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        text = {name: base64.b64decode(data).decode() for name, data in {**cluster, **user}.items() if name.endswith("-data")}
        context = ssl.create_default_context(cadata=text["certificate-authority-data"])
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(text["client-certificate-data"] + text["client-key-data"])
            file.flush()
            context.load_cert_chain(file.name)
        return cls(cluster["server"], context)

    def request(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, dict[str, str], str]:
        """Sends a request. Returns the code, headers and body of the response, also of an error."""
        data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers = {"Content-Type": "application/json", **headers}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.context) as answer:
                return answer.status, dict(answer.headers), answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read().decode()

    def get(self, path: str, accept: str = "application/json") -> dict:
        """Returns a JSON document. Exits if the response is not 200."""
        code, _, text = self.request("GET", path, Accept=accept)
        if code != 200:
            raise SystemExit(f"GET {path}: {code} {text}")
        return json.loads(text)


class Connection:
    """A connection for many requests. Unlike `Server.request`, it keeps repeated headers."""

    def __init__(self, server: Server) -> None:
        address = urlsplit(server.url)
        self.connection = http.client.HTTPSConnection(address.hostname or "", address.port, context=server.context)

    @classmethod
    def to(cls, kubeconfig: str) -> "Connection":
        """Opens a connection to the server of a kubeconfig."""
        return cls(Server.of(kubeconfig))

    def send(
        self, method: str, path: str, body: object, media_type: str = "application/json", accept: str = "application/json"
    ) -> tuple[dict, dict]:
        """Sends a request. Returns the code and warnings of the response, and its decoded body."""
        text = body if isinstance(body, str) else None if body is None else json.dumps(body, separators=(",", ":"))
        headers = {"Content-Type": media_type, "Accept": accept, "User-Agent": "tests/1"}
        self.connection.request(method, path, text, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        warnings = [unquoted(value) for value in answer.headers.get_all("Warning") or []]
        return {"code": answer.status, "warnings": warnings}, json.loads(text)


def unquoted(header: str) -> str:
    """Returns the text of a Warning header, which has the form `299 - "text"`."""
    quoted = re.fullmatch(r'299 - "(.*)"', header, re.DOTALL)
    text = quoted[1] if quoted else header
    return re.sub(r"\\(.)", r"\1", text)
