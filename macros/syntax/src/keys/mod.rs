//! Written keys, checked against the table: known, in place, of the right form, not repeated.

mod check;
mod unknown;

pub(crate) use check::repeated;

use proc_macro2::{Span, TokenStream};
use syn::Meta;

use crate::table::Within;
use crate::{Flag, Json, Number, Place, Problem, Problems, Site, Spanned, arguments};

/// The keys of an attribute, in the order of writing; all of them are known and have the right form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    found: Vec<Key>,
    /// Known keys that were written wrongly, which has been reported: nothing else is to be said about them.
    failed: Vec<&'static str>,
}

/// One key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) span: Span,
    pub(crate) given: Given,
}

/// What was written after a key.
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
    /// Reads every `#[crd(…)]` or every `#[genclient(…)]` of `attrs`.
    pub(crate) fn read(
        attrs: &[syn::Attribute],
        within: Within,
        site: Site,
        problems: &mut Problems,
    ) -> Self {
        let mut written = Vec::new();
        for attr in attrs.iter().filter(|attr| is(attr, within)) {
            match &attr.meta {
                Meta::List(list) => written.extend(arguments::read(list.tokens.clone(), problems)),
                Meta::Path(_) if within == Within::Genclient => {}
                meta => problems.push(no_list(meta, within)),
            }
        }
        check::check(written, within, site, problems)
    }

    /// Reads the keys inside `items(…)`, `values(…)` or `keys(…)`.
    pub(crate) fn read_nested(tokens: TokenStream, place: &Place, problems: &mut Problems) -> Self {
        let written = arguments::read(tokens, problems);
        check::check(written, Within::Crd, place.site, problems)
    }

    /// Adds a key that was written as an attribute of its own: `#[group = ".."]`.
    pub(crate) fn push(&mut self, key: Key) {
        self.found.push(key);
    }

    /// Notes a key that was written wrongly.
    pub(crate) fn fail(&mut self, name: &'static str) {
        self.failed.push(name);
    }

    /// Whether the key was written, rightly or wrongly.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.get(name).is_some() || self.failed.contains(&name)
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Key> {
        self.found.iter()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Key> {
        self.found.iter().find(|key| key.name == name)
    }

    pub(crate) fn flag(&self, name: &str) -> Flag {
        self.get(name).map(|key| key.span).into()
    }

    pub(crate) fn text(&self, name: &str) -> Option<Spanned<String>> {
        self.get(name).and_then(Key::text)
    }

    pub(crate) fn texts(&self, name: &str) -> Vec<Spanned<String>> {
        match self.get(name).map(|key| &key.given) {
            Some(Given::Texts(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn number(&self, name: &str) -> Option<Spanned<Number>> {
        match &self.get(name)?.given {
            Given::Number(number) => Some(number.clone()),
            _ => None,
        }
    }

    /// A whole number that fits `N`; the form of the key has been checked, so that only its size can be wrong.
    pub(crate) fn whole<N: TryFrom<i128>>(
        &self,
        name: &str,
        problems: &mut Problems,
    ) -> Option<Spanned<N>> {
        let number = self.number(name)?;
        let fitting = number
            .value
            .as_i128()
            .and_then(|value| N::try_from(value).ok());
        if fitting.is_none() {
            let message = format!("`{}` is out of range for `{name}`", number.value);
            problems.report(number.span, message, "write a smaller number");
        }
        fitting.map(|value| Spanned::new(value, number.span))
    }

    pub(crate) fn json(&self, name: &str) -> Option<Json> {
        match &self.get(name)?.given {
            Given::Json(json) => Some(json.clone()),
            _ => None,
        }
    }

    pub(crate) fn schema(&self, name: &str) -> Option<TokenStream> {
        match &self.get(name)?.given {
            Given::Schema(tokens) => Some(tokens.clone()),
            _ => None,
        }
    }

    /// The named arguments of each `name(…)`.
    pub(crate) fn arguments(&self, name: &str) -> impl Iterator<Item = (&Keys, Span)> {
        self.all(name).filter_map(|key| match &key.given {
            Given::Arguments(keys) => Some((keys, key.span)),
            _ => None,
        })
    }

    /// Each `name("key", "value")`.
    pub(crate) fn pairs(&self, name: &str) -> Vec<(Spanned<String>, Spanned<String>)> {
        let pairs = self.all(name).filter_map(|key| match &key.given {
            Given::Pair(key, value) => Some((key.clone(), value.clone())),
            _ => None,
        });
        pairs.collect()
    }

    /// Each time that `name` was written.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &Key> {
        self.found.iter().filter(move |key| key.name == name)
    }
}

impl Key {
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

/// Whether the attribute is `#[crd]`, or `#[genclient]` in any path form.
pub(crate) fn is(attr: &syn::Attribute, within: Within) -> bool {
    match within {
        Within::Crd => attr.path().is_ident("crd"),
        Within::Genclient => crate::resource::is_genclient(attr),
        Within::Item => false,
    }
}

/// Reads the value of an attribute that stands by itself: `#[group = ".."]`.
pub(crate) fn read_item(attr: &syn::Attribute, name: &'static str) -> Result<Key, Problem> {
    let span = attr
        .path()
        .segments
        .first()
        .map_or_else(Span::call_site, |segment| segment.ident.span());
    let wrong = |span| {
        Problem::new(span, format!("`{name}` takes a string"))
            .with_help(format!("write `#[{name} = \"..\"]`"))
    };
    let Meta::NameValue(pair) = &attr.meta else {
        return Err(wrong(span));
    };
    let json = syn::parse2::<Json>(quote::ToTokens::to_token_stream(&pair.value))
        .map_err(|error| wrong(error.span()))?;
    match json.value {
        crate::JsonValue::String(text) => Ok(Key {
            name,
            span,
            given: Given::Text(Spanned::new(text, json.span)),
        }),
        _ => Err(wrong(json.span)),
    }
}

fn no_list(meta: &Meta, within: Within) -> Problem {
    let span = meta
        .path()
        .segments
        .first()
        .map_or_else(Span::call_site, |segment| segment.ident.span());
    let name = if within == Within::Crd {
        "crd"
    } else {
        "genclient"
    };
    Problem::new(span, format!("`{name}` takes keys in parentheses"))
        .with_help(format!("write `#[{name}(key = value)]`"))
}
