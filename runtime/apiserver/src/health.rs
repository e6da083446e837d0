//! Health endpoints: `/healthz`, `/livez`, `/readyz` and the individual checks below them.
//!
//! Source: k8s.io/apiserver/pkg/server/healthz. The server has the checks of kube-apiserver that
//! apply to it, such as `ping` and `etcd`. They always pass.

use std::fmt::Write as _;

use http::header::X_CONTENT_TYPE_OPTIONS;

use crate::api_response::ApiResponse;
use crate::query::Query;

const HEALTH_CHECKS: &[&str] = &["ping", "log", "etcd"];
const READINESS_CHECKS: &[&str] = &["ping", "log", "etcd", "informer-sync", "shutdown"];

/// Returns the paths of all checks.
pub(crate) fn check_paths() -> impl Iterator<Item = String> {
    let roots = [
        ("healthz", HEALTH_CHECKS),
        ("livez", HEALTH_CHECKS),
        ("readyz", READINESS_CHECKS),
    ];
    roots.into_iter().flat_map(|(root, checks)| {
        let below = checks.iter().map(move |check| format!("/{root}/{check}"));
        std::iter::once(format!("/{root}")).chain(below)
    })
}

/// Responds to the path of a check. `path` has no leading slash: `readyz` or `livez/ping`.
pub(crate) fn respond(path: &str, query: &Query) -> ApiResponse {
    let (root, check) = path.split_once('/').unwrap_or((path, ""));
    let checks = match root {
        "readyz" => READINESS_CHECKS,
        _ => HEALTH_CHECKS,
    };
    if !check.is_empty() && !checks.contains(&check) {
        return ApiResponse::plain(404, "404 page not found\n");
    }
    let text = if check.is_empty() && query.is_given("verbose") {
        verbose_report(root, checks, query.texts("exclude"))
    } else {
        "ok".to_owned()
    };
    ApiResponse::plain(200, text).header(X_CONTENT_TYPE_OPTIONS, "nosniff")
}

fn verbose_report(root: &str, checks: &[&str], excluded: &[String]) -> String {
    let mut lines = String::new();
    // Writing to a string cannot fail.
    for check in checks {
        let is_excluded = excluded.iter().any(|name| name == check);
        let result = if is_excluded { "excluded: ok" } else { "ok" };
        let _ = writeln!(lines, "[+]{check} {result}");
    }
    let unknown: Vec<_> = excluded
        .iter()
        .filter(|name| !checks.contains(&&***name))
        .map(|name| format!("{name:?}"))
        .collect();
    if !unknown.is_empty() {
        let unknown = unknown.join(",");
        let _ = writeln!(
            lines,
            "warn: some health checks cannot be excluded: no matches for {unknown}"
        );
    }
    let _ = writeln!(lines, "{root} check passed");
    lines
}
