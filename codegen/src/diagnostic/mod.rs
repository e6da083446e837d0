//! Diagnostics: errors and warnings about the user's source, with locations and help.
//!
//! Every stage reports into a [`Sink`] and continues, so that one run reports every error.

mod cargo;
mod code;
mod edit;
mod item;
mod literal;
mod render;

use std::ops::Range;
use std::sync::Arc;

use genclient_schema::yaml::ReadError;
use genclient_syntax::{Help, Problem, Problems};
use proc_macro2::Span;
use serde::Serialize;

pub use cargo::MessageTarget;
pub use code::Code;
pub use edit::{Edit, EditFinder};
use literal::offset_in_literal;

/// The path and text of a file, which [`Location`]s refer to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// The path as shown to the user: relative to the current directory where possible.
    pub path: String,
    /// The whole text, without a byte order mark.
    pub text: String,
    /// The number of bytes before the text in the file: those of a byte order mark.
    pub offset: usize,
}

/// A range of bytes in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub source: Arc<SourceText>,
    /// The range in bytes.
    pub span: Range<usize>,
}

impl Location {
    /// The location of `span`, which must come from a parse of `source`.
    pub fn new(source: &Arc<SourceText>, span: Span) -> Self {
        Self {
            source: Arc::clone(source),
            span: span.byte_range(),
        }
    }

    /// The location of the range `bytes` of the value of the string literal at this location. If
    /// there is no literal here, or its value is shorter, returns this location.
    pub fn inside(self, bytes: Range<usize>) -> Self {
        let start = self.span.start;
        let offset = |byte| {
            let literal = self.source.text.get(self.span.clone())?;
            Some(start + offset_in_literal(literal, byte)?)
        };
        match (offset(bytes.start), offset(bytes.end)) {
            (Some(from), Some(to)) => Self {
                span: from..to,
                ..self
            },
            _ => self,
        }
    }

    /// Line and column of the first byte, counted from 1, with columns in characters.
    pub fn line_column(&self) -> (usize, usize) {
        line_column(&self.source.text, self.span.start)
    }
}

/// Returns line and column of a byte, counted from 1, with columns in characters.
fn line_column(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

/// The severity of a [`Diagnostic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Does not prevent output, unless `--deny-warnings` is set.
    Warning,
    /// Prevents all output. With `--keep-going`, prevents only the output of kinds with errors.
    Error,
}

/// A secondary location of a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The location.
    pub location: Location,
    /// The text shown there.
    pub text: String,
}

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// What it is about.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// The primary location, if the finding concerns a file.
    pub location: Option<Location>,
    /// Secondary locations.
    pub labels: Vec<Label>,
    /// A suggested fix.
    pub help: Option<Help>,
}

impl Diagnostic {
    /// An error without a location.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code: Code::Other,
            message: message.into(),
            location: None,
            labels: Vec::new(),
            help: None,
        }
    }

    /// A warning without a location.
    pub fn warning(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message)
        }
    }

    /// Sets the code, unless an earlier stage has set another one than [`Code::Other`].
    pub fn with_code(mut self, code: Code) -> Self {
        self.add_code(code);
        self
    }

    fn add_code(&mut self, code: Code) {
        if self.code == Code::Other {
            self.code = code;
        }
    }

    /// Sets the primary location.
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// Sets the help text.
    pub fn help(mut self, help: impl Into<Help>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a secondary location.
    pub fn label(mut self, location: Location, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            location,
            text: text.into(),
        });
        self
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The file and byte range, as a sort key.
    fn sort_key(&self) -> Option<(String, usize, usize)> {
        let at = self.location.as_ref()?;
        Some((at.source.path.clone(), at.span.start, at.span.end))
    }
}

/// Collects the findings of a stage.
#[derive(Clone, Debug, Default)]
#[must_use = "call `finish` or findings are lost"]
pub struct Sink {
    findings: Vec<Diagnostic>,
}

