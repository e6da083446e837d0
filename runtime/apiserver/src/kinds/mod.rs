//! Kinds that a server serves: built-in kinds and custom resources. In the comments of this crate,
//! "definition" means CustomResourceDefinition.

pub(crate) mod custom;
pub(crate) mod equivalents;
mod field_managers;
mod strategy;
mod versions;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use genclient_apimachinery::version::version_order;
use genclient_builtins::kind;
use genclient_builtins::kind::BuiltinKind;
use genclient_builtins::strategy_flags::StrategyFlags;
use genclient_builtins::types::GoType;
use genclient_merge::ssa;
use genclient_schema::Schema;
use genclient_schema::object::{Column, Scale};
use genclient_schema::rules::Rules;
use parking_lot::RwLock;
use serde_json::Value;

pub(crate) use self::versions::{ConversionStrategy, ConversionWebhook, DefinedVersions};
use crate::kinds::field_managers::FieldManagers;
use crate::store::GroupResource;

/// Kind in one version, with everything that requests for its objects need.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) resource: GroupResource,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) is_namespaced: bool,
    pub(crate) has_status: bool,
    pub(crate) flags: StrategyFlags,
    pub(crate) origin: Origin,
    pub(crate) field_managers: FieldManagers,
}

#[derive(Debug)]
pub(crate) enum Origin {
    Builtin(&'static BuiltinKind),
    Custom(Box<CustomVersion>),
}

/// Data of one version of a definition.
#[derive(Debug)]
pub(crate) struct CustomVersion {
    pub(crate) schema: Arc<Schema>,
    /// All versions of the definition, also those that are not served.
    pub(crate) versions: Arc<DefinedVersions>,
    pub(crate) scale: Option<Scale>,
    /// Whether the schema has CEL rules. They are compiled into `rules` at the first write.
    pub(crate) has_rules: bool,
    pub(crate) rules: OnceLock<Rules>,
    pub(crate) singular: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    /// JSON paths that a field selector may use, without the leading dot.
    pub(crate) selectable_fields: Vec<String>,
    /// Columns that follow the name column in tables.
    pub(crate) columns: Vec<Column>,
    /// Warning in every response, if the version is deprecated.
    pub(crate) deprecation: Option<String>,
    pub(crate) is_terminating: bool,
}

/// Group, version and kind of the bodies of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyType<'a> {
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) kind: &'a str,
}

impl BodyType<'_> {
    const SCALE: Self = BodyType {
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
    };

    /// Returns the Go type, or `None` for a custom resource.
    pub(crate) fn go_type(&self) -> Option<GoType> {
        GoType::of_kind(self.group, self.version, self.kind)
    }
}

impl Kind {
    /// Returns the `apiVersion`: `v1` or `group/version`.
    pub(crate) fn api_version(&self) -> String {
        match self.group() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Returns group and version as messages print them: `apps/v1`, or `/v1` for the core group.
    pub(crate) fn version_in_messages(&self) -> String {
        format!("{}/{}", self.group(), self.version)
    }

    /// Returns the API group of the kind. Events of `events.k8s.io` are stored in the core group,
    /// so the group in their `resource` differs.
    pub(crate) fn group(&self) -> &str {
        match &self.origin {
            Origin::Builtin(builtin) => builtin.group,
            Origin::Custom(_) => &self.resource.group,
        }
    }

    /// Returns the built-in kind if its objects are stored in the form of another API or version:
    /// Events of `events.k8s.io` in that of core/v1, and HorizontalPodAutoscalers of v1 in that of
    /// v2.
    fn stored_elsewhere(&self) -> Option<&'static BuiltinKind> {
        let builtin = self.builtin()?;
        builtin.strategy.stored_as().map(|_| builtin)
    }

    pub(crate) fn has_another_stored_form(&self) -> bool {
        self.stored_elsewhere().is_some()
    }

    /// Converts an object from its stored form.
    pub(crate) fn decode_stored_form(&self, object: Value) -> Value {
        match self.stored_elsewhere() {
            Some(kind) => kind.strategy.convert_from_equivalent(object),
            None => object,
        }
    }

