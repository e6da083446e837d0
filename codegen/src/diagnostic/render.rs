//! Rendering of diagnostics: coloured text and JSON lines.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

use super::{Diagnostic, Diagnostics, Label, Location, Severity};

impl Diagnostics {
    /// Renders text in rustc's style, with ANSI escape codes. The caller strips them if there is no
    /// terminal.
    pub fn to_human(&self) -> String {
        let renderer = Renderer::styled();
        let mut text = String::new();
        for finding in &self.findings {
            text.push_str(&renderer.render(&report(finding)));
            text.push_str("\n\n");
        }
        text
    }

    /// Renders one JSON object per line.
    pub fn to_json_lines(&self) -> String {
        self.findings
            .iter()
            .map(|finding| format!("{}\n", JsonFinding::from(finding).to_line()))
            .collect()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{}", Renderer::plain().render(&report(finding)))?;
        }
        Ok(())
    }
}

pub(super) fn report(finding: &Diagnostic) -> Vec<Group<'_>> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(finding.message.as_str()));
    if let Some(at) = &finding.location {
        let mut snippet = Snippet::source(at.source.text.as_str())
            .path(at.source.path.as_str())
            .annotation(AnnotationKind::Primary.span(at.span.clone()));
        let same_file = |label: &&Label| label.location.source == at.source;
        for label in finding.labels.iter().filter(same_file) {
            snippet = snippet.annotation(
                AnnotationKind::Context
                    .span(label.location.span.clone())
                    .label(label.text.as_str()),
            );
        }
        group = group.element(snippet);
        for label in finding.labels.iter().filter(|label| !same_file(label)) {
            group = group.element(
                Snippet::source(label.location.source.text.as_str())
                    .path(label.location.source.path.as_str())
                    .annotation(
                        AnnotationKind::Context
                            .span(label.location.span.clone())
                            .label(label.text.as_str()),
                    ),
            );
        }
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(&**help));
    }
    vec![group]
}

/// A finding in the JSON output.
#[derive(Serialize)]
struct JsonFinding<'a> {
    level: Severity,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

impl JsonFinding<'_> {
    fn to_line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl<'a> From<&'a Diagnostic> for JsonFinding<'a> {
    fn from(finding: &'a Diagnostic) -> Self {
        let place = finding.location.as_ref().map(Location::line_column);
        Self {
            level: finding.severity,
            message: &finding.message,
            file: finding.location.as_ref().map(|at| at.source.path.as_str()),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            help: finding.help.as_deref(),
        }
    }
}
