//! Project scaffolding: the files of `init`, `create api` and `create webhook`, which are written
//! once and are the user's from then on.
//!
//! A request is checked, and its files and insertions are collected in a [`Scaffold`], which then
//! puts all of them in place, or none.

mod admission;
mod api;
mod built_in;
mod controller;
mod conversion;
mod existing;
mod files;
mod hub;
mod init;
mod insert;
mod kind;
mod modules;
mod names;
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
}
