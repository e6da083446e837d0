//! ServiceAccounts (pkg/registry/core/serviceaccount).

use serde_json::Value;

use crate::strategy::{FinalizerRule, Strategy};
use crate::warnings::{Warnings, get_annotation};

const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

/// Strategy of ServiceAccounts (pkg/registry/core/serviceaccount, strategy.go).
#[derive(Debug)]
pub(crate) struct ServiceAccountStrategy;

impl Strategy for ServiceAccountStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::QualifiedTwice
    }

    fn warn_on_create(&self, account: &Value, out: &mut Warnings) {
        warn_mountable_secrets(account, out);
    }

    fn warn_on_update(&self, new: &Value, old: &Value, out: &mut Warnings) {
        if get_annotation(old, MOUNTABLE_SECRETS).is_none() {
            warn_mountable_secrets(new, out);
        }
    }
}

fn warn_mountable_secrets(account: &Value, out: &mut Warnings) {
    if get_annotation(account, MOUNTABLE_SECRETS).is_some() {
        out.push(format!(
            "metadata.annotations[{MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate \
             namespaces to isolate access to mounted secrets"
        ));
    }
}
