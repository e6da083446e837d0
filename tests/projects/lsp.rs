//! [`LanguageServer`]: a language server over its standard input and output.
//!
//! The Language Server Protocol frames messages of JSON-RPC by a header `Content-Length`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Maximum time of a wait. The first check of a project compiles its dependencies.
const PATIENCE: Duration = Duration::from_secs(600);
/// The server's state has changed during a request, which the client repeats.
const CONTENT_MODIFIED: i64 = -32801;

/// A running language server. Dropping it ends the process.
pub struct LanguageServer {
    process: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    /// The server's section of the editor's settings.
    pub settings: Value,
    last_id: u64,
    /// The diagnostics of each file, by URI.
    pub diagnostics: BTreeMap<String, Vec<Value>>,
}

impl LanguageServer {
    /// Starts the server for the folder `root`, which is a URI.
    pub fn start(command: &mut Command, capabilities: &Value, root: &str, settings: Value) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = process.stdin.take().unwrap();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            while let Some(message) = read_message(&mut stdout)
                && sender.send(message).is_ok()
            {}
        });
        let mut server = Self {
            process,
            stdin,
            messages,
            settings,
            last_id: 0,
            diagnostics: BTreeMap::new(),
        };
        let parameters = json!({
            "processId": std::process::id(),
            "rootUri": root,
            "workspaceFolders": [{ "uri": root, "name": "root" }],
            "capabilities": capabilities,
            "initializationOptions": server.settings,
        });
        server.request("initialize", &parameters);
        server.notify("initialized", &json!({}));
        server
    }

    pub fn notify(&mut self, method: &str, parameters: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    /// Sends a request, and waits for its result.
    pub fn request(&mut self, method: &str, parameters: &Value) -> Value {
        loop {
            self.last_id += 1;
            let id = self.last_id;
            self.send(
                &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }),
            );
            let is_answer =
                |message: &Value| message["id"] == id && message.get("method").is_none();
            let mut answer = self.wait_for(method, is_answer);
            if answer["error"]["code"] != CONTENT_MODIFIED {
                assert_eq!(answer["error"], Value::Null, "{method}");
                return answer["result"].take();
            }
        }
    }

    /// Waits for a message.
    pub fn wait_for(&mut self, name: &str, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            let received = self.messages.recv_timeout(rest);
            assert!(received.is_ok(), "{name}: {received:?}");
            let message = received.unwrap();
            self.handle(&message);
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Answers a request of the server, or stores diagnostics.
    fn handle(&mut self, message: &Value) {
        let parameters = &message["params"];
        let Some(method) = message["method"].as_str() else {
            return;
        };
        if method == "textDocument/publishDiagnostics" {
            let uri = parameters["uri"].as_str().unwrap().to_owned();
            let diagnostics = parameters["diagnostics"].as_array().unwrap().clone();
            self.diagnostics.insert(uri, diagnostics);
        }
        if let Some(id) = message.get("id") {
            let result = match parameters["items"].as_array() {
                Some(items) if method == "workspace/configuration" => {
                    items.iter().map(|_| self.settings.clone()).collect()
                }
                _ => Value::Null,
            };
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        }
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.stdin.flush().unwrap();
    }
}

impl Drop for LanguageServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads a message. Returns `None` at the end of the stream.
fn read_message(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim_end().parse().ok();
        } else if line.trim_end().is_empty() {
            break;
        }
    }
    let mut text = vec![0; length?];
    stream.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
