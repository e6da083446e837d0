//! Stated kinds: kinds that Cargo.toml describes; their types are not read.

use genclient_schema::definition::crd::{Unevaluated, complete, prepare_create, validate_create};
use genclient_syntax::Verb;

use super::names;
use super::paths::Paths;
use super::unread::UnreadKind;
use crate::diagnostic::{Diagnostic, Sink};
use crate::model::{Resource, WrittenDefinition};
use crate::project::{Project, StatedDefinition, StatedKind};

impl StatedKind {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.kind == name || self.type_name() == name
    }

    /// Returns how well an unread type matches this kind; `None` if no name matches. The expected
    /// name is that of the stated type, with or without `Spec`. A match of the unread type's name
    /// ranks above a match of an alias, such as a word of a macro call. Among equal matches, a type
    /// in the stated module ranks first.
    fn likeness(&self, unread: &UnreadKind, paths: &Paths<'_>) -> Option<(bool, bool)> {
        let type_name = self.type_name();
        let spec = format!("{type_name}Spec");
        let is_name = |word: &String| *word == type_name || *word == spec;
        let by_name = is_name(&unread.name);
        let is_meant = by_name || unread.aliases.iter().any(is_name);
        is_meant.then(|| (by_name, paths.of_module(unread.module) == self.module()))
    }

    pub(super) fn resource(&self) -> Resource {
        let has = |verb: &Verb| self.status || !verb.is_status();
        Resource {
            kind: self.kind.clone(),
            plural: self.plural.clone(),
            scope: self.scope,
            type_path: self.type_path.clone(),
            cfg: Vec::new(),
            names: names::of_kind(&self.kind),
            verbs: Verb::ALL.iter().copied().filter(has).collect(),
            scale: self.scale,
            methods: Vec::new(),
        }
    }

    /// Locates a finding at the kind's entry in Cargo.toml.
    pub(super) fn finding(&self, finding: Diagnostic) -> Diagnostic {
        match &self.place {
            Some(place) => finding.at(place.clone()),
            None => finding,
        }
    }
}

/// Returns the unread types that no stated kind describes. Each stated kind describes at most one
/// type: its best match.
pub(super) fn unsettled(
    kinds: &[StatedKind],
    mut types: Vec<UnreadKind>,
    paths: &Paths<'_>,
) -> Vec<UnreadKind> {
    for kind in kinds {
        let likely = types.iter().enumerate().rev();
        let likely = likely.filter_map(|(at, unread)| Some((kind.likeness(unread, paths)?, at)));
        if let Some((_, at)) = likely.max_by_key(|(likeness, _)| *likeness) {
            types.remove(at);
        }
    }
    types
}

/// Checks that all versions of a kind state the same CRD, and that the API server accepts the CRD.
pub(super) fn check(kinds: &[&StatedKind], project: &Project, sink: &mut Sink) {
    for (at, kind) in kinds.iter().enumerate() {
        let mut before = kinds[..at].iter();
        if let Some(first) = before.find(|first| first.name() == kind.name()) {
            if first.definition != kind.definition {
                let message = format!(
                    "the versions of `{}` must have the same `crd` file",
                    kind.kind
                );
                let help = "use one file for all versions: `crd = \"..\"`";
                sink.push(kind.finding(Diagnostic::error(message).help(help)));
            }
            continue;
        }
        let Some(StatedDefinition { path, document }) = &kind.definition else {
            continue;
        };
        let file = project.shown(path);
        let mut document = document.clone();
        complete(&mut document);
        prepare_create(&mut document);
        for cause in validate_create(&document, &Unevaluated) {
            let message = format!("the API server refuses {file}: {cause}");
            let help = "fix the type or the attributes from which the file is generated, and generate it again";
            sink.push(kind.finding(Diagnostic::error(message).help(help)));
        }
    }
}

/// Returns the definitions of the stated kinds, one for all versions of a kind, sorted by name.
pub(super) fn definitions(kinds: &[&StatedKind]) -> Vec<WrittenDefinition> {
    let mut all: Vec<WrittenDefinition> = Vec::new();
    for kind in kinds {
        let Some(stated) = &kind.definition else {
            continue;
        };
        if !all.iter().any(|known| known.name == kind.name()) {
            all.push(WrittenDefinition {
                name: kind.name(),
                document: stated.document.clone(),
            });
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}
