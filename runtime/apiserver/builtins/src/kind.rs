//! Built-in kinds of Kubernetes: names, verbs, subresources, columns and selectable fields.
//!
//! `hack/kubernetes-schemas.sh` reads them from a running API server into `data/kinds.tsv`. It adds
//! the strategies of Kubernetes' sources, which no API server reports. One scan finds the lines of
//! each kind in that file. A kind is parsed when it is first used.

use std::sync::{LazyLock, OnceLock};

use genclient_apimachinery::validation::NameRule;

use crate::strategies;
use crate::strategy::Strategy;
use crate::strategy_flags::{StrategyFlags, name_rule, strategy_flags};
use crate::types::GoType;

const KINDS: &str = include_str!("../data/kinds.tsv");

/// Kind of Kubernetes itself, in one version that Kubernetes serves by default.
#[derive(Debug)]
pub struct BuiltinKind {
    /// The group; empty for the core group.
    pub group: &'static str,
    /// The version.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The plural name in paths.
    pub plural: &'static str,
    /// The singular name.
    pub singular: &'static str,
    /// Whether the objects are namespaced.
    pub namespaced: bool,
    /// Short names for kubectl.
    pub short_names: Vec<&'static str>,
    /// Categories, such as `all`.
    pub categories: Vec<&'static str>,
    /// The verbs, sorted.
    pub verbs: Vec<&'static str>,
    /// The subresources, sorted.
    pub subresources: Vec<BuiltinSubresource>,
    /// The columns of tables, including the name column.
    pub columns: Vec<Column>,
    /// Fields that a field selector may use, besides `metadata.name` and `metadata.namespace`.
    pub fields: Vec<&'static str>,
    /// The hash of the storage version. Kinds with the same hash share their stored objects.
    pub storage_hash: &'static str,
    /// The rule for the names of the objects.
    pub name_rule: NameRule,
    /// How writes are treated.
    pub flags: StrategyFlags,
    /// Rules of the kind.
    pub strategy: &'static dyn Strategy,
    /// The Go type of the objects. Every kind in `data/kinds.tsv` has one.
    pub type_: Option<GoType>,
}

/// Subresource of a built-in kind.
#[derive(Debug)]
pub struct BuiltinSubresource {
    /// The name in paths.
    pub name: &'static str,
    /// The group of the subresource's kind. If `version` is empty, too, group and version are those
    /// of the resource.
    pub group: &'static str,
    /// The version of the subresource's kind, or empty if group and version are those of the
    /// resource.
    pub version: &'static str,
    /// The subresource's kind.
    pub kind: &'static str,
    /// The subresource's verbs, sorted.
    pub verbs: Vec<&'static str>,
}

/// Column of a table, as `kubectl get` prints it.
#[derive(Debug, PartialEq)]
pub struct Column {
    /// The title of the column.
    pub name: &'static str,
    /// The type of the cells.
    pub type_: &'static str,
    /// The format of the cells, or empty. `name` marks the name column.
    pub format: &'static str,
    /// 0 for a column that is always shown, 1 for a column of wide output.
    pub priority: i32,
    /// The description of the column.
    pub description: String,
}

/// Lines of `data/kinds.tsv` that describe one kind. `kind` is set once they are parsed.
struct Entry {
    group: &'static str,
    version: &'static str,
    plural: &'static str,
    text: &'static str,
    kind: OnceLock<Option<BuiltinKind>>,
}

/// All kinds, in the order of discovery.
static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let starts: Vec<usize> = KINDS
        .match_indices("\nkind\t")
        .map(|(at, _)| at + 1)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([KINDS.len()]);
    let texts = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &KINDS[*start..end]);
    texts.filter_map(Entry::parse).collect()
});

impl Entry {
    fn parse(text: &'static str) -> Option<Self> {
        let mut cells = text.split('\t').skip(1);
        Some(Self {
            group: cells.next()?,
            version: cells.next()?,
            plural: cells.next()?,
            text,
            kind: OnceLock::new(),
        })
    }

    fn kind(&self) -> Option<&BuiltinKind> {
        self.kind.get_or_init(|| parse_entry(self.text)).as_ref()
    }
}

/// Returns the built-in kind with this group, version and plural.
///
/// ```
/// # use genclient_builtins::kind;
/// let deployments = kind::find("apps", "v1", "deployments").unwrap();
/// assert_eq!(deployments.kind, "Deployment");
/// assert!(deployments.flags.generation);
/// ```
#[must_use]
pub fn find(group: &str, version: &str, plural: &str) -> Option<&'static BuiltinKind> {
    let wanted = (group, version, plural);
    let mut entries = ENTRIES.iter();
    let entry = entries.find(|entry| (entry.group, entry.version, entry.plural) == wanted)?;
    entry.kind()
}

/// Returns the built-in kind with this group, version and `kind`.
pub fn find_kind(group: &str, version: &str, kind: &str) -> Option<&'static BuiltinKind> {
    let mut entries = ENTRIES
        .iter()
        .filter(|entry| entry.group == group && entry.version == version);
    entries.find_map(|entry| entry.kind().filter(|found| found.kind == kind))
}

