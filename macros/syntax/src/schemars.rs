//! schemars attributes, and the constraints of `validate` and `garde` that schemars reads.
//!
//! schemars itself reports unknown keys. This module reports keys that contradict serde, values
//! that are known only at run time, and errors in `extend(…)`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Lit, LitStr, Meta, Token, UnOp};

use super::{
    AttributeTarget, Flag, Help, Json, JsonType, JsonValue, ListType, MapType, Number, Problem,
    Problems, SchemaAttrs, Shape, Spanned, Target, TypeRef, Validation, schema, suggest,
};
use crate::foreign::{
    self, ForeignAttr, attribute_items, expand_cfg_attr, key_name, parse_items, value_literal,
    value_text,
};
use crate::keys::{Given, KeyValue, Keys};
use crate::serde::SerdeKey;
use crate::table::Key;
use crate::vocabulary::vocabulary;

/// Reads the constraints that schemars would add to the schema of a type or field. `replaced` is
/// true with `#[crd(schema = ..)]` or `#[crd(schemaless)]`.
pub(crate) fn read_schemars(
    attrs: &[Attribute],
    target: &AttributeTarget,
    replaced: bool,
    problems: &mut Problems,
) -> SchemaAttrs {
    let mut schema = SchemaAttrs::default();
    let serde = attribute_items(attrs, ForeignAttr::SERDE);
    for meta in attribute_items(attrs, ForeignAttr::SCHEMARS) {
        let name = key_name(&meta);
        let Some(&key) = SerdeKey::ALL.iter().find(|key| key.as_str() == name) else {
            continue;
        };
        match key {
            SerdeKey::SCHEMA_WITH if matches!(target.kind, Target::Field | Target::Type) => {
                schema.schema_with = value_text(&meta).filter(|_| !replaced);
            }
            SerdeKey::SCHEMA_WITH | SerdeKey::TRANSFORM if !replaced => {
                report_computed_key(&meta, key, problems)
            }
            SerdeKey::DEFAULT if target.kind == Target::Field => {
                let plain = || Spanned::new("Default::default".to_owned(), meta.path().span());
                schema.default_with = Some(value_text(&meta).unwrap_or_else(plain));
            }
            SerdeKey::WITH => schema.with = replacement_type(&meta),
            SerdeKey::TITLE => schema.title = value_text(&meta),
            SerdeKey::EXAMPLE => schema.example = schema.example.or(literal_example(&meta)),
            SerdeKey::EXTEND => read_extensions(&meta, &mut schema, problems),
            SerdeKey::SKIP if target.kind == Target::Field => {
                schema.skip = Flag::at(meta.path().span());
            }
            _ => problems.extend(check_serde(&meta, key, target, &serde)),
        }
    }
    if target.kind == Target::Field {
        let has_default = serde
            .iter()
            .any(|meta| meta.path().is_ident(&SerdeKey::DEFAULT));
        for source in [
            ForeignAttr::SCHEMARS,
            ForeignAttr::VALIDATE,
            ForeignAttr::GARDE,
        ] {
            let metas = attribute_items(attrs, source);
            read_constraints(&metas, source, &target.shape, &mut schema, problems);
        }
        if has_default {
            // serde fills in the default, so that the field may be absent.
            schema.required = Flag::default();
        }
    }
    schema
}

fn report_computed_key(meta: &Meta, key: SerdeKey, problems: &mut Problems) {
    problems.report(
        meta.path().span(),
        format!("the effect of `{key}` on the schema is known only at run time"),
        "give the schema: `#[crd(schema = { .. })]` below `#[derive(CrdSchema)]`",
    );
}

fn replacement_type(meta: &Meta) -> Option<Spanned<TypeRef>> {
    let text = value_literal(meta)?;
    let ty = text.parse::<syn::Type>().ok()?;
    Some(Spanned::new(TypeRef(ty), text.span()))
}

/// Returns an example that is a literal. Other expressions are ignored.
fn literal_example(meta: &Meta) -> Option<Json> {
    let Meta::NameValue(pair) = meta else {
        return None;
    };
    let mut value = &pair.value;
    while let Expr::Reference(reference) = value {
        value = &reference.expr;
    }
    syn::parse2(value.to_token_stream()).ok()
}

