//! [`Read`]: a list and watch that a controller declares.

use super::declared::Namespaces;
use crate::diagnostic::Location;
use crate::resolve::object::Object;
use crate::sources::ModuleId;

/// Verbs of a cache; it never sends `get`.
pub(super) const READS: [&str; 2] = ["list", "watch"];

/// A module, and the index of an item in it.
pub(super) type ItemId = (ModuleId, usize);

/// A read that a controller declares.
pub(super) struct Read {
    pub(super) object: Object,
    pub(super) namespaces: Namespaces,
    /// Name of the selected object, if the read is limited to one.
    pub(super) name: Option<String>,
    pub(super) item: ItemId,
    pub(super) place: Location,
    /// The declaration as shown in messages.
    pub(super) shown: String,
    pub(super) form: ReadForm,
}

/// Form of the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadForm {
    Watch,
    /// The watch of a reconciler: `Controller::watching`.
    Watching,
    /// `type Object` of a reconciler.
    Object,
}
