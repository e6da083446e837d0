//! kube's `#[x_kube(…)]`: CEL rules, and merge strategies for server-side apply.

use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Lit, Meta};

use super::{
    AttributeTarget, Help, ListType, MapType, Problem, Problems, SchemaAttrs, Shape, Spanned,
    Target, Validation, schema, suggest,
};
use crate::foreign::{self, ForeignAttr, attribute_items, key_name};
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
pub(crate) fn read_x_kube(
    attrs: &[Attribute],
    target: &AttributeTarget,
    problems: &mut Problems,
) -> SchemaAttrs {
    let mut schema = SchemaAttrs::default();
    for meta in attribute_items(attrs, ForeignAttr::X_KUBE) {
        match XKubeKey::ALL.iter().find(|key| meta.path().is_ident(*key)) {
            Some(&XKubeKey::VALIDATION) => {
                schema.validations.extend(read_validation(&meta, problems));
            }
            Some(&XKubeKey::MERGE_STRATEGY) if target.kind == Target::Field => {
                read_merge_strategy(&meta, &target.shape, &mut schema, problems);
            }
            Some(&XKubeKey::MERGE_STRATEGY) => problems.push(misplaced_strategy_problem(&meta)),
            Some(_) => {}
            None => problems.push(unknown_key_problem(&meta)),
        }
    }
    schema
}

fn unknown_key_problem(meta: &Meta) -> Problem {
    let name = key_name(meta);
    let known: Vec<&str> = XKubeKey::ALL.iter().map(|key| key.as_str()).collect();
    let help = match (suggest::help(&name, &known), foreign::value_text(meta)) {
        (Some(help), _) => help,
        (None, Some(rule)) if name == "rule" => {
            Help::write_key(format!("validation = {:?}", rule.value))
        }
        (None, _) => format!("write {}", suggest::either(&known)).into(),
    };
    let message = format!("unknown key `{name}` in `x_kube`");
    Problem::new(meta.path().span(), message).with_help(help)
}

