//! Checks of apply configurations: their names are unique, and generated code reaches the types
//! that are sent as they are.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::ApplyDraft;
use crate::diagnostic::{Diagnostic, Sink};
use crate::model::Artefact;

/// Reports two types whose configurations have the same path. Only types outside of the API module,
/// fields of variants, and root types of kube can have a path that another type has.
pub(super) fn check_unique(drafts: &[ApplyDraft], sink: &mut Sink) {
    let mut seen = BTreeMap::new();
    for draft in drafts {
        let Some(first) = seen.insert(&draft.path, draft) else {
            continue;
        };
        let shown = |draft: &ApplyDraft| format!("`{}` of `{}`", draft.config.of, draft.module);
        let modules = draft.path.modules.iter().map(String::as_str);
        let root = Artefact::ApplyConfiguration.module();
        let module: Vec<_> = [root].into_iter().chain(modules).collect();
        let message = format!(
            "{} and {} would both generate `{}` in `{}`",
            shown(first),
            shown(draft),
            draft.path.name,
            module.join("::")
        );
        sink.push(
            Diagnostic::error(message)
                .at(draft.place.clone())
                .label(first.place.clone(), "the other type")
                .help("rename one of them: names of nested types are not part of the CRD"),
        );
    }
}

/// Reports types that the configurations contain and that are not visible to generated code.
pub(super) fn check_reachable(
    drafts: &[ApplyDraft],
    unreachable: &BTreeMap<String, Diagnostic>,
    sink: &mut Sink,
) {
    let used: BTreeSet<_> = drafts
        .iter()
        .flat_map(|draft| draft.config.form.values())
        .flat_map(|(value, _)| value.plain_types())
        .map(|name| &name.path)
        .collect();
    for (path, finding) in unreachable {
        if used.contains(path) {
            sink.push(finding.clone());
        }
    }
}
