//! Doc comments from descriptions.

use genclient_codegen::doc_comment::{END, is_note};

/// The lines of the doc comment for a description; empty without a description.
pub(super) fn doc_lines(description: Option<&str>) -> Vec<String> {
    let text = description.into_iter();
    text.flat_map(|text| text.split('\n'))
        .map(trim_line)
        .collect()
}

/// The lines of a doc comment that stays out of the CRD: the sentence follows a line [`END`].
pub(super) fn doc_lines_outside_crd(sentence: String) -> Vec<String> {
    vec![END.to_owned(), sentence]
}

fn trim_line(text: &str) -> String {
    let kept: String = text.chars().filter(|c| *c != '\r').collect();
    kept.trim_end().to_owned()
}

/// True if the description has lines that `update` would leave out of the CRD when it reads them
/// from a doc comment.
pub(super) fn has_notes(description: &str) -> bool {
    let mut lines = description.lines().map(str::trim);
    lines.any(|line| line == END || is_note(line))
}

/// The description as a doc comment preserves it: without whitespace at its ends and at the ends of
/// its lines. `None` if nothing is left.
pub(super) fn trim_description(description: Option<&str>) -> Option<String> {
    let lines: Vec<_> = description?.split('\n').map(trim_line).collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}
