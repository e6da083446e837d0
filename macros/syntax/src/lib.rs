//! The attribute grammar of genclient: Rust items in, checked attributes and spanned problems out.
//!
//! The macros and the command line both call this crate, so that an error has the same text in the
//! editor and in CI. The crate defines where each attribute and value is valid. It generates no
//! code.
//!
//! | to read | call |
//! |---|---|
//! | a kind, `#[genclient]` | [`ResourceAttrs::parse`] |
//! | a spec with kube's derive, `#[kube(…)]` | [`KubeAttrs::parse`] |
//! | a type in a kind, `#[derive(CrdSchema)]` | [`TypeAttrs::of_struct`], [`TypeAttrs::of_enum`] |
//! | rules of roles, `#[rbac(…)]` | [`RbacRule::of_item`] |
//! | an admission webhook, `#[webhook(…)]` | [`WebhookAttrs::parse`] |
//! | the keys of one field or type | [`SchemaAttrs::parse`] |
//! | the list of all attributes and keys | [`table::TABLE`] |
//! | plurals, accessors, module names, version order | [`names`] |
//!
//! Every reader takes a [`Problems`] sink and continues after an error: one run reports every
//! error.

pub mod names;
pub mod suggest;
pub mod table;

mod arguments;
mod attributes;
mod constraints;
pub mod dns;
mod foreign;
mod help;
mod item;
mod json;
mod keys;
mod kube;
mod problem;
mod rbac;
mod resource;
mod rule;
mod schema;
mod schemars;
mod serde;
mod service;
mod shape;
mod spanned;
mod type_ref;
mod url;
mod values;
mod vocabulary;
mod webhook;
mod x_kube;

pub use help::{Help, Replaced, Replacement};
pub use item::{Members, TypeAttrs};
pub use json::{Json, JsonValue, Number};
pub use keys::{
    is_genclient, is_grammar, is_rbac, is_resource, is_webhook, report_misspelt_genclient,
};
pub use kube::{KubeAttrs, derives, has_serde_crate, is_kube, kube_keys};
pub use problem::{Problem, Problems};
pub use rbac::{API_VERBS, RbacRule};
pub use resource::{
    Conversion, ConversionEndpoint, Deprecated, Method, PrintColumn, ResourceAttrs, Scale,
};
pub use schema::{Applicator, ExternalDocs, OneOf, OneOfKind, SchemaAttrs, Validation};
pub use schemars::{described_by, description, schemars_keys};
pub use service::ServiceReference;
pub use shape::{AttributeTarget, Shape, Target};
pub use spanned::{Flag, Spanned};
pub use suggest::closest;
pub use type_ref::TypeRef;
pub use values::{
    FailurePolicy, JsonType, ListType, MapType, MatchPolicy, MethodVerb, Operation, Reason,
    ReinvocationPolicy, SchemaMode, Scope, SideEffects, Verb,
};
pub use webhook::{MatchCondition, WebhookAttrs, WebhookRole};
