"""Measurements of code-generator, called as its kube_codegen.sh does, and of controller-gen."""

import pathlib
import shutil

from measure import LEAST_RUNS, Bench, Series, run, say

KUBERNETES, CONTROLLER_TOOLS = "0.36.3", "0.21.0"
PATIENCE = 30  # seconds of all generators, after which no run starts if there were LEAST_RUNS
LIMIT = 60  # seconds, after which a generator is killed
VERSIONS = f"code-generator {KUBERNETES}, controller-tools {CONTROLLER_TOOLS}; prebuilt, with a warm Go build cache, each stopped after {LIMIT} s."
MODULE = "example.com/bench"
SAME = ["client-gen", "lister-gen", "informer-gen", "controller-gen crd"]
ALSO = ["deepcopy-gen", "register-gen"]
MANIFEST = f"""module {MODULE}

go 1.26.0

require (
\tk8s.io/api v{KUBERNETES}
\tk8s.io/apimachinery v{KUBERNETES}
)
"""


def tools(bench: Bench) -> pathlib.Path:
    """Returns the folder of the generators, and installs missing ones."""
    folder = bench.cache / f"go-generators-{KUBERNETES}-{CONTROLLER_TOOLS}"
    wanted = [f"k8s.io/code-generator/cmd/{name}@v{KUBERNETES}" for name in SAME[:3] + ALSO]
    wanted.append(f"sigs.k8s.io/controller-tools/cmd/controller-gen@v{CONTROLLER_TOOLS}")
    for package in wanted:
        if not (folder / package.rsplit("/", 1)[1].split("@")[0]).exists():
            say(f"installing {package}")
            folder.mkdir(parents=True, exist_ok=True)
            run(["go", "install", package], bench.work, {"GOBIN": str(folder), "GOFLAGS": "-mod=mod"})
    return folder


def commands(folder: pathlib.Path, tools: pathlib.Path) -> dict[str, list[str]]:
    groups = sorted(path.name for path in (folder / "pkg" / "apis").iterdir())
    packages = [f"{MODULE}/pkg/apis/{group}/v1" for group in groups]
    out = f"{MODULE}/pkg/generated"

    def generator(name: str, *arguments: str) -> list[str]:
        return [str(tools / name), "-v", "0", "--go-header-file", "header.txt", *arguments]

    def into(place: str) -> list[str]:
        return ["--output-dir", f"pkg/generated/{place}", "--output-pkg", f"{out}/{place}"]

    inputs = [argument for group in groups for argument in ("--input", f"{group}/v1")]
    clients = ["--clientset-name", "versioned", "--input-base", f"{MODULE}/pkg/apis", "--prefers-protobuf=false", *inputs]
    informers = ["--versioned-clientset-package", f"{out}/clientset/versioned", "--listers-package", f"{out}/listers"]
    return {
        "deepcopy-gen": generator("deepcopy-gen", "--output-file", "zz_generated.deepcopy.go", *packages),
        "register-gen": generator("register-gen", "--output-file", "zz_generated.register.go", *packages),
        "client-gen": generator("client-gen", *into("clientset"), *clients),
        "lister-gen": generator("lister-gen", *into("listers"), *packages),
        "informer-gen": generator("informer-gen", *into("informers"), *informers, *packages),
        "controller-gen crd": [str(tools / "controller-gen"), "crd", "paths=./pkg/apis/...", "output:crd:dir=config/crd"],
    }


def clean(folder: pathlib.Path) -> None:
    for place in ["pkg/generated", "config"]:
        shutil.rmtree(folder / place, ignore_errors=True)
    for file in folder.glob("pkg/apis/*/v1/zz_generated.*.go"):
        file.unlink()


def measure(bench: Bench, kinds: int) -> dict[str, Series]:
    installed = tools(bench)
    folder = bench.api_set("go", kinds)
    (folder / "go.mod").write_text(MANIFEST)
    (folder / "header.txt").write_text("")
    run(["go", "mod", "tidy"], folder)
    say(f"Go, {kinds} kinds: warming the build cache")
    run(["go", "build", "./pkg/apis/..."], folder)
    costs: dict[str, Series] = {}
    for number in bench.repeat(PATIENCE, least=LEAST_RUNS):
        clean(folder)
        for name, command in commands(folder, installed).items():
            say(f"{name}, {kinds} kinds, run {number + 1}")
            costs.setdefault(name, Series()).costs.append(run(command, folder, limit=LIMIT))
    return costs
