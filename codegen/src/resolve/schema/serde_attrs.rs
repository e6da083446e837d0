//! [`SerdeAttrs`]: the `#[serde(…)]` attributes of a type, a field or a variant.

use genclient_syntax::suggest;
use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Ident, LitStr, Meta, Token, Type};

use super::rename::{RULES, Rename};
use super::serde_keys::{self, SerdeSite};
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::sources::Module;

/// Key `default` of a field or type.
#[derive(Clone, Default)]
pub(super) enum Default_ {
    #[default]
    None,
    /// `#[serde(default)]`
    Plain,
    /// `#[serde(default = "path")]`
    Function(LitStr),
}

impl Default_ {
    /// True if there is a default, so that serde reads an object without the field.
    pub(super) fn is_some(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// `with = "module"`, `serialize_with` or `deserialize_with`.
#[derive(Clone)]
pub(super) struct With {
    pub(super) key: Ident,
    pub(super) path: LitStr,
}

/// `skip_serializing_if = "function"`, or its equivalent from `skip_serializing_none`.
#[derive(Clone)]
pub(super) struct SkipIf {
    pub(super) key: Span,
    pub(super) function: String,
}

impl SkipIf {
    /// Name of the function, without its path.
    pub(super) fn name(&self) -> &str {
        let last = self.function.rsplit("::").next();
        last.unwrap_or_default().trim()
    }
}

#[derive(Clone, Default)]
pub(super) struct SerdeAttrs {
    pub(super) rename: Option<String>,
    /// Location of `alias`.
    pub(super) alias: Option<Span>,
    pub(super) rename_all: Rename,
    pub(super) rename_all_fields: Rename,
    pub(super) default: Default_,
    pub(super) flatten: bool,
    pub(super) skip_serializing: Option<Span>,
    pub(super) skip_deserializing: bool,
    pub(super) skip_serializing_if: Option<SkipIf>,
    pub(super) transparent: bool,
    pub(super) deny_unknown_fields: bool,
    pub(super) tag: Option<LitStr>,
    pub(super) content: Option<LitStr>,
    pub(super) untagged: bool,
    pub(super) other: bool,
    pub(super) with: Option<With>,
    /// `from` or `try_from`: the type that is read in place of this one.
    pub(super) from: Option<LitStr>,
    /// True for `try_from`.
    pub(super) may_fail: bool,
    /// `into`: the type that is written in place of this one.
    pub(super) into: Option<LitStr>,
    /// A key or attribute, such as `remote`, with an effect on JSON that source does not show.
    pub(super) opaque: Option<Ident>,
    /// `#[skip_serializing_none]` on a type.
    pub(super) skips_none: bool,
    /// `#[serialize_always]` on a field of a type with `skip_serializing_none`.
    pub(super) always: bool,
}

impl SerdeAttrs {
    /// True if serde neither reads nor writes the item.
    pub(super) fn skipped(&self) -> bool {
        self.skip_serializing.is_some() && self.skip_deserializing
    }

    /// True if a custom function reads the field, so that an absent `Option` is an error.
    pub(super) fn has_custom_reader(&self) -> bool {
        self.with
            .as_ref()
            .is_some_and(|with| with.key != "serialize_with")
    }

    /// Returns the type that is read and written in place of this one.
    ///
    /// # Errors
    ///
    /// Returns the literal of `from`, `try_from` or `into` if only reading or only writing is
    /// converted, or if the two types differ or do not parse.
    pub(super) fn converted(&self) -> Result<Option<Type>, &LitStr> {
        let (from, into) = match (&self.from, &self.into) {
            (None, None) => return Ok(None),
            (Some(from), Some(into)) => (from, into),
            (Some(one), None) | (None, Some(one)) => return Err(one),
        };
        let types = from.parse::<Type>().ok().zip(into.parse::<Type>().ok());
        let same = |(from, into): &(Type, Type)| text(from) == text(into);
        types.filter(same).map(|(from, _)| Some(from)).ok_or(from)
    }
}

fn text(node: &impl ToTokens) -> String {
    node.to_token_stream().to_string()
}

/// Reads `#[serde(…)]` and the attributes of `serde_with`. Checks that serde accepts the keys at
/// `site`. Most other errors are left to serde's derive.
pub(super) fn parse(
    attrs: &[Attribute],
    site: SerdeSite,
    module: &Module,
    sink: &mut Sink,
) -> SerdeAttrs {
    let mut out = SerdeAttrs::default();
    for attr in attrs.iter().filter(|attr| is_conditional(attr)) {
        sink.push(
            Diagnostic::error("`serde` is not allowed in `cfg_attr`")
                .at(module.locate(attr))
                .help("write it without `cfg_attr`: the CRD is the same for every build"),
        );
    }
    for attr in attrs {
        let Some(name) = attr.path().segments.last().map(|last| &last.ident) else {
            continue;
        };
        out.skips_none |= name == "skip_serializing_none";
        out.always |= name == "serialize_always";
        if name == "serde_as" && matches!(attr.meta, Meta::List(_)) {
            out.opaque = Some(name.clone());
        }
    }
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        let parsed = attr.parse_nested_meta(|meta| {
            if let Some(name) = meta.path.get_ident() {
                serde_keys::check(&name.unraw(), site, module, sink);
            }
            key(&mut out, &meta, module, sink)
        });
        if let Err(error) = parsed {
            let at = Location::of(&module.source, error.span());
            sink.push(Diagnostic::error(error.to_string()).at(at));
        }
    }
    out
}

/// True for `#[cfg_attr(…, serde(…))]`.
fn is_conditional(attr: &Attribute) -> bool {
    let Meta::List(list) = &attr.meta else {
        return false;
    };
    let mut words = list.tokens.clone().into_iter();
    list.path.is_ident("cfg_attr")
        && words.any(|word| matches!(word, TokenTree::Ident(word) if word == "serde"))
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
        "rename" => out.rename = both_ways(meta, module, sink)?.map(|name| name.value()),
        "rename_all" => out.rename_all = rule(meta, module, sink)?,
        "rename_all_fields" => out.rename_all_fields = rule(meta, module, sink)?,
        "default" if meta.input.peek(Token![=]) => out.default = Default_::Function(string(meta)?),
        "default" => out.default = Default_::Plain,
        "flatten" => out.flatten = true,
        "skip" => {
            out.skip_serializing = Some(name.span());
            out.skip_deserializing = true;
        }
        "skip_serializing" => out.skip_serializing = Some(name.span()),
        "skip_deserializing" => out.skip_deserializing = true,
        "skip_serializing_if" => {
            let function = string(meta)?.value();
            let key = name.span();
            out.skip_serializing_if = Some(SkipIf { key, function });
        }
        "transparent" => out.transparent = true,
        "deny_unknown_fields" => out.deny_unknown_fields = true,
        "untagged" => out.untagged = true,
        "other" => out.other = true,
        "tag" => out.tag = Some(string(meta)?),
        "content" => out.content = Some(string(meta)?),
        "from" | "try_from" => {
            out.from = Some(string(meta)?);
            out.may_fail = name == "try_from";
        }
        "into" => out.into = Some(string(meta)?),
        "with" | "serialize_with" | "deserialize_with" => {
            let path = string(meta)?;
            out.with = Some(With { key: name, path });
        }
        "alias" => {
            skip_value(meta)?;
            out.alias = Some(name.span());
        }
        "getter" => {
            skip_value(meta)?;
            let finding = Diagnostic::error("`getter` needs `remote`");
            sink.push(finding.at(module.locate(&name)).help("remove it"));
        }
        "remote" => {
            skip_value(meta)?;
            out.opaque = Some(name);
        }
        _ => skip_value(meta)?,
    }
    Ok(())
}

