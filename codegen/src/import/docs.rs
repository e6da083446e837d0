//! Doc comments from descriptions.

/// The lines of a doc comment that `update` reads as this description: none without one.
pub(super) fn lines(description: Option<&str>) -> Vec<String> {
    let text = description.into_iter();
    text.flat_map(|text| text.split('\n')).map(line).collect()
}

/// The lines of a doc comment that stays out of the CRD: it stands after a `---` line.
pub(super) fn out_of_crd(sentence: String) -> Vec<String> {
    vec!["---".to_owned(), sentence]
}

fn line(text: &str) -> String {
    let kept: String = text.chars().filter(|c| *c != '\r').collect();
    kept.trim_end().to_owned()
}

/// True for a description with lines that `update` keeps out of the CRD: in doc comments, `TODO`
/// begins a note for those who work on the type.
pub(super) fn has_notes(description: &str) -> bool {
    let mut lines = description.lines().map(str::trim);
    lines.any(|line| line == "---" || line.starts_with("TODO"))
}

/// A description as a doc comment can hold it: without space at the ends of lines.
pub(super) fn kept(description: Option<&str>) -> Option<String> {
    let lines: Vec<_> = description?.split('\n').map(line).collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}
