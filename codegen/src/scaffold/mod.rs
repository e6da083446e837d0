//! Project scaffolding: the files of `init`, `create api` and `create webhook`, which are written
//! once and are the user's from then on.
//!
//! A request is checked, and its files and insertions are collected in a [`Scaffold`]: `output`
//! puts all of them in place, or none.

mod admission;
mod api;
mod built_in;
mod controller;
mod conversion;
mod dependencies;
mod existing;
mod files;
mod hub;
mod init;
mod kind;
mod least;
mod modules;
mod names;
mod sample;
mod stored;
mod testing;
mod webhook;

pub(crate) use api::CreateApi;
pub(crate) use existing::Existing;
pub(crate) use files::Scaffold;
pub(crate) use init::{CrateSource, Init, License};
pub(crate) use webhook::CreateWebhook;

/// Group, version and kind as they were typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Typed {
    /// The group, without the domain of the project.
    pub(crate) group: String,
    /// The version.
    pub(crate) version: String,
    /// The kind.
    pub(crate) kind: String,
    /// The plural, if it is not the regular one.
    pub(crate) plural: Option<String>,
    /// The crate that has the type, if it is not one of the project.
    pub(crate) external: Option<ExternalApi>,
}

/// A crate with the types of another project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExternalApi {
    /// The module of the type: `certificates::v1`.
    pub(crate) path: String,
    /// The domain of the group.
    pub(crate) domain: Option<String>,
}

impl ExternalApi {
    /// The name of the crate.
    fn crate_name(&self) -> &str {
        self.path.split("::").next().unwrap_or_default()
    }
}
