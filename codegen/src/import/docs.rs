//! Doc comments from descriptions.

/// The lines of a doc comment that `update` reads as this description.
///
/// Without a description the sentence stands after a `---` line, which keeps it out of the CRD.
pub(super) fn lines(description: Option<&str>, sentence: &str) -> Vec<String> {
    match description {
        Some(text) => text.split('\n').map(line).collect(),
        None => vec!["---".to_owned(), sentence.to_owned()],
    }
}

fn line(text: &str) -> String {
    let kept: String = text.chars().filter(|c| *c != '\r').collect();
    kept.trim_end().to_owned()
}

/// A description as a doc comment can hold it: without space at the ends of lines.
pub(super) fn kept(description: Option<&str>) -> Option<String> {
    let lines: Vec<_> = description?.split('\n').map(line).collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}
