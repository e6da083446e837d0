//! Reading of keys from attributes, with checks against the table.

use proc_macro2::{Span, TokenStream};
use syn::Meta;

use super::form::{Written, repeated};
use super::{CRD, KeyValue, Keys, is, misplaced, misspelt, shape};
use crate::arguments::{self, RawKey};
use crate::table::{self, Attribute, Form, Key, Within};
use crate::{Place, Problem, Problems, Shape};

impl Keys {
    /// Reads the keys in every attribute named by `within`, such as every `#[crd(…)]`.
    pub(crate) fn read(
        attrs: &[syn::Attribute],
        within: Within,
        place: &Place,
        problems: &mut Problems,
    ) -> Self {
        if within == Within::Crd {
            misspelt::report_crd(attrs, problems);
        }
        let mut written = Vec::new();
        for attr in attrs.iter().filter(|attr| is(attr, within)) {
            match &attr.meta {
                Meta::List(list) => written.extend(arguments::read(list.tokens.clone(), problems)),
                Meta::Path(_) if within != Within::Crd => {}
                meta => problems.push(no_list(meta, within)),
            }
        }
        check(&written, within, place, attrs, problems)
    }

    /// Reads the keys inside `items(…)`, `values(…)` or `keys(…)`.
    pub(crate) fn read_nested(tokens: TokenStream, place: &Place, problems: &mut Problems) -> Self {
        Self::read_list(tokens, Within::Crd, place, problems)
    }

    /// Reads the keys of one comma-separated list.
    pub(crate) fn read_list(
        tokens: TokenStream,
        within: Within,
        place: &Place,
        problems: &mut Problems,
    ) -> Self {
        let written = arguments::read(tokens, problems);
        check(&written, within, place, &[], problems)
    }
}

fn no_list(meta: &Meta, within: Within) -> Problem {
    let span = meta
        .path()
        .segments
        .first()
        .map_or_else(Span::call_site, |segment| segment.ident.span());
    let name = match within {
        Within::Crd => CRD,
        Within::Webhook => Key::WEBHOOK.as_str(),
        Within::Rbac => Key::RBAC.as_str(),
        Within::Item | Within::Genclient => Key::GENCLIENT.as_str(),
    };
    Problem::new(span, format!("expected keys in parentheses after `{name}`"))
        .with_help(format!("write `#[{name}(key = value)]`"))
}

/// Checks the keys of an attribute named by `within`. Keys with errors are reported and left out.
fn check(
    written: &[RawKey],
    within: Within,
    place: &Place,
    attrs: &[syn::Attribute],
    problems: &mut Problems,
) -> Keys {
    let mut keys = Keys::default();
    let shape = seen(written, &place.shape);
    let has = |key: Key| written.iter().any(|written| written.name == key.as_str());
    for raw in written {
        let entry = table::entry(within, &raw.name);
        let Some(entry) = entry.filter(|entry| entry.sites.contains(&place.site)) else {
            problems.push(misplaced::key(raw, within, place, attrs));
            // Suppresses the "missing key" error for the key that this one likely misspells.
            if let Some(meant) = misplaced::slip_of(raw, within, place) {
                keys.fail(meant.key());
            }
            continue;
        };
        let found = if !entry.applies.admits(shape) {
            problems.push(shape::misfit(raw, entry, shape, has));
            None
        } else {
            check_one(raw, entry, &keys, problems)
        };
        match found {
            Some(found) => keys.push(found),
            None => keys.fail(entry.key()),
        }
    }
    keys
}

/// Returns the shape that constraints must fit: `Shape::Unknown` if a key overrides the Rust type
/// or loosens its schema.
fn seen<'s>(written: &[RawKey], shape: &'s Shape) -> &'s Shape {
    let says_the_type = |raw: &RawKey| {
        Key::OVERRIDES_TYPE
            .iter()
            .any(|key| raw.name == key.as_str())
    };
    if written.iter().any(says_the_type) {
        &Shape::Unknown
    } else {
        shape
    }
}

fn check_one(
    raw: &RawKey,
    entry: &Attribute,
    keys: &Keys,
    problems: &mut Problems,
) -> Option<KeyValue> {
    if let Form::Refused { reason, help } = entry.form {
        problems.report(raw.span, reason, help);
        return None;
    }
    if !entry.repeats && keys.mentions(entry.key()) {
        let first = keys.get(entry.key()).map(|found| found.span);
        problems.push(repeated(entry.key(), raw.span).with_earlier(first));
        return None;
    }
    let given = Written::new(entry, raw).give(problems)?;
    Some(KeyValue::new(entry.key(), raw.span, given))
}
