//! Additional schema keywords: `#[schemars(extend("keyword" = json))]`.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Meta, Token};

use super::rules;
use crate::vocabulary::vocabulary;
use crate::{
    Flag, Json, JsonType, JsonValue, ListType, MapType, Problems, SchemaAttrs, Spanned, suggest,
};

/// Reads every entry. Some keywords set a field of their own in `SchemaAttrs`. The other known ones
/// are added to [`SchemaAttrs::extend`], which is applied to the finished schema.
pub(super) fn read(meta: &Meta, schema: &mut SchemaAttrs, problems: &mut Problems) {
    let Meta::List(list) = meta else { return };
    for entry in entries(list.tokens.clone()) {
        match syn::parse2::<Entry>(entry.clone()) {
            Ok(entry) => entry.set(schema, problems),
            Err(error) => problems.report(
                error.span(),
                "expected a JSON literal, found an expression",
                "write a literal, `null`, `[..]` or `{ \"name\": .. }`",
            ),
        }
    }
}

fn entries(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens
        .split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.iter().cloned().collect())
        .collect()
}

struct Entry {
    key: Spanned<String>,
    value: Json,
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key: LitStr = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self {
            key: Spanned::new(key.value(), key.span()),
            value: input.parse()?,
        })
    }
}

impl Entry {
    fn set(self, schema: &mut SchemaAttrs, problems: &mut Problems) {
        let mut keywords = Keyword::ALL.iter();
        let Some(&keyword) = keywords.find(|keyword| keyword.as_str() == self.key.value) else {
            return unknown(&self.key, problems);
        };
        match keyword {
            Keyword::DEFAULT => schema.default = Some(self.value),
            Keyword::EXAMPLE => schema.example = Some(self.value),
            Keyword::ENUM => schema.enumeration = self.list(problems),
            Keyword::NULLABLE => schema.nullable = self.flag(problems),
            Keyword::FORMAT => schema.format = self.text(problems),
            Keyword::PATTERN => schema.pattern = self.text(problems),
            Keyword::TITLE => schema.title = self.text(problems),
            Keyword::TYPE => {
                schema.json_type = self.name(JsonType::NAMES, JsonType::from_name, problems);
            }
            Keyword::X_KUBERNETES_EMBEDDED_RESOURCE => {
                schema.embedded_resource = self.flag(problems);
            }
            Keyword::X_KUBERNETES_INT_OR_STRING => schema.int_or_string = self.flag(problems),
            Keyword::X_KUBERNETES_LIST_MAP_KEYS => schema.list_map_keys = self.texts(problems),
            Keyword::X_KUBERNETES_LIST_TYPE => {
                schema.list_type = self.name(ListType::NAMES, ListType::from_name, problems);
            }
            Keyword::X_KUBERNETES_MAP_TYPE => {
                schema.map_type = self.name(MapType::NAMES, MapType::from_name, problems);
            }
            Keyword::X_KUBERNETES_PRESERVE_UNKNOWN_FIELDS => {
                schema.preserve_unknown_fields = self.flag(problems);
            }
            Keyword::X_KUBERNETES_VALIDATIONS => {
                schema.validations.extend(rules::read(self.value, problems));
            }
            _ => schema.extend.push((self.key, self.value)),
        }
    }

    fn flag(self, problems: &mut Problems) -> Flag {
        match self.value.value {
            JsonValue::Bool(true) => Flag::at(self.key.span),
            JsonValue::Bool(false) => Flag::default(),
            _ => {
                self.wrong_type("a boolean", "true", problems);
                Flag::default()
            }
        }
    }

    fn text(&self, problems: &mut Problems) -> Option<Spanned<String>> {
        let text = self.value.text();
        if text.is_none() {
            self.wrong_type("a string", "\"..\"", problems);
        }
        text
    }

    /// Reads a string that is one of `names` and converts it with `from_name`.
    fn name<T>(
        &self,
        names: &[&str],
        from_name: impl FnOnce(&str) -> Option<T>,
        problems: &mut Problems,
    ) -> Option<Spanned<T>> {
        let name = self.text(problems)?;
        let value = from_name(&name.value);
        if value.is_none() {
            let message = format!("invalid value `{}` for `{}`", name.value, self.key.value);
            let help = suggest::value(&name.value, names);
            problems.report(name.span, message, help);
        }
        value.map(|value| Spanned::new(value, name.span))
    }

    fn list(&self, problems: &mut Problems) -> Option<Spanned<Vec<Json>>> {
        if let JsonValue::Array(items) = &self.value.value {
            return Some(Spanned::new(items.clone(), self.value.span));
        }
        self.wrong_type("a list", &format!("[{:#}]", self.value), problems);
        None
    }

    fn texts(&self, problems: &mut Problems) -> Vec<Spanned<String>> {
        let texts = match &self.value.value {
            JsonValue::Array(items) => items.iter().map(Json::text).collect(),
            _ => None,
        };
        texts.unwrap_or_else(|| {
            let sample = match &self.value.value {
                JsonValue::String(text) => format!("[{text:?}]"),
                _ => "[\"..\"]".to_owned(),
            };
            self.wrong_type("a list of strings", &sample, problems);
            Vec::new()
        })
    }

    fn wrong_type(&self, wanted: &str, sample: &str, problems: &mut Problems) {
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
fn unknown(key: &Spanned<String>, problems: &mut Problems) {
    if IGNORED.contains(&key.value.as_str()) {
        return;
    }
    let known: Vec<&str> = Keyword::ALL.iter().map(|known| known.as_str()).collect();
    let is_kubernetes = key.value.starts_with("x-kubernetes-");
    let meant = suggest::similar(&key.value, &known);
    if is_kubernetes || meant.is_some_and(|meant| meant.len() > 3) {
        let help = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "remove it: a CRD does not support it".to_owned(),
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