    /// Converts an object to its stored form.
    pub(crate) fn encode_stored_form(&self, object: Value) -> Value {
        match self.stored_elsewhere() {
            Some(kind) => {
                let stored = kind.stored_kind().strategy;
                stored.convert_from_equivalent(object)
            }
            None => object,
        }
    }

    pub(crate) fn plural(&self) -> &str {
        &self.resource.plural
    }

    /// Returns the type of the bodies at a subresource, or of the objects if `subresource` is
    /// empty.
    pub(crate) fn body_type(&self, subresource: &str) -> BodyType<'_> {
        let own = BodyType {
            group: self.group(),
            version: &self.version,
            kind: &self.kind,
        };
        match &self.origin {
            Origin::Custom(_) if subresource == "scale" => BodyType::SCALE,
            Origin::Custom(_) => own,
            Origin::Builtin(builtin) => match builtin.subresource(subresource) {
                None => own,
                Some(found) if found.version.is_empty() => BodyType {
                    kind: found.kind,
                    ..own
                },
                Some(found) => BodyType {
                    group: found.group,
                    version: found.version,
                    kind: found.kind,
                },
            },
        }
    }

    /// Returns whether the objects support a verb. Custom resources support all verbs.
    pub(crate) fn has_verb(&self, verb: &str) -> bool {
        match &self.origin {
            Origin::Builtin(builtin) => builtin.verbs.contains(&verb),
            Origin::Custom(_) => true,
        }
    }

    /// Returns the data of a custom resource's version, or `None` for a built-in kind.
    pub(crate) fn custom(&self) -> Option<&CustomVersion> {
        match &self.origin {
            Origin::Custom(custom) => Some(custom),
            Origin::Builtin(_) => None,
        }
    }

    /// Returns the built-in kind, or `None` for a custom resource.
    pub(crate) fn builtin(&self) -> Option<&'static BuiltinKind> {
        match &self.origin {
            Origin::Builtin(builtin) => Some(builtin),
            Origin::Custom(_) => None,
        }
    }

    /// Returns the field manager of the objects, or of a subresource if `subresource` is not empty.
    pub(crate) fn field_manager(&self, subresource: &str) -> Option<&ssa::FieldManager> {
        self.field_managers.get(&self.version, subresource)
    }

    /// Returns the path of the replica count in each version of the kind.
    pub(crate) fn replica_paths(&self) -> &ssa::scale::ReplicaPaths {
        self.field_managers.replica_paths()
    }

    /// Returns the versions of the definition if its conversion strategy is `Webhook`.
    pub(crate) fn webhook_versions(&self) -> Option<&DefinedVersions> {
        let versions = &*self.custom()?.versions;
        versions.has_webhook().then_some(versions)
    }

    /// Returns the warning for requests to this version, if it is deprecated.
    pub(crate) fn deprecation(&self) -> Option<String> {
        match &self.origin {
            Origin::Custom(custom) => custom.deprecation.clone(),
            Origin::Builtin(builtin) => builtin.strategy.deprecation().map(str::to_owned),
        }
    }

    fn of_builtin(kind: &'static BuiltinKind) -> Self {
        Self {
            resource: GroupResource {
                group: kind.stored_kind().group.to_owned(),
                plural: kind.plural.to_owned(),
            },
            version: kind.version.to_owned(),
            kind: kind.kind.to_owned(),
            list_kind: format!("{}List", kind.kind),
            is_namespaced: kind.namespaced,
            has_status: kind.subresource("status").is_some(),
            flags: kind.flags,
            origin: Origin::Builtin(kind),
            field_managers: FieldManagers::of(kind),
        }
    }
}

/// Kinds by group, version and plural.
type Versions = HashMap<(String, String, String), Arc<Kind>>;

/// Kinds that a server serves. A built-in kind is loaded when it is first used. The custom
/// resources change with the definitions.
#[derive(Default)]
pub(crate) struct Kinds {
    builtin: RwLock<Versions>,
    custom: RwLock<Versions>,
}

