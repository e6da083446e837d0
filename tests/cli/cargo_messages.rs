//! `--message-format json`: messages in the format of cargo.
//!
//! `cargo_messages/messages.jsonl` has lines that cargo 1.95.0 printed for the sources beside it,
//! without codes, children and renderings, and with `/recorded` as the folder. The lines of
//! `crlf.txt` ended with a carriage return and a line feed.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use genclient_codegen::{Code, Diagnostic, Location, MessageTarget, SourceText};
use serde_json::{Value, json};

use super::package::{Package, Run};

const RECORDED: &str = include_str!("cargo_messages/messages.jsonl");

fn parse_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn source(name: &str) -> Arc<SourceText> {
    let text = fs::read_to_string(Path::new("../cli/cargo_messages").join(name)).unwrap();
    let text = if name == "crlf.txt" {
        text.replace('\n', "\r\n")
    } else {
        text
    };
    let path = name.to_owned();
    Arc::new(SourceText {
        path,
        text,
        offset: 0,
    })
}

fn location(span: &Value) -> Location {
    let byte = |key: &str| usize::try_from(span[key].as_u64().unwrap()).unwrap();
    Location {
        source: source(span["file_name"].as_str().unwrap()),
        span: byte("byte_start")..byte("byte_end"),
    }
}

/// Returns a finding with the text and the spans of a recorded message.
fn finding(message: &Value) -> Diagnostic {
    let text = message["message"].as_str().unwrap();
    let mut finding = if message["level"] == "warning" {
        Diagnostic::warning(text)
    } else {
        Diagnostic::error(text)
    };
    for span in message["spans"].as_array().unwrap() {
        finding = if span["is_primary"] == true {
            finding.at(location(span))
        } else {
            finding.label(location(span), span["label"].as_str().unwrap())
        };
    }
    finding
}

/// Removes what differs from rustc's: code and rendering, and labels of primary spans. rustc sorts
/// spans by their labels.
fn comparable(mut line: Value) -> Value {
    let message = &mut line["message"];
    message["code"] = Value::Null;
    message["rendered"] = Value::Null;
    let spans = message["spans"].as_array_mut().unwrap();
    for span in spans.iter_mut().filter(|span| span["is_primary"] == true) {
        span["label"] = Value::Null;
    }
    spans.sort_by_key(|span| span["byte_start"].as_u64());
    line
}

#[test]
fn messages_have_the_fields_of_recorded_ones() {
    let recorded = parse_lines(RECORDED);
    assert_eq!(recorded.len(), 7);
    for line in recorded {
        let target = MessageTarget {
            package_id: line["package_id"].as_str().unwrap().to_owned(),
            manifest_path: line["manifest_path"].as_str().unwrap().into(),
            target: line["target"].clone(),
            workspace_root: "/recorded".into(),
        };
        let finding = finding(&line["message"]);
        let printed = finding.to_cargo_message(None, &target, Path::new("/recorded"));
        assert_eq!(
            comparable(serde_json::from_str(&printed).unwrap()),
            comparable(line)
        );
    }
}

/// The parts of a message that editors show: level, code, message, spans as `file:line:column`
/// with their text, and help.
fn shown(line: &Value) -> Value {
    let message = &line["message"];
    let spans: Vec<_> = message["spans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|span| {
            let part = |key: &str| span[key].to_string().replace('"', "");
            let place = ["file_name", "line_start", "column_start"].map(part);
            let text = span["text"][0]["text"].as_str().unwrap_or_default().trim();
            json!([place.join(":"), text])
        })
        .collect();
    let children = message["children"].as_array().unwrap().iter();
    let help: Vec<_> = children.map(shown_help).collect();
    json!({
        "level": message["level"], "code": message["code"]["code"],
        "message": message["message"], "spans": spans, "help": help,
    })
}

