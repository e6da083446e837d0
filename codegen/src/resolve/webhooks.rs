//! Admission webhook configurations, from impls with `#[webhook]`.

use std::collections::BTreeMap;

use genclient_syntax::{Problems, WebhookAttrs, WebhookRole};
use syn::{ImplItem, Item, ItemImpl};

use super::cel;
use super::json_values::to_json;
use super::kind_lookup::{KindLookup, ResolvedKind};
use super::rbac;
use crate::diagnostic::{Code, Diagnostic, Location, Sink};
use crate::model::{MatchCondition, Webhook, WebhookConfiguration, WebhookEndpoint};
use crate::project::Deploy;
use crate::sources::{Module, ModuleId, is_cfg_test};

/// Returns the configurations of the package's webhooks. A webhook is left out if its attribute is
/// invalid or its object type is not found.
pub(super) fn resolve(
    lookup: KindLookup<'_, '_>,
    deploy: Option<&Deploy>,
    sink: &mut Sink,
) -> Vec<WebhookConfiguration> {
    let sources = lookup.sources;
    let mut configurations: BTreeMap<_, Vec<NamedWebhook>> = BTreeMap::new();
    for id in sources.webhook_modules() {
        for item in &sources[id].items {
            if let Some((attrs, place)) = read_webhook(item, &sources[id], sink)
                && let Some(object) = resolve_object(&attrs, id, lookup, sink)
            {
                let webhook = build_webhook(&attrs, &object, deploy);
                let key = (attrs.role, configuration_name(&attrs, deploy));
                let found = NamedWebhook { webhook, place };
                configurations.entry(key).or_default().push(found);
            }
        }
    }
    let configurations = configurations.into_iter();
    configurations
        .map(|((role, name), mut found)| {
            found.sort_by(|a, b| a.webhook.name.cmp(&b.webhook.name));
            check_unique(&name, &found, sink);
            WebhookConfiguration {
                mutating: role == WebhookRole::Mutating,
                name,
                webhooks: found.into_iter().map(|found| found.webhook).collect(),
            }
        })
        .collect()
}

/// Reads the `#[webhook]` of an item, or warns that it lacks one. The location is that of the
/// `name` argument, or else of the implementing type.
fn read_webhook(item: &Item, module: &Module, sink: &mut Sink) -> Option<(WebhookAttrs, Location)> {
    let mut problems = Problems::new();
    let attrs = WebhookAttrs::parse(item, &mut problems);
    if let Item::Impl(item) = item
        && item.attrs.iter().any(is_cfg_test)
    {
        return None;
    }
    let is_valid = problems.is_empty();
    sink.problems(problems, &module.source);
    let Item::Impl(item) = item else { return None };
    if attrs.is_none() && is_valid {
        check_idle(item, module, sink);
    }
    let attrs = attrs.filter(|_| is_valid)?;
    let place = match &attrs.name {
        Some(name) => Location::new(&module.source, name.span),
        None => module.locate(&item.self_ty),
    };
    Some((attrs, place))
}

/// Returns the kind of a webhook's objects, or an empty one if the attribute states everything that
/// follows from the kind. Reports a kind that is not found, and resources that do not exist.
fn resolve_object(
    attrs: &WebhookAttrs,
    module: ModuleId,
    lookup: KindLookup<'_, '_>,
    sink: &mut Sink,
) -> Option<ResolvedKind> {
    let KindLookup { kinds, sources, .. } = lookup;
    sink.stage(Code::Cel, |sink| {
        cel::check_conditions(attrs, &sources[module], sink)
    });
    let missing = missing_keys(attrs);
    let object = if missing.is_empty() {
        ResolvedKind::default()
    } else {
        let ty = attrs.object.as_ref()?;
        match lookup.find_kind(ty, module) {
            Ok(object) => object?,
            Err(why) => {
                let missing: Vec<_> = missing.iter().map(|key| format!("`{key}`")).collect();
                let help = format!("write {} in `#[webhook(..)]`", missing.join(", "));
                sink.push(lookup.unresolved_error(ty, why, &help, module));
                return None;
            }
        }
    };
    let groups = stated_or(&attrs.groups, &object.group);
    rbac::warn_of_absent(&attrs.resources, &groups, kinds, &sources[module], sink);
    Some(object)
}

/// Returns the values that an attribute states, or else a list of the one value `otherwise`.
fn stated_or(stated: &[String], otherwise: &str) -> Vec<String> {
    match stated {
        [] => vec![otherwise.to_owned()],
        stated => stated.to_vec(),
    }
}

fn build_webhook(attrs: &WebhookAttrs, object: &ResolvedKind, deploy: Option<&Deploy>) -> Webhook {
    let resources: Vec<_> = attrs
        .resources
        .iter()
        .map(|resource| resource.value.clone())
        .collect();
    let operations = attrs.operations.iter();
    Webhook {
        name: match &attrs.name {
            Some(name) => name.value.clone(),
            None => default_name(attrs.role, object),
        },
        endpoint: build_endpoint(attrs, object, deploy),
        review_versions: stated_or(&attrs.review_versions, "v1"),
        failure_policy: attrs.failure_policy.as_str(),
        match_conditions: attrs
            .match_conditions
            .iter()
            .map(build_match_condition)
            .collect(),
        match_policy: attrs.match_policy.map(|policy| policy.as_str()),
        namespace_selector: attrs.namespace_selector.as_ref().map(to_json),
        object_selector: attrs.object_selector.as_ref().map(to_json),
        reinvocation_policy: attrs.reinvocation_policy.map(|policy| policy.as_str()),
        groups: stated_or(&attrs.groups, &object.group),
        versions: stated_or(&attrs.versions, &object.version),
        operations: operations.map(|one| one.as_str().to_uppercase()).collect(),
        resources: stated_or(&resources, &object.plural),
        side_effects: attrs.side_effects.as_str(),
        timeout: attrs.timeout,
    }
}

