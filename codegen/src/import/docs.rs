//! Doc comments from descriptions.

/// The lines of a doc comment that `update` reads back as this description; none without a
/// description.
pub(super) fn lines(description: Option<&str>) -> Vec<String> {
    let text = description.into_iter();
    text.flat_map(|text| text.split('\n')).map(line).collect()
}

/// The lines of a doc comment that stays out of the CRD: the sentence follows a `---` line.
pub(super) fn out_of_crd(sentence: String) -> Vec<String> {
    vec!["---".to_owned(), sentence]
}

fn line(text: &str) -> String {
    let kept: String = text.chars().filter(|c| *c != '\r').collect();
    kept.trim_end().to_owned()
}

/// True if `update` would keep lines of the description out of the CRD. In doc comments, `TODO`
/// begins a note to developers and `---` ends the description.
pub(super) fn has_notes(description: &str) -> bool {
    let mut lines = description.lines().map(str::trim);
    lines.any(|line| line == "---" || line.starts_with("TODO"))
}

/// The description in the form that a doc comment preserves: without trailing whitespace.
pub(super) fn kept(description: Option<&str>) -> Option<String> {
    let lines: Vec<_> = description?.split('\n').map(line).collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}
