//! Keys of `#[serde(…)]` that serde's derive accepts: a closed list for each kind of item.

use genclient_syntax::suggest;
use syn::Ident;

use crate::diagnostic::{Diagnostic, Sink};
use crate::sources::Module;

/// Kind of item with `#[serde(…)]`. Each kind has its own keys (serde_derive, `internals/attr.rs`).
#[derive(Clone, Copy)]
pub(super) enum SerdeSite {
    Type,
    Variant,
    Field,
}

impl SerdeSite {
    const ALL: [Self; 3] = [Self::Type, Self::Variant, Self::Field];

    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Type => &[
                "bound",
                "content",
                "crate",
                "default",
                "deny_unknown_fields",
                "expecting",
                "field_identifier",
                "from",
                "into",
                "remote",
                "rename",
                "rename_all",
                "rename_all_fields",
                "tag",
                "transparent",
                "try_from",
                "untagged",
                "variant_identifier",
            ],
            Self::Variant => &[
                "alias",
                "borrow",
                "bound",
                "deserialize_with",
                "other",
                "rename",
                "rename_all",
                "serialize_with",
                "skip",
                "skip_deserializing",
                "skip_serializing",
                "untagged",
                "with",
            ],
            Self::Field => &[
                "alias",
                "borrow",
                "bound",
                "default",
                "deserialize_with",
                "flatten",
                "getter",
                "rename",
                "serialize_with",
                "skip",
                "skip_deserializing",
                "skip_serializing",
                "skip_serializing_if",
                "with",
            ],
        }
    }

    fn on(self) -> &'static str {
        match self {
            Self::Type => "on a type",
            Self::Variant => "on a variant",
            Self::Field => "on a field",
        }
    }
}

/// Reports a key that serde does not know, or does not accept at `site`.
pub(super) fn check(key: &Ident, site: SerdeSite, module: &Module, sink: &mut Sink) {
    let name = key.to_string();
    if !site.keys().contains(&name.as_str()) {
        let (message, help) = wrong(&name, site);
        sink.push(Diagnostic::error(message).at(module.locate(key)).help(help));
    }
}

fn wrong(name: &str, site: SerdeSite) -> (String, String) {
    let elsewhere = SerdeSite::ALL
        .iter()
        .find(|other| other.keys().contains(&name));
    if let Some(other) = elsewhere {
        let message = format!("`{name}` in `serde` is not allowed {}", site.on());
        return (
            message,
            format!("remove it: serde accepts it {}", other.on()),
        );
    }
    let help = match suggest::closest(name, site.keys().iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "remove it: serde has no such key".to_owned(),
    };
    (format!("unknown key `{name}` in `serde`"), help)
}
