//! `#[serde(…)]`: by which names, and whether at all, serde reads and writes a field or variant.

use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Ident, LitStr, Token};

use crate::diagnostic::{Diagnostic, Sink};
use crate::load::Module;

/// How names are changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rename {
    #[default]
    None,
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Rename {
    fn parse(rule: &str) -> Option<Self> {
        Some(match rule {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// Changes the name of a field, which is in snake case.
    pub(super) fn field(self, name: &str) -> String {
        match self {
            Self::None | Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(name),
            Self::Camel => lower_first(&pascal(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// Changes the name of a variant, which is in Pascal case.
    pub(super) fn variant(self, name: &str) -> String {
        match self {
            Self::None | Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => lower_first(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else if upper {
            out.push(c.to_ascii_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    out
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_ascii_lowercase().to_string() + chars.as_str(),
        None => String::new(),
    }
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.char_indices() {
        if at > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// A default that serde fills in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Default_ {
    #[default]
    None,
    /// `#[serde(default)]`
    Plain,
    /// `#[serde(default = "path")]`
    Function(String),
}

/// What serde is told about a type, a field or a variant.
#[derive(Clone, Debug, Default)]
pub(super) struct SerdeAttrs {
    pub(super) rename: Option<String>,
    pub(super) rename_all: Rename,
    pub(super) default: Default_,
    pub(super) flatten: bool,
    pub(super) skip: bool,
    pub(super) skip_serializing_if: bool,
    pub(super) transparent: bool,
    /// A key that changes what is written in a way that cannot be followed.
    pub(super) opaque: Option<Ident>,
    /// `tag`, `content` or `untagged`.
    pub(super) tagged: Option<Ident>,
}

/// Reads `#[serde(…)]`. What serde itself would refuse is left to serde.
pub(super) fn parse(attrs: &[Attribute], module: &Module, sink: &mut Sink) -> SerdeAttrs {
    let mut out = SerdeAttrs::default();
    for attr in attrs.iter().filter(|attr| is_conditional(attr)) {
        sink.push(
            Diagnostic::error("what serde does depends on `cfg`")
                .at(module.locate(attr))
                .help("write it without `cfg_attr`: the CRD is the same for every build"),
        );
    }
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        let parsed = attr.parse_nested_meta(|meta| key(&mut out, &meta, module, sink));
        if let Err(error) = parsed {
            let at = crate::diagnostic::Location::of(&module.source, error.span());
            sink.push(Diagnostic::error(error.to_string()).at(at));
        }
    }
    out
}

/// True for `#[cfg_attr(…, serde(…))]`.
fn is_conditional(attr: &Attribute) -> bool {
    let words = attr.meta.require_list().map(|list| list.tokens.clone());
    attr.path().is_ident("cfg_attr")
        && words
            .into_iter()
            .flatten()
            .any(|word| matches!(word, TokenTree::Ident(word) if word == "serde"))
}

fn key(
    out: &mut SerdeAttrs,
    meta: &ParseNestedMeta<'_>,
    module: &Module,
    sink: &mut Sink,
) -> syn::Result<()> {
    let Some(name) = meta.path.get_ident().map(Ident::unraw) else {
        return skip_value(meta);
    };
    match name.to_string().as_str() {
        "rename" => out.rename = both_ways(meta, module, sink)?,
        "rename_all" => {
            if let Some(rule) = both_ways(meta, module, sink)? {
                out.rename_all = Rename::parse(&rule).unwrap_or_default();
            }
        }
        "default" if meta.input.peek(Token![=]) => {
            out.default = Default_::Function(meta.value()?.parse::<LitStr>()?.value());
        }
        "default" => out.default = Default_::Plain,
        "flatten" => out.flatten = true,
        "skip" | "skip_deserializing" | "skip_serializing" => out.skip = true,
        "skip_serializing_if" => {
            out.skip_serializing_if = true;
            skip_value(meta)?;
        }
        "transparent" => out.transparent = true,
        "alias" => {
            skip_value(meta)?;
            sink.push(
                Diagnostic::error(
                    "an alias cannot be served: the API server prunes every name but one",
                )
                .at(module.locate(&meta.path))
                .help("drop the alias, or serve the old name in a version of its own"),
            );
        }
        "with" | "serialize_with" | "deserialize_with" | "from" | "into" | "try_from"
        | "remote" | "rename_all_fields" | "getter" => {
            skip_value(meta)?;
            out.opaque = Some(name);
        }
        "tag" | "content" | "untagged" => {
            skip_value(meta)?;
            out.tagged = Some(name);
        }
        _ => skip_value(meta)?,
    }
    Ok(())
}

/// `rename = "a"`, or `rename(serialize = "a", deserialize = "b")`, which must agree.
fn both_ways(
    meta: &ParseNestedMeta<'_>,
    module: &Module,
    sink: &mut Sink,
) -> syn::Result<Option<String>> {
    if meta.input.peek(Token![=]) {
        return Ok(Some(meta.value()?.parse::<LitStr>()?.value()));
    }
    let mut names = Vec::new();
    meta.parse_nested_meta(|meta| {
        names.push(meta.value()?.parse::<LitStr>()?.value());
        Ok(())
    })?;
    if names.len() != 2 || names[0] != names[1] {
        sink.push(
            Diagnostic::error("a field is read and written by two names")
                .at(module.locate(&meta.path))
                .help("a CRD has one name for a field: write `rename = \"…\"`"),
        );
    }
    Ok(names.into_iter().next())
}

fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        meta.parse_nested_meta(|meta| skip_value(&meta))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Rename;

    #[test]
    fn fields_and_variants_are_renamed_as_serde_does() {
        let cases = [
            ("lowercase", "gpu_amount", "gpuamount"),
            ("UPPERCASE", "GPU_AMOUNT", "GPUAMOUNT"),
            ("PascalCase", "GpuAmount", "GpuAmount"),
            ("camelCase", "gpuAmount", "gpuAmount"),
            ("snake_case", "gpu_amount", "gpu_amount"),
            ("SCREAMING_SNAKE_CASE", "GPU_AMOUNT", "GPU_AMOUNT"),
            ("kebab-case", "gpu-amount", "gpu-amount"),
            ("SCREAMING-KEBAB-CASE", "GPU-AMOUNT", "GPU-AMOUNT"),
        ];
        for (rule, field, variant) in cases {
            let rule = Rename::parse(rule).unwrap();
            if rule != Rename::Lower {
                assert_eq!(rule.field("gpu_amount"), field);
            }
            assert_eq!(rule.variant("GpuAmount"), variant);
        }
        assert_eq!(Rename::Lower.field("gpu_amount"), "gpu_amount");
    }
}
