//! `#[x_kube(…)]`: CEL rules and merge strategies for server-side apply.

pub(crate) mod rule;

use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Meta};

use crate::foreign::{ForeignAttr, name, parts};
use crate::vocabulary::vocabulary;
use crate::{ListType, MapType, Place, Problem, Problems, SchemaAttrs, Site, Spanned, suggest};

vocabulary! {
    /// Name of a key in `#[x_kube(…)]`.
    struct XKubeKey;

    /// Every name, for what a misspelt one was meant to be.
    const ALL;

    const CEL = "cel";
    const CRATES = "crates";
    const MERGE_STRATEGY = "merge_strategy";
    const VALIDATION = "validation";
}

/// What `#[x_kube(…)]` says about a type or field.
pub(crate) fn read(attrs: &[Attribute], place: &Place, problems: &mut Problems) -> SchemaAttrs {
    let mut schema = SchemaAttrs::default();
    for meta in parts(attrs, ForeignAttr::X_KUBE) {
        match XKubeKey::ALL.iter().find(|key| meta.path().is_ident(*key)) {
            Some(&XKubeKey::VALIDATION) => {
                schema.validations.extend(rule::read(&meta, problems));
            }
            Some(&XKubeKey::MERGE_STRATEGY) if place.site == Site::Field => {
                merge(&meta, &mut schema, problems);
            }
            Some(&XKubeKey::MERGE_STRATEGY) => problems.report(
                meta.path().span(),
                "`merge_strategy` stands on a field",
                "move it to the fields of this type",
            ),
            Some(_) => {}
            None => problems.push(unknown(&meta)),
        }
    }
    schema
}

fn unknown(meta: &Meta) -> Problem {
    let name = name(meta);
    let known: Vec<&str> = XKubeKey::ALL.iter().map(|key| key.as_str()).collect();
    let help = suggest::help(&name, &known)
        .unwrap_or_else(|| format!("write {}", suggest::either(&known)));
    let message = format!("unknown key `{name}` in `x_kube`");
    Problem::new(meta.path().span(), message).with_help(help)
}

/// `ListMerge::Map(vec!["name".into()])` and the like.
fn merge(meta: &Meta, schema: &mut SchemaAttrs, problems: &mut Problems) {
    let Meta::NameValue(pair) = meta else {
        problems.report(meta.span(), "`merge_strategy` has a value", HELP);
        return;
    };
    let span = pair.value.span();
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
                None => problems.report(span, "the keys of the list cannot be read", HELP),
            }
        }
        [.., of, how] if of == "MapMerge" || of == "StructMerge" => {
            let Some(how) = map_type(how) else {
                return problems.report(span, "there is no such strategy", HELP);
            };
            let how = Some(Spanned::new(how, span));
            if of == "MapMerge" {
                schema.map_type = how;
            } else {
                schema.struct_type = how;
            }
        }
        _ => {
            let what = pair.value.to_token_stream();
            problems.report(span, format!("`{what}` is no merge strategy"), HELP);
        }
    }
}

const HELP: &str = "write `ListMerge::Set`, `ListMerge::Map(vec![\"name\".into()])`, `MapMerge::Atomic` or `StructMerge::Atomic`";

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

/// `vec!["a".into()]`, `["a".into()].into()`, `vec!["a"]`
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