/// Returns the keys of `#[schemars(…)]` that serde lacks or interprets differently.
pub fn schemars_keys() -> impl Iterator<Item = &'static str> {
    let own = SCHEMARS_KEYS.iter().map(|key| key.as_str());
    own.chain(ConstraintKey::ALL.iter().map(|key| key.as_str()))
}

/// Keys that only schemars has, or that it interprets differently from serde.
const SCHEMARS_KEYS: &[SerdeKey] = &[
    SerdeKey::DEFAULT,
    SerdeKey::DESCRIPTION,
    SerdeKey::EXAMPLE,
    SerdeKey::EXTEND,
    SerdeKey::SCHEMA_WITH,
    SerdeKey::SKIP,
    SerdeKey::TITLE,
    SerdeKey::TRANSFORM,
    SerdeKey::WITH,
];

/// Keys that describe serde's behaviour. In `#[schemars(…)]` they take precedence over
/// `#[serde(…)]`.
const SERDE_KEYS: &[SerdeKey] = &[
    SerdeKey::RENAME,
    SerdeKey::RENAME_ALL,
    SerdeKey::RENAME_ALL_FIELDS,
    SerdeKey::TAG,
    SerdeKey::CONTENT,
    SerdeKey::UNTAGGED,
    SerdeKey::DEFAULT,
    SerdeKey::FLATTEN,
    SerdeKey::SKIP_SERIALIZING,
    SerdeKey::SKIP_DESERIALIZING,
    SerdeKey::TRANSPARENT,
    SerdeKey::FROM,
    SerdeKey::INTO,
    SerdeKey::TRY_FROM,
];

/// Reports a key of serde in `#[schemars(…)]` that `#[serde(…)]` lacks or has with another value,
/// because the schema would not describe the serialized data.
fn check_serde(
    meta: &Meta,
    key: SerdeKey,
    target: &AttributeTarget,
    serde: &[Meta],
) -> Option<Problem> {
    let names_the_schema = key == SerdeKey::RENAME && target.kind != Target::Field;
    if !SERDE_KEYS.contains(&key) || names_the_schema {
        return None;
    }
    let tokens = meta.to_token_stream().to_string();
    let is_same = |other: &Meta| other.to_token_stream().to_string() == tokens;
    (!serde.iter().any(is_same)).then(|| {
        let message = format!("`{key}` of schemars conflicts with serde");
        Problem::new(meta.path().span(), message).with_help(
            "write it in `#[serde(..)]`: the schema must describe what serde reads and writes",
        )
    })
}

/// Returns the description in `#[schemars(description = "..")]`.
pub fn description(attrs: &[Attribute]) -> Option<String> {
    value_text(&find_schemars_key(attrs, SerdeKey::DESCRIPTION)?).map(|text| text.value)
}

/// Returns the replacement type in `#[schemars(with = "..")]` on a type.
pub fn described_by(attrs: &[Attribute]) -> Option<TypeRef> {
    replacement_type(&find_schemars_key(attrs, SerdeKey::WITH)?).map(|ty| ty.value)
}

fn find_schemars_key(attrs: &[Attribute], key: SerdeKey) -> Option<Meta> {
    let may_have =
        |attr: &Attribute| ForeignAttr::SCHEMARS.names(attr) || ForeignAttr::CFG_ATTR.names(attr);
    if !attrs.iter().any(may_have) {
        return None;
    }
    let mut parts = attribute_items(&expand_cfg_attr(attrs), ForeignAttr::SCHEMARS).into_iter();
    parts.find(|meta| meta.path().is_ident(&key))
}

vocabulary! {
    /// Name of a constraint.
    struct ConstraintKey;

    /// Every name, for lookup.
    const ALL;

    const CONTAINS = "contains";
    const EMAIL = "email";
    const INNER = "inner";
    const IP = "ip";
    const IPV4 = "ipv4";
    const IPV6 = "ipv6";
    const LENGTH = "length";
    const PATTERN = "pattern";
    const RANGE = "range";
    const REGEX = "regex";
    const REQUIRED = "required";
    const URL = "url";
}

