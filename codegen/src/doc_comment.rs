//! Markers in doc comments, for text that stays out of a CRD.

/// First word of a note in a user's doc comment: a line for maintainers of the type, not for its
/// users. controller-gen leaves such lines out of a CRD, and so does apimachinery when it takes
/// descriptions from Go comments.
pub(crate) const NOTE: &str = "TODO";

/// Line at which the description ends. As in controller-gen, the text below stays out of a CRD.
pub(crate) const END: &str = "---";

/// True if a line is a note.
pub(crate) fn is_note(line: &str) -> bool {
    line.starts_with(NOTE)
}
