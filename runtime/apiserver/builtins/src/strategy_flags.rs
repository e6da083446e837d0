//! Flags of kinds: how the server treats writes, and which names objects may have.

use genclient_apimachinery::validation::NameRule;

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

/// Returns the rule that the generic validation of metadata applies to names. If a kind has a rule
/// of its own, it is `PathSegment`, and the validation of the kind applies the kind's rule.
pub(crate) fn name_rule(word: &str) -> NameRule {
    match word {
        "dns-label" => NameRule::Label,
        "dns-subdomain" => NameRule::Subdomain,
        "dns1035-label" => NameRule::Label1035,
        _ => NameRule::PathSegment,
    }
}

/// Parses the flags of a kind in `data/kinds.tsv`.
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
