//! `#[x_kube(…)]`: rules, and how server-side apply merges.

use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Meta};

use super::rule;
use crate::foreign::parts;
use crate::{ListType, MapType, Place, Problems, SchemaAttrs, Site, Spanned, suggest};

const KEYS: &[&str] = &["cel", "crates", "merge_strategy", "validation"];

/// What `#[x_kube(…)]` says about a type or field.
pub(crate) fn read(attrs: &[Attribute], place: &Place, problems: &mut Problems) -> SchemaAttrs {
    let mut schema = SchemaAttrs::default();
    for meta in parts(attrs, "x_kube") {
        let name = meta.path().get_ident().map(ToString::to_string);
        match name.as_deref() {
            Some("validation") => schema.validations.extend(rule::read(&meta, problems)),
            Some("merge_strategy") if place.site == Site::Field => {
                merge(&meta, &mut schema, problems);
            }
            Some("merge_strategy") => problems.report(
                meta.path().span(),
                "`merge_strategy` stands on a field",
                "move it to the fields of this type",
            ),
            Some("cel" | "crates") => {}
            other => {
                let name = other.unwrap_or_default();
                let help = suggest::help(name, KEYS)
                    .unwrap_or_else(|| format!("write {}", suggest::either(KEYS)));
                let message = format!("unknown key `{name}` in `x_kube`");
                problems.report(meta.path().span(), message, help);
            }
        }
    }
    schema
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
