//! kube's `#[x_kube(…)]`: CEL rules, and merge strategies for server-side apply.

pub(crate) mod rule;

use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Meta};

use crate::foreign::{self, ForeignAttr, name, parts};
use crate::vocabulary::vocabulary;
use crate::{
    ListType, MapType, Place, Problem, Problems, SchemaAttrs, Shape, Site, Spanned, suggest,
};

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
                schema.validations.extend(rule::read(&meta, problems));
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
    items.iter().map(rule::literal).collect()
}
