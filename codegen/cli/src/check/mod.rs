//! Filter of cargo's messages for `genclient check`: removes those that repeat a finding of the
//! generator, and those that follow from another error.

mod message;
mod out_of_date;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use genclient_codegen::{
    Code, Diagnostic, Diagnostics, Location, Severity, file_system, is_generated,
};

use message::Span;
pub(crate) use message::{Line, Message};
pub(crate) use out_of_date::Drifted;

/// The findings of the generator about the checked packages.
#[derive(Default)]
pub(crate) struct Inspection {
    /// The findings.
    pub(crate) findings: Vec<Diagnostic>,
    /// The packages whose generated files are out of date.
    pub(crate) drifted: Vec<Drifted>,
}

impl Inspection {
    /// Adds findings. One without a location gets `place`.
    pub(crate) fn add(&mut self, findings: &Diagnostics, place: Option<&Location>) {
        let placed = findings
            .iter()
            .map(|finding| match (&finding.location, place) {
                (None, Some(place)) => finding.clone().at(place.clone()),
                _ => finding.clone(),
            });
        self.findings.extend(placed);
    }
}

/// What to do with a message of cargo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is printed.
    Print,
    /// It is an error in a generated file, which follows from an error in another file. It is
    /// printed at the end if there is no other error.
    Defer,
    /// It repeats another error, or follows from one.
    Drop,
}

/// Comparison of cargo's messages with an [`Inspection`].
pub(crate) struct Comparison<'a> {
    inspection: &'a Inspection,
    /// The folder that file names of the generator are relative to.
    working_dir: &'a Path,
    /// Files in which rustc has reported an error.
    faulty: BTreeSet<PathBuf>,
    /// Generated files that do not compile because they are out of date, each with an error.
    broken: BTreeMap<PathBuf, String>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(inspection: &'a Inspection, working_dir: &'a Path) -> Self {
        Self {
            inspection,
            working_dir,
            faulty: BTreeSet::new(),
            broken: BTreeMap::new(),
        }
    }

    /// The findings to print before cargo's messages. rustc words syntax errors better, so they are
    /// left to it.
    pub(crate) fn first_findings(&self) -> Diagnostics {
        let findings = self.inspection.findings.iter();
        findings
            .filter(|finding| finding.code != Code::Syntax)
            .cloned()
            .collect()
    }

    /// The findings to print after cargo's messages: syntax errors in files that rustc does not
    /// report, and generated files that are out of date.
    pub(crate) fn last_findings(&self) -> Diagnostics {
        let unreported = self.inspection.findings.iter().filter(|finding| {
            finding.code == Code::Syntax && !self.faulty.contains(&self.file_of(finding))
        });
        let drifted = self.inspection.drifted.iter();
        unreported
            .cloned()
            .chain(drifted.map(|package| package.finding(&self.broken)))
            .collect()
    }

    /// Returns what to do with a message of cargo.
    pub(crate) fn judge(&mut self, message: &Message) -> Verdict {
        if message.is_error() {
            let spans = message.primary_spans();
            let files: BTreeSet<_> = spans.map(|span| message.path(span)).collect();
            let drifted = || self.inspection.drifted.iter();
            let is_out_of_date =
                |file: &PathBuf| drifted().any(|package| package.files.contains(file));
            if !files.is_empty() && files.iter().all(is_out_of_date) {
                let error = |file| (file, message.text().to_owned());
                self.broken.extend(files.into_iter().map(error));
                return Verdict::Drop;
            }
            if self.follows(message, &files) {
                return Verdict::Drop;
            }
            if !files.is_empty() && files.iter().all(|file| is_generated_file(file)) {
                return Verdict::Defer;
            }
            self.faulty.extend(files);
        }
        if self.repeats(message) {
            Verdict::Drop
        } else {
            Verdict::Print
        }
    }

    /// Returns whether an error follows from another one. Without a macro, its helper attributes
    /// are unknown. If the macro or serde refuses a kind, the kind's expansion is incomplete.
    /// Errors in rules, defaults and other types do not stop macros.
    fn follows(&self, message: &Message, files: &BTreeSet<PathBuf>) -> bool {
        if message.is_about_helper() && !self.faulty.is_disjoint(files) {
            return true;
        }
        let is_refused =
            |finding: &&Diagnostic| [Code::Attribute, Code::Schema].contains(&finding.code);
        let is_in_item = |finding: &Diagnostic| {
            let item = finding.location.as_ref().and_then(Location::item);
            item.is_some_and(|item| {
                self.spans_in(finding, message)
                    .any(|span| overlaps(&item, span))
            })
        };
        (message.is_about_helper() || message.is_in_expansion())
            && self.errors().filter(is_refused).any(is_in_item)
    }

    /// Returns whether a macro or rustc reports an error of the generator, too: with the same text,
    /// or about the same name. That of the generator has the better help.
    fn repeats(&self, message: &Message) -> bool {
        let is_same = |finding: &Diagnostic| {
            let Some(found) = &finding.location else {
                return false;
            };
            let is_same_text = message.text().starts_with(&finding.message);
            self.spans_in(finding, message)
                .any(|span| is_same_text && overlaps(found, span) || is_end_of(found, span))
        };
        let mut errors = self.errors().filter(|finding| finding.code != Code::Syntax);
        message.is_about_name() && errors.any(is_same)
    }

    fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        let findings = self.inspection.findings.iter();
        findings.filter(|finding| finding.severity == Severity::Error)
    }

    /// The primary spans of a message in the file of a finding.
    fn spans_in<'m>(
        &self,
        finding: &Diagnostic,
        message: &'m Message,
    ) -> impl Iterator<Item = &'m Span> {
        let file = self.file_of(finding);
        let spans = message.primary_spans();
        spans.filter(move |span| message.path(span) == file)
    }

    fn file_of(&self, finding: &Diagnostic) -> PathBuf {
        let path = finding.location.as_ref().map(|at| at.source.path.as_str());
        self.working_dir.join(path.unwrap_or_default())
    }
}

fn is_generated_file(file: &Path) -> bool {
    file_system::read_text_file(file).is_ok_and(|text| is_generated(&text))
}

fn overlaps(found: &Location, span: &Span) -> bool {
    let Range { start, end } = bytes(found);
    start < span.byte_end.max(span.byte_start + 1) && span.byte_start < end.max(start + 1)
}

/// Returns whether a span is the whole location, or its end: of a path, rustc reports the segment
/// that it does not find.
fn is_end_of(found: &Location, span: &Span) -> bool {
    let Range { start, end } = bytes(found);
    start <= span.byte_start && span.byte_end == end
}

/// The range of a location in its file.
fn bytes(found: &Location) -> Range<usize> {
    let offset = found.source.offset;
    offset + found.span.start..offset + found.span.end
}