/// Reads the constraints among `metas`. If several attributes state the same constraint, the first
/// one is used.
fn read_constraints(
    metas: &[Meta],
    source: ForeignAttr,
    shape: &Shape,
    schema: &mut SchemaAttrs,
    problems: &mut Problems,
) {
    let mut reader = Reader {
        source,
        shape,
        schema,
        problems,
    };
    for meta in metas {
        reader.meta(meta);
    }
}

struct Reader<'a> {
    source: ForeignAttr,
    shape: &'a Shape,
    schema: &'a mut SchemaAttrs,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    fn meta(&mut self, meta: &Meta) {
        let name = key_name(meta);
        let Some(&key) = ConstraintKey::ALL.iter().find(|key| key.as_str() == name) else {
            return;
        };
        match key {
            ConstraintKey::LENGTH => self.length(meta),
            ConstraintKey::RANGE => self.range(meta),
            ConstraintKey::REGEX if self.source == ForeignAttr::GARDE => {}
            ConstraintKey::PATTERN | ConstraintKey::INNER
                if self.source == ForeignAttr::VALIDATE => {}
            ConstraintKey::REGEX | ConstraintKey::PATTERN => self.pattern(meta, false),
            ConstraintKey::CONTAINS => self.pattern(meta, true),
            ConstraintKey::REQUIRED => self.schema.required = Flag::at(meta.path().span()),
            ConstraintKey::INNER => self.inner(meta),
            format => self.format(meta, format),
        }
    }

    /// Returns whether the constraint fits the type. schemars drops a constraint that does not fit.
    /// For an unknown shape, returns true and sets `lenient`: if the constraint turns out not to
    /// fit, it is dropped without an error.
    fn fits(&mut self, wanted: impl Fn(&Shape) -> bool) -> bool {
        if *self.shape == Shape::Unknown {
            self.schema.lenient = Flag::at(proc_macro2::Span::call_site());
            return true;
        }
        wanted(self.shape)
    }

    fn length(&mut self, meta: &Meta) {
        let [least, greatest] = self.bounds(meta).map(|bound| bound.and_then(to_count));
        if self.fits(|shape| *shape == Shape::String) {
            set_if_none(&mut self.schema.min_length, &least);
            set_if_none(&mut self.schema.max_length, &greatest);
        }
        if self.fits(|shape| matches!(shape, Shape::List(_))) {
            set_if_none(&mut self.schema.min_items, &least);
            set_if_none(&mut self.schema.max_items, &greatest);
        }
    }

    fn range(&mut self, meta: &Meta) {
        let [least, greatest] = self.bounds(meta);
        if self.fits(|shape| matches!(shape, Shape::Integer | Shape::Number)) {
            set_if_none(&mut self.schema.minimum, &least);
            set_if_none(&mut self.schema.maximum, &greatest);
        }
    }

    /// Reads `min`, `max` and `equal`.
    fn bounds(&mut self, meta: &Meta) -> [Option<Spanned<Number>>; 2] {
        let mut bounds = [None, None];
        for part in list_arguments(meta) {
            let Meta::NameValue(pair) = &part else {
                continue;
            };
            let at: &[usize] = match key_name(&part).as_str() {
                "min" => &[0],
                "max" => &[1],
                "equal" => &[0, 1],
                _ => continue,
            };
            let number = read_number(&pair.value, self.problems);
            for at in at {
                bounds[*at] = bounds[*at].take().or(number.clone());
            }
        }
        bounds
    }

    /// Reads `regex(pattern = "..")`, `pattern("..")` or `contains("..")`.
    fn pattern(&mut self, meta: &Meta, escaped: bool) {
        let Some(value) = find_argument(meta, "pattern") else {
            let span = meta.path().span();
            return self.report_non_literal(span, &meta.to_token_stream().to_string());
        };
        let Some(text) = string_literal(&value) else {
            return self.report_non_literal(value.span(), &value.to_token_stream().to_string());
        };
        if self.fits(|shape| *shape == Shape::String) {
            let pattern = if escaped {
                text.map(|text| escape_pattern(&text))
            } else {
                text
            };
            set_if_none(&mut self.schema.pattern, &Some(pattern));
        }
    }

    fn report_non_literal(&mut self, span: proc_macro2::Span, what: &str) {
        self.problems.report(
            span,
            format!("expected a literal, found `{what}`"),
            "write the pattern as a literal: `#[schemars(regex(pattern = \"..\"))]`",
        );
    }

    fn format(&mut self, meta: &Meta, key: ConstraintKey) {
        // The API server has no format for `ip`, only `ipv4` and `ipv6`.
        let format = match key {
            ConstraintKey::URL => "uri",
            ConstraintKey::IP => return,
            key => key.as_str(),
        };
        if self.fits(|shape| *shape == Shape::String) {
            let format = Spanned::new(format.to_owned(), meta.path().span());
            set_if_none(&mut self.schema.format, &Some(format));
        }
    }

    fn inner(&mut self, meta: &Meta) {
        let unknown = Shape::Unknown;
        let shape = match self.shape {
            Shape::List(item) => item,
            Shape::Unknown => &unknown,
            _ => return,
        };
        let items = self.schema.items.get_or_insert_default();
        read_constraints(
            &list_arguments(meta),
            self.source,
            shape,
            items,
            self.problems,
        );
    }
}

