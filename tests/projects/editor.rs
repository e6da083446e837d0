//! An editor's session with rust-analyzer in a scaffolded project: what it shows after each save.
//!
//! The settings are those of `docs/book/editor.md`. A case of `editor.txt` is a mistake as a hunk,
//! like those of the book, and what the editor shows: errors of macros that rust-analyzer expands
//! while one types, the findings after the save, and what is left after each quick fix.
//! `UPDATE_EXPECT=1` rewrites it. `--nocapture` prints how long each case takes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::lsp::LanguageServer;
use super::written::Written;

const PAGE: &str = "../../docs/book/editor.md";
const EXPECTED: &str = "../projects/editor.txt";

const TYPES: &str = "pkg/apis/webapp/v1/guestbook.rs";
const CONTROLLER: &str = "pkg/controller/guestbook.rs";

/// Macros, with texts that the editor shows on hover.
const HOVERS: [(&str, &str, [&str; 2]); 3] = [
    (
        TYPES,
        "genclient]",
        ["Turns a struct into a Kubernetes kind.", "`no_status`"],
    ),
    (
        TYPES,
        "CrdSchema",
        ["Checks the `#[crd(..)]` attributes", "`min_length`"],
    ),
    (CONTROLLER, "rbac(", ["Declares a permission", "`names`"]),
];

/// Additions to the scaffolded kind, as old and new text.
const ADDITIONS: [(&str, &str); 2] = [
    (
        "#[crd(min_length = 1)]",
        "#[crd(min_length = 1, pattern = \"^[^#]*$\")]",
    ),
    (
        "pub struct GuestbookSpec",
        "#[crd(validation(rule = \"self.message != '\u{1d11e}' && self.message.size() < 280\"))]\n\
         pub struct GuestbookSpec",
    ),
];

/// Capabilities of VS Code on which the server's messages depend.
fn capabilities() -> Value {
    json!({
        "workspace": {
            "configuration": true,
            "didChangeWatchedFiles": { "dynamicRegistration": true },
        },
        "textDocument": {
            // rust-analyzer's own findings are requested, and only those of the check published.
            "diagnostic": {},
            "publishDiagnostics": { "relatedInformation": true },
            "hover": { "contentFormat": ["markdown"] },
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } },
                "dataSupport": true,
                "resolveSupport": { "properties": ["edit"] },
            },
        },
        "window": { "workDoneProgress": true },
        "experimental": { "serverStatusNotification": true },
    })
}

/// Returns the section `rust-analyzer` of the settings that the page gives for VS Code.
fn settings() -> Value {
    let page = fs::read_to_string(PAGE).unwrap();
    let (_, block) = page.split_once("// .vscode/settings.json\n").unwrap();
    let (text, _) = block.split_once("```").unwrap();
    let flat: Value = serde_json::from_str(text).unwrap();
    let mut nested = Value::Null;
    for (key, value) in flat.as_object().unwrap() {
        let mut place = &mut nested["rust-analyzer"];
        for part in key.split('.').skip(1) {
            place = &mut place[part];
        }
        *place = value.clone();
    }
    nested["rust-analyzer"].take()
}

/// An editor with a project.
struct Editor {
    server: LanguageServer,
    project: Written,
    version: u64,
}

/// The duration of a check.
struct Times {
    /// Until the first finding, if there are any.
    first: Option<Duration>,
    end: Duration,
}

