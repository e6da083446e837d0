//! Conversion between versions: webhooks, and warnings about lost fields.
//!
//! Without a webhook, the API server changes only `apiVersion`, then prunes fields that the stored
//! version does not declare.

use genclient_syntax::ConversionEndpoint;
use proc_macro2::Span;
use syn::{Item, Type};

use super::checks::{CrdOfKinds, CrdSources};
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{Conversion, Schema, VersionType, WebhookEndpoint};
use crate::project::{Deploy, Project};
use crate::resolve::groups;
use crate::resolve::kind::Kind;
use crate::resolve::paths::Found;
use crate::sources::Sources;

/// Returns the conversion webhook that a kind's attribute names. Reports a webhook without URL or
/// service, unless a deployment provides the service.
pub(super) fn resolve_webhook(
    kind: &Kind<'_>,
    sources: &Sources,
    project: &Project,
    sink: &mut Sink,
) -> Option<Conversion> {
    let attribute = kind.attrs.conversion.as_ref()?;
    let conversion = stated_webhook(attribute, project.deploy.as_ref());
    if conversion.is_none() {
        sink.push(missing_service_error(kind, attribute.span, sources));
    }
    conversion
}

/// Returns the webhook that the attribute states. If it states neither URL nor service, the
/// deployment's service is used; without a deployment, returns `None`.
pub(super) fn stated_webhook(
    conversion: &genclient_syntax::Conversion,
    deploy: Option<&Deploy>,
) -> Option<Conversion> {
    let endpoint = match &conversion.endpoint {
        ConversionEndpoint::Url(url) => WebhookEndpoint::Url(url.value.clone()),
        ConversionEndpoint::Service {
            service,
            path,
            port,
        } => {
            let (namespace, name) = match service {
                Some(service) => (service.namespace.clone(), service.name.clone()),
                None => deploy.map(|it| (it.namespace.clone(), it.webhook_service()))?,
            };
            let path = path.as_ref().map(|path| path.value.clone());
            WebhookEndpoint::Service {
                namespace,
                name,
                path: path.unwrap_or_else(|| "/convert".to_owned()),
                port: port.as_ref().map(|port| port.value),
            }
        }
    };
    Some(Conversion {
        endpoint,
        review_versions: match &conversion.review_versions[..] {
            [] => vec!["v1".to_owned()],
            stated => stated.iter().map(|version| version.value.clone()).collect(),
        },
    })
}

fn missing_service_error(kind: &Kind<'_>, span: Span, sources: &Sources) -> Diagnostic {
    Diagnostic::error("`webhook` needs `service` or `url`")
        .at(Location::new(&sources[kind.id.module].source, span))
        .help(
            "add `service = \"..\"` or `url = \"..\"`, or write \
             `[package.metadata.genclient.deploy]` in Cargo.toml, which defines a service",
        )
}