impl Kinds {
    /// Returns the kind with this group, version and plural.
    pub(crate) fn get(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
        let key = (group.to_owned(), version.to_owned(), plural.to_owned());
        if let Some(kind) = self.custom.read().get(&key) {
            return Some(Arc::clone(kind));
        }
        if let Some(kind) = self.builtin.read().get(&key) {
            return Some(Arc::clone(kind));
        }
        let kind = Arc::new(Kind::of_builtin(kind::find(group, version, plural)?));
        self.builtin.write().insert(key, Arc::clone(&kind));
        Some(kind)
    }

    /// Returns the kind with this `apiVersion` and `kind`.
    pub(crate) fn find(&self, api_version: &str, kind: &str) -> Option<Arc<Kind>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let custom = self.custom.read();
        let mut all = custom.values();
        let is_it =
            |it: &&Arc<Kind>| it.kind == kind && it.version == version && it.group() == group;
        if let Some(found) = all.find(is_it) {
            return Some(Arc::clone(found));
        }
        drop(custom);
        let found = kind::find_kind(group, version, kind)?;
        self.get(group, version, found.plural)
    }

    /// Returns the kind of a resource in the version that discovery lists first.
    pub(crate) fn preferred(&self, resource: &GroupResource) -> Option<Arc<Kind>> {
        let custom = self.custom.read();
        let versions = custom.values().filter(|kind| kind.resource == *resource);
        let newest = versions.max_by_key(|kind| version_order(&kind.version));
        if let Some(newest) = newest {
            return Some(Arc::clone(newest));
        }
        drop(custom);
        let version = kind::preferred_version(&resource.group, &resource.plural)?;
        self.get(&resource.group, version, &resource.plural)
    }

    /// Removes the kinds of all custom resources.
    pub(crate) fn clear(&self) {
        self.custom.write().clear();
    }

    /// Returns the plural of each resource that serves a kind, and whether its objects are
    /// namespaced.
    pub(crate) fn of_kind(&self, group: &str, version: &str, kind: &str) -> Vec<(String, bool)> {
        let mut custom: Vec<_> = self
            .custom
            .read()
            .values()
            .filter(|it| it.group() == group && it.version == version && it.kind == kind)
            .map(|it| (it.plural().to_owned(), it.is_namespaced))
            .collect();
        custom.extend(
            kind::all_kinds()
                .filter(|it| (it.group, it.version, it.kind) == (group, version, kind))
                .map(|it| (it.plural.to_owned(), it.namespaced)),
        );
        custom
    }

    /// Replaces the kinds of a custom resource, one for each served version.
    pub(crate) fn replace(&self, resource: &GroupResource, kinds: Vec<Kind>) {
        let mut custom = self.custom.write();
        custom.retain(|_, kind| kind.resource != *resource);
        for kind in kinds {
            let (group, plural) = (kind.group().to_owned(), kind.plural().to_owned());
            custom.insert((group, kind.version.clone(), plural), Arc::new(kind));
        }
    }

    /// Returns the custom resources that are served in a group version, sorted by plural.
    pub(crate) fn custom(&self, group: &str, version: &str) -> Vec<Arc<Kind>> {
        let custom = self.custom.read();
        let kinds = custom.values();
        let mut found: Vec<_> = kinds
            .filter(|kind| kind.group() == group && kind.version == version)
            .map(Arc::clone)
            .collect();
        found.sort_by(|one, other| one.plural().cmp(other.plural()));
        found
    }

    /// Returns all custom resources, sorted by group, version and plural.
    pub(crate) fn all_custom(&self) -> Vec<Arc<Kind>> {
        let mut kinds: Vec<_> = self.custom.read().values().map(Arc::clone).collect();
        kinds.sort_by(|one, other| {
            let one = (one.group(), &one.version, one.plural());
            one.cmp(&(other.group(), &other.version, other.plural()))
        });
        kinds
    }
}