impl Editor {
    /// Starts rust-analyzer, opens the files of the cases, and waits for the first check.
    fn new(project: Written, rust_analyzer: &Path, programs: &Path) -> Self {
        let toolchain = crate::toolchain();
        let path = [programs.to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&toolchain));
        let mut command = Command::new(rust_analyzer);
        command
            .current_dir(&project.folder)
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("CARGO_TARGET_DIR", target_dir())
            .env_remove("RUSTFLAGS");
        let root = format!("file://{}", project.folder.display());
        let mut settings = settings();
        // Not needed for the answers.
        settings["cachePriming"]["enable"] = false.into();
        let server = LanguageServer::start(&mut command, &capabilities(), &root, settings);
        let mut editor = Self {
            server,
            project,
            version: 0,
        };
        editor.open(TYPES);
        editor.open(CONTROLLER);
        editor.wait_for_check();
        editor
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}", self.project.folder.join(file).display())
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.project.folder.join(file)).unwrap()
    }

    fn open(&mut self, file: &str) {
        let document = json!({
            "uri": self.uri(file), "languageId": "rust", "version": 0, "text": self.read(file),
        });
        self.server
            .notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    /// Replaces the text of an open file, saves it, and waits for the check.
    fn save(&mut self, file: &str, text: &str) -> Times {
        self.version += 1;
        let uri = self.uri(file);
        let change = json!({
            "textDocument": { "uri": uri, "version": self.version },
            "contentChanges": [{ "text": text }],
        });
        self.server.notify("textDocument/didChange", &change);
        fs::write(self.project.folder.join(file), text).unwrap();
        let saved = json!({ "textDocument": { "uri": uri } });
        self.server.notify("textDocument/didSave", &saved);
        self.wait_for_check()
    }

    fn wait_for_check(&mut self) -> Times {
        let start = Instant::now();
        let mut first = None;
        self.server.wait_for("the end of the check", |message| {
            let parameters = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics"
                && parameters["diagnostics"] != json!([])
            {
                first.get_or_insert(start.elapsed());
            }
            let token = parameters["token"].as_str().unwrap_or_default();
            token.starts_with("rust-analyzer/flycheck/") && parameters["value"]["kind"] == "end"
        });
        let end = start.elapsed();
        // The last findings are published after the end, but before any later answer.
        self.expansion_errors(TYPES);
        Times { first, end }
    }

    /// Returns the errors of macros that rust-analyzer has expanded itself, as it does while one
    /// types. Its other findings depend on whether the sources of the standard library are there.
    fn expansion_errors(&mut self, file: &str) -> Vec<Value> {
        let document = json!({ "textDocument": { "uri": self.uri(file) } });
        let mut report = self.server.request("textDocument/diagnostic", &document);
        let mut errors: Vec<Value> = serde_json::from_value(report["items"].take()).unwrap();
        errors.retain(|error| error["code"] == "macro-error");
        errors
    }

    /// Returns the findings of the last check, by file and place.
    fn findings(&self) -> Vec<(String, Value)> {
        let folder = self.uri("");
        let mut findings = Vec::new();
        for (uri, diagnostics) in &self.server.diagnostics {
            // Dependencies have places, too, such as the source of a derive.
            let Some(file) = uri.strip_prefix(&folder) else {
                continue;
            };
            let found = diagnostics.iter().cloned();
            findings.extend(found.map(|finding| (file.to_owned(), finding)));
        }
        findings.sort_by_key(|(file, finding)| {
            let start = &finding["range"]["start"];
            (
                file.clone(),
                start["line"].as_u64(),
                start["character"].as_u64(),
            )
        });
        findings
    }

    /// Renders findings, with the range of each underlined.
    fn render(&self, findings: &[(String, Value)]) -> String {
        let rendered = findings.iter().map(|(file, finding)| {
            let text = self.read(file);
            let (start, end) = span(&text, &finding["range"]);
            let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let line = text[line_start..].lines().next().unwrap_or_default();
            let underlined_to = end.min(line_start + line.len());
            let severity = ["error", "warning", "information", "hint"];
            format!(
                "{file}:{}:{}: {} {}({}): {}\n  | {line}\n  | {}{}\n",
                number(&finding["range"]["start"]["line"]) + 1,
                number(&finding["range"]["start"]["character"]) + 1,
                severity[number(&finding["severity"]) - 1],
                finding["source"].as_str().unwrap(),
                finding["code"].as_str().unwrap_or_default(),
                finding["message"].as_str().unwrap().replace('\n', "\n  = "),
                " ".repeat(text[line_start..start].chars().count()),
                "^".repeat(text[start..underlined_to].chars().count().max(1)),
            )
        });
        rendered.collect()
    }

    /// Returns the quick fixes of the findings in a file.
    fn quick_fixes(&mut self, file: &str) -> Vec<Value> {
        let mut fixes = Vec::new();
        for (place, finding) in self.findings() {
            if place == file && finding["severity"] != HINT {
                let parameters = json!({
                    "textDocument": { "uri": self.uri(file) },
                    "range": finding["range"],
                    "context": { "diagnostics": [finding], "only": ["quickfix"] },
                });
                let actions = self.server.request("textDocument/codeAction", &parameters);
                let actions = actions.as_array().cloned().unwrap_or_default();
                // rust-analyzer has its own fixes without edits, which are requested later.
                fixes.extend(actions.into_iter().filter(|it| it["edit"].is_object()));
            }
        }
        fixes
    }

    /// Hides errors of macros by the setting of the page, and waits for the server to know it.
    fn hide_expansion_errors(&mut self) {
        let page = fs::read_to_string(PAGE).unwrap();
        assert!(page.contains("`\"rust-analyzer.diagnostics.disabled\": [\"macro-error\"]`"));
        self.server.settings["diagnostics"]["disabled"] = json!(["macro-error"]);
        let changed = json!({ "settings": null });
        self.server
            .notify("workspace/didChangeConfiguration", &changed);
        self.server.wait_for("the request for settings", |message| {
            message["method"] == "workspace/configuration"
        });
    }

    /// Returns the text that the editor shows over the first occurrence of `token`.
    fn hover(&mut self, file: &str, token: &str) -> String {
        let text = self.read(file);
        let start = text.find(token).unwrap();
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let parameters = json!({
            "textDocument": { "uri": self.uri(file) },
            "position": {
                "line": text[..start].matches('\n').count(), "character": start - line_start,
            },
        });
        let hover = self.server.request("textDocument/hover", &parameters);
        hover["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

/// The severity of help.
const HINT: u64 = 4;

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// Returns the bytes of a range, whose columns count UTF-16 code units.
fn span(text: &str, range: &Value) -> (usize, usize) {
    let byte = |place: &Value| {
        let lines = text.split_inclusive('\n').take(number(&place["line"]));
        let line_start: usize = lines.map(str::len).sum();
        let mut rest = number(&place["character"]);
        let before = text[line_start..].chars().take_while(|it| {
            let fits = it.len_utf16() <= rest;
            rest = rest.saturating_sub(it.len_utf16());
            fits
        });
        line_start + before.map(char::len_utf8).sum::<usize>()
    };
    (byte(&range["start"]), byte(&range["end"]))
}

/// Returns the text after a quick fix.
fn fixed(text: &str, fix: &Value, uri: &str) -> String {
    let mut edits = fix["edit"]["changes"][uri].as_array().unwrap().clone();
    edits.sort_by_key(|edit| std::cmp::Reverse(span(text, &edit["range"])));
    let mut fixed = text.to_owned();
    for edit in edits {
        let (start, end) = span(text, &edit["range"]);
        fixed.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    fixed
}

/// Has the dependencies of `check.rs`, too.
fn target_dir() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("check/target")
}

fn project() -> Written {
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor");
    let folder = workspace.join("members/guestbook");
    let _ = fs::remove_dir_all(&workspace);
    fs::create_dir_all(&folder).unwrap();
    fs::write(workspace.join("Cargo.toml"), super::WORKSPACE).unwrap();
    fs::copy("../../Cargo.lock", workspace.join("Cargo.lock")).unwrap();
    let commands = [
        "init --domain com --project-name guestbook",
        "create api --group webapp --version v1 --kind Guestbook",
    ];
    let project = Written::new(&folder, &commands.map(str::to_owned));
    let mut text = fs::read_to_string(folder.join(TYPES)).unwrap();
    for (old, new) in ADDITIONS {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    fs::write(folder.join(TYPES), text).unwrap();
    assert!(project.type_in("update").status.success());
    project
}

/// Makes the mistake of a case, applies each quick fix, and undoes both. Returns what the editor
/// shows.
fn make_mistake(case: &str, editor: &mut Editor) -> String {
    let (title, hunk) = case.split_once("\n@@ ").unwrap();
    let (file, lines) = hunk.split_once(" @@\n").unwrap();
    let side = |sign: char| -> String {
        lines
            .lines()
            .filter_map(|line| line.strip_prefix(sign))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let correct = editor.read(file);
    assert_eq!(correct.matches(&side('-')).count(), 1, "{case}");
    let incorrect = correct.replace(&side('-'), &side('+'));
    let Times { first, end } = editor.save(file, &incorrect);
    // The only finding may be published after the end.
    let found = first.unwrap_or(end);
    eprintln!("{title}: first finding after {found:.1?}, end after {end:.1?}");
    let errors: Vec<_> = editor
        .expansion_errors(file)
        .into_iter()
        .map(|error| (file.to_owned(), error))
        .collect();
    let mut shown = editor.render(&errors) + &editor.render(&editor.findings());
    for fix in editor.quick_fixes(file) {
        editor.save(file, &fixed(&incorrect, &fix, &editor.uri(file)));
        let left = editor.render(&editor.findings());
        let result = if left.is_empty() {
            "fixed"
        } else {
            "not fixed"
        };
        shown += &format!("{result} by {}\n{left}", fix["title"].as_str().unwrap());
    }
    editor.save(file, &correct);
    assert_eq!(editor.findings(), [], "{case}");
    shown
}

#[test]
fn mistakes_are_shown_in_the_editor() {
    let rust_analyzer = Path::new(env!("CARGO")).with_file_name("rust-analyzer");
    if !rust_analyzer.exists() {
        assert!(std::env::var_os("CI").is_none(), "rust-analyzer is missing");
        eprintln!("not run: rust-analyzer is missing; type `rustup component add rust-analyzer`");
        return;
    }
    let programs = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_genclient-under-test");
    symlink(program, programs.path().join("genclient")).unwrap();
    let mut editor = Editor::new(project(), &rust_analyzer, programs.path());
    assert_eq!(editor.findings(), []);
    for (file, token, texts) in HOVERS {
        let shown = editor.hover(file, token);
        assert!(
            texts.iter().all(|text| shown.contains(text)),
            "{token}: {shown}"
        );
    }
    let expected = fs::read_to_string(EXPECTED).unwrap();
    let cases = expected.split("\n\n").filter(|part| part.starts_with("# "));
    assert_ne!(cases.clone().count(), 0);
    let found: String = cases
        .map(|case| format!("{case}\n\n{}\n", make_mistake(case, &mut editor)))
        .collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(EXPECTED, &found).unwrap();
    } else {
        let diff = similar::TextDiff::from_lines(&expected, &found)
            .unified_diff()
            .header(EXPECTED, "found")
            .to_string();
        assert!(diff.is_empty(), "{diff}");
    }
    let correct = editor.read(TYPES);
    editor.save(TYPES, &correct.replace("min_length", "min_lenght"));
    assert_eq!(editor.expansion_errors(TYPES).len(), 1);
    editor.hide_expansion_errors();
    assert_eq!(editor.expansion_errors(TYPES), [json!(null); 0]);
}
