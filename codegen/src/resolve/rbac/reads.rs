//! Reads that controllers declare.

use super::declared::Namespaces;
use crate::diagnostic::Location;
use crate::resolve::object::Object;
use crate::sources::ModuleId;

/// What a cache sends; it never asks for a single object.
pub(super) const READS: [&str; 2] = ["list", "watch"];

/// A module, and the number of an item in it.
pub(super) type ItemId = (ModuleId, usize);

/// A read that a controller declares, with the kind that it is of.
pub(super) struct Read {
    pub(super) object: Object,
    pub(super) namespaces: Namespaces,
    /// The one object that is selected.
    pub(super) name: Option<String>,
    pub(super) item: ItemId,
    pub(super) place: Location,
    /// The declaration as messages show it.
    pub(super) shown: String,
    pub(super) form: ReadForm,
}

/// The declaration that a read follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadForm {
    Watch,
    /// The watch of a reconciler: `Controller::watching`.
    Watching,
    /// `type Object` of a reconciler.
    Object,
}
