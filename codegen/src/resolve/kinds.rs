//! Which structs are resources.

use genclient_syntax::{Problems, ResourceAttrs, Spanned, is_kube, is_resource, names};
use proc_macro2::TokenTree;
use syn::{Attribute, Item, ItemStruct};

use super::kind::{Kind, attributes};
use super::kube_kinds;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::sources::{Module, ModuleId, Sources, is_cfg_test};

/// Finds every resource; one with a mistake is reported and left out.
pub(super) fn find<'a>(sources: &'a Sources, sink: &mut Sink) -> Vec<Kind<'a>> {
    let mut kinds = Vec::new();
    let mut left_out = Vec::new();
    for (id, module) in sources.api_modules() {
        for any in &module.items {
            if is_kube(attributes(any)) {
                kinds.extend(kube_kinds::read(any, id, module, sink));
                continue;
            }
            let Item::Struct(item) = any else {
                report_misplaced(any, module, sink);
                continue;
            };
            if item.attrs.iter().any(is_cfg_test) {
                continue;
            }
            if !is_resource(&item.attrs) {
                report_not_served(item, module, sink);
                continue;
            }
            let mut problems = Problems::new();
            let attrs = ResourceAttrs::parse(item, &mut problems);
            let faulty = !problems.is_empty();
            sink.problems(problems, &module.source);
            if attrs.is_none() {
                left_out.push(&item.ident);
            }
            // What a type parameter stands for, nobody knows.
            if let Some(attrs) = attrs.filter(|_| item.generics.params.is_empty())
                && let Some(version) = version(sources, id, &attrs, sink)
            {
                kinds.push(Kind {
                    module: id,
                    item: any,
                    attrs,
                    version,
                    faulty,
                    kube: None,
                });
            }
        }
    }
    for kind in &mut kinds {
        kind.faulty |= left_out.contains(&&kind.attrs.ident);
    }
    kinds
}

/// A kind of another crate, or of this one outside of the API types: its attributes and version.
pub(super) fn of_other_crate(
    sources: &Sources,
    module: ModuleId,
    item: &ItemStruct,
) -> Option<(ResourceAttrs, String)> {
    let attrs = ResourceAttrs::parse(item, &mut Problems::new())?;
    let version = version(sources, module, &attrs, &mut Sink::new())?;
    Some((attrs, version.value))
}

fn is_genclient(attr: &Attribute) -> bool {
    is_resource(std::slice::from_ref(attr))
}

/// What looks like a resource and is none: without `#[genclient]`, or with it under a condition.
fn report_not_served(item: &ItemStruct, module: &Module, sink: &mut Sink) {
    for attr in &item.attrs {
        let name = attr.path().get_ident().map(ToString::to_string);
        let finding = match name.as_deref() {
            Some(name @ ("group" | "version" | "kind")) => {
                Diagnostic::error(format!("`{name}` stands on a served type"))
                    .help("write `#[genclient]` above it")
            }
            Some("cfg_attr") if conditional(attr) => Diagnostic::error(
                "`genclient` does not depend on `cfg`",
            )
            .help("write `#[genclient]`, and `#[cfg(…)]` on the struct if not every build has it"),
            _ => continue,
        };
        sink.push(finding.at(module.locate(attr.path())));
    }
}

/// True if `cfg_attr` brings `genclient`.
fn conditional(attr: &Attribute) -> bool {
    let Ok(list) = attr.meta.require_list() else {
        return false;
    };
    let mut tokens = list.tokens.clone().into_iter();
    tokens.any(|token| matches!(token, TokenTree::Ident(name) if name == "genclient"))
}

/// What the macro says of an item that is no struct.
fn report_misplaced(item: &Item, module: &Module, sink: &mut Sink) {
    let (attrs, ident): (&[Attribute], _) = match item {
        Item::Enum(item) => (&item.attrs, Some(&item.ident)),
        Item::Union(item) => (&item.attrs, Some(&item.ident)),
        Item::Type(item) => (&item.attrs, None),
        Item::Fn(item) => (&item.attrs, None),
        Item::Trait(item) => (&item.attrs, None),
        Item::Impl(item) => (&item.attrs, None),
        Item::Const(item) => (&item.attrs, None),
        Item::Static(item) => (&item.attrs, None),
        _ => return,
    };
    for attr in attrs.iter().filter(|attr| is_genclient(attr)) {
        let finding = match ident {
            Some(ident) => Diagnostic::error("a served type is a struct with named fields")
                .at(module.locate(ident)),
            None => Diagnostic::error("`#[genclient]` stands on a struct").at(module.locate(attr)),
        };
        sink.push(finding.help("write `struct Name { pub metadata: ObjectMeta, pub spec: .. }`"));
    }
}

/// The stated version, or the nearest enclosing module that is named like one.
fn version(
    sources: &Sources,
    module: ModuleId,
    attrs: &ResourceAttrs,
    sink: &mut Sink,
) -> Option<Spanned<String>> {
    if let Some(version) = &attrs.version {
        return Some(version.clone());
    }
    let mut at = Some(module);
    while let Some(id) = at {
        let module = &sources[id];
        if names::is_version(&module.name) {
            return Some(Spanned::new(module.name.clone(), attrs.ident.span()));
        }
        at = module.parent;
    }
    let place = Location::of(&sources[module].source, attrs.ident.span());
    sink.push(
        Diagnostic::error(format!("no API version for `{}`", attrs.kind.value))
            .at(place)
            .help(
                "name a module above it like a version (`mod v1`), or write `#[version = \"v1\"]`",
            ),
    );
    None
}