fn string(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    meta.value()?.parse()
}

fn rule(meta: &ParseNestedMeta<'_>, module: &Module, sink: &mut Sink) -> syn::Result<Rename> {
    let Some(rule) = both_ways(meta, module, sink)? else {
        return Ok(Rename::default());
    };
    let rename = Rename::parse(&rule.value());
    if rename.is_none() {
        let names = || RULES.iter().map(|(name, _)| *name);
        let rule_name = rule.value();
        let help = match suggest::closest(&rule_name, names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!(
                "write one of `{}`",
                names().collect::<Vec<_>>().join("`, `")
            ),
        };
        let finding = Diagnostic::error(format!("unknown rename rule `{rule_name}`"));
        sink.push(finding.at(module.locate(&rule)).help(help));
    }
    Ok(rename.unwrap_or_default())
}

/// Reads `rename = "a"`, or `rename(serialize = "a", deserialize = "b")`, whose names must be
/// equal.
fn both_ways(
    meta: &ParseNestedMeta<'_>,
    module: &Module,
    sink: &mut Sink,
) -> syn::Result<Option<LitStr>> {
    if meta.input.peek(Token![=]) {
        return Ok(Some(string(meta)?));
    }
    let mut names = Vec::new();
    meta.parse_nested_meta(|meta| {
        names.push(string(&meta)?);
        Ok(())
    })?;
    if names.len() != 2 || names[0].value() != names[1].value() {
        let key = meta.path.to_token_stream();
        sink.push(
            Diagnostic::error("the names for reading and writing must be equal")
                .at(module.locate(&meta.path))
                .help(format!("give one value for both: `{key} = \"…\"`")),
        );
    }
    Ok(names.into_iter().next())
}

fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        let value = meta.value()?;
        if value.peek(LitStr) {
            value.parse::<LitStr>()?;
        } else {
            value.parse::<syn::Expr>()?;
        }
    } else if meta.input.peek(syn::token::Paren) {
        meta.parse_nested_meta(|meta| skip_value(&meta))?;
    }
    Ok(())
}
