//! Notes on the parts of a definition that `update` does not reproduce.

/// A part of a definition that `update` does not reproduce.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Note {
    /// Its path: `v1.spec.size`.
    pub(super) path: String,
    /// The loss and its reason.
    pub(super) text: String,
}

/// Adds a note.
pub(super) fn note(notes: &mut Vec<Note>, path: &str, text: String) {
    notes.push(Note {
        path: path.to_owned(),
        text,
    });
}
