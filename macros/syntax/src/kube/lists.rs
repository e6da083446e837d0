//! Keys of `#[kube(…)]` that repeat or take arguments, such as `shortname`, `label` and `scale`.

use heck::ToLowerCamelCase;
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Meta, Token};

use super::key::{KubeKey, all, text};
use crate::arguments::{self, After};
use crate::foreign;
use crate::keys::{Given, KeyValue, Keys};
use crate::table::{self, Argument, Key};
use crate::{Flag, Json, JsonValue, Problems, Spanned, suggest};

/// Translates the keys and adds them to `crd`. Returns the span of a `scale` that kube drops
/// because there is no status.
pub(super) fn push(
    metas: &[Meta],
    has_status: bool,
    crd: &mut Keys,
    problems: &mut Problems,
) -> Flag {
    for (key, ours) in [
        (KubeKey::SHORTNAME, Key::SHORT_NAMES),
        (KubeKey::CATEGORY, Key::CATEGORIES),
    ] {
        let texts: Vec<_> = all(metas, key)
            .filter_map(|meta| text(meta, problems))
            .collect();
        if let Some(first) = texts.first() {
            crd.push(KeyValue::new(ours, first.span, Given::Texts(texts.clone())));
        }
    }
    for meta in all(metas, KubeKey::SELECTABLE) {
        if let Some(path) = text(meta, problems) {
            crd.push(KeyValue::of_text(Key::SELECTABLE_FIELD, path));
        }
    }
    for (key, ours) in [
        (KubeKey::ANNOTATION, Key::ANNOTATION),
        (KubeKey::LABEL, Key::LABEL),
    ] {
        for meta in all(metas, key) {
            push_pair(ours, meta, crd, problems);
        }
    }
    for meta in all(metas, KubeKey::PRINTCOLUMN) {
        for given in parts(meta, table::PRINTCOLUMN, problems) {
            crd.push(KeyValue::new(Key::PRINTCOLUMN, meta.path().span(), given));
        }
    }
    let Some(meta) = all(metas, KubeKey::SCALE).next() else {
        return Flag::default();
    };
    if !has_status {
        return Flag::at(meta.path().span());
    }
    for given in parts(meta, table::SCALE, problems).into_iter().take(1) {
        crd.push(KeyValue::new(Key::SCALE, meta.path().span(), given));
    }
    Flag::default()
}

/// Reads `ours("key", "value")`, an annotation or a label, and adds it to `crd`.
fn push_pair(ours: Key, meta: &Meta, crd: &mut Keys, problems: &mut Problems) {
    if let Meta::List(list) = meta
        && let Ok(values) = arguments::read_values(list.tokens.clone())
        && let [key, value] = values.as_slice()
        && let (Some(key), Some(value)) = (key.text(), value.text())
    {
        let pair = Given::Pair(key, value);
        crd.push(KeyValue::new(ours, meta.path().span(), pair));
        return;
    }
    let help = format!("write `{ours}(\"example.com/owner\", \"value\")`");
    problems.report(
        meta.path().span(),
        format!("expected a key and a value as strings in parentheses for `{ours}`"),
        help,
    );
}

/// Returns kube's name for an argument of `printcolumn` or `scale`. The name differs between call
/// syntax and JSON.
fn kube_name(argument: &Argument, is_call: bool) -> String {
    match argument.key() {
        key if !is_call => key.as_str().to_lower_camel_case(),
        Key::TYPE => "type_".to_owned(),
        key => key.as_str().to_owned(),
    }
}

/// Reads the arguments of a key, in call syntax or as JSON in a string. Older code may have several
/// JSON objects in one string; each counts as if the key were repeated.
fn parts(meta: &Meta, known: &[Argument], problems: &mut Problems) -> Vec<Given> {
    let is_call = matches!(meta, Meta::List(_));
    let written = match meta {
        Meta::List(list) => vec![called(list.tokens.clone(), problems)],
        meta => in_json(meta, problems),
    };
    let read = |named| one(meta, named, is_call, known, problems);
    written.into_iter().map(read).collect()
}