/// The message of help, and what it replaces the span by, if it has one.
fn shown_help(child: &Value) -> String {
    let message = child["message"].as_str().unwrap();
    let Some(span) = child["spans"].get(0) else {
        return message.to_owned();
    };
    assert_eq!(child["level"], "help");
    assert_eq!(span["is_primary"], true);
    assert_eq!(span["suggestion_applicability"], "MaybeIncorrect");
    let column = |key: &str| usize::try_from(span[key].as_u64().unwrap()).unwrap() - 1;
    let line = span["text"][0]["text"].as_str().unwrap();
    let old = &line[column("column_start")..column("column_end")];
    format!("{message}: {} for {old}", span["suggested_replacement"])
}

#[track_caller]
fn assert_shown(run: &Run, expected: &Value) {
    let lines = parse_lines(&run.stdout);
    let found: Vec<_> = lines.iter().map(shown).collect();
    assert_eq!(Value::from(found), *expected);
    for line in &lines {
        assert_eq!(line["reason"], "compiler-message");
        assert!(
            line["package_id"]
                .as_str()
                .unwrap()
                .contains("path+file:///")
        );
        assert_eq!(line["target"]["name"], "tasks");
        let level = line["message"]["level"].as_str().unwrap();
        let rendered = line["message"]["rendered"].as_str().unwrap();
        assert!(rendered.starts_with(level), "{rendered}");
        assert!(rendered.ends_with("\n\n"), "{rendered}");
    }
}

#[test]
fn findings_are_messages_of_cargo() {
    let package = Package::new();
    package.edit(
        "pkg/apis/mod.rs",
        "#[genclient]",
        "#[genclient(readonli, namespaced)]",
    );
    let line = "#[genclient(readonli, namespaced)]";
    for command in ["update", "verify"] {
        let run = package
            .run(&[command, "--message-format", "json"])
            .expect(2);
        assert_eq!(run.stderr, "");
        assert_shown(
            &run,
            &json!([
                {
                    "level": "error", "code": "genclient::attribute",
                    "message": "unknown key `readonli` in `#[genclient(..)]`",
                    "spans": [["pkg/apis/mod.rs:4:17", line]], "help": ["did you mean this: \"readonly\" for readonli"],
                },
                {
                    "level": "error", "code": "genclient::attribute",
                    "message": "unknown key `namespaced` in `#[genclient(..)]`",
                    "spans": [["pkg/apis/mod.rs:4:27", line]], "help": ["remove it: a kind is namespaced by default: \"\" for , namespaced"],
                },
            ]),
        );
    }
}

/// Help is an edit if it tells what the user meant, and neither a sample nor a change of more than
/// the blamed text.
#[test]
fn edits_are_no_samples() {
    for (attribute, help) in [
        (
            r#"schema = { "type": "string", "x-kubernetes-validations": [{ "rule": "self != 'a'" }, { "rule": "self != 'b'", "optionalOldSelf": true }] }"#,
            "remove `optionalOldSelf`",
        ),
        (
            r#"schema = { "type": "string", "maxLength": true }"#,
            r#"write `"maxLength": 63`"#,
        ),
        (
            r#"schema = { "type": "string", "nullable": 1 }"#,
            r#"write `"nullable": true`"#,
        ),
        (
            r#"schema = { "type": "string", "nullable": "false" }"#,
            r#"write this: "\"nullable\": false" for "nullable": "false""#,
        ),
        (
            r#"schema = { "type": "integer", "exclusiveMinimum": 5 }"#,
            r#"write this: "\"minimum\": 5, \"exclusiveMinimum\": true" for "exclusiveMinimum": 5"#,
        ),
        (
            r#"schema = { "type": "integer", "minimum": 1, "exclusiveMinimum": 5 }"#,
            r#"write `"minimum": 5, "exclusiveMinimum": true`"#,
        ),
        (
            r#"schema = { "type": "string", "maxLength": 5, "maxLenght": 6 }"#,
            "did you mean `maxLength`?",
        ),
        (
            r#"validation(rule = "self := 'a'")"#,
            r#"write this: "==" for :="#,
        ),
    ] {
        let package = Package::new();
        package.edit(
            "pkg/apis/mod.rs",
            "pub image",
            &format!("#[crd({attribute})] pub image"),
        );
        let run = package.run(&["update", "--message-format", "json"]);
        let found: Vec<_> = parse_lines(&run.stdout)
            .iter()
            .flat_map(|line| line["message"]["children"].as_array().unwrap().clone())
            .map(|child| shown_help(&child))
            .collect();
        assert_eq!(found, [help], "{attribute}");
    }
}

