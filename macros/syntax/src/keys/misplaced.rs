//! Diagnostics for unknown and misplaced keys.

use std::slice;

use super::form::WrittenKey;
use super::shape;
use crate::arguments::{self, After, RawKey, join_formatted};
use crate::table::{self, Attribute, Form, Key, TABLE, Within};
use crate::{
    AttributeTarget, Help, Json, JsonValue, Problem, Problems, Scope, Shape, Target, suggest,
};

/// Attributes of webhooks and controllers. Their keys are never suggested in other attributes.
const CODE_ATTRIBUTES: [Within; 2] = [Within::Webhook, Within::Rbac];

/// Where a key is written.
#[derive(Clone, Copy)]
pub(super) struct KeyPosition<'a> {
    /// The attribute that contains it.
    pub(super) within: Within,
    /// What the attribute is on.
    pub(super) target: &'a AttributeTarget,
    /// All attributes of the type or field.
    pub(super) attrs: &'a [syn::Attribute],
    /// The keys beside it, with itself.
    pub(super) written: &'a [RawKey],
}

impl KeyPosition<'_> {
    /// Returns the help without its edit if the edit would write a key a second time.
    fn without_duplicate(&self, help: Help, meant: &[RawKey]) -> Help {
        let is_there = |key: &RawKey| self.written.iter().any(|other| other.name == key.name);
        let repeats =
            |key: &RawKey| find_entry(&key.name, self.within).is_some_and(|entry| entry.repeats);
        if meant.iter().any(|key| is_there(key) && !repeats(key)) {
            help.to_string().into()
        } else {
            help
        }
    }
}

/// The error for a key that the table does not accept at its position.
pub(super) fn misplaced_key_problem(raw: &RawKey, position: KeyPosition<'_>) -> Problem {
    let within = position.within;
    let name = &raw.name;
    let (known, elsewhere) = (
        table::entry(within, name),
        find_entry_elsewhere(name, within),
    );
    let message = match (known, elsewhere) {
        (Some(_), _) => format!("`{name}` is not allowed {}", position.target.kind.on()),
        (_, Some(_)) => format!("`{name}` is not allowed in `{within}`"),
        _ => format!("unknown key `{name}` in `{within}`"),
    };
    let help = match known.or(elsewhere) {
        Some(entry) => move_to_help(slice::from_ref(raw), entry, position),
        None => unknown_key_help(raw, position),
    };
    Problem::new(raw.span, message).with_help(help)
}

fn unknown_key_help(raw: &RawKey, position: KeyPosition<'_>) -> Help {
    let within = position.within;
    let meant = translate_key(raw, within, &position.target.shape);
    let first = meant.first().map(|meant| meant.name.as_str());
    if let Some(entry) = first.and_then(|name| find_entry(name, within)) {
        return move_to_help(&meant, entry, position);
    }
    let meant = || {
        let meant = find_likely_key(raw, position)?.name;
        let help = Help::did_you_mean(&raw.name, meant);
        Some(position.without_duplicate(help, &[raw.renamed(meant)]))
    };
    default_help(raw, within)
        .or_else(meant)
        .unwrap_or_else(|| "`genclient explain` lists the keys".into())
}

/// Returns the table entry whose name an unknown key likely misspells, preferably one that accepts
/// the written value.
pub(super) fn find_likely_key(
    raw: &RawKey,
    position: KeyPosition<'_>,
) -> Option<&'static Attribute> {
    let KeyPosition { within, target, .. } = position;
    let is_here =
        |entry: &&Attribute| entry.within == within && entry.targets.contains(&target.kind);
    let closest = |is_meant: &dyn Fn(&&Attribute) -> bool| {
        let entries = TABLE.iter().filter(is_here).filter(is_meant);
        let name = suggest::closest(&raw.name, entries.map(|entry| entry.name))?;
        table::entry(within, name)
    };
    closest(&|entry| WrittenKey::new(entry, raw).is_correctable()).or_else(|| closest(&|_| true))
}

/// Returns the table entry called `name`: a key of `within` or, failing that, of another attribute.
fn find_entry(name: &str, within: Within) -> Option<&'static Attribute> {
    table::entry(within, name).or_else(|| find_entry_elsewhere(name, within))
}

/// Returns the table entry called `name` outside of `within`: a key of `#[crd(…)]` or
/// `#[genclient(…)]`, or an attribute by itself such as `#[group]`. Returns `None` if `within` is
/// `#[webhook(…)]` or `#[rbac(…)]`, where no key of API types makes sense.
fn find_entry_elsewhere(name: &str, within: Within) -> Option<&'static Attribute> {
    let is_candidate = |entry: &&Attribute| {
        let is_attribute = [Key::GENCLIENT, Key::WEBHOOK, Key::RBAC].contains(&entry.key());
        entry.within != within && !CODE_ATTRIBUTES.contains(&entry.within) && !is_attribute
    };
    let mut candidates = TABLE.iter().filter(is_candidate);
    match within {
        Within::Webhook | Within::Rbac => None,
        _ => candidates.find(|entry| entry.name == name),
    }
}

