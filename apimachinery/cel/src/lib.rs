//! CEL expressions, as in kube-apiserver 1.36: rules in schemas and match conditions of webhooks.
//!
//! This crate has the parser, the type checker, the cost estimate and, with the feature `evaluate`,
//! the evaluation. It knows no schemas: `genclient-schema` declares their types and shapes. [`re2`]
//! has Go's regular expressions.

pub mod ast;
pub mod cost;
pub mod declare;
pub mod error;
#[cfg(feature = "evaluate")]
pub mod evaluate;
mod functions;
mod infer;
mod lex;
pub mod literals;
mod macros;
mod messages;
pub mod mixed;
mod names;
mod nodes;
mod parse;
pub mod re2;
mod strings;
mod types;

pub use error::{SyntaxError, TypeError};
pub use functions::{Functions, Overload};
pub use infer::{Environment, Inferred, infer};
pub use lex::RuleTokens;
pub use macros::MACROS;
pub use names::escape;
pub use parse::{Parsed, parse, parse_without_macros};
pub use types::Type;
