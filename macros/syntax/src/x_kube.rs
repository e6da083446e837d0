//! kube's `#[x_kube(…)]`: CEL rules, and merge strategies for server-side apply.

use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Lit, Meta};

use super::{
    ListType, MapType, Place, Problem, Problems, SchemaAttrs, Shape, Site, Spanned, Validation,
    schema, suggest,
};
use crate::foreign::{self, ForeignAttr, name, parts};
use crate::keys::{Given, KeyValue, Keys};
use crate::table::Key;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// Name of a key in `#[x_kube(…)]`.
    struct XKubeKey;

    /// Every name, to suggest one for a misspelt key.
    const ALL;

    const CEL = "cel";
    const CRATES = "crates";
    const MERGE_STRATEGY = "merge_strategy";
    const VALIDATION = "validation";
}

/// Reads the constraints in `#[x_kube(…)]` of a type or field.
pub(crate) fn read(attrs: &[Attribute], place: &Place, problems: &mut Problems) -> SchemaAttrs {
    let mut schema = SchemaAttrs::default();
    for meta in parts(attrs, ForeignAttr::X_KUBE) {
        match XKubeKey::ALL.iter().find(|key| meta.path().is_ident(*key)) {
            Some(&XKubeKey::VALIDATION) => {
                schema.validations.extend(read_validation(&meta, problems));
            }
            Some(&XKubeKey::MERGE_STRATEGY) if place.site == Site::Field => {
                merge(&meta, &place.shape, &mut schema, problems);
            }
            Some(&XKubeKey::MERGE_STRATEGY) => problems.push(misplaced(&meta)),
            Some(_) => {}
            None => problems.push(unknown(&meta)),
        }
    }
    schema
}

fn unknown(meta: &Meta) -> Problem {
    let name = name(meta);
    let known: Vec<&str> = XKubeKey::ALL.iter().map(|key| key.as_str()).collect();
    let help = match (suggest::help(&name, &known), foreign::text(meta)) {
        (Some(help), _) => help,
        (None, Some(rule)) if name == "rule" => format!("write `validation = {:?}`", rule.value),
        (None, _) => format!("write {}", suggest::either(&known)),
    };
    let message = format!("unknown key `{name}` in `x_kube`");
    Problem::new(meta.path().span(), message).with_help(help)
}

/// The error for a merge strategy on a type instead of a field. For `StructMerge`, the help also
/// offers `#[crd(struct_type = "..")]`.
fn misplaced(meta: &Meta) -> Problem {
    let words = match meta {
        Meta::NameValue(pair) => words(&pair.value),
        _ => Vec::new(),
    };
    let help = match words.as_slice() {
        [.., of, how] if of == "StructMerge" && map_type(how).is_some() => format!(
            "write `#[crd(struct_type = {:?})]` below `#[derive(CrdSchema)]`, or move it to each \
             field of this type",
            how.to_lowercase()
        ),
        _ => "move it to each field of this type".to_owned(),
    };
    let span = meta.path().span();
    Problem::new(span, "`merge_strategy` is only allowed on a field").with_help(help)
}

/// Reads a strategy such as `ListMerge::Map(vec!["name".into()])`.
fn merge(meta: &Meta, shape: &Shape, schema: &mut SchemaAttrs, problems: &mut Problems) {
    let Meta::NameValue(pair) = meta else {
        let help = strategies("", shape);
        problems.report(meta.span(), "`merge_strategy` needs a value", help);
        return;
    };
    let span = pair.value.span();
    let help = |written: &str| strategies(written, shape);
    let (path, keys) = match &pair.value {
        Expr::Call(call) => (&*call.func, call.args.first()),
        path => (path, None),
    };
    let list = |schema: &mut SchemaAttrs, list| schema.list_type = Some(Spanned::new(list, span));
    match words(path).as_slice() {
        [.., of, how] if of == "ListMerge" && how == "Atomic" => list(schema, ListType::Atomic),
        [.., of, how] if of == "ListMerge" && how == "Set" => list(schema, ListType::Set),
        [.., of, how] if of == "ListMerge" && how == "Map" => {
            list(schema, ListType::Map);
            match keys.and_then(strings) {
                Some(keys) => schema.list_map_keys = keys,
                None => {
                    let help = help("ListMerge::Map");
                    problems.report(span, "expected string literals for the map keys", help);
                }
            }
        }
        [.., kind, how] if kind == "MapMerge" || kind == "StructMerge" => {
            let Some(how) = map_type(how) else {
                return problems.report(span, "unknown merge strategy", help(kind));
            };
            let how = Some(Spanned::new(how, span));
            if kind == "MapMerge" {
                schema.map_type = how;
            } else {
                schema.struct_type = how;
            }
        }
        words => {
            let kind = words.iter().rev().nth(1).map_or("", String::as_str);
            let what = pair.value.to_token_stream();
            problems.report(span, format!("unknown merge strategy `{what}`"), help(kind));
        }
    }
}

