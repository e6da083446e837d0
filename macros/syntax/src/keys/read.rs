//! Reading of keys from attributes, with checks against the table.

use proc_macro2::{Span, TokenStream};
use syn::Meta;

use super::form::{WrittenKey, duplicate_problem};
use super::misplaced::KeyPosition;
use super::{KeyValue, Keys, attribute_name, is_attribute_of, misplaced, misspelt, shape};
use crate::arguments::{self, RawKey};
use crate::table::{self, Attribute, Form, Key, Within};
use crate::{AttributeTarget, Problem, Problems, Shape};

impl Keys {
    /// Reads the keys in every attribute named by `within`, such as every `#[crd(…)]`.
    pub(crate) fn from_attributes(
        attrs: &[syn::Attribute],
        within: Within,
        target: &AttributeTarget,
        problems: &mut Problems,
    ) -> Self {
        if within == Within::Crd {
            misspelt::report_misspelt(attrs, within, problems);
        }
        let (mut written, mut has_unparsed) = (Vec::new(), false);
        for attr in attrs.iter().filter(|attr| is_attribute_of(attr, within)) {
            match &attr.meta {
                Meta::List(list) => {
                    let known = problems.len();
                    written.extend(arguments::parse_arguments(list.tokens.clone(), problems));
                    has_unparsed |= problems.len() > known;
                }
                Meta::Path(_) if within != Within::Crd => {}
                meta => problems.push(missing_list_problem(meta, within)),
            }
        }
        let position = KeyPosition {
            within,
            target,
            attrs,
            written: &written,
        };
        Keys {
            has_unparsed,
            ..check_keys(position, problems)
        }
    }

    /// Reads the keys inside `items(…)`, `values(…)` or `keys(…)`.
    pub(crate) fn read_nested(
        tokens: TokenStream,
        target: &AttributeTarget,
        problems: &mut Problems,
    ) -> Self {
        Self::read_list(tokens, Within::Crd, target, problems)
    }

    /// Reads the keys of one comma-separated list.
    pub(crate) fn read_list(
        tokens: TokenStream,
        within: Within,
        target: &AttributeTarget,
        problems: &mut Problems,
    ) -> Self {
        let known = problems.len();
        let written = arguments::parse_arguments(tokens, problems);
        let has_unparsed = problems.len() > known;
        let position = KeyPosition {
            within,
            target,
            attrs: &[],
            written: &written,
        };
        Keys {
            has_unparsed,
            ..check_keys(position, problems)
        }
    }
}

fn missing_list_problem(meta: &Meta, within: Within) -> Problem {
    let span = meta
        .path()
        .segments
        .first()
        .map_or_else(Span::call_site, |segment| segment.ident.span());
    let name = attribute_name(within);
    Problem::new(span, format!("expected keys in parentheses after `{name}`"))
        .with_help(format!("write `#[{name}(key = value)]`"))
}

/// Checks the keys of an attribute. Keys with errors are reported and left out.
fn check_keys(position: KeyPosition<'_>, problems: &mut Problems) -> Keys {
    let mut keys = Keys::default();
    let KeyPosition {
        target, written, ..
    } = position;
    let shape = effective_shape(written, &target.shape);
    let has = |key: Key| written.iter().any(|written| written.name == key.as_str());
    for raw in written {
        let entry = table::entry(position.within, &raw.name);
        let Some(entry) = entry.filter(|entry| entry.targets.contains(&target.kind)) else {
            problems.push(misplaced::misplaced_key_problem(raw, position));
            // Suppresses the "missing key" error for the key that this one likely misspells.
            if let Some(meant) = misplaced::find_likely_key(raw, position) {
                keys.fail(meant.key());
            }
            continue;
        };
        let found = if !entry.applies.admits(shape) {
            problems.push(shape::misfit_problem(raw, entry, shape, has));
            None
        } else {
            check_key(raw, entry, &keys, problems)
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
fn effective_shape<'s>(written: &[RawKey], shape: &'s Shape) -> &'s Shape {
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

fn check_key(
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
        problems.push(duplicate_problem(entry.key(), raw.span).with_earlier(first));
        return None;
    }
    let given = WrittenKey::new(entry, raw).read(problems)?;
    Some(KeyValue::new(entry.key(), raw.span, given))
}