/// The error for a merge strategy on a type instead of a field. For `StructMerge`, the help also
/// offers `#[crd(struct_type = "..")]`.
fn misplaced_strategy_problem(meta: &Meta) -> Problem {
    let words = match meta {
        Meta::NameValue(pair) => path_segments(&pair.value),
        _ => Vec::new(),
    };
    let help = match words.as_slice() {
        [.., ty, how] if ty == "StructMerge" && parse_map_type(how).is_some() => format!(
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
fn read_merge_strategy(
    meta: &Meta,
    shape: &Shape,
    schema: &mut SchemaAttrs,
    problems: &mut Problems,
) {
    let Meta::NameValue(pair) = meta else {
        let help = strategies_help("", shape);
        problems.report(meta.span(), "`merge_strategy` needs a value", help);
        return;
    };
    let span = pair.value.span();
    let help = |written: &str| strategies_help(written, shape);
    let (path, keys) = match &pair.value {
        Expr::Call(call) => (&*call.func, call.args.first()),
        path => (path, None),
    };
    let list = |schema: &mut SchemaAttrs, list| schema.list_type = Some(Spanned::new(list, span));
    match path_segments(path).as_slice() {
        [.., ty, how] if ty == "ListMerge" && how == "Atomic" => list(schema, ListType::Atomic),
        [.., ty, how] if ty == "ListMerge" && how == "Set" => list(schema, ListType::Set),
        [.., ty, how] if ty == "ListMerge" && how == "Map" => {
            list(schema, ListType::Map);
            match keys.and_then(string_literals) {
                Some(keys) => schema.list_map_keys = keys,
                None => {
                    let help = help("ListMerge::Map");
                    problems.report(span, "expected string literals for the map keys", help);
                }
            }
        }
        [.., kind, how] if kind == "MapMerge" || kind == "StructMerge" => {
            let Some(how) = parse_map_type(how) else {
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
fn strategies_help(written: &str, shape: &Shape) -> String {
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

/// Returns the segments of a path. Callers compare only the last two, because kube's types may be
/// written with any path before `ListMerge`.
fn path_segments(path: &Expr) -> Vec<String> {
    let Expr::Path(path) = path else {
        return Vec::new();
    };
    let segments = path.path.segments.iter();
    segments.map(|segment| segment.ident.to_string()).collect()
}

fn parse_map_type(how: &str) -> Option<MapType> {
    match how {
        "Atomic" => Some(MapType::Atomic),
        "Granular" => Some(MapType::Granular),
        _ => None,
    }
}

/// Reads `vec!["a".into()]`, `["a".into()].into()` or `vec!["a"]`.
fn string_literals(value: &Expr) -> Option<Vec<Spanned<String>>> {
    let items = match value {
        Expr::Macro(list) if list.mac.path.is_ident("vec") => {
            let parser = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
            list.mac.parse_body_with(parser).ok()?
        }
        Expr::Array(list) => list.elems.clone(),
        Expr::MethodCall(call) => return string_literals(&call.receiver),
        Expr::Call(call) => return string_literals(call.args.first()?),
        _ => return None,
    };
    items.iter().map(string_literal).collect()
}

/// Reads the value of `validation = ..`.
pub(crate) fn read_validation(meta: &Meta, problems: &mut Problems) -> Option<Validation> {
    let Meta::NameValue(pair) = meta else {
        let help = "write `validation = \"self != ''\"`";
        problems.report(meta.span(), "expected a rule for `validation`", help);
        return None;
    };
    let mut keys = Keys::default();
    match collect_rule_parts(&pair.value, &mut keys) {
        Ok(()) => {
            let reason = |name: &str| format!("Reason::{name}");
            schema::read_foreign_rule(&keys, pair.value.span(), reason, problems)
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
fn collect_rule_parts<'e>(value: &'e Expr, keys: &mut Keys) -> Result<(), &'e Expr> {
    match value {
        Expr::Lit(_) => {
            keys.push(text_key(Key::RULE, value).ok_or(value)?);
            Ok(())
        }
        Expr::Tuple(tuple) if tuple.elems.len() == 2 => {
            keys.push(text_key(Key::RULE, &tuple.elems[0]).ok_or(value)?);
            keys.push(text_key(Key::MESSAGE, &tuple.elems[1]).ok_or(value)?);
            Ok(())
        }
        Expr::Paren(inner) => collect_rule_parts(&inner.expr, keys),
        Expr::Group(inner) => collect_rule_parts(&inner.expr, keys),
        Expr::Call(call) if ends_in_any(&call.func, &["new", "from"]) && call.args.len() == 1 => {
            collect_rule_parts(&call.args[0], keys)
        }
        Expr::MethodCall(call) => {
            collect_rule_parts(&call.receiver, keys)?;
            match (call.method.to_string().as_str(), call.args.first()) {
                ("into", None) => {}
                ("message", Some(message)) => keys.push(self::message_key(message).ok_or(message)?),
                ("reason", Some(reason)) => keys.push(self::reason_key(reason).ok_or(reason)?),
                ("field_path", Some(path)) => {
                    keys.push(text_key(Key::FIELD_PATH, path).ok_or(path)?)
                }
                ("optional_old_self", Some(flag)) => {
                    if let Some(key) = optional_old_self_key(flag)? {
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
fn ends_in_any(function: &Expr, names: &[&str]) -> bool {
    last_segment(function).is_some_and(|last| names.contains(&last.as_str()))
}

fn last_segment(path: &Expr) -> Option<String> {
    let Expr::Path(path) = path else { return None };
    let last = path.path.segments.last()?;
    Some(last.ident.to_string())
}

/// Reads a string literal, also in a conversion such as `"..".into()`.
pub(super) fn string_literal(value: &Expr) -> Option<Spanned<String>> {
    if let Some(Lit::Str(text)) = foreign::expression_literal(value) {
        return Some(Spanned::new(text.value(), text.span()));
    }
    match value {
        Expr::MethodCall(call) if call.args.is_empty() => {
            let converts = ["into", "to_string", "to_owned"];
            let name = call.method.to_string();
            converts
                .contains(&name.as_str())
                .then(|| string_literal(&call.receiver))
                .flatten()
        }
        Expr::Call(call) if ends_in_any(&call.func, &["from"]) && call.args.len() == 1 => {
            string_literal(&call.args[0])
        }
        Expr::Reference(inner) => string_literal(&inner.expr),
        _ => None,
    }
}

fn text_key(key: Key, value: &Expr) -> Option<KeyValue> {
    Some(KeyValue::of_text(key, string_literal(value)?))
}

/// Reads `"..."`, `Message::Message("..")` or `Message::Expression("..")`.
fn message_key(value: &Expr) -> Option<KeyValue> {
    let Expr::Call(call) = value else {
        return text_key(Key::MESSAGE, value);
    };
    match last_segment(&call.func)?.as_str() {
        "Expression" => text_key(Key::MESSAGE_EXPRESSION, call.args.first()?),
        "Message" => text_key(Key::MESSAGE, call.args.first()?),
        _ => text_key(Key::MESSAGE, value),
    }
}

/// Reads `Reason::FieldValueInvalid`, also without `Reason::`, or `Reason::default()`.
fn reason_key(value: &Expr) -> Option<KeyValue> {
    let name = match value {
        Expr::Call(call) if ends_in_any(&call.func, &["default"]) => "FieldValueInvalid".to_owned(),
        value => last_segment(value)?,
    };
    let name = Spanned::new(name, value.span());
    Some(KeyValue::of_text(Key::REASON, name))
}

fn optional_old_self_key(value: &Expr) -> Result<Option<KeyValue>, &Expr> {
    let Some(Lit::Bool(flag)) = foreign::expression_literal(value) else {
        return Err(value);
    };
    let set = KeyValue::new(Key::OPTIONAL_OLD_SELF, flag.span(), Given::Flag);
    Ok(flag.value.then_some(set))
}
