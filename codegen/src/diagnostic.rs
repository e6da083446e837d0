//! What is wrong with the user's source, where, and what to type instead.
//!
//! Every stage reports into a [`Sink`] and goes on, so that one run names every mistake.

mod render;

use std::ops::Range;
use std::sync::Arc;

use genclient_syntax::{Problem, Problems};
use proc_macro2::Span;
use serde::Serialize;

/// A file that was read: what a [`Location`] points into.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The path as shown to the user, relative to the current directory where possible.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub source: Arc<SourceText>,
    /// The bytes that are meant.
    pub span: Range<usize>,
}

impl Location {
    /// The place of `span`, which must come from a parse of `source`.
    pub fn of(source: &Arc<SourceText>, span: Span) -> Self {
        Self {
            source: Arc::clone(source),
            span: span.byte_range(),
        }
    }

    /// The place of some bytes of `text`, which is what the string literal at this place says; the whole literal if it is written with
    /// escapes.
    pub fn inside(self, text: &str, bytes: Range<usize>) -> Self {
        let literal = self.source.text.get(self.span.clone());
        match literal.and_then(|literal| literal.find(text)) {
            Some(start) => {
                let start = self.span.start + start;
                Self {
                    span: start + bytes.start..start + bytes.end,
                    ..self
                }
            }
            None => self,
        }
    }

    /// Line and column of the first byte, both counted from one, the column in characters.
    pub fn line_column(&self) -> (usize, usize) {
        let before = self
            .source
            .text
            .get(..self.span.start)
            .unwrap_or(&self.source.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }
}

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; output is written all the same.
    Warning,
    /// No output is written.
    Error,
}

/// A second place that matters to a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub location: Location,
    /// What is there.
    pub text: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The rule that was broken.
    pub message: String,
    /// Where, if it is about a place in a file.
    pub location: Option<Location>,
    /// Other places that explain it.
    pub labels: Vec<Label>,
    /// What to type.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a place in a file.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            location: None,
            labels: Vec::new(),
            help: None,
        }
    }

    /// A warning without a place in a file.
    pub fn warning(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message)
        }
    }

    /// The same at a place.
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// The same with what to type.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with a second place.
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

    /// Its file and bytes, by which findings are sorted.
    fn place(&self) -> Option<(String, usize, usize)> {
        let at = self.location.as_ref()?;
        Some((at.source.path.clone(), at.span.start, at.span.end))
    }
}

/// Where a stage puts its findings.
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

    /// Adds what the attribute grammar found in `source`.
    pub fn problems(&mut self, problems: Problems, source: &Arc<SourceText>) {
        for Problem {
            span,
            message,
            help,
        } in problems
        {
            self.findings.push(Diagnostic {
                help,
                ..Diagnostic::error(message).at(Location::of(source, span))
            });
        }
    }

    /// How many findings there are, for [`Sink::since`].
    pub(crate) fn mark(&self) -> usize {
        self.findings.len()
    }

    /// What was found after a mark, to say more about it.
    pub(crate) fn since(&mut self, mark: usize) -> &mut [Diagnostic] {
        self.findings.get_mut(mark..).unwrap_or_default()
    }

    /// True if nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Drops what was found after a mark.
    pub(crate) fn rewind(&mut self, mark: usize) {
        self.findings.truncate(mark);
    }

    /// True if something is wrong.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(Diagnostic::is_error)
    }

    /// Ends a stage: `value` if nothing is wrong, every finding otherwise. Warnings stay for the next stage.
    ///
    /// # Errors
    ///
    /// Everything that was found, if any of it is an error.
    pub fn finish<T>(&mut self, value: T) -> Result<T, Diagnostics> {
        if self.has_errors() {
            Err(Diagnostics::new(std::mem::take(&mut self.findings)))
        } else {
            Ok(value)
        }
    }

    /// What is left at the end of the last stage: warnings.
    pub fn warnings(self) -> Diagnostics {
        self.into()
    }
}

/// Each finding once: a type that is used twice is looked at twice. Those of one place stand together.
fn once(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(findings.len());
    for finding in findings {
        let here = kept
            .iter()
            .rev()
            .take_while(|other| other.location == finding.location);
        if !here.into_iter().any(|other| *other == finding) {
            kept.push(finding);
        }
    }
    kept
}

/// Findings in the order of files and lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    findings: Vec<Diagnostic>,
}

impl Diagnostics {
    fn new(mut findings: Vec<Diagnostic>) -> Self {
        findings.sort_by_cached_key(Diagnostic::place);
        Self {
            findings: once(findings),
        }
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// True if something is wrong.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(Diagnostic::is_error)
    }

    /// The findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.findings.iter()
    }

    /// The findings without warnings.
    pub(crate) fn errors(&self) -> Self {
        let errors = self.iter().filter(|finding| finding.is_error());
        Self {
            findings: errors.cloned().collect(),
        }
    }

    /// The findings without errors.
    pub(crate) fn warnings(&self) -> Self {
        let warnings = self.iter().filter(|finding| !finding.is_error());
        Self {
            findings: warnings.cloned().collect(),
        }
    }

    /// Adds those of another run.
    pub fn extend(&mut self, other: Self) {
        self.findings.extend(other.findings);
    }
}

impl From<Sink> for Diagnostics {
    fn from(sink: Sink) -> Self {
        Self::new(sink.findings)
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(finding: Diagnostic) -> Self {
        Self {
            findings: vec![finding],
        }
    }
}

impl std::error::Error for Diagnostics {}
