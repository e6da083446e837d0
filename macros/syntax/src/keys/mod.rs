//! Keys of an attribute such as `#[crd(…)]`, checked against the table of all attributes.

mod form;
mod misplaced;
mod misspelt;
mod read;
mod shape;

use proc_macro2::{Ident, Span, TokenStream};
use syn::Meta;

use crate::table::{Key, Within};
use crate::{Flag, Json, Number, Problem, Problems, Spanned};
pub(crate) use form::duplicate_problem;
pub use misspelt::report_misspelt_genclient;
pub(crate) use misspelt::{misspelt_kind_attribute, report_misspelt};

/// Keys of an attribute in source order. Each key is known and its value has the right form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    found: Vec<KeyValue>,
    /// Keys with a reported error, and keys that an unknown key likely misspells. `mentions` counts
    /// both as written, so that they are not reported as missing.
    failed: Vec<Key>,
    /// Whether an argument has a syntax error or an unknown name. It may be any key.
    has_unparsed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct KeyValue {
    pub(crate) key: Key,
    pub(crate) span: Span,
    pub(crate) given: Given,
}

/// Value of a key, by its form.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    Flag,
    Text(Spanned<String>),
    Texts(Vec<Spanned<String>>),
    Number(Spanned<Number>),
    Json(Json),
    Pair(Spanned<String>, Spanned<String>),
    Arguments(Keys),
    Schema(TokenStream),
}

impl Keys {
    /// Adds a key with a valid value.
    pub(crate) fn push(&mut self, found: KeyValue) {
        self.found.push(found);
    }

    /// Records a key whose error has been reported.
    pub(crate) fn fail(&mut self, key: Key) {
        self.failed.push(key);
    }

