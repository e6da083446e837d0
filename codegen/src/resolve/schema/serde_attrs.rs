//! [`SerdeAttrs`]: the `#[serde(…)]` attributes of a type, a field or a variant, with serde's keys
//! and rename rules.

use genclient_syntax::{Help, suggest};
use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Ident, LitStr, Meta, Token, Type};

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::resolve::explanation::Explanation;
use crate::sources::Module;

/// Key `default` of a field or type.
#[derive(Clone, Default)]
pub(in crate::resolve) enum Default_ {
    #[default]
    None,
    /// `#[serde(default)]`
    Plain,
    /// `#[serde(default = "path")]`
    Function(LitStr),
}

impl Default_ {
    /// True if there is a default, so that serde reads an object without the field.
    pub(in crate::resolve) fn is_some(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// `with = "module"`, `serialize_with` or `deserialize_with`.
#[derive(Clone)]
pub(in crate::resolve) struct With {
    pub(in crate::resolve) key: Ident,
    pub(in crate::resolve) path: LitStr,
}

/// `skip_serializing_if = "function"`, or its equivalent from `skip_serializing_none`.
#[derive(Clone)]
pub(in crate::resolve) struct SkipIf {
    pub(in crate::resolve) key: Span,
    pub(in crate::resolve) function: String,
}

impl SkipIf {
    /// Name of the function, without its path.
    pub(in crate::resolve) fn name(&self) -> &str {
        let last = self.function.rsplit("::").next();
        last.unwrap_or_default().trim()
    }
}

#[derive(Clone, Default)]
pub(in crate::resolve) struct SerdeAttrs {
    pub(in crate::resolve) rename: Option<String>,
    /// Location of `alias`.
    pub(in crate::resolve) alias: Option<Span>,
    pub(in crate::resolve) rename_all: Rename,
    pub(in crate::resolve) rename_all_fields: Rename,
    pub(in crate::resolve) default: Default_,
    pub(in crate::resolve) flatten: bool,
    pub(in crate::resolve) skip_serializing: Option<Span>,
    pub(in crate::resolve) skip_deserializing: bool,
    pub(in crate::resolve) skip_serializing_if: Option<SkipIf>,
    pub(in crate::resolve) transparent: bool,
    pub(in crate::resolve) deny_unknown_fields: bool,
    pub(in crate::resolve) tag: Option<LitStr>,
    pub(in crate::resolve) content: Option<LitStr>,
    pub(in crate::resolve) untagged: bool,
    pub(in crate::resolve) other: bool,
    pub(in crate::resolve) with: Option<With>,
    /// `from` or `try_from`: the type that is read in place of this one.
    pub(in crate::resolve) from: Option<LitStr>,
    /// True for `try_from`.
    pub(in crate::resolve) may_fail: bool,
    /// `into`: the type that is written in place of this one.
    pub(in crate::resolve) into: Option<LitStr>,
    /// A key or attribute, such as `remote`, with an effect on JSON that source does not show.
    pub(in crate::resolve) opaque: Option<Ident>,
    /// `#[skip_serializing_none]` on a type.
    pub(in crate::resolve) skips_none: bool,
    /// `#[serialize_always]` on a field of a type with `skip_serializing_none`.
    pub(in crate::resolve) always: bool,
}

impl SerdeAttrs {
    /// Reads the attributes of an item whose errors are reported elsewhere.
    pub(in crate::resolve) fn of_checked(
        attrs: &[Attribute],
        site: SerdeSite,
        module: &Module,
    ) -> Self {
        parse_serde_attrs(attrs, site, module, &mut Sink::new())
    }

    /// True if functions of the user read or write the item.
    pub(in crate::resolve) fn is_custom(&self) -> bool {
        self.with.is_some() || self.opaque.is_some()
    }

    /// True if serde neither reads nor writes the item.
    pub(in crate::resolve) fn is_skipped(&self) -> bool {
        self.skip_serializing.is_some() && self.skip_deserializing
    }

    /// True if a custom function reads the field, so that an absent `Option` is an error.
    pub(in crate::resolve) fn has_custom_reader(&self) -> bool {
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
    pub(in crate::resolve) fn conversion_type(&self) -> Result<Option<Type>, &LitStr> {
        let (from, into) = match (&self.from, &self.into) {
            (None, None) => return Ok(None),
            (Some(from), Some(into)) => (from, into),
            (Some(one), None) | (None, Some(one)) => return Err(one),
        };
        let types = from.parse::<Type>().ok().zip(into.parse::<Type>().ok());
        let same = |(from, into): &(Type, Type)| token_text(from) == token_text(into);
        types.filter(same).map(|(from, _)| Some(from)).ok_or(from)
    }
}

/// Serde's representation of an enum.
#[derive(Clone, Debug)]
pub(in crate::resolve) enum Tagging {
    /// `{ "Name": … }`
    External,
    /// `{ "tag": "Name", … }`
    Internal { tag: String },
    /// `{ "tag": "Name", "content": … }`
    Adjacent { tag: String, content: String },
    /// Only the content of the variant, without its name.
    Untagged,
}

impl Tagging {
    pub(in crate::resolve) fn from_attrs(serde: &SerdeAttrs) -> Self {
        match (&serde.tag, &serde.content) {
            _ if serde.untagged => Self::Untagged,
            (Some(tag), Some(content)) => Self::Adjacent {
                tag: tag.value(),
                content: content.value(),
            },
            (Some(tag), None) => Self::Internal { tag: tag.value() },
            (None, _) => Self::External,
        }
    }

    pub(in crate::resolve) fn tag(&self) -> Option<&str> {
        match self {
            Self::Internal { tag } | Self::Adjacent { tag, .. } => Some(tag),
            Self::External | Self::Untagged => None,
        }
    }
}

fn token_text(node: &impl ToTokens) -> String {
    node.to_token_stream().to_string()
}

/// Reads `#[serde(…)]` and the attributes of `serde_with`. Checks that serde accepts the keys at
/// `site`. Most other errors are left to serde's derive.
pub(in crate::resolve) fn parse_serde_attrs(
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
                check_key(&name.unraw(), site, module, sink);
            }
            read_key(&mut out, &meta, module, sink)
        });
        if let Err(error) = parsed {
            let at = Location::new(&module.source, error.span());
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

fn read_key(
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
        "rename_all" => out.rename_all = read_rename_rule(meta, module, sink)?,
        "rename_all_fields" => out.rename_all_fields = read_rename_rule(meta, module, sink)?,
        "default" if meta.input.peek(Token![=]) => {
            out.default = Default_::Function(read_string(meta)?)
        }
        "default" => out.default = Default_::Plain,
        "flatten" => out.flatten = true,
        "skip" => {
            out.skip_serializing = Some(name.span());
            out.skip_deserializing = true;
        }
        "skip_serializing" => out.skip_serializing = Some(name.span()),
        "skip_deserializing" => out.skip_deserializing = true,
        "skip_serializing_if" => {
            let function = read_string(meta)?.value();
            let key = name.span();
            out.skip_serializing_if = Some(SkipIf { key, function });
        }
        "transparent" => out.transparent = true,
        "deny_unknown_fields" => out.deny_unknown_fields = true,
        "untagged" => out.untagged = true,
        "other" => out.other = true,
        "tag" => out.tag = Some(read_string(meta)?),
        "content" => out.content = Some(read_string(meta)?),
        "from" | "try_from" => {
            out.from = Some(read_string(meta)?);
            out.may_fail = name == "try_from";
        }
        "into" => out.into = Some(read_string(meta)?),
        "with" | "serialize_with" | "deserialize_with" => {
            let path = read_string(meta)?;
            out.with = Some(With { key: name, path });
        }
        "alias" => {
            skip_value(meta)?;
            out.alias = Some(name.span());
        }
        "getter" => {
            skip_value(meta)?;
            let finding = Diagnostic::error("`getter` needs `remote`");
            sink.push(
                finding
                    .at(module.locate(&name))
                    .help(Help::remove("remove it")),
            );
        }
        "remote" => {
            skip_value(meta)?;
            out.opaque = Some(name);
        }
        _ => skip_value(meta)?,
    }
    Ok(())
}

fn read_string(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    meta.value()?.parse()
}

fn read_rename_rule(
    meta: &ParseNestedMeta<'_>,
    module: &Module,
    sink: &mut Sink,
) -> syn::Result<Rename> {
    let Some(rule) = both_ways(meta, module, sink)? else {
        return Ok(Rename::default());
    };
    let rename = Rename::parse(&rule.value());
    if rename.is_none() {
        let names = || NAMED_RULES.iter().map(|(name, _)| *name);
        let rule_name = rule.value();
        let help = match suggest::closest(&rule_name, names()) {
            Some(meant) => Help::did_you_mean(&rule_name, meant),
            None => format!(
                "write one of `{}`",
                names().collect::<Vec<_>>().join("`, `")
            )
            .into(),
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
        return Ok(Some(read_string(meta)?));
    }
    let mut names = Vec::new();
    meta.parse_nested_meta(|meta| {
        names.push(read_string(&meta)?);
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

/// Kind of item with `#[serde(…)]`. Each kind has its own keys (serde_derive, `internals/attr.rs`).
#[derive(Clone, Copy)]
pub(in crate::resolve) enum SerdeSite {
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
fn check_key(key: &Ident, site: SerdeSite, module: &Module, sink: &mut Sink) {
    let name = key.to_string();
    if !site.keys().contains(&name.as_str()) {
        let Explanation { message, help } = explain_wrong_key(&name, site);
        sink.push(Diagnostic::error(message).at(module.locate(key)).help(help));
    }
}

fn explain_wrong_key(name: &str, site: SerdeSite) -> Explanation {
    let elsewhere = SerdeSite::ALL
        .iter()
        .find(|other| other.keys().contains(&name));
    if let Some(other) = elsewhere {
        let message = format!("`{name}` in `serde` is not allowed {}", site.on());
        return Explanation::new(
            message,
            Help::remove(format!("remove it: serde accepts it {}", other.on())),
        );
    }
    let help = match suggest::closest(name, site.keys().iter().copied()) {
        Some(meant) => Help::did_you_mean(name, meant),
        None => Help::remove("remove it: serde has no such key"),
    };
    Explanation::new(format!("unknown key `{name}` in `serde`"), help)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::resolve) enum Rename {
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

/// The rules by their names (`serde_derive::internals::case::RENAME_RULES`).
const NAMED_RULES: &[(&str, Rename)] = &[
    ("lowercase", Rename::Lower),
    ("UPPERCASE", Rename::Upper),
    ("PascalCase", Rename::Pascal),
    ("camelCase", Rename::Camel),
    ("snake_case", Rename::Snake),
    ("SCREAMING_SNAKE_CASE", Rename::ScreamingSnake),
    ("kebab-case", Rename::Kebab),
    ("SCREAMING-KEBAB-CASE", Rename::ScreamingKebab),
];

impl Rename {
    pub(in crate::resolve) fn parse(rule: &str) -> Option<Self> {
        let (_, rename) = NAMED_RULES.iter().find(|(name, _)| *name == rule)?;
        Some(*rename)
    }

    /// Returns the name of the rule; `None` without one.
    pub(in crate::resolve) fn as_str(self) -> Option<&'static str> {
        let (name, _) = NAMED_RULES.iter().find(|(_, rename)| *rename == self)?;
        Some(name)
    }

    /// Renames a field. `name` is in snake case.
    pub(in crate::resolve) fn field(self, name: &str) -> String {
        match self {
            Self::None | Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => to_pascal_case(name),
            Self::Camel => lower_first(&to_pascal_case(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// Renames a variant. `name` is in Pascal case.
    pub(in crate::resolve) fn variant(self, name: &str) -> String {
        match self {
            Self::None | Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => lower_first(name),
            Self::Snake => to_snake_case(name),
            Self::ScreamingSnake => to_snake_case(name).to_ascii_uppercase(),
            Self::Kebab => to_snake_case(name).replace('_', "-"),
            Self::ScreamingKebab => to_snake_case(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn to_pascal_case(name: &str) -> String {
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

fn to_snake_case(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.char_indices() {
        if at > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::Rename;

    /// Returns the rule `$rule`, and the names that serde gives to fields and variants by it.
    macro_rules! renamed {
        ($rule:literal) => {{
            #[derive(Serialize)]
            #[serde(rename_all = $rule)]
            #[expect(
                non_snake_case,
                reason = "serde renames fields that are not in snake case, too"
            )]
            struct Fields {
                plain: u8,
                gpu_amount: u8,
                r#type: u8,
                v1_beta2: u8,
                __private__name_: u8,
                x9: u8,
                camelCased: u8,
                straße: u8,
            }
            #[derive(Serialize)]
            #[serde(rename_all = $rule)]
            enum Variants {
                Plain,
                GpuAmount,
                HTTPServer,
                V1Beta2,
                r#Yield,
                Straße,
                Id9,
                A1b2C3,
            }
            let fields = Fields {
                plain: 0,
                gpu_amount: 0,
                r#type: 0,
                v1_beta2: 0,
                __private__name_: 0,
                x9: 0,
                camelCased: 0,
                straße: 0,
            };
            let variants = [
                Variants::Plain,
                Variants::GpuAmount,
                Variants::HTTPServer,
                Variants::V1Beta2,
                Variants::r#Yield,
                Variants::Straße,
                Variants::Id9,
                Variants::A1b2C3,
            ];
            let fields = serde_json::to_value(fields).unwrap();
            (
                $rule,
                fields.as_object().unwrap().keys().cloned().collect(),
                variants
                    .map(|variant| serde_json::to_value(variant).unwrap())
                    .map(|name| name.as_str().unwrap().to_owned())
                    .to_vec(),
            )
        }};
    }

    #[test]
    fn fields_and_variants_are_renamed_as_serde_does() {
        let fields = [
            "plain",
            "gpu_amount",
            "type",
            "v1_beta2",
            "__private__name_",
            "x9",
            "camelCased",
            "straße",
        ];
        let variants = [
            "Plain",
            "GpuAmount",
            "HTTPServer",
            "V1Beta2",
            "Yield",
            "Straße",
            "Id9",
            "A1b2C3",
        ];
        let rules: [(&str, Vec<String>, Vec<String>); 8] = [
            renamed!("lowercase"),
            renamed!("UPPERCASE"),
            renamed!("PascalCase"),
            renamed!("camelCase"),
            renamed!("snake_case"),
            renamed!("SCREAMING_SNAKE_CASE"),
            renamed!("kebab-case"),
            renamed!("SCREAMING-KEBAB-CASE"),
        ];
        for (name, by_serde, variants_by_serde) in rules {
            let rule = Rename::parse(name).unwrap();
            let mut ours = fields.map(|field| rule.field(field)).to_vec();
            // serde_json sorts the members of an object.
            ours.sort();
            assert_eq!(ours, by_serde, "{name}");
            assert_eq!(
                variants.map(|variant| rule.variant(variant)).to_vec(),
                variants_by_serde,
                "{name}"
            );
        }
    }
}
