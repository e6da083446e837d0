//! Warnings about volumes: files whose paths overlap, and projected volumes without sources.

use std::fmt;

use genclient_apimachinery::unstructured::{list_field, str_field};
use serde_json::Value;

use crate::types::quoted;
use crate::warnings::Warnings;

/// Source types of a projected volume. All others need feature gates that are off by default.
const SOURCES: [&str; 4] = ["configMap", "secret", "downwardAPI", "serviceAccountToken"];

/// Path of a file in a volume. `source` is the file's source in a projected volume, and empty in
/// other volumes.
struct SourcedPath {
    path: String,
    source: String,
}

impl SourcedPath {
    fn new(path: &str, source: &str) -> Self {
        let path = path.trim_end_matches('/').to_owned();
        let source = source.to_owned();
        Self { path, source }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let is_below = |inner: &str, outer: &str| {
            inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let (one, other) = (&*self.path, &*other.path);
        !one.is_empty() && !other.is_empty() && (is_below(one, other) || is_below(other, one))
    }
}

impl fmt::Display for SourcedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.source {
            "" => f.write_str(&quoted(&self.path)),
            source => write!(f, "{} ({source})", quoted(&self.path)),
        }
    }
}

/// Warns about the volumes of a Pod (`warningsForOverlappingVirtualPaths`).
pub(crate) fn warn_volume_paths(volumes: &[Value], out: &mut Warnings) {
    for volume in volumes {
        let name = quoted(str_field(volume, "name"));
        for (source, named_by) in [("configMap", "name"), ("secret", "secretName")] {
            let read = &volume[source];
            let of = format!(
                "{} {}",
                source_title(source),
                quoted(str_field(read, named_by))
            );
            warn_overlaps(&name, &of, mapped_paths(read, ""), out);
        }
        let downward = mapped_paths(&volume["downwardAPI"], "");
        warn_overlaps(&name, "DownwardAPI", downward, out);
        let mut known = Vec::new();
        for source in list_field(&volume["projected"], "sources") {
            if SOURCES.iter().all(|member| source[*member].is_null()) {
                out.push(format!("volume {name} (Projected) has no sources provided"));
            }
            for path in projected_paths(source) {
                add_path(&name, "Projected", path, &mut known, out);
            }
        }
    }
}

fn source_title(source: &str) -> &'static str {
    match source {
        "secret" => "Secret",
        _ => "ConfigMap",
    }
}

fn mapped_paths(holder: &Value, source: &str) -> Vec<SourcedPath> {
    let items = list_field(holder, "items").iter();
    items
        .map(|item| SourcedPath::new(str_field(item, "path"), source))
        .collect()
}

/// Returns the file paths of one source in a projected volume.
fn projected_paths(source: &Value) -> Vec<SourcedPath> {
    for (member, title) in [("configMap", "ConfigMap"), ("secret", "Secret")] {
        if !list_field(&source[member], "items").is_empty() {
            let of = format!("{title} {}", quoted(str_field(&source[member], "name")));
            return mapped_paths(&source[member], &of);
        }
    }
    if !list_field(&source["downwardAPI"], "items").is_empty() {
        return mapped_paths(&source["downwardAPI"], "DownwardAPI");
    }
    if let token @ Value::Object(_) = &source["serviceAccountToken"] {
        return vec![SourcedPath::new(
            str_field(token, "path"),
            "ServiceAccountToken",
        )];
    }
    Vec::new()
}

/// Warns about each path that overlaps with an earlier path of the same volume.
fn warn_overlaps(volume: &str, of: &str, paths: Vec<SourcedPath>, out: &mut Warnings) {
    let mut known = Vec::new();
    for path in paths {
        add_path(volume, of, path, &mut known, out);
    }
}

/// Adds a path to the known ones, and warns about those that it overlaps with.
fn add_path(
    volume: &str,
    of: &str,
    path: SourcedPath,
    known: &mut Vec<SourcedPath>,
    out: &mut Warnings,
) {
    for other in known.iter().filter(|other| path.overlaps(other)) {
        out.push(format!(
            "volume {volume} ({of}): overlapping paths: {path} with {other}"
        ));
    }
    known.push(path);
}
