//! Diagnostics for unknown and misplaced keys.

use std::slice;

use super::form::Written;
use super::shape;
use crate::arguments::{self, After, RawKey, joined};
use crate::table::{self, Attribute, Form, Key, TABLE, Within};
use crate::{Json, JsonValue, Place, Problem, Problems, Scope, Shape, Site, suggest};

/// Attributes of webhooks and controllers. Their keys are never suggested in other attributes.
const OF_CODE: [Within; 2] = [Within::Webhook, Within::Rbac];

/// The error for a key that the attribute named by `within` does not accept at `place`. `attrs` has
/// all attributes of the type or field.
pub(super) fn key(
    raw: &RawKey,
    within: Within,
    place: &Place,
    attrs: &[syn::Attribute],
) -> Problem {
    let name = &raw.name;
    let (known, elsewhere) = (table::entry(within, name), elsewhere(name, within));
    let message = match (known, elsewhere) {
        (Some(_), _) => format!("`{name}` is not allowed {}", place.site.on()),
        (_, Some(_)) => format!("`{name}` is not allowed in `{within}`"),
        _ => format!("unknown key `{name}` in `{within}`"),
    };
    let help = match known.or(elsewhere) {
        Some(entry) => move_to(slice::from_ref(raw), entry, within, place, attrs),
        None => unknown(raw, within, place, attrs),
    };
    Problem::new(raw.span, message).with_help(help)
}

fn unknown(raw: &RawKey, within: Within, place: &Place, attrs: &[syn::Attribute]) -> String {
    let meant = translate(raw, within, &place.shape);
    let first = meant.first().map(|meant| meant.name.as_str());
    if let Some(entry) = first.and_then(|name| declared(name, within)) {
        return move_to(&meant, entry, within, place, attrs);
    }
    let meant = || {
        Some(format!(
            "did you mean `{}`?",
            slip_of(raw, within, place)?.name
        ))
    };
    default_help(raw, within)
        .or_else(meant)
        .unwrap_or_else(|| "`genclient explain` lists the keys".to_owned())
}

/// Returns the table entry whose name an unknown key likely misspells, preferably one that accepts
/// the written value.
pub(super) fn slip_of(raw: &RawKey, within: Within, place: &Place) -> Option<&'static Attribute> {
    let is_here = |entry: &&Attribute| entry.within == within && entry.sites.contains(&place.site);
    let closest = |is_meant: &dyn Fn(&&Attribute) -> bool| {
        let entries = TABLE.iter().filter(is_here).filter(is_meant);
        let name = suggest::closest(&raw.name, entries.map(|entry| entry.name))?;
        table::entry(within, name)
    };
    closest(&|entry| Written::new(entry, raw).is_correctable()).or_else(|| closest(&|_| true))
}

/// Returns the table entry called `name`: a key of `within` or, failing that, of another attribute.
fn declared(name: &str, within: Within) -> Option<&'static Attribute> {
    table::entry(within, name).or_else(|| elsewhere(name, within))
}

/// Returns the table entry called `name` outside of `within`: a key of `#[crd(…)]` or
/// `#[genclient(…)]`, or an attribute by itself such as `#[group]`. Returns `None` if `within` is
/// `#[webhook(…)]` or `#[rbac(…)]`, where no key of API types makes sense.
fn elsewhere(name: &str, within: Within) -> Option<&'static Attribute> {
    let is_candidate = |entry: &&Attribute| {
        let is_attribute = [Key::GENCLIENT, Key::WEBHOOK, Key::RBAC].contains(&entry.key());
        entry.within != within && !OF_CODE.contains(&entry.within) && !is_attribute
    };
    let mut candidates = TABLE.iter().filter(is_candidate);
    match within {
        Within::Webhook | Within::Rbac => None,
        _ => candidates.find(|entry| entry.name == name),
    }
}

/// Help that names the right attribute for `keys` and shows them with their values. `entry` is the
/// table entry of the first key.
fn move_to(
    keys: &[RawKey],
    entry: &Attribute,
    within: Within,
    place: &Place,
    attrs: &[syn::Attribute],
) -> String {
    if let Form::Refused { help, .. } = entry.form {
        return help.to_owned();
    }
    let usage = joined(keys.iter().map(|raw| match declared(&raw.name, within) {
        Some(entry) => Written::new(entry, raw).usage(),
        None => raw.to_string(),
    }));
    let attribute = match entry.within {
        Within::Item => format!("#[{usage}]"),
        Within::Genclient => format!("#[genclient({usage})]"),
        Within::Webhook => format!("#[webhook({usage})]"),
        Within::Rbac => format!("#[rbac({usage})]"),
        Within::Crd => format!("#[crd({usage})]"),
    };
    let is_there = |attr: &syn::Attribute| attr.path().is_ident(entry.name);
    if !(entry.sites.contains(&place.site) && entry.applies.admits(&place.shape)) {
        return move_from(place.site, entry, &usage, &attribute);
    }
    if entry.within == within {
        format!("write `{usage}`")
    } else if entry.within == Within::Item && attrs.iter().any(is_there) {
        format!("remove it, or write `{attribute}` instead of the existing one")
    } else {
        format!("write `{attribute}`")
    }
}