/// Returns the omitted keys whose values follow from the webhook's object.
fn missing_keys(attrs: &WebhookAttrs) -> Vec<&'static str> {
    [
        ("groups", attrs.groups.is_empty()),
        ("versions", attrs.versions.is_empty()),
        ("resources", attrs.resources.is_empty()),
        ("path", attrs.path.is_none()),
        ("name", attrs.name.is_none()),
    ]
    .into_iter()
    .filter_map(|(key, is_missing)| is_missing.then_some(key))
    .collect()
}

fn build_endpoint(
    attrs: &WebhookAttrs,
    object: &ResolvedKind,
    deploy: Option<&Deploy>,
) -> WebhookEndpoint {
    if let Some(url) = &attrs.url {
        return WebhookEndpoint::Url(url.clone());
    }
    let (namespace, name) = match (&attrs.service, deploy) {
        (Some(service), _) => (service.namespace.clone(), service.name.clone()),
        (None, Some(deploy)) => (deploy.namespace.clone(), deploy.webhook_service()),
        (None, None) => ("system".to_owned(), "webhook-service".to_owned()),
    };
    WebhookEndpoint::Service {
        namespace,
        name,
        path: match &attrs.path {
            Some(path) => path.value.clone(),
            None => default_path(attrs.role, object),
        },
        port: attrs.port,
    }
}

fn build_match_condition(condition: &genclient_syntax::MatchCondition) -> MatchCondition {
    MatchCondition {
        name: condition.name.value.clone(),
        expression: condition.expression.value.clone(),
    }
}

/// Warns about an impl of a webhook trait without `#[webhook]`.
fn check_idle(item: &ItemImpl, module: &Module, sink: &mut Sink) {
    let Some(role) = WebhookRole::from_impl(item).filter(|_| has_object(item)) else {
        return;
    };
    let message = match role {
        WebhookRole::Mutating => {
            "this defaulter is never called: no webhook configuration lists it"
        }
        WebhookRole::Validating => {
            "this validator is never called: no webhook configuration lists it"
        }
    };
    sink.push(
        Diagnostic::warning(message)
            .at(module.locate(&item.self_ty))
            .help("write `#[webhook]` above the impl"),
    );
}

/// True if the impl has `type Object`, as impls of genclient's webhook traits do. Traits of other
/// crates may have the same names.
fn has_object(item: &ItemImpl) -> bool {
    let is_object = |inner: &ImplItem| matches!(inner, ImplItem::Type(ty) if ty.ident == "Object");
    item.items.iter().any(is_object)
}

struct NamedWebhook {
    webhook: Webhook,
    place: Location,
}

/// Name of the configuration that lists a webhook: as written, or controller-gen's default. With a
/// deployment in Cargo.toml, the default is prefixed by the deployment's name, as in kubebuilder's
/// projects.
fn configuration_name(attrs: &WebhookAttrs, deploy: Option<&Deploy>) -> String {
    let default = match attrs.role {
        WebhookRole::Mutating => "mutating-webhook-configuration",
        WebhookRole::Validating => "validating-webhook-configuration",
    };
    match (&attrs.configuration, deploy) {
        (Some(written), _) => written.clone(),
        (None, Some(deploy)) => deploy.named(default),
        (None, None) => default.to_owned(),
    }
}

/// Default name of a webhook, such as `validation.gputask.falldio.com`. The API server requires at
/// least three segments.
fn default_name(role: WebhookRole, object: &ResolvedKind) -> String {
    let first = match role {
        WebhookRole::Mutating => "default",
        WebhookRole::Validating => "validation",
    };
    let group = match object.group.as_str() {
        "" => "core",
        group => group,
    };
    format!("{first}.{}.{group}", object.kind.to_lowercase())
}

/// Default path of a webhook, such as `/validate-falldio-com-v1-gputask`, or `/mutate--v1-pod` in
/// the core group. It is the path that controller-runtime's `generateValidatePath` and
/// `generateMutatePath` return (`pkg/builder/webhook.go`).
fn default_path(role: WebhookRole, object: &ResolvedKind) -> String {
    let verb = match role {
        WebhookRole::Mutating => "mutate",
        WebhookRole::Validating => "validate",
    };
    let group = object.group.replace('.', "-");
    let (version, kind) = (&object.version, object.kind.to_lowercase());
    format!("/{verb}-{group}-{version}-{kind}")
}

/// Reports duplicate names, which the API server refuses in one configuration. `found` is sorted by
/// name.
fn check_unique(configuration: &str, found: &[NamedWebhook], sink: &mut Sink) {
    for pair in found.windows(2) {
        let [first, second] = pair else { continue };
        let name = &second.webhook.name;
        if first.webhook.name == *name {
            sink.push(
                Diagnostic::error(format!(
                    "duplicate webhook name `{name}` in `{configuration}`"
                ))
                .at(second.place.clone())
                .label(first.place.clone(), "also here")
                .help(format!(
                    "write `name = \"second.{name}\"` in `#[webhook(..)]`"
                )),
            );
        }
    }
}
