//! Diagnostics in cargo's format, as `cargo check --message-format json` prints those of rustc.
//!
//! rustc documents the fields of a message in its book ("JSON Output"), cargo those around it in
//! "External tools".

use std::path::{Path, PathBuf};

use annotate_snippets::Renderer;
use serde::Serialize;
use serde_json::Value;

use super::render::report;
use super::{Diagnostic, Edit, Location, Severity, line_column};

/// The target that a message is attributed to, with the fields that cargo prints about it.
#[derive(Clone, Debug)]
pub struct MessageTarget {
    /// cargo's id of the package.
    pub package_id: String,
    /// The Cargo.toml of the package.
    pub manifest_path: PathBuf,
    /// The target as `cargo metadata` describes it.
    pub target: Value,
    /// The root of the workspace. Names of files are relative to it.
    pub workspace_root: PathBuf,
}

impl Diagnostic {
    /// Renders one line of JSON, as cargo prints a message of rustc. `edit` is the one that follows
    /// the help. The paths of [`SourceText`](super::SourceText) are relative to `working_dir`.
    pub fn to_cargo_message(
        &self,
        edit: Option<Edit>,
        target: &MessageTarget,
        working_dir: &Path,
    ) -> String {
        let file_names = FileNames {
            workspace_root: &target.workspace_root,
            working_dir,
        };
        let message = CargoMessage {
            reason: "compiler-message",
            package_id: &target.package_id,
            manifest_path: &target.manifest_path,
            target: &target.target,
            message: rustc_message(self, edit, &file_names),
        };
        serde_json::to_string(&message).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct CargoMessage<'a> {
    reason: &'static str,
    package_id: &'a str,
    manifest_path: &'a Path,
    target: &'a Value,
    message: RustcMessage,
}

/// A message of rustc. `children` have neither codes nor renderings.
#[derive(Serialize)]
struct RustcMessage {
    #[serde(rename = "$message_type", skip_serializing_if = "Option::is_none")]
    message_type: Option<&'static str>,
    message: String,
    code: Option<RustcCode>,
    level: &'static str,
    spans: Vec<Span>,
    children: Vec<Self>,
    rendered: Option<String>,
}

#[derive(Serialize)]
struct RustcCode {
    code: &'static str,
    explanation: Option<&'static str>,
}

/// A range in a file. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Serialize)]
struct Span {
    file_name: PathBuf,
    byte_start: usize,
    byte_end: usize,
    line_start: usize,
    line_end: usize,
    column_start: usize,
    column_end: usize,
    is_primary: bool,
    text: Vec<SpanLine>,
    label: Option<String>,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<&'static str>,
    /// The macro call, which findings of the generator do not have.
    expansion: Option<()>,
}

/// A line that a span touches, with the part that belongs to the span.
#[derive(Serialize)]
struct SpanLine {
    text: String,
    highlight_start: usize,
    highlight_end: usize,
}

fn rustc_message(
    finding: &Diagnostic,
    edit: Option<Edit>,
    file_names: &FileNames<'_>,
) -> RustcMessage {
    let primary = finding.location.iter().map(|at| file_names.span(at, true));
    let labels = finding.labels.iter().map(|label| Span {
        label: Some(label.text.clone()),
        ..file_names.span(&label.location, false)
    });
    let rendered = Renderer::plain().render(&report(finding)).to_string();
    RustcMessage {
        message_type: Some("diagnostic"),
        message: finding.message.clone(),
        code: Some(RustcCode {
            code: finding.code.as_str(),
            explanation: None,
        }),
        level: match finding.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        },
        spans: primary.chain(labels).collect(),
        children: help_message(finding, edit, file_names)
            .into_iter()
            .collect(),
        rendered: Some(format!("{rendered}\n\n")),
    }
}

/// Returns the help as a child: with a span if it is an edit.
fn help_message(
    finding: &Diagnostic,
    edit: Option<Edit>,
    file_names: &FileNames<'_>,
) -> Option<RustcMessage> {
    let help: &str = finding.help.as_ref()?;
    Some(RustcMessage {
        message_type: None,
        message: match &edit {
            Some(edit) => without_new_text(help, &edit.text).to_owned(),
            None => help.to_owned(),
        },
        code: None,
        level: "help",
        spans: edit
            .into_iter()
            .map(|edit| Span {
                suggested_replacement: Some(edit.text),
                suggestion_applicability: Some("MaybeIncorrect"),
                ..file_names.span(&edit.location, true)
            })
            .collect(),
        children: Vec::new(),
        rendered: None,
    })
}

/// Returns the help without the text to write, which programs show after it. Help that says more
/// stays as it is.
fn without_new_text<'h>(help: &'h str, new: &str) -> &'h str {
    let is_alone = |before: &str, after: &str| {
        let quoted = help.strip_prefix(before);
        quoted.and_then(|quoted| quoted.strip_suffix(after)) == Some(new)
    };
    if is_alone("did you mean `", "`?") {
        "did you mean this"
    } else if is_alone("write `", "`") {
        "write this"
    } else {
        help
    }
}

/// The folders by which the file of a location gets its name in a message.
struct FileNames<'a> {
    workspace_root: &'a Path,
    working_dir: &'a Path,
}

impl FileNames<'_> {
    fn span(&self, at: &Location, is_primary: bool) -> Span {
        let path = self.working_dir.join(&at.source.path);
        let relative = path.strip_prefix(self.workspace_root).map(Into::into);
        let text = at.source.text.as_str();
        let (line_start, column_start) = rustc_line_column(text, at.span.start);
        let (line_end, column_end) = rustc_line_column(text, at.span.end);
        Span {
            file_name: relative.unwrap_or(path),
            byte_start: at.source.offset + at.span.start,
            byte_end: at.source.offset + at.span.end,
            line_start,
            line_end,
            column_start,
            column_end,
            is_primary,
            text: span_lines(text, (line_start, column_start), (line_end, column_end)),
            label: None,
            suggested_replacement: None,
            suggestion_applicability: None,
            expansion: None,
        }
    }
}

/// Returns line and column of a byte. For rustc, the end of a file belongs to its last line, even
/// if that line has a line end.
fn rustc_line_column(text: &str, byte: usize) -> (usize, usize) {
    match text.strip_suffix('\n') {
        Some(lines) if byte >= text.len() => {
            let (line, column) = line_column(text, lines.len());
            (line, column + 1)
        }
        _ => line_column(text, byte),
    }
}

/// Returns the lines of a span, from `start` to `end`, which are lines with columns.
fn span_lines(
    text: &str,
    (line_start, column_start): (usize, usize),
    (line_end, column_end): (usize, usize),
) -> Vec<SpanLine> {
    let lines = text.lines().zip(1..);
    let touched = lines.skip(line_start - 1).take(line_end - line_start + 1);
    touched
        .map(|(text, line)| SpanLine {
            text: text.to_owned(),
            highlight_start: if line == line_start { column_start } else { 1 },
            highlight_end: if line == line_end {
                column_end
            } else {
                text.chars().count() + 1
            },
        })
        .collect()
}
