//! Flags of kinds: how the server treats writes, and which names objects may have.

use genclient_schema::meta::names;

/// Rule for the names of objects (k8s.io/apimachinery/pkg/api/validation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// An RFC 1123 subdomain of at most 253 characters.
    DnsSubdomain,
    /// An RFC 1123 label of at most 63 characters.
    DnsLabel,
    /// An RFC 1035 label.
    Dns1035Label,
    /// Any text that is valid as a path segment: not `.` or `..`, and without `/` and `%`.
    PathSegment,
    /// A rule of the kind itself.
    Own,
}

impl NameRule {
    /// Returns the rule that the generic validation of metadata applies to names. For [`Self::Own`]
    /// it is `PathSegment`; the validation of the kind then applies the kind's rule.
    pub(crate) fn of_names(self) -> names::NameRule {
        match self {
            Self::DnsSubdomain => names::NameRule::Subdomain,
            Self::DnsLabel => names::NameRule::Label,
            Self::Dns1035Label => names::NameRule::Label1035,
            Self::PathSegment | Self::Own => names::NameRule::PathSegment,
        }
    }
}

/// How the server treats writes of a kind (pkg/registry in Kubernetes' sources).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrategyFlags {
    /// Whether a PUT of an object that does not exist creates it.
    pub create_on_update: bool,
    /// Whether a PUT requires a `resourceVersion`.
    pub conditional_update: bool,
    /// Whether a delete that removes the object at once returns the object instead of a Status.
    pub returns_deleted: bool,
    /// Whether the objects have a generation.
    pub generation: bool,
    /// Whether a delete without a propagation policy orphans the dependents.
    pub orphans: bool,
    /// Whether a delete has a grace period.
    pub graceful: bool,
    /// Stored metadata that a write of the status keeps.
    pub status_keeps: StatusKeeps,
}

/// Stored metadata that a write of the status keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusKeeps {
    /// Nothing: the write may change all mutable metadata.
    #[default]
    Nothing,
    /// Labels.
    Labels,
    /// Owner references.
    Owners,
    /// Labels, annotations, finalizers and owner references.
    Metadata,
}

pub(crate) fn name_rule(word: &str) -> NameRule {
    match word {
        "dns-label" => NameRule::DnsLabel,
        "dns-subdomain" => NameRule::DnsSubdomain,
        "dns1035-label" => NameRule::Dns1035Label,
        "path-segment" => NameRule::PathSegment,
        _ => NameRule::Own,
    }
}

pub(crate) fn strategy_flags(flags: &[&str]) -> StrategyFlags {
    let has = |flag| flags.contains(&flag);
    StrategyFlags {
        create_on_update: has("create-on-update"),
        conditional_update: has("conditional-update"),
        returns_deleted: has("returns-deleted"),
        generation: has("generation"),
        orphans: has("orphans"),
        graceful: has("graceful"),
        status_keeps: if has("status-keeps-labels") {
            StatusKeeps::Labels
        } else if has("status-keeps-owners") {
            StatusKeeps::Owners
        } else if has("status-keeps-metadata") {
            StatusKeeps::Metadata
        } else {
            StatusKeeps::Nothing
        },
    }
}