/// Help that names the right attribute for `keys` and shows them with their values. `entry` is the
/// table entry of the first key.
fn move_to_help(keys: &[RawKey], entry: &Attribute, position: KeyPosition<'_>) -> Help {
    let KeyPosition {
        within,
        target,
        attrs,
        ..
    } = position;
    if let Form::Refused { help, .. } = entry.form {
        return help.into();
    }
    let usage = join_formatted(keys.iter().map(|raw| match find_entry(&raw.name, within) {
        Some(entry) => WrittenKey::new(entry, raw).usage(),
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
    if !(entry.targets.contains(&target.kind) && entry.applies.admits(&target.shape)) {
        return move_from_help(target.kind, entry, &usage, &attribute);
    }
    if entry.within == within {
        position.without_duplicate(Help::write_key(usage), keys)
    } else if entry.within == Within::Item && attrs.iter().any(is_there) {
        format!("remove it, or write `{attribute}` instead of the existing one").into()
    } else {
        format!("write `{attribute}`").into()
    }
}

/// Help that says where to write a key that is not allowed at `target`, or that does not apply to
/// the type there.
fn move_from_help(target: Target, entry: &Attribute, usage: &str, attribute: &str) -> Help {
    let help = match (target, entry.targets) {
        (Target::Items | Target::Values, _) if entry.key() == Key::NULLABLE => {
            "remove it, and make the item or value type an `Option`".to_owned()
        }
        (_, [Target::Resource]) => format!("write `{attribute}` on the struct of the kind"),
        (Target::Keys, targets) => keys_help(targets, usage),
        (_, [Target::Type]) => "move it to a type with `#[derive(CrdSchema)]`".to_owned(),
        (Target::Variant, targets) if targets.contains(&Target::Field) => {
            format!("write `{attribute}` on a field of the variant")
        }
        (Target::UnitVariant, _) => return Help::remove("remove it"),
        (_, targets) if targets.contains(&Target::Field) => {
            format!("write `{attribute}` on a field")
        }
        _ => format!("write `{attribute}` on a type"),
    };
    help.into()
}

/// Help that lists what `keys(..)` accepts, and offers `values(usage)` if `values(..)` accepts the
/// misplaced key.
fn keys_help(targets: &[Target], usage: &str) -> String {
    let entries = TABLE
        .iter()
        .filter(|entry| entry.targets.contains(&Target::Keys));
    let names: Vec<&str> = entries.map(|entry| entry.name).collect();
    let has = format!("`keys(..)` accepts {}", suggest::all_of(&names));
    if targets.contains(&Target::Values) {
        format!("{has}; for the values of the map write `values({usage})`")
    } else {
        has
    }
}

/// Returns the help for a key that requests the default behaviour and can be removed. Returns
/// `None` for any other key.
fn default_help(raw: &RawKey, within: Within) -> Option<Help> {
    let help = match (raw.name.as_str(), within) {
        ("namespaced", Within::Genclient) => "remove it: a kind is namespaced by default",
        ("served", _) => "remove it: a version is served by default",
        ("mutating", Within::Webhook) => {
            "remove it: a `Defaulter` is a mutating webhook, a `Validator` a validating one"
        }
        _ => return None,
    };
    Some(Help::remove(help))
}

/// Translates a key of another tool, such as kube or validator, into genclient's keys. The list is
/// empty if there is no translation.
fn translate_key(raw: &RawKey, within: Within, shape: &Shape) -> Vec<RawKey> {
    const NUMBERS: [Key; 2] = [Key::MINIMUM, Key::MAXIMUM];
    const LENGTHS: [Key; 2] = [Key::MIN_LENGTH, Key::MAX_LENGTH];
    let alone = |key: Key| vec![raw.renamed(key).with(After::Nothing)];
    let [least, greatest] = shape::size_keys(shape).unwrap_or(NUMBERS);
    let key = match (raw.name.as_str(), raw.is_off()) {
        ("verbs", _) if within == Within::Webhook => Key::OPERATIONS,
        ("timeout_seconds" | "timeoutSeconds", _) if within == Within::Webhook => Key::TIMEOUT,
        ("admission_review_versions" | "admissionReviewVersions", _) => Key::REVIEW_VERSIONS,
        ("resource_names" | "resourceNames", _) if within == Within::Rbac => Key::NAMES,
        ("role_name" | "roleName", _) if within == Within::Rbac => Key::ROLE,
        ("non_resource_urls" | "nonResourceURLs", _) => Key::URLS,
        _ if CODE_ATTRIBUTES.contains(&within) => return Vec::new(),
        ("namespaced", true) if within == Within::Genclient => return alone(Key::NON_NAMESPACED),
        ("namespaced", false) if within == Within::Genclient => return Vec::new(),
        ("namespaced", true) | ("cluster" | "cluster_scoped", false) => {
            return vec![scope_key(raw, Scope::Cluster)];
        }
        ("namespaced", false) => return vec![scope_key(raw, Scope::Namespaced)],
        ("served", true) => return alone(Key::UNSERVED),
        ("subresource", _) => return alone(Key::SCALE),
        ("length", _) => return translate_bounds(raw, shape::size_keys(shape).unwrap_or(LENGTHS)),
        ("range", _) => return translate_bounds(raw, NUMBERS),
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
fn translate_bounds(raw: &RawKey, [least, greatest]: [Key; 2]) -> Vec<RawKey> {
    let parts = match &raw.after {
        After::List(tokens) => arguments::parse_arguments(tokens.clone(), &mut Problems::new()),
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

fn scope_key(raw: &RawKey, scope: Scope) -> RawKey {
    raw.renamed(Key::SCOPE).with(After::Value(Json {
        value: JsonValue::String(scope.as_str().to_owned()),
        span: raw.span,
    }))
}