impl Sink {
    /// An empty sink.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    /// Adds the findings of another sink.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.findings.extend_from_slice(&other.findings);
    }

    /// The errors.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter().filter(|finding| finding.is_error())
    }

    /// Adds the problems that the attribute grammar found in `source`.
    pub fn problems(&mut self, problems: Problems, source: &Arc<SourceText>) {
        for Problem {
            span,
            message,
            help,
            earlier,
        } in problems
        {
            let finding = Diagnostic {
                code: Code::Attribute,
                help,
                ..Diagnostic::error(message).at(Location::new(source, span))
            };
            self.findings.push(match earlier {
                Some(first) => finding.label(Location::new(source, first), "the first one"),
                None => finding,
            });
        }
    }

    /// Runs a stage, whose findings get `code` if they have none yet.
    pub(crate) fn stage<T>(&mut self, code: Code, run: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.mark();
        let value = run(self);
        self.code_since(mark, code);
        value
    }

    /// Sets the code of the findings since a mark that have none yet.
    pub(crate) fn code_since(&mut self, mark: usize, code: Code) {
        for finding in self.since(mark) {
            finding.add_code(code);
        }
    }

    /// The current number of findings, for [`Sink::since`].
    pub(crate) fn mark(&self) -> usize {
        self.findings.len()
    }

    /// Returns the findings since a mark, so that a caller can add details to them.
    pub(crate) fn since(&mut self, mark: usize) -> &mut [Diagnostic] {
        self.findings.get_mut(mark..).unwrap_or_default()
    }

    /// True if there are no findings.
    pub(crate) fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Drops the findings since a mark.
    pub(crate) fn rewind(&mut self, mark: usize) {
        self.findings.truncate(mark);
    }

    /// True if there is an error.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(Diagnostic::is_error)
    }

    /// Ends a stage. Returns `value` if no finding is an error; warnings stay in the sink for the
    /// next stage.
    ///
    /// # Errors
    ///
    /// All findings, if any of them is an error.
    pub fn finish<T>(&mut self, value: T) -> Result<T, Diagnostics> {
        if self.has_errors() {
            Err(Diagnostics::new(std::mem::take(&mut self.findings)))
        } else {
            Ok(value)
        }
    }

    /// The findings left after the last stage, which are all warnings.
    pub fn warnings(self) -> Diagnostics {
        self.into()
    }
}

/// Removes duplicate findings, which occur because a type that is used twice is checked twice, and
/// errors of the schema check where the attribute grammar reports an error as well. The findings
/// must be sorted by location.
fn remove_duplicates(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(findings.len());
    for finding in findings {
        let here = kept
            .iter()
            .rev()
            .take_while(|other| other.location == finding.location);
        let repeats = |other: &Diagnostic| {
            let is_refused = other.code == Code::Attribute && other.is_error();
            *other == finding || is_refused && finding.code == Code::Schema
        };
        if !here.into_iter().any(repeats) {
            kept.push(finding);
        }
    }
    kept
}

/// Findings of one or more runs. The findings of each run are sorted by file and position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    findings: Vec<Diagnostic>,
}

impl Diagnostics {
    fn new(mut findings: Vec<Diagnostic>) -> Self {
        findings.sort_by_cached_key(Diagnostic::sort_key);
        Self {
            findings: remove_duplicates(findings),
        }
    }

    /// True if there are no findings.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// True if there is an error.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(Diagnostic::is_error)
    }

    /// The findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.findings.iter()
    }

    /// The errors.
    pub fn errors(&self) -> Self {
        let errors = self.iter().filter(|finding| finding.is_error());
        Self {
            findings: errors.cloned().collect(),
        }
    }

    /// The warnings.
    pub fn warnings(&self) -> Self {
        let warnings = self.iter().filter(|finding| !finding.is_error());
        Self {
            findings: warnings.cloned().collect(),
        }
    }

    /// Sets the code of the findings that have none yet.
    pub fn with_code(mut self, code: Code) -> Self {
        for finding in &mut self.findings {
            finding.add_code(code);
        }
        self
    }

    /// Adds the findings of another run.
    pub fn extend(&mut self, other: Self) {
        self.findings.extend(other.findings);
    }
}

impl From<Sink> for Diagnostics {
    fn from(sink: Sink) -> Self {
        Self::new(sink.findings)
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(findings: I) -> Self {
        Self {
            findings: findings.into_iter().collect(),
        }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(finding: Diagnostic) -> Self {
        Self {
            findings: vec![finding],
        }
    }
}

impl From<ReadError> for Diagnostic {
    fn from(error: ReadError) -> Self {
        Self::error(error.message).help(error.help)
    }
}

impl From<Vec<ReadError>> for Diagnostics {
    fn from(errors: Vec<ReadError>) -> Self {
        Self {
            findings: errors.into_iter().map(Diagnostic::from).collect(),
        }
    }
}

impl std::error::Error for Diagnostics {}
