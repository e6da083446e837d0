//! Project scaffolding: the files of `init`, `create api` and `create webhook`. They are written
//! once and belong to the user afterwards.
//!
//! A request is checked, and its files and insertions are collected in a [`Scaffold`]. `output`
//! then writes all of them, or none.

mod api;
mod controller;
mod conversion;
mod dependencies;
mod existing;
mod files;
mod init;
mod kind;
mod kind_file;
mod modules;
mod names;
mod sample;
mod testing;
mod webhook;

pub(crate) use api::CreateApi;
pub(crate) use existing::ExistingProject;
pub(crate) use files::Scaffold;
pub(crate) use init::{CrateSource, Init, License};
pub(crate) use webhook::CreateWebhook;

/// Group, version and kind from the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestedKind {
    /// The group, with or without the domain of the project.
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    /// The plural, if set on the command line.
    pub(crate) plural: Option<String>,
    /// The crate with the type, for a kind of another project.
    pub(crate) external: Option<ExternalApi>,
}

/// A crate with API types of another project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExternalApi {
    /// The module of the type: `certificates::v1`.
    pub(crate) path: String,
    /// The domain that completes the group.
    pub(crate) domain: Option<String>,
}

impl ExternalApi {
    fn crate_name(&self) -> &str {
        self.path.split("::").next().unwrap_or_default()
    }
}