/// Help that lists the strategies that start with `written`, such as those of `MapMerge`. If
/// `written` is empty or starts no strategy, lists those that fit the field: `ListMerge` for a
/// list, `MapMerge` for a map, and all strategies for any other shape.
fn strategies(written: &str, shape: &Shape) -> String {
    const ALL: [&str; 7] = [
        "ListMerge::Set",
        "ListMerge::Atomic",
        "ListMerge::Map(vec![\"name\".into()])",
        "MapMerge::Atomic",
        "MapMerge::Granular",
        "StructMerge::Atomic",
        "StructMerge::Granular",
    ];
    let starting = |start: &str| -> Vec<&str> {
        let names = ALL.into_iter();
        names.filter(|name| name.starts_with(start)).collect()
    };
    let of_shape = match shape {
        Shape::List(_) => "ListMerge",
        Shape::Map(_) => "MapMerge",
        _ => "",
    };
    let mut names = starting(written);
    if written.is_empty() || names.is_empty() {
        names = starting(of_shape);
    }
    format!("write {}", suggest::either(&names))
}

fn words(path: &Expr) -> Vec<String> {
    let Expr::Path(path) = path else {
        return Vec::new();
    };
    let segments = path.path.segments.iter();
    segments.map(|segment| segment.ident.to_string()).collect()
}

fn map_type(how: &str) -> Option<MapType> {
    match how {
        "Atomic" => Some(MapType::Atomic),
        "Granular" => Some(MapType::Granular),
        _ => None,
    }
}

/// Reads `vec!["a".into()]`, `["a".into()].into()` or `vec!["a"]`.
fn strings(value: &Expr) -> Option<Vec<Spanned<String>>> {
    let items = match value {
        Expr::Macro(list) if list.mac.path.is_ident("vec") => {
            let parser = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
            list.mac.parse_body_with(parser).ok()?
        }
        Expr::Array(list) => list.elems.clone(),
        Expr::MethodCall(call) => return strings(&call.receiver),
        Expr::Call(call) => return strings(call.args.first()?),
        _ => return None,
    };
    items.iter().map(literal).collect()
}

/// Reads the value of `validation = ..`.
pub(crate) fn read_validation(meta: &Meta, problems: &mut Problems) -> Option<Validation> {
    let Meta::NameValue(pair) = meta else {
        let help = "write `validation = \"self != ''\"`";
        problems.report(meta.span(), "expected a rule for `validation`", help);
        return None;
    };
    let mut keys = Keys::default();
    match collect(&pair.value, &mut keys) {
        Ok(()) => {
            let reason = |name: &str| format!("Reason::{name}");
            schema::rule(&keys, pair.value.span(), reason, problems)
        }
        Err(unread) => {
            problems.report(
                unread.span(),
                format!("expected a literal, found `{}`", unread.to_token_stream()),
                "write the rule with literals: `Rule::new(\"self != ''\").message(\"..\")`",
            );
            None
        }
    }
}

