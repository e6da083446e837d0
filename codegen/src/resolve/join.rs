//! Parts → [`Model`]: what only all kinds together can tell. It needs no syntax tree.

use std::collections::{BTreeMap, BTreeSet};

use super::groups;
use super::kinds::Kind;
use super::schema::StatedPaths;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::load::Sources;
use crate::model::Model;
use crate::project::{Project, shown};

/// What the kinds of some modules come to.
pub(crate) struct Part {
    /// Their groups and definitions.
    pub(super) model: Model,
    /// The groups of all kinds, each with the place where it is first named.
    pub(super) places: BTreeMap<String, Location>,
    /// What was looked for among the schemas that the package states; nothing if no schema was made.
    pub(super) stated: Option<StatedPaths>,
    /// The files of the API types that were read.
    files: Vec<String>,
}

impl Part {
    /// A part with nothing but its kinds yet.
    pub(super) fn of(kinds: &[Kind<'_>], sources: &Sources) -> Self {
        let mut places = BTreeMap::new();
        for kind in kinds {
            let group = &kind.attrs.group;
            places
                .entry(group.value.clone())
                .or_insert_with(|| kind.locate(sources, group.span));
        }
        let files = sources.files.iter().map(|file| file.path.clone());
        Self {
            model: Model::default(),
            places,
            stated: None,
            files: files.collect(),
        }
    }
}

/// True if no group has kinds in two of the parts: those would not have been held against each other.
pub(crate) fn are_apart(parts: &[Part]) -> bool {
    let all: usize = parts.iter().map(|part| part.places.len()).sum();
    let groups = parts.iter().flat_map(|part| part.places.keys());
    all == groups.collect::<BTreeSet<_>>().len()
}

/// Makes a model of parts that [are apart](are_apart).
pub(crate) fn join(parts: Vec<Part>, project: &Project, sink: &mut Sink) -> Model {
    let mut model = Model::default();
    let mut places = BTreeMap::new();
    let mut stated: Option<StatedPaths> = None;
    let mut files = Vec::new();
    for part in parts {
        model.groups.extend(part.model.groups);
        model.crds.extend(part.model.crds);
        places.extend(part.places);
        files.extend(part.files);
        if let Some(paths) = part.stated {
            stated.get_or_insert_default().extend(paths);
        }
    }
    model.groups.sort_by(|a, b| a.name.cmp(&b.name));
    model.crds.sort_by_key(crate::model::Crd::file_name);
    if places.is_empty() {
        report_nothing(&files, project, sink);
    } else {
        groups::join(&mut model.groups, &places, project, sink);
    }
    if let Some(stated) = stated {
        stated.warn_of_idle(&project.schemas, sink);
    }
    model
}

fn report_nothing(files: &[String], project: &Project, sink: &mut Sink) {
    if files.is_empty() || sink.has_errors() {
        return;
    }
    sink.push(
        Diagnostic::error(format!(
            "no #[genclient] type under {}",
            shown(&project.apis)
        ))
        .help(format!(
            "write `#[genclient]` and `#[group = \"example.com\"]` above a struct with `metadata: ObjectMeta`; looked in {}",
            files.join(", ")
        )),
    );
}