/// Returns the Rust types of the versions, the stored one first. The list is empty if the kind has
/// one version only, or no conversion webhook.
pub(super) fn version_types(
    versions: &[&Kind<'_>],
    stored: &Kind<'_>,
    from: CrdSources<'_, '_>,
    sink: &mut Sink,
) -> Vec<VersionType> {
    let CrdSources {
        sources,
        paths,
        project,
    } = from;
    if stored.attrs.conversion.is_none() || versions.len() < 2 {
        return Vec::new();
    }
    let spokes = versions
        .iter()
        .copied()
        .filter(|kind| !std::ptr::eq(*kind, stored));
    let mut types = Vec::new();
    for kind in [stored].into_iter().chain(spokes) {
        match groups::type_path(kind, sources, paths, project) {
            Ok(path) => types.push(VersionType {
                version: kind.version.value.clone(),
                path,
                cfg: kind.cfg(sources),
            }),
            // For a kind with a client, `groups` reports the error.
            Err(unreachable) if kind.attrs.skip_client.is_set() => sink.push(*unreachable),
            Err(_) => {}
        }
    }
    types
}

/// Warns about a conversion webhook that is never called. Without a webhook, warns about fields of
/// other served versions that the storage version cannot hold. If the storage version is served,
/// also warns about fields that it requires but that objects of other versions may lack.
pub(super) fn check_conversion(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    let crd = &definition.crd;
    if let Some(conversion) = &definition.stored.attrs.conversion {
        return check_webhook(definition, conversion.span, sources, sink);
    }
    let Some(stored) = crd.versions.iter().find(|version| version.storage) else {
        return;
    };
    for version in crd
        .versions
        .iter()
        .filter(|version| !version.storage && version.served)
    {
        let mut lost = Vec::new();
        collect_lost(&version.schema, &stored.schema, String::new(), &mut lost);
        let mut missing = Vec::new();
        if stored.served {
            collect_missing(&version.schema, &stored.schema, "", &mut missing);
        }
        let (name, stored) = (&version.name, &stored.name);
        let webhook = match definition.stored.kube {
            // kube's derive has no key for a webhook.
            Some(_) => String::new(),
            None => format!(
                ", or write `#[crd(conversion(webhook(service = \"namespace/name\")))]` on {stored}"
            ),
        };
        let mut warn = |message: String, help: &str| {
            let finding = Diagnostic::warning(message).at(definition.locate_version(name, sources));
            sink.push(finding.help(format!("{help}{webhook}")));
        };
        if !lost.is_empty() {
            warn(
                format!(
                    "{} of {name} cannot be stored: {stored} has no such field or a different type for it, and there is no conversion webhook",
                    list_fields(&lost)
                ),
                &format!("add it to {stored}"),
            );
        }
        if !missing.is_empty() {
            warn(
                format!(
                    "objects of {name} may lack {}, which {stored} requires, and there is no conversion webhook",
                    list_fields(&missing)
                ),
                &format!("make it required in {name} or give it a default in {stored}"),
            );
        }
    }
}

/// Warns about a webhook that is never called, because the kind has one version.
fn check_webhook(definition: &CrdOfKinds<'_>, span: Span, sources: &Sources, sink: &mut Sink) {
    let crd = &definition.crd;
    if crd.versions.len() == 1 {
        let message = format!(
            "`conversion` has no effect: `{}` has only one version",
            crd.kind
        );
        let place = definition.stored.locate(sources, span);
        let help = "add the other version, or remove `conversion`";
        sink.push(Diagnostic::warning(message).at(place).help(help));
    }
}

/// The first three paths, and the number of others.
fn list_fields(lost: &[String]) -> String {
    const SHOWN: usize = 3;
    let mut paths: Vec<_> = lost
        .iter()
        .take(SHOWN)
        .map(|path| format!("`{path}`"))
        .collect();
    if lost.len() > SHOWN {
        paths.push(format!("{} more", lost.len() - SHOWN));
    }
    paths.join(", ")
}

/// Adds to `missing` the fields that the stored schema requires but that objects of another version
/// may lack. `schema` is the schema of that version.
fn collect_missing(schema: &Schema, stored: &Schema, path: &str, missing: &mut Vec<String>) {
    for (name, stored_property) in &stored.properties {
        let path = format!("{path}.{name}");
        let property = schema.properties.get(name);
        let present = schema.required.contains(name)
            || property.is_some_and(|property| property.default.is_some())
            || property.is_none() && schema.preserve_unknown_fields;
        if stored.required.contains(name) && stored_property.default.is_none() && !present {
            missing.push(path);
        } else if let Some(property) = property {
            collect_missing(property, stored_property, &path, missing);
        }
    }
    if let (Some(items), Some(stored)) = (&schema.items, &stored.items) {
        collect_missing(items, stored, &format!("{path}[*]"), missing);
    }
    if let (Some(values), Some(stored)) =
        (&schema.additional_properties, &stored.additional_properties)
    {
        collect_missing(values, stored, &format!("{path}{{*}}"), missing);
    }
}

/// Adds to `lost` the fields of `schema` that the stored schema lacks or declares with another
/// type.
fn collect_lost(schema: &Schema, stored: &Schema, path: String, lost: &mut Vec<String>) {
    if stored.preserve_unknown_fields {
        return;
    }
    let retyped = schema.type_.is_some() && stored.type_.is_some() && schema.type_ != stored.type_;
    if retyped {
        lost.push(path);
        return;
    }
    for (name, property) in &schema.properties {
        let path = format!("{path}.{name}");
        match stored
            .properties
            .get(name)
            .or(stored.additional_properties.as_ref())
        {
            Some(stored) => collect_lost(property, stored, path, lost),
            None => lost.push(path),
        }
    }
    if let (Some(items), Some(stored)) = (&schema.items, &stored.items) {
        collect_lost(items, stored, format!("{path}[*]"), lost);
    }
    if let (Some(values), Some(stored)) =
        (&schema.additional_properties, &stored.additional_properties)
    {
        collect_lost(values, stored, format!("{path}{{*}}"), lost);
    }
}

/// Warns about each `impl Spoke` for a version of a kind without a conversion webhook.
pub(super) fn check_spokes(
    definitions: &[CrdOfKinds<'_>],
    from: CrdSources<'_, '_>,
    sink: &mut Sink,
) {
    let CrdSources {
        sources,
        paths,
        project,
    } = from;
    let webhook = match project.deploy {
        Some(_) => "webhook",
        None => "webhook(service = \"namespace/name\")",
    };
    // Faulty definitions are skipped, since the error may be in the attribute that names the
    // webhook.
    let idle: Vec<_> = definitions
        .iter()
        .filter(|one| one.crd.conversion.is_none() && !one.faulty)
        .collect();
    for (module_id, module) in sources.api_modules() {
        for item in &module.items {
            let Some(ty) = spoke_type(item) else { continue };
            let Some(Found::Item(id, Item::Struct(found))) = paths.find(module_id, &ty.path) else {
                continue;
            };
            let of_kind = |definition: &&&CrdOfKinds<'_>| {
                let mut versions = definition.versions.iter();
                versions.any(|kind| kind.id.module == id.module && kind.attrs.ident == found.ident)
            };
            if let Some(definition) = idle.iter().find(of_kind) {
                let kind = &definition.crd.kind;
                let stored = &definition.stored.version.value;
                let message =
                    format!("this conversion is never called: `{kind}` has no conversion webhook");
                sink.push(
                    Diagnostic::warning(message)
                        .at(module.locate(ty))
                        .help(format!("write `#[crd(conversion({webhook}))]` on {stored}")),
                );
            }
        }
    }
}

/// Returns the implementing type of an `impl Spoke`.
fn spoke_type(item: &Item) -> Option<&syn::TypePath> {
    let Item::Impl(item) = item else { return None };
    let (of, _) = item.trait_.as_ref()?;
    match &*item.self_ty {
        Type::Path(ty) if of.segments.last()?.ident == "Spoke" => Some(ty),
        _ => None,
    }
}
