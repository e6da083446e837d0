//! Lines of `cargo check --message-format json`, as far as `genclient check` reads them.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Attributes that are not macros: `#[genclient]` and `#[derive(CrdSchema)]` remove them.
const HELPERS: [&str; 4] = ["group", "version", "kind", "crd"];

/// A line of cargo's output.
pub(crate) enum Line {
    /// A message of rustc.
    Message(Message),
    /// The last line, with the result of the build.
    Finished,
    /// Anything else, such as an artifact of the build.
    Other,
}

/// A message of rustc, with the folder that its file names are relative to.
pub(crate) struct Message {
    message: RustcMessage,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct CargoLine {
    reason: String,
    message: Option<RustcMessage>,
}

#[derive(Deserialize)]
struct RustcMessage {
    message: String,
    code: Option<serde::de::IgnoredAny>,
    level: String,
    spans: Vec<Span>,
    rendered: Option<String>,
}

/// A range in a file.
#[derive(Deserialize)]
pub(super) struct Span {
    file_name: PathBuf,
    pub(super) byte_start: usize,
    pub(super) byte_end: usize,
    is_primary: bool,
    expansion: Option<Expansion>,
}

/// The macro call that a span is in.
#[derive(Deserialize)]
struct Expansion {
    macro_decl_name: String,
}

impl Expansion {
    /// Returns whether the macro is `#[genclient]`, also by a path such as `genclient::genclient`.
    fn is_of_genclient(&self) -> bool {
        let name = self
            .macro_decl_name
            .strip_prefix("#[")
            .and_then(|attribute| attribute.strip_suffix(']'))
            .and_then(|path| path.rsplit("::").next());
        name == Some("genclient")
    }
}

impl Line {
    pub(crate) fn parse(line: &str, workspace_root: &Path) -> Self {
        match serde_json::from_str(line) {
            Ok(CargoLine {
                reason,
                message: Some(message),
            }) if reason == "compiler-message" => Self::Message(Message {
                message,
                workspace_root: workspace_root.to_owned(),
            }),
            Ok(CargoLine { reason, .. }) if reason == "build-finished" => Self::Finished,
            _ => Self::Other,
        }
    }
}

impl Message {
    /// Returns whether the message is an error.
    pub(crate) fn is_error(&self) -> bool {
        self.message.level.starts_with("error")
    }

    /// Returns whether the message counts other messages. cargo prints such messages only as JSON.
    pub(crate) fn is_count(&self) -> bool {
        let text = &self.message.message;
        self.message.spans.is_empty()
            && (text.starts_with("aborting due to ") || text.ends_with(" emitted"))
    }

    /// The message alone.
    pub(super) fn text(&self) -> &str {
        &self.message.message
    }

    /// The message as rustc prints it.
    pub(crate) fn rendered(&self) -> &str {
        self.message.rendered.as_deref().unwrap_or_default()
    }

    pub(super) fn primary_spans(&self) -> impl Iterator<Item = &Span> {
        self.message.spans.iter().filter(|span| span.is_primary)
    }

    pub(super) fn path(&self, span: &Span) -> PathBuf {
        self.workspace_root.join(&span.file_name)
    }

    /// Returns whether this is an error of a macro, or about a name that is not defined.
    pub(super) fn is_about_name(&self) -> bool {
        let message = &self.message;
        self.is_error() && (message.code.is_none() || message.message.starts_with("cannot find "))
    }

    /// Returns whether this is an error about an attribute that a macro of genclient would remove.
    pub(super) fn is_about_helper(&self) -> bool {
        HELPERS.iter().any(|helper| {
            let unknown = format!("cannot find attribute `{helper}` in this scope");
            self.message.message == unknown
        })
    }

    /// Returns whether this is an error in the code that `#[genclient]` expands to.
    pub(super) fn is_in_expansion(&self) -> bool {
        self.primary_spans().any(|span| {
            let expansion = span.expansion.as_ref();
            expansion.is_some_and(Expansion::is_of_genclient)
        })
    }
}