/// Returns the first version, in discovery order, in which a resource is served.
pub fn preferred_version(group: &str, plural: &str) -> Option<&'static str> {
    let mut entries = ENTRIES.iter();
    let entry = entries.find(|entry| entry.group == group && entry.plural == plural);
    entry.map(|entry| entry.version)
}

/// Returns all built-in kinds in discovery order.
pub fn all_kinds() -> impl Iterator<Item = &'static BuiltinKind> {
    ENTRIES.iter().filter_map(Entry::kind)
}

/// Returns whether Kubernetes serves any built-in kind in a group.
#[must_use]
pub fn has_group(group: &str) -> bool {
    ENTRIES.iter().any(|entry| entry.group == group)
}

/// Returns the response to `/version`, indented as kube-apiserver sends it.
#[must_use]
pub fn version_response() -> String {
    let mut lines = KINDS.lines();
    let text = lines
        .find_map(|line| line.strip_prefix("version\t"))
        .unwrap_or("{}")
        .replace("\":\"", "\": \"")
        .replace("\",\"", "\",\n  \"");
    text.replace("{\"", "{\n  \"").replace("\"}", "\"\n}")
}

impl BuiltinKind {
    /// Returns the `apiVersion`: `v1` or `apps/v1`.
    #[must_use]
    pub fn api_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Returns the kind in whose form the objects are stored.
    pub fn stored_kind(&'static self) -> &'static Self {
        let stored = self.strategy.stored_as();
        stored
            .and_then(|(group, version, plural)| find(group, version, plural))
            .unwrap_or(self)
    }

    /// Returns the kinds that share their stored objects with this kind, with this kind.
    pub fn equivalents(&'static self) -> impl Iterator<Item = &'static Self> {
        let stored = self.stored_kind();
        all_kinds().filter(move |other| std::ptr::eq(other.stored_kind(), stored))
    }

    /// Returns the subresource with this name.
    #[must_use]
    pub fn subresource(&self, name: &str) -> Option<&BuiltinSubresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }
}

/// Parses the lines of a kind: the first has its names, the others its subresources, fields and
/// columns.
fn parse_entry(text: &'static str) -> Option<BuiltinKind> {
    let mut lines = text.lines();
    let mut kind = parse_kind(lines.next()?)?;
    for line in lines {
        let (word, rest) = line.split_once('\t')?;
        let mut cells = rest.split('\t');
        match word {
            "subresource" => kind.subresources.push(BuiltinSubresource {
                name: cells.next()?,
                group: cells.next()?,
                version: cells.next()?,
                kind: cells.next()?,
                verbs: split_words(cells.next()?),
            }),
            "field" => kind.fields.push(rest),
            "column" => kind.columns.push(Column {
                name: cells.next()?,
                type_: cells.next()?,
                format: cells.next()?,
                priority: cells.next()?.parse().ok()?,
                description: serde_json::from_str(cells.next()?).ok()?,
            }),
            _ => {}
        }
    }
    Some(kind)
}

/// Parses the first line of a kind.
fn parse_kind(line: &'static str) -> Option<BuiltinKind> {
    let mut cells = line.split('\t').skip(1);
    let (group, version, plural) = (cells.next()?, cells.next()?, cells.next()?);
    let (singular, kind, scope) = (cells.next()?, cells.next()?, cells.next()?);
    let (short_names, categories, verbs) = (cells.next()?, cells.next()?, cells.next()?);
    let (flags, rule, storage_hash) = (cells.next()?, cells.next()?, cells.next()?);
    Some(BuiltinKind {
        group,
        version,
        kind,
        plural,
        singular,
        namespaced: scope == "Namespaced",
        short_names: split_words(short_names),
        categories: split_words(categories),
        verbs: split_words(verbs),
        subresources: Vec::new(),
        columns: Vec::new(),
        fields: Vec::new(),
        storage_hash,
        name_rule: name_rule(rule),
        flags: strategy_flags(&split_words(flags)),
        strategy: strategies::find_strategy(group, version, kind),
        type_: GoType::of_kind(group, version, kind),
    })
}

fn split_words(list: &'static str) -> Vec<&'static str> {
    list.split(',').filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy_flags::StatusKeeps;

    #[test]
    fn every_kind_is_parsed_and_has_a_go_type() {
        assert_eq!(all_kinds().count(), ENTRIES.len());
        for kind in all_kinds() {
            assert!(kind.type_.is_some(), "{}", kind.kind);
            assert!(kind.columns.is_empty() || kind.columns.len() > 1);
        }
    }

    #[test]
    fn strategies_match_the_kubernetes_sources() {
        let lease = find("coordination.k8s.io", "v1", "leases").unwrap().flags;
        assert!(lease.create_on_update && lease.conditional_update);
        let pod = find("", "v1", "pods").unwrap();
        assert!(pod.flags.graceful && pod.flags.returns_deleted);
        assert_eq!(pod.flags.status_keeps, StatusKeeps::Owners);
        assert!(pod.fields.contains(&"spec.nodeName"));
        assert_eq!(
            find("", "v1", "services").unwrap().name_rule,
            NameRule::Label
        );
    }
}
