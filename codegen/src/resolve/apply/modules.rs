//! Modules of apply configurations, which mirror the modules of the types.

use std::collections::BTreeMap;

use super::draft::ApplyDraft;
use crate::model::{ApplyForm, ApplyModule};

/// Returns the modules with these configurations, sorted by path, with every module above them.
pub(super) fn build_modules(drafts: Vec<ApplyDraft>) -> Vec<ApplyModule> {
    let mut modules: BTreeMap<Vec<String>, Vec<ApplyDraft>> = BTreeMap::new();
    for draft in drafts {
        let path = &draft.path.modules;
        for length in 0..path.len() {
            modules.entry(path[..length].to_vec()).or_default();
        }
        modules.entry(path.clone()).or_default().push(draft);
    }
    let conditions: BTreeMap<_, _> = modules
        .keys()
        .map(|path| (path.clone(), common_cfg(path, &modules)))
        .collect();
    let without = |cfg: Vec<String>, outer: &[String]| -> Vec<String> {
        cfg.into_iter()
            .filter(|condition| !outer.contains(condition))
            .collect()
    };
    modules
        .into_iter()
        .map(|(path, drafts)| {
            let cfg = conditions.get(&path).cloned().unwrap_or_default();
            let is_kind = |draft: &ApplyDraft| matches!(draft.config.form, ApplyForm::Kind(..));
            let (kinds, others): (Vec<_>, Vec<_>) = drafts.into_iter().partition(is_kind);
            let types = kinds.into_iter().chain(others).map(|draft| {
                let mut config = draft.config;
                config.cfg = without(config.cfg, &cfg);
                config
            });
            let types = types.collect();
            let above = path
                .split_last()
                .and_then(|(_, above)| conditions.get(above));
            ApplyModule {
                cfg: without(cfg, above.map(Vec::as_slice).unwrap_or_default()),
                path,
                types,
            }
        })
        .collect()
}

/// Returns the conditions common to all configurations in a module and below it.
fn common_cfg(path: &[String], modules: &BTreeMap<Vec<String>, Vec<ApplyDraft>>) -> Vec<String> {
    let inside = modules.iter().filter(|(other, _)| other.starts_with(path));
    let mut all = inside
        .flat_map(|(_, drafts)| drafts)
        .map(|draft| &draft.config.cfg);
    let mut common = all.next().cloned().unwrap_or_default();
    for cfg in all {
        common.retain(|condition| cfg.contains(condition));
    }
    common
}