/// Collects the parts of a rule. Fails with the first expression that cannot be read.
fn collect<'e>(value: &'e Expr, keys: &mut Keys) -> Result<(), &'e Expr> {
    match value {
        Expr::Lit(_) => {
            keys.push(text(Key::RULE, value).ok_or(value)?);
            Ok(())
        }
        Expr::Tuple(tuple) if tuple.elems.len() == 2 => {
            keys.push(text(Key::RULE, &tuple.elems[0]).ok_or(value)?);
            keys.push(text(Key::MESSAGE, &tuple.elems[1]).ok_or(value)?);
            Ok(())
        }
        Expr::Paren(inner) => collect(&inner.expr, keys),
        Expr::Group(inner) => collect(&inner.expr, keys),
        Expr::Call(call) if ends(&call.func, &["new", "from"]) && call.args.len() == 1 => {
            collect(&call.args[0], keys)
        }
        Expr::MethodCall(call) => {
            collect(&call.receiver, keys)?;
            match (call.method.to_string().as_str(), call.args.first()) {
                ("into", None) => {}
                ("message", Some(message)) => keys.push(self::message(message).ok_or(message)?),
                ("reason", Some(reason)) => keys.push(self::reason(reason).ok_or(reason)?),
                ("field_path", Some(path)) => keys.push(text(Key::FIELD_PATH, path).ok_or(path)?),
                ("optional_old_self", Some(flag)) => {
                    if let Some(key) = switch(flag)? {
                        keys.push(key);
                    }
                }
                _ => return Err(value),
            }
            Ok(())
        }
        _ => Err(value),
    }
}

/// Returns whether the last segment of a path is one of `names`.
fn ends(function: &Expr, names: &[&str]) -> bool {
    last(function).is_some_and(|last| names.contains(&last.as_str()))
}

fn last(path: &Expr) -> Option<String> {
    let Expr::Path(path) = path else { return None };
    let last = path.path.segments.last()?;
    Some(last.ident.to_string())
}

/// Reads a string literal, also in a conversion such as `"..".into()`.
pub(super) fn literal(value: &Expr) -> Option<Spanned<String>> {
    if let Some(Lit::Str(text)) = foreign::literal(value) {
        return Some(Spanned::new(text.value(), text.span()));
    }
    match value {
        Expr::MethodCall(call) if call.args.is_empty() => {
            let converts = ["into", "to_string", "to_owned"];
            let name = call.method.to_string();
            converts
                .contains(&name.as_str())
                .then(|| literal(&call.receiver))
                .flatten()
        }
        Expr::Call(call) if ends(&call.func, &["from"]) && call.args.len() == 1 => {
            literal(&call.args[0])
        }
        Expr::Reference(inner) => literal(&inner.expr),
        _ => None,
    }
}

fn text(key: Key, value: &Expr) -> Option<KeyValue> {
    Some(KeyValue::of_text(key, literal(value)?))
}

/// Reads `"..."`, `Message::Message("..")` or `Message::Expression("..")`.
fn message(value: &Expr) -> Option<KeyValue> {
    let Expr::Call(call) = value else {
        return text(Key::MESSAGE, value);
    };
    match last(&call.func)?.as_str() {
        "Expression" => text(Key::MESSAGE_EXPRESSION, call.args.first()?),
        "Message" => text(Key::MESSAGE, call.args.first()?),
        _ => text(Key::MESSAGE, value),
    }
}

/// Reads `Reason::FieldValueInvalid`, also without `Reason::`, or `Reason::default()`.
fn reason(value: &Expr) -> Option<KeyValue> {
    let name = match value {
        Expr::Call(call) if ends(&call.func, &["default"]) => "FieldValueInvalid".to_owned(),
        value => last(value)?,
    };
    let name = Spanned::new(name, value.span());
    Some(KeyValue::of_text(Key::REASON, name))
}

fn switch(value: &Expr) -> Result<Option<KeyValue>, &Expr> {
    let Some(Lit::Bool(flag)) = foreign::literal(value) else {
        return Err(value);
    };
    let set = KeyValue::new(Key::OPTIONAL_OLD_SELF, flag.span(), Given::Flag);
    Ok(flag.value.then_some(set))
}
