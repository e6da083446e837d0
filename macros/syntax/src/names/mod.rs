//! Names derived from kinds, groups and versions, shared by the macros and the command line.

mod case;
mod plural;
mod version;

pub use case::{
    accessor, client_type, group_module, ident, is_kind, module, snake_case, version_module,
};
pub use plural::pluralize;
pub use version::{compare as compare_versions, is_version};
