//! Markers in doc comments, for text that stays out of a CRD.

/// Start of a note: a line of a user's doc comment for the maintainers of the type, which stays out
/// of the CRD. controller-gen omits lines with this word, as apimachinery's `fmtRawDoc` does.
pub const NOTE: &str = "TODO";

/// Line at which the description ends. As in controller-gen, the text below stays out of the CRD.
pub const END: &str = "---";

/// Returns whether a line is a note.
pub fn is_note(line: &str) -> bool {
    line.starts_with(NOTE)
}
