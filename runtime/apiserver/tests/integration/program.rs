//! Tests of the program `genclient-apiserver`: served kinds, rejected arguments and exit.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

const DEFINITION: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: books.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: books, kind: Book}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {pages: {type: integer, default: 1}}}
";
const BOOK: &str = "{apiVersion: example.com/v1, kind: Book, metadata: {name: one}, spec: {}}";

/// Folder that is removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("genclient-apiserver-test-{}-{name}", std::process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Running program, killed when dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-apiserver"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

fn run_program(arguments: &[&str]) -> Output {
    program_command(arguments).output().unwrap()
}

/// Returns the body of a response.
fn get_body(address: &str, path: &str) -> String {
    get_as(address, path, "")
}

/// Returns the body of a response to a request with an additional header.
fn get_as(address: &str, path: &str, header: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close");
    let request = format!("{head}{header}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

impl Running {
    /// Starts the program and returns it with its kubeconfig and its address.
    fn start(command: &mut Command) -> (Self, String, String) {
        let child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut running = Self(child);
        let mut line = String::new();
        let output = running.0.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let kubeconfig = line.strip_prefix("export KUBECONFIG=").unwrap().trim();
        let text = fs::read_to_string(kubeconfig).unwrap();
        let address = text
            .split_once("http://")
            .unwrap()
            .1
            .split(|next: char| next == '"' || next.is_whitespace())
            .next()
            .unwrap()
            .to_owned();
        (running, kubeconfig.to_owned(), address)
    }

    /// Signals the program to stop and waits for its exit.
    fn stop(&mut self) {
        let process = self.0.id().to_string();
        let killed = Command::new("kill").arg(process).status().unwrap();
        assert!(killed.success());
        assert!(self.0.wait().unwrap().success());
    }
}

#[test]
fn serves_objects_of_files_until_stopped() {
    let folder = Folder::new("serves");
    folder.file("crd.yaml", DEFINITION);
    let book = folder.file("book.yaml", BOOK);
    let crds = folder.0.to_str().unwrap();
    let mut command = program_command(&["--crds", crds, "--manifests", &book]);
    let (mut running, kubeconfig, address) = Running::start(command.stderr(Stdio::null()));

    let book = "/apis/example.com/v1/namespaces/default/books/one";
    let body = get_body(&address, book);
    assert!(body.contains(r#""spec":{"pages":1}"#), "{body}");

    running.stop();
    assert!(
        !fs::exists(kubeconfig).unwrap(),
        "it takes its own file with it"
    );
}

#[test]
fn tokens_authenticate_users_and_requests_are_logged() {
    let folder = Folder::new("tokens");
    let file = folder.file("tokens.csv", "filed,bob,7,\"dev,system:masters\"\n");
    let account = "account=system:serviceaccount:default:manager";
    let tokens = ["--token=given=alice,dev", "--token", account];
    let mut command = program_command(&tokens);
    command.args(["--token-auth-file", &file, "--no-controllers"]);
    command.env("RUST_LOG", "genclient_apiserver=debug");
    let (mut running, _, address) = Running::start(command.stderr(Stdio::piped()));
    let pods = "/api/v1/namespaces/default/pods";
    let as_token = |token: &str| {
        get_as(
            &address,
            pods,
            &format!("\r\nAuthorization: Bearer {token}"),
        )
    };
    for (token, expected) in [
        ("given", r#"User \"alice\" cannot list"#),
        (
            "account",
            r#"User \"system:serviceaccount:default:manager\" cannot list"#,
        ),
        ("filed", r#""kind":"PodList""#),
        ("other", r#""code":401"#),
    ] {
        let body = as_token(token);
        assert!(body.contains(expected), "{token}: {body}");
    }
    running.stop();
    let mut log = String::new();
    let mut output = running.0.stderr.take().unwrap();
    output.read_to_string(&mut log).unwrap();
    for code in ["403", "200", "401"] {
        let line = format!("request method=GET path=\"{pods}\" code={code} duration=");
        assert!(log.contains(&line), "{log}");
    }
}

#[test]
fn startup_errors_are_reported() {
    let folder = Folder::new("refused");
    let wrong = folder.file(
        "wrong.yaml",
        &DEFINITION.replace("plural: books", "plural: Books"),
    );
    let unknown = folder.file("unknown.yaml", BOOK);
    let broken = folder.file("broken.yaml", "a: [");
    let foreign = folder.file("kubeconfig", "apiVersion: v1\nkind: Config\n");
    let missing = folder.0.join("missing.yaml");
    let missing = missing.to_str().unwrap();
    let tokens = folder.file("tokens.csv", "secret,alice\n");
    let cases: [(&[&str], i32, &str); 12] = [
        (
            &["--token-auth-file", &tokens],
            1,
            "tokens.csv: line 1: expected at least 3 columns",
        ),
        (&["--token", "secret"], 2, "expected TOKEN=USER"),
        (&["--token", "=alice"], 2, "expected TOKEN=USER"),
        (
            &["--feature-gates=ShardedListAndWatch=true,WatchList=true"],
            2,
            "unrecognized feature gate: WatchList",
        ),
        (
            &["--feature-gates=ShardedListAndWatch"],
            2,
            "expected GATE=true or GATE=false",
        ),
        (&["--crds", &wrong], 1, r#"Invalid value: "Books": "#),
        (
            &["--manifests", &unknown],
            1,
            r#"no matches for kind "Book""#,
        ),
        (&["--crds", &broken], 1, "broken.yaml: "),
        (&["--crds", missing], 1, "missing.yaml: "),
        (
            &["--kubeconfig", &foreign],
            1,
            "remove it or name another file",
        ),
        (&["--bind-address", "nowhere"], 2, "--bind-address"),
        (&["--crd", &wrong], 2, "--crds"),
    ];
    for (arguments, code, message) in cases {
        let output = run_program(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(message), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert_eq!(
        fs::read_to_string(foreign).unwrap(),
        "apiVersion: v1\nkind: Config\n"
    );
}

#[test]
fn help_completions_and_version_are_printed() {
    for (arguments, message) in [
        (&["--help"], "kubectl --kubeconfig dev.kubeconfig get crds"),
        (&["--help"], "--token <TOKEN=USER[,GROUP...]>"),
        (&["--completions=bash"], "genclient-apiserver"),
        (&["--version"], env!("CARGO_PKG_VERSION")),
    ] {
        let output = run_program(arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(message), "{text}");
    }
}