/// Sets a constraint, unless an earlier attribute states it.
fn set_if_none<T: Clone>(target: &mut Option<T>, value: &Option<T>) {
    if target.is_none() {
        target.clone_from(value);
    }
}

fn to_count(number: Spanned<Number>) -> Option<Spanned<u64>> {
    let count = u64::try_from(number.value.as_i128()?).ok()?;
    Some(Spanned::new(count, number.span))
}

fn list_arguments(meta: &Meta) -> Vec<Meta> {
    match meta {
        Meta::List(list) => parse_items(list.tokens.clone()),
        _ => Vec::new(),
    }
}

/// Returns the value of `key = value` in the parentheses, or the sole expression there.
fn find_argument(meta: &Meta, key: &str) -> Option<Expr> {
    let Meta::List(list) = meta else { return None };
    if let Ok(only) = syn::parse2::<Expr>(list.tokens.clone())
        && !matches!(only, Expr::Assign(_))
    {
        return Some(only);
    }
    list_arguments(meta)
        .into_iter()
        .find_map(|part| match part {
            Meta::NameValue(pair) if pair.path.is_ident(key) => Some(pair.value),
            _ => None,
        })
}

fn string_literal(value: &Expr) -> Option<Spanned<String>> {
    if let Some(Lit::Str(text)) = foreign::expression_literal(value) {
        return Some(Spanned::new(text.value(), text.span()));
    }
    match value {
        Expr::Reference(inner) => string_literal(&inner.expr),
        Expr::Paren(inner) => string_literal(&inner.expr),
        Expr::Group(inner) => string_literal(&inner.expr),
        _ => None,
    }
}

/// Returns a regular expression that matches the text literally.
fn escape_pattern(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Reads a number literal or a constant such as `u16::MAX`, and reports any other expression.
fn read_number(value: &Expr, problems: &mut Problems) -> Option<Spanned<Number>> {
    let number = number_text(value);
    if number.is_none() {
        problems.report(
            value.span(),
            format!("expected a literal, found `{}`", value.to_token_stream()),
            "write the number as a literal",
        );
    }
    number.map(|number| Spanned::new(Number(number), value.span()))
}

fn number_text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => literal_number_text(&literal.lit),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            Some(format!("-{}", number_text(&unary.expr)?))
        }
        Expr::Paren(inner) => number_text(&inner.expr),
        Expr::Group(inner) => number_text(&inner.expr),
        Expr::Cast(cast) => number_text(&cast.expr),
        Expr::Path(path) => integer_bound(&path.path),
        _ => None,
    }
}

fn literal_number_text(literal: &Lit) -> Option<String> {
    match literal {
        Lit::Int(number) => Some(number.base10_digits().to_owned()),
        Lit::Float(number) => {
            let value: f64 = number.base10_parse().ok()?;
            Some(format!("{value:?}"))
        }
        // Older code has the expression in quotes.
        Lit::Str(text) => number_text(&text.parse().ok()?),
        _ => None,
    }
}