fn one(
    meta: &Meta,
    written: Vec<Named>,
    is_call: bool,
    known: &[Argument],
    problems: &mut Problems,
) -> Given {
    let mut keys = Keys::default();
    let mut is_clear = true;
    for (name, span, value) in written {
        match known.iter().find(|part| kube_name(part, is_call) == name) {
            // kube ignores unknown members of its JSON.
            None if !is_call => {}
            None => is_clear &= unknown(&name, span, known, problems),
            Some(part) => match given(value) {
                Some(given) => keys.push(KeyValue::new(part.key(), span, given)),
                None => {
                    let message = format!("invalid value for `{name}`");
                    problems.report(span, message, "write a string, or a number for `priority`");
                    is_clear = false;
                }
            },
        }
    }
    let is_missing = |part: &&Argument| part.required && keys.get(part.key()).is_none();
    for part in known.iter().filter(is_missing).filter(|_| is_clear) {
        let name = kube_name(part, is_call);
        let help = if is_call {
            format!("add `{name} = \"..\"`")
        } else {
            format!("add `\"{name}\": \"..\"`")
        };
        problems.report(
            meta.path().span(),
            format!("missing argument `{name}`"),
            help,
        );
    }
    Given::Arguments(keys)
}

type Named = (String, Span, Json);

fn called(tokens: proc_macro2::TokenStream, problems: &mut Problems) -> Vec<Named> {
    let mut found = Vec::new();
    for written in arguments::read(tokens, problems) {
        match written.after {
            After::Value(value) => found.push((written.name, written.span, value)),
            _ => problems.report(
                written.span,
                format!("`{}` needs a value", written.name),
                format!("write `{} = \"..\"`", written.name),
            ),
        }
    }
    found
}

fn in_json(meta: &Meta, problems: &mut Problems) -> Vec<Vec<Named>> {
    let call = if meta.path().is_ident(&KubeKey::SCALE) {
        "write it as a call: `scale(spec_replicas_path = \"..\", status_replicas_path = \"..\")`"
    } else {
        "write it as a call: `printcolumn(name = \"..\", type_ = \"..\", json_path = \"..\")`"
    };
    let Some(literal) = foreign::string(meta) else {
        let message = format!(
            "expected named arguments in parentheses for `{}`",
            foreign::name(meta)
        );
        problems.report(meta.path().span(), message, call);
        return Vec::new();
    };
    let span = literal.span();
    let parser = Punctuated::<Json, Token![,]>::parse_terminated;
    let objects = literal.parse_with(parser).unwrap_or_default();
    let objects: Option<Vec<_>> = objects
        .into_iter()
        .map(|json| match json.value {
            JsonValue::Object(members) => Some(
                members
                    .into_iter()
                    .map(|(name, value)| (name.value, span, value))
                    .collect(),
            ),
            _ => None,
        })
        .collect();
    match objects {
        Some(objects) if !objects.is_empty() => objects,
        _ => {
            problems.report(span, "expected a JSON object in the string", call);
            Vec::new()
        }
    }
}

fn unknown(name: &str, span: Span, known: &[Argument], problems: &mut Problems) -> bool {
    let names: Vec<String> = known.iter().map(|part| kube_name(part, true)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let help =
        suggest::help(name, &names).unwrap_or_else(|| format!("write {}", suggest::either(&names)));
    problems.report(span, format!("unknown argument `{name}`"), help);
    false
}

fn given(value: Json) -> Option<Given> {
    match value.value {
        JsonValue::String(text) => Some(Given::Text(Spanned::new(text, value.span))),
        JsonValue::Number(number) => Some(Given::Number(Spanned::new(number, value.span))),
        _ => None,
    }
}
