//! Warnings about ResourceQuotas whose requests exceed their limits.

use std::cmp::Ordering;

use serde_json::Value;

use crate::builtins::warnings::Warnings;
use crate::types::Quantity;

pub(crate) fn resource_quota(quota: &Value, out: &mut Warnings) {
    let hard = &quota["spec"]["hard"];
    let amount = |name: String| {
        let text = hard[&*name].as_str()?.to_owned();
        let amount = Quantity::parse(&text).ok()?;
        Some((name, text, amount))
    };
    for resource in ["cpu", "memory", "storage", "ephemeral-storage"] {
        let has_bare_name = ["cpu", "memory"].contains(&resource);
        let bare = || has_bare_name.then(|| amount(resource.to_owned())).flatten();
        let request = amount(format!("requests.{resource}")).or_else(bare);
        let limit = amount(format!("limits.{resource}"));
        if let (Some(request), Some(limit)) = (request, limit)
            && request.2.compare(&limit.2) == Ordering::Greater
        {
            out.push(format!(
                "ResourceQuota {} ({}) should be less than {} ({})",
                request.0, request.1, limit.0, limit.1
            ));
        }
    }
}