    /// Returns whether the key was written, even misspelt or with an error. True for every key if
    /// an argument may be any key, so that none is reported as missing, and none is checked as if
    /// another were absent.
    pub(crate) fn mentions(&self, key: Key) -> bool {
        self.get(key).is_some() || self.failed.contains(&key) || self.has_unparsed
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, KeyValue> {
        self.found.iter()
    }

    pub(crate) fn get(&self, key: Key) -> Option<&KeyValue> {
        self.found.iter().find(|found| found.key == key)
    }

    pub(crate) fn flag(&self, key: Key) -> Flag {
        self.get(key).map(|found| found.span).into()
    }

    pub(crate) fn text(&self, key: Key) -> Option<Spanned<String>> {
        self.get(key).and_then(KeyValue::text)
    }

    /// Returns the string value of a key, converted with `from_name`.
    pub(crate) fn value<T>(
        &self,
        key: Key,
        from_name: impl FnOnce(&str) -> Option<T>,
    ) -> Option<Spanned<T>> {
        let name = self.text(key)?;
        Some(Spanned::new(from_name(&name.value)?, name.span))
    }

    pub(crate) fn texts(&self, key: Key) -> Vec<Spanned<String>> {
        match self.get(key).map(|found| &found.given) {
            Some(Given::Texts(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn number(&self, key: Key) -> Option<Spanned<Number>> {
        match &self.get(key)?.given {
            Given::Number(number) => Some(number.clone()),
            _ => None,
        }
    }

    /// Returns the number value of a key as an `N`, and reports a number that does not fit into
    /// `N`. Values of other types have been reported before.
    pub(crate) fn whole<N: TryFrom<i128>>(
        &self,
        key: Key,
        problems: &mut Problems,
    ) -> Option<Spanned<N>> {
        let number = self.number(key)?;
        let fitting = number
            .value
            .as_i128()
            .and_then(|value| N::try_from(value).ok());
        if fitting.is_none() {
            let message = format!("`{}` is out of range for `{key}`", number.value);
            let help = if number.value.as_f64() < 0.0 {
                "write a greater number"
            } else {
                "write a smaller number"
            };
            problems.report(number.span, message, help);
        }
        fitting.map(|value| Spanned::new(value, number.span))
    }

    pub(crate) fn json(&self, key: Key) -> Option<Json> {
        match &self.get(key)?.given {
            Given::Json(json) => Some(json.clone()),
            _ => None,
        }
    }

    pub(crate) fn schema(&self, key: Key) -> Option<TokenStream> {
        match &self.get(key)?.given {
            Given::Schema(tokens) => Some(tokens.clone()),
            _ => None,
        }
    }

    /// Returns the named arguments of each `key(…)`.
    pub(crate) fn arguments(&self, key: Key) -> impl Iterator<Item = (&Keys, Span)> {
        self.all(key).filter_map(|found| match &found.given {
            Given::Arguments(keys) => Some((keys, found.span)),
            _ => None,
        })
    }

    /// Returns the strings of each `key("name", "value")`.
    pub(crate) fn pairs(&self, key: Key) -> Vec<(Spanned<String>, Spanned<String>)> {
        let pairs = self.all(key).filter_map(|found| match &found.given {
            Given::Pair(name, value) => Some((name.clone(), value.clone())),
            _ => None,
        });
        pairs.collect()
    }

    /// For each pair of exclusive keys, reports the second one if both are present.
    pub(crate) fn check_exclusive(&self, pairs: &[(Key, Key)], problems: &mut Problems) {
        for (left, right) in pairs {
            if let (Some(_), Some(key)) = (self.get(*left), self.get(*right)) {
                problems.report(
                    key.span,
                    format!("`{left}` cannot be combined with `{right}`"),
                    "keep one of them",
                );
            }
        }
    }

    pub(crate) fn all(&self, key: Key) -> impl Iterator<Item = &KeyValue> {
        self.found.iter().filter(move |found| found.key == key)
    }
}

impl KeyValue {
    pub(crate) fn new(key: Key, span: Span, given: Given) -> Self {
        Self { key, span, given }
    }

    /// Makes a key with a string value. The span of the value is also the span of the key.
    pub(crate) fn of_text(key: Key, text: Spanned<String>) -> Self {
        Self::new(key, text.span, Given::Text(text))
    }

    pub(crate) fn is_empty_list(&self) -> bool {
        matches!(&self.given, Given::Texts(texts) if texts.is_empty())
    }

    pub(crate) fn text(&self) -> Option<Spanned<String>> {
        match &self.given {
            Given::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

/// Returns whether `attr` is the attribute that `within` stands for. Attributes other than `#[crd]`
/// are recognized in any path form, such as `genclient::rbac`.
pub(crate) fn is_attribute_of(attr: &syn::Attribute, within: Within) -> bool {
    match within {
        Within::Crd => attr.path().is_ident(CRD_ATTRIBUTE),
        Within::Genclient => is_genclient(attr),
        Within::Webhook => is_webhook(attr),
        Within::Rbac => is_rbac(attr),
        Within::Item => false,
    }
}

/// Returns the name of the attribute that contains the keys of `within`.
fn attribute_name(within: Within) -> &'static str {
    match within {
        Within::Crd => CRD_ATTRIBUTE,
        Within::Genclient | Within::Item => Key::GENCLIENT.as_str(),
        Within::Webhook => Key::WEBHOOK.as_str(),
        Within::Rbac => Key::RBAC.as_str(),
    }
}

/// Name of the attribute [`Within::Crd`].
const CRD_ATTRIBUTE: &str = "crd";

/// Returns whether `#[genclient]` consumes the attribute of that name: `group`, `version`, `kind`
/// or `crd`.
pub fn is_grammar(name: &Ident) -> bool {
    *name == CRD_ATTRIBUTE || Key::GVK.iter().any(|key| name == key)
}

/// Returns whether the item has `#[genclient]`, in any path form (`genclient`,
/// `genclient::genclient`).
pub fn is_resource(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(is_genclient)
}

/// Returns whether the attribute is `#[genclient]`, in any path form.
pub fn is_genclient(attr: &syn::Attribute) -> bool {
    ends_in(attr, Key::GENCLIENT)
}

/// Returns whether the attribute is `#[webhook]`, in any path form.
pub fn is_webhook(attr: &syn::Attribute) -> bool {
    ends_in(attr, Key::WEBHOOK)
}

/// Returns whether the attribute is `#[rbac]`, in any path form.
pub fn is_rbac(attr: &syn::Attribute) -> bool {
    ends_in(attr, Key::RBAC)
}

fn ends_in(attr: &syn::Attribute, key: Key) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|segment| segment.ident == key)
}

/// Reads the value of a standalone attribute: `#[group = ".."]`.
pub(crate) fn read_item(attr: &syn::Attribute, key: Key) -> Result<KeyValue, Problem> {
    let span = attr
        .path()
        .segments
        .first()
        .map_or_else(Span::call_site, |segment| segment.ident.span());
    let text = match &attr.meta {
        Meta::List(list) => syn::parse2::<syn::LitStr>(list.tokens.clone()).ok(),
        _ => None,
    };
    let text = text.map_or_else(|| "..".to_owned(), |text| text.value());
    let wrong = |span| {
        Problem::new(span, format!("expected a string for `{key}`"))
            .with_help(format!("write `#[{key} = {text:?}]`"))
    };
    let Meta::NameValue(pair) = &attr.meta else {
        return Err(wrong(span));
    };
    let json = syn::parse2::<Json>(quote::ToTokens::to_token_stream(&pair.value))
        .map_err(|error| wrong(error.span()))?;
    let text = json.text().ok_or_else(|| wrong(json.span))?;
    Ok(KeyValue::new(key, span, Given::Text(text)))
}

#[cfg(test)]
mod tests {
    use proc_macro2::{Ident, Span};

    use super::is_grammar;
    use crate::Target;
    use crate::table::{Key, TABLE, Within};

    #[test]
    fn every_attribute_of_the_table_is_read_beside_genclient() {
        let on_resources = TABLE
            .iter()
            .filter(|entry| entry.within == Within::Item && entry.targets == [Target::Resource]);
        for entry in on_resources {
            let name = Ident::new(entry.name, Span::call_site());
            assert_eq!(is_grammar(&name), entry.key() != Key::GENCLIENT, "{name}");
        }
    }
}