/// Returns the value of a constant such as `u16::MAX`.
fn integer_bound(path: &syn::Path) -> Option<String> {
    let segments: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    let [.., ty, bound] = segments.as_slice() else {
        return None;
    };
    let (signed, bits) = (ty.starts_with('i'), ty.get(1..)?.parse::<u32>().ok()?);
    if !matches!(bits, 8 | 16 | 32 | 64) || !(signed || ty.starts_with('u')) {
        return None;
    }
    let most: i128 = if signed {
        (1 << (bits - 1)) - 1
    } else {
        (1 << bits) - 1
    };
    let least = if signed { -most - 1 } else { 0 };
    match bound.as_str() {
        "MAX" => Some(most.to_string()),
        "MIN" => Some(least.to_string()),
        _ => None,
    }
}

/// Reads every entry. Some keywords set a field of their own in `SchemaAttrs`. The other known ones
/// are added to [`SchemaAttrs::extend`], which is applied to the finished schema.
fn read_extensions(meta: &Meta, schema: &mut SchemaAttrs, problems: &mut Problems) {
    let Meta::List(list) = meta else { return };
    for entry in split_entries(list.tokens.clone()) {
        match syn::parse2::<Extension>(entry.clone()) {
            Ok(extension) => extension.set_in(schema, problems),
            Err(error) => problems.report(
                error.span(),
                "expected a JSON literal, found an expression",
                "write a literal, `null`, `[..]` or `{ \"name\": .. }`",
            ),
        }
    }
}

/// Splits the entries at commas. Commas inside brackets are part of one token, a group.
fn split_entries(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens
        .split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.iter().cloned().collect())
        .collect()
}

/// An entry of `extend(…)`: `"keyword" = json`.
struct Extension {
    key: Spanned<String>,
    value: Json,
}

impl Parse for Extension {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key: LitStr = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self {
            key: Spanned::new(key.value(), key.span()),
            value: input.parse()?,
        })
    }
}

impl Extension {
    fn set_in(self, schema: &mut SchemaAttrs, problems: &mut Problems) {
        let mut keywords = Keyword::ALL.iter();
        let Some(&keyword) = keywords.find(|keyword| keyword.as_str() == self.key.value) else {
            return report_unknown_keyword(&self.key, problems);
        };
        match keyword {
            Keyword::DEFAULT => schema.default = Some(self.value),
            Keyword::EXAMPLE => schema.example = Some(self.value),
            Keyword::ENUM => schema.enumeration = self.list_value(problems),
            Keyword::NULLABLE => schema.nullable = self.flag_value(problems),
            Keyword::FORMAT => schema.format = self.string_value(problems),
            Keyword::PATTERN => schema.pattern = self.string_value(problems),
            Keyword::TITLE => schema.title = self.string_value(problems),
            Keyword::TYPE => {
                schema.json_type = self.enum_value(JsonType::NAMES, JsonType::from_name, problems);
            }
            Keyword::X_KUBERNETES_EMBEDDED_RESOURCE => {
                schema.embedded_resource = self.flag_value(problems);
            }
            Keyword::X_KUBERNETES_INT_OR_STRING => schema.int_or_string = self.flag_value(problems),
            Keyword::X_KUBERNETES_LIST_MAP_KEYS => {
                schema.list_map_keys = self.string_values(problems)
            }
            Keyword::X_KUBERNETES_LIST_TYPE => {
                schema.list_type = self.enum_value(ListType::NAMES, ListType::from_name, problems);
            }
            Keyword::X_KUBERNETES_MAP_TYPE => {
                schema.map_type = self.enum_value(MapType::NAMES, MapType::from_name, problems);
            }
            Keyword::X_KUBERNETES_PRESERVE_UNKNOWN_FIELDS => {
                schema.preserve_unknown_fields = self.flag_value(problems);
            }
            Keyword::X_KUBERNETES_VALIDATIONS => {
                schema.validations.extend(read_rules(self.value, problems));
            }
            _ => schema.extend.push((self.key, self.value)),
        }
    }

    fn flag_value(self, problems: &mut Problems) -> Flag {
        match self.value.value {
            JsonValue::Bool(true) => Flag::at(self.key.span),
            JsonValue::Bool(false) => Flag::default(),
            _ => {
                self.report_wrong_type("a boolean", "true", problems);
                Flag::default()
            }
        }
    }

    fn string_value(&self, problems: &mut Problems) -> Option<Spanned<String>> {
        let text = self.value.text();
        if text.is_none() {
            self.report_wrong_type("a string", "\"..\"", problems);
        }
        text
    }