/// As in messages of rustc, bytes count from the start of the file, columns after the mark.
#[test]
fn bytes_of_a_byte_order_mark_count() {
    let package = Package::new();
    package.edit("pkg/apis/mod.rs", "#[genclient]", "#[genclient(readonli)]");
    let marked = format!("\u{feff}{}", package.read("pkg/apis/mod.rs"));
    package.write("pkg/apis/mod.rs", &marked);
    let run = package
        .run(&["update", "--message-format", "json"])
        .expect(2);
    let span = &parse_lines(&run.stdout)[0]["message"]["spans"][0];
    let byte = |key: &str| usize::try_from(span[key].as_u64().unwrap()).unwrap();
    assert_eq!(&marked[byte("byte_start")..byte("byte_end")], "readonli");
    assert_eq!(span["column_start"], 17);
}

/// A finding of a command that prints something else on stdout is on stderr.
#[test]
fn data_is_not_mixed_with_findings() {
    let package = Package::new();
    package.write(
        "pkg/apis/stray.rs",
        super::package::kind("a.example.com", "A", "a"),
    );
    for command in [
        &["model"][..],
        &["update", "--dry-run"],
        &["render", "plain"],
    ] {
        let arguments = [command, &["--message-format", "json"]].concat();
        let run = package.run(&arguments);
        assert!(!run.stdout.contains("compiler-message"), "{}", run.stdout);
        let found = parse_lines(&run.stderr);
        assert_eq!(found[0]["reason"], "compiler-message", "{arguments:?}");
    }
}

#[test]
fn verify_reports_each_file_that_differs() {
    let package = Package::generated();
    package.edit("pkg/client/scheme.rs", "pub enum", "// mine\npub enum");
    package.write(
        "pkg/client/listers/old.rs",
        "// Code generated by genclient. DO NOT EDIT.\n",
    );
    package.edit(
        "config/crd/tasks.example.com_tasks.yaml",
        "image:",
        "picture:",
    );
    fs::remove_file(package.path("pkg/client/clientset/mod.rs")).unwrap();
    let run = package
        .run(&["verify", "--message-format", "json"])
        .expect(1);
    assert_eq!(run.stderr, "");
    let help = ["run `genclient update`"];
    assert_shown(
        &run,
        &json!([
            {
                "level": "error", "code": "genclient::out-of-date",
                "message": "config/crd/tasks.example.com_tasks.yaml is out of date",
                "spans": [["config/crd/tasks.example.com_tasks.yaml:30:1", "picture:"]], "help": help,
            },
            {
                "level": "error", "code": "genclient::out-of-date",
                "message": "pkg/client/clientset/mod.rs is missing", "spans": [], "help": help,
            },
            {
                "level": "error", "code": "genclient::out-of-date",
                "message": "pkg/client/listers/old.rs is stale",
                "spans": [[
                    "pkg/client/listers/old.rs:1:1",
                    "// Code generated by genclient. DO NOT EDIT.",
                ]],
                "help": help,
            },
        ]),
    );
    let run = package
        .run(&["update", "--message-format", "json"])
        .expect(0);
    assert_eq!(run.stdout, "");
    package
        .run(&["verify", "--message-format", "json"])
        .expect(0);
}

/// The page names each code.
#[test]
fn the_page_lists_all_codes() {
    let page = fs::read_to_string("../../docs/book/ci.md").unwrap();
    for code in Code::ALL {
        let name = code.as_str().strip_prefix("genclient::").unwrap();
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}
