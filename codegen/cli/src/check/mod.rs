//! Filter of cargo's messages for `genclient check`: removes those that repeat a finding of the
//! generator, and those that follow from another error.

mod message;
mod out_of_date;

use std::collections::{BTreeMap, BTreeSet};
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

    /// Returns whether an error follows from another one in the same file: without a macro, its
    /// helper attributes are unknown, and after an error, its expansion is incomplete.
    fn follows(&self, message: &Message, files: &BTreeSet<PathBuf>) -> bool {
        let mut findings = self.inspection.findings.iter();
        let is_refused =
            findings.any(|finding| is_error(&finding) && files.contains(&self.file_of(finding)));
        (message.is_about_helper() || message.is_in_expansion()) && is_refused
            || message.is_about_helper() && !self.faulty.is_disjoint(files)
    }

    /// Returns whether a macro or rustc reports an error of the generator, too. Of two errors about
    /// one name, that of the generator has the better help.
    fn repeats(&self, message: &Message) -> bool {
        let is_same = |finding: &Diagnostic| {
            let file = self.file_of(finding);
            let mut spans = message.primary_spans();
            spans.any(|span| {
                let found = finding.location.as_ref();
                message.path(span) == file && found.is_some_and(|found| overlaps(found, span))
            })
        };
        let errors = self.inspection.findings.iter().filter(is_error);
        let mut findings = errors.filter(|finding| finding.code != Code::Syntax);
        message.is_about_name() && findings.any(is_same)
    }

    fn file_of(&self, finding: &Diagnostic) -> PathBuf {
        let path = finding.location.as_ref().map(|at| at.source.path.as_str());
        self.working_dir.join(path.unwrap_or_default())
    }
}

fn is_error(finding: &&Diagnostic) -> bool {
    finding.severity == Severity::Error
}

fn is_generated_file(file: &Path) -> bool {
    file_system::read_text_file(file).is_ok_and(|text| is_generated(&text))
}

fn overlaps(found: &Location, span: &Span) -> bool {
    let (start, end) = (
        found.source.offset + found.span.start,
        found.source.offset + found.span.end,
    );
    start < span.byte_end.max(span.byte_start + 1) && span.byte_start < end.max(start + 1)
}