    /// Reads a string that is one of `names` and converts it with `from_name`.
    fn enum_value<T>(
        &self,
        names: &[&str],
        from_name: impl FnOnce(&str) -> Option<T>,
        problems: &mut Problems,
    ) -> Option<Spanned<T>> {
        let name = self.string_value(problems)?;
        let value = from_name(&name.value);
        if value.is_none() {
            let message = format!("invalid value `{}` for `{}`", name.value, self.key.value);
            let help = suggest::value(&name.value, names);
            problems.report(name.span, message, help);
        }
        value.map(|value| Spanned::new(value, name.span))
    }

    fn list_value(&self, problems: &mut Problems) -> Option<Spanned<Vec<Json>>> {
        if let JsonValue::Array(items) = &self.value.value {
            return Some(Spanned::new(items.clone(), self.value.span));
        }
        self.report_wrong_type("a list", &format!("[{:#}]", self.value), problems);
        None
    }

    fn string_values(&self, problems: &mut Problems) -> Vec<Spanned<String>> {
        let texts = match &self.value.value {
            JsonValue::Array(items) => items.iter().map(Json::text).collect(),
            _ => None,
        };
        texts.unwrap_or_else(|| {
            let sample = match &self.value.value {
                JsonValue::String(text) => format!("[{text:?}]"),
                _ => "[\"..\"]".to_owned(),
            };
            self.report_wrong_type("a list of strings", &sample, problems);
            Vec::new()
        })
    }

    fn report_wrong_type(&self, wanted: &str, sample: &str, problems: &mut Problems) {
        let (keyword, value) = (&self.key.value, &self.value);
        problems.report(
            value.span,
            format!("expected {wanted} for `{keyword}`, found `{value}`"),
            format!("write `\"{keyword}\" = {sample}`"),
        );
    }
}

/// JSON Schema keywords that are not reported, because kube drops them from the CRD. Without this
/// list, `examples` would be reported as a misspelt `example`.
const IGNORED: &[&str] = &["examples", "uniqueItems"];

/// Reports a misspelt keyword, and any unknown one that starts with `x-kubernetes-`. Other unknown
/// keywords are not errors: kube drops them from the CRD.
fn report_unknown_keyword(key: &Spanned<String>, problems: &mut Problems) {
    if IGNORED.contains(&key.value.as_str()) {
        return;
    }
    let known: Vec<&str> = Keyword::ALL.iter().map(|known| known.as_str()).collect();
    let is_kubernetes = key.value.starts_with("x-kubernetes-");
    let meant = suggest::similar(&key.value, &known);
    if is_kubernetes || meant.is_some_and(|meant| meant.len() > 3) {
        let help = match meant {
            Some(meant) => Help::did_you_mean(&key.value, meant),
            None => Help::remove("remove it: a CRD does not support it"),
        };
        let message = format!("unknown schema keyword `{}`", key.value);
        problems.report(key.span, message, help);
    }
}

vocabulary! {
    /// Schema keyword in `extend("keyword" = json)`.
    struct Keyword;

    /// Every keyword, for lookup and suggestions.
    const ALL;

    // Set on the finished schema.
    const ADDITIONAL_PROPERTIES = "additionalProperties";
    const ALL_OF = "allOf";
    const ANY_OF = "anyOf";
    const DESCRIPTION = "description";
    const EXCLUSIVE_MAXIMUM = "exclusiveMaximum";
    const EXCLUSIVE_MINIMUM = "exclusiveMinimum";
    const EXTERNAL_DOCS = "externalDocs";
    const ITEMS = "items";
    const MAX_ITEMS = "maxItems";
    const MAX_LENGTH = "maxLength";
    const MAX_PROPERTIES = "maxProperties";
    const MAXIMUM = "maximum";
    const MIN_ITEMS = "minItems";
    const MIN_LENGTH = "minLength";
    const MIN_PROPERTIES = "minProperties";
    const MINIMUM = "minimum";
    const MULTIPLE_OF = "multipleOf";
    const NOT = "not";
    const ONE_OF = "oneOf";
    const PROPERTIES = "properties";
    const REQUIRED = "required";

    // Read into fields of `SchemaAttrs`.
    const DEFAULT = "default";
    const ENUM = "enum";
    const EXAMPLE = "example";
    const FORMAT = "format";
    const NULLABLE = "nullable";
    const PATTERN = "pattern";
    const TITLE = "title";
    const TYPE = "type";
    const X_KUBERNETES_EMBEDDED_RESOURCE = "x-kubernetes-embedded-resource";
    const X_KUBERNETES_INT_OR_STRING = "x-kubernetes-int-or-string";
    const X_KUBERNETES_LIST_MAP_KEYS = "x-kubernetes-list-map-keys";
    const X_KUBERNETES_LIST_TYPE = "x-kubernetes-list-type";
    const X_KUBERNETES_MAP_TYPE = "x-kubernetes-map-type";
    const X_KUBERNETES_PRESERVE_UNKNOWN_FIELDS = "x-kubernetes-preserve-unknown-fields";
    const X_KUBERNETES_VALIDATIONS = "x-kubernetes-validations";
}