/// Help that says where to write a key that is not allowed at `site`, or that does not apply to the
/// type there.
fn move_from(site: Site, entry: &Attribute, usage: &str, attribute: &str) -> String {
    match (site, entry.sites) {
        (Site::Items | Site::Values, _) if entry.key() == Key::NULLABLE => {
            "remove it, and make the item or value type an `Option`".to_owned()
        }
        (_, [Site::Resource]) => format!("write `{attribute}` on the struct of the kind"),
        (Site::Keys, sites) => of_keys(sites, usage),
        (_, [Site::Type]) => "move it to a type with `#[derive(CrdSchema)]`".to_owned(),
        (Site::Variant, sites) if sites.contains(&Site::Field) => {
            format!("write `{attribute}` on a field of the variant")
        }
        (Site::UnitVariant, _) => "remove it".to_owned(),
        (_, sites) if sites.contains(&Site::Field) => format!("write `{attribute}` on a field"),
        _ => format!("write `{attribute}` on a type"),
    }
}

/// Help that lists what `keys(..)` accepts, and offers `values(usage)` if `values(..)` accepts the
/// misplaced key.
fn of_keys(sites: &[Site], usage: &str) -> String {
    let entries = TABLE
        .iter()
        .filter(|entry| entry.sites.contains(&Site::Keys));
    let names: Vec<&str> = entries.map(|entry| entry.name).collect();
    let has = format!("`keys(..)` accepts {}", suggest::all_of(&names));
    if sites.contains(&Site::Values) {
        format!("{has}; for the values of the map write `values({usage})`")
    } else {
        has
    }
}

/// Returns the help for a key that requests the default behaviour and can be removed. Returns
/// `None` for any other key.
fn default_help(raw: &RawKey, within: Within) -> Option<String> {
    match (raw.name.as_str(), within) {
        ("namespaced", Within::Genclient) => {
            Some("remove it: a kind is namespaced by default".to_owned())
        }
        ("served", _) => Some("remove it: a version is served by default".to_owned()),
        ("mutating", Within::Webhook) => Some(
            "remove it: a `Defaulter` is a mutating webhook, a `Validator` a validating one"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Translates a key of another tool, such as kube or validator, into genclient's keys. The list is
/// empty if there is no translation.
fn translate(raw: &RawKey, within: Within, shape: &Shape) -> Vec<RawKey> {
    const NUMBERS: [Key; 2] = [Key::MINIMUM, Key::MAXIMUM];
    const LENGTHS: [Key; 2] = [Key::MIN_LENGTH, Key::MAX_LENGTH];
    let alone = |key: Key| vec![raw.renamed(key).with(After::Nothing)];
    let [least, greatest] = shape::sizes(shape).unwrap_or(NUMBERS);
    let key = match (raw.name.as_str(), raw.is_off()) {
        ("verbs", _) if within == Within::Webhook => Key::OPERATIONS,
        ("timeout_seconds" | "timeoutSeconds", _) if within == Within::Webhook => Key::TIMEOUT,
        ("admission_review_versions" | "admissionReviewVersions", _) => Key::REVIEW_VERSIONS,
        ("resource_names" | "resourceNames", _) if within == Within::Rbac => Key::NAMES,
        ("role_name" | "roleName", _) if within == Within::Rbac => Key::ROLE,
        ("non_resource_urls" | "nonResourceURLs", _) => Key::URLS,
        _ if OF_CODE.contains(&within) => return Vec::new(),
        ("namespaced", true) if within == Within::Genclient => return alone(Key::NON_NAMESPACED),
        ("namespaced", false) if within == Within::Genclient => return Vec::new(),
        ("namespaced", true) | ("cluster" | "cluster_scoped", false) => {
            return vec![scope(raw, Scope::Cluster)];
        }
        ("namespaced", false) => return vec![scope(raw, Scope::Namespaced)],
        ("served", true) => return alone(Key::UNSERVED),
        ("subresource", _) => return alone(Key::SCALE),
        ("length", _) => return bounds(raw, shape::sizes(shape).unwrap_or(LENGTHS)),
        ("range", _) => return bounds(raw, NUMBERS),
        ("min", _) => least,
        ("max", _) => greatest,
        ("shortname" | "short_name", _) => Key::SHORT_NAMES,
        ("category", _) => Key::CATEGORIES,
        ("path" | "resource_name", _) => Key::PLURAL,
        ("selectable", _) => Key::SELECTABLE_FIELD,
        ("rule" | "cel" | "x_validation", _) => Key::VALIDATION,
        ("regex", _) => Key::PATTERN,
        ("unique", _) => Key::UNIQUE_ITEMS,
        ("x_preserve_unknown_fields", _) => Key::PRESERVE_UNKNOWN_FIELDS,
        _ => return Vec::new(),
    };
    vec![raw.renamed(key)]
}

/// Translates `length(min = 1, max = 2)` into the keys `least` and `greatest`. For `length = 1`,
/// both have this value.
fn bounds(raw: &RawKey, [least, greatest]: [Key; 2]) -> Vec<RawKey> {
    let parts = match &raw.after {
        After::List(tokens) => arguments::read(tokens.clone(), &mut Problems::new()),
        _ => Vec::new(),
    };
    let both = |raw: &RawKey| vec![raw.renamed(least), raw.renamed(greatest)];
    let named: Vec<RawKey> = parts
        .iter()
        .flat_map(|part| match part.name.as_str() {
            "min" => vec![part.renamed(least)],
            "max" => vec![part.renamed(greatest)],
            "equal" => both(part),
            _ => Vec::new(),
        })
        .collect();
    if named.is_empty() { both(raw) } else { named }
}

fn scope(raw: &RawKey, scope: Scope) -> RawKey {
    raw.renamed(Key::SCOPE).with(After::Value(Json {
        value: JsonValue::String(scope.as_str().to_owned()),
        span: raw.span,
    }))
}
