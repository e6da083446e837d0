//! Recording of kube-apiserver's answers in case files (`UPDATE_EXPECT=1`).

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use crate::Failure;
use crate::cases::{Case, CaseFile};
use crate::flow;

/// The codes and answers of each case's steps, where they differ from its file.
#[derive(Clone, Default)]
pub(crate) struct Updates(Arc<Mutex<BTreeMap<String, Vec<Recorded>>>>);

type Recorded = (Option<Value>, Option<Value>);

impl Updates {
    pub(crate) fn add(&self, case: &Case, recorded: Recorded) {
        self.0
            .lock()
            .entry(case.name.clone())
            .or_default()
            .push(recorded);
    }

    /// Rewrites the lines `code` and `answer`, and leaves all others unchanged.
    pub(crate) fn write(&self, file: &CaseFile) -> Result<(), Failure> {
        let recorded = self.0.lock();
        let mut text = String::new();
        let mut steps = [].iter();
        let mut current: Option<&Recorded> = None;
        for line in fs::read_to_string(&file.path)?.lines() {
            let indent = line.len() - line.trim_start().len();
            let key = line.trim_start().split(' ').next().unwrap_or_default();
            if let Some(name) = line.strip_prefix("- name: ") {
                let known = recorded.get(name).map_or(&[][..], Vec::as_slice);
                steps = known.iter();
            }
            if line.starts_with("  - request: ") {
                current = steps.next();
            }
            let changed = match (key, current) {
                ("code:", Some((Some(code), _))) => Some(flow::text(code)),
                ("answer:", Some((_, Some(answer)))) => Some(flow::text(answer)),
                _ => None,
            };
            match changed {
                Some(value) => text.push_str(&format!("{:indent$}{key} {value}\n", "")),
                None => text.push_str(&format!("{line}\n")),
            }
        }
        Ok(fs::write(&file.path, text)?)
    }
}