/// Reads the rules as if each were written as `validation(…)`.
fn read_rules(value: Json, problems: &mut Problems) -> Vec<Validation> {
    let JsonValue::Array(items) = value.value else {
        let help = "write `[{ \"rule\": \"..\" }]`";
        problems.report(value.span, "expected a list of rules", help);
        return Vec::new();
    };
    let rules = items
        .into_iter()
        .filter_map(|item| read_rule(item, problems));
    rules.collect()
}

fn read_rule(item: Json, problems: &mut Problems) -> Option<Validation> {
    let JsonValue::Object(members) = item.value else {
        let help = "write `{ \"rule\": \"..\" }`";
        problems.report(item.span, "expected an object for a rule", help);
        return None;
    };
    let mut arguments = Keys::default();
    for (member, value) in members {
        add_rule_member(&member.value, value, &mut arguments, problems);
    }
    let reason = |name: &str| format!("{name:?}");
    schema::read_foreign_rule(&arguments, item.span, reason, problems)
}

/// The fields of a rule and the equivalent arguments of `validation(…)`.
const MEMBERS: [(&str, Key); 6] = [
    ("rule", Key::RULE),
    ("message", Key::MESSAGE),
    ("messageExpression", Key::MESSAGE_EXPRESSION),
    ("reason", Key::REASON),
    ("fieldPath", Key::FIELD_PATH),
    ("optionalOldSelf", Key::OPTIONAL_OLD_SELF),
];

fn rule_member_key(member: &str) -> Option<Key> {
    let (_, key) = MEMBERS.iter().find(|(name, _)| *name == member)?;
    Some(*key)
}

/// Adds a field of a rule as an argument.
fn add_rule_member(member: &str, value: Json, arguments: &mut Keys, problems: &mut Problems) {
    let Some(key) = rule_member_key(member) else {
        return report_unknown_member(member, value.span, arguments, problems);
    };
    let (wanted, sample) = match (key, value.value) {
        (Key::OPTIONAL_OLD_SELF, JsonValue::Bool(true)) => {
            return arguments.push(KeyValue::new(key, value.span, Given::Flag));
        }
        (Key::OPTIONAL_OLD_SELF, JsonValue::Bool(false)) => return,
        (Key::OPTIONAL_OLD_SELF, _) => ("a boolean", "true"),
        (_, JsonValue::String(text)) => {
            return arguments.push(KeyValue::of_text(key, Spanned::new(text, value.span)));
        }
        _ => ("a string", "\"..\""),
    };
    arguments.fail(key);
    problems.report(
        value.span,
        format!("expected {wanted} for `{member}` of a rule"),
        format!("write `\"{member}\": {sample}`"),
    );
}

/// Reports an unknown field of a rule. The error is at the value of the field, because the span of
/// its name is not known here.
fn report_unknown_member(member: &str, span: Span, arguments: &mut Keys, problems: &mut Problems) {
    let names = MEMBERS.map(|(name, _)| name);
    let meant = suggest::closest(member, names);
    let help = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the fields of a rule are {}", suggest::all_of(&names)),
    };
    problems.report(span, format!("unknown field `{member}` in a rule"), help);
    // Suppresses the "missing" error for the field that this one likely misspells.
    if let Some(key) = meant.and_then(rule_member_key) {
        arguments.fail(key);
    }
}
