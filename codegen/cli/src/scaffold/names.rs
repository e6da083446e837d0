//! Names from the command line: validation of projects, domains, groups, versions, kinds, plurals,
//! controllers and external API paths, and the module names for a kind.

use genclient_codegen::{Diagnostic, Sink};
use genclient_syntax::{dns, names};

use super::{ExternalApi, RequestedKind};

/// Names that a kind must not have, because every API module has them in scope from
/// `genclient::prelude` and the standard prelude.
const TAKEN_KINDS: &[&str] = &[
    "Condition",
    "CrdSchema",
    "Deserialize",
    "Duration",
    "IntOrString",
    "LabelSelector",
    "MicroTime",
    "ObjectMeta",
    "Option",
    "Quantity",
    "Serialize",
    "String",
    "Time",
    "Vec",
];

/// Names that a project must not have, because its dependencies or modules have them, or cargo
/// reserves them.
const TAKEN_PROJECTS: &[&str] = &[
    "alloc",
    "anyhow",
    "build",
    "clap",
    "common",
    "controller",
    "core",
    "deps",
    "examples",
    "genclient",
    "genclient-apiserver",
    "genclient-controller",
    "incremental",
    "k8s-openapi",
    "proc-macro",
    "serde",
    "serde-json",
    "std",
    "test",
    "tokio",
    "webhook",
];

/// Group suffixes whose CRDs need an approval of the Kubernetes project
/// (`apihelpers.IsProtectedCommunityGroup`).
const PROTECTED_GROUPS: [&str; 2] = ["k8s.io", "kubernetes.io"];

/// Checks a project name, which becomes the name of a package, and the first part of the names of a
/// namespace and a Deployment.
pub(super) fn check_project(name: &str, sink: &mut Sink) {
    if !dns::is_label(name) || name.len() > 40 {
        let lower = name.to_lowercase().replace(['_', '.', ' '], "-");
        let sample = if dns::is_label(&lower) && lower.len() <= 40 {
            lower
        } else {
            "guestbook".to_owned()
        };
        sink.push(
            Diagnostic::error(format!(
                "invalid project name `{name}`: it becomes a part of object names in the cluster"
            ))
            .help(format!(
                "use at most 40 lower-case letters, digits and `-`, starting with a letter: `--project-name {sample}`"
            )),
        );
    } else if TAKEN_PROJECTS.contains(&name) || is_keyword(&name.replace('-', "_")) {
        sink.push(
            Diagnostic::error(format!(
                "the project name `{name}` is reserved by Rust or cargo, or used by a dependency or module"
            ))
            .help(format!("pass `--project-name {name}-operator`")),
        );
    }
}

pub(super) fn check_domain(domain: &str, sink: &mut Sink) {
    if !dns::is_subdomain(domain) {
        sink.push(
            Diagnostic::error(format!("invalid domain `{domain}`"))
                .help("use lower-case letters, digits, `-` and `.`: `--domain example.com`"),
        );
    } else if let Some(owner) = protected_suffix(domain) {
        sink.push(
            protected_group(domain, owner).help("use a domain of your own: `--domain example.com`"),
        );
    }
}

/// Checks a controller name, which becomes the name of a module and appears in metrics and logs.
pub(super) fn check_controller(name: &str, sink: &mut Sink) {
    if !dns::is_label(name) {
        sink.push(
            Diagnostic::error(format!("invalid controller name `{name}`")).help(
                "use at most 63 lower-case letters, digits and `-`, starting with a letter: `--controller-name guestbook-archiver`",
            ),
        );
    } else if is_reserved_module(name) {
        sink.push(reserved_module("controller", name).help(format!(
            "choose another name: `--controller-name my-{name}`"
        )));
    }
}

/// Checks the full group, the version, the kind and the plural.
pub(super) fn check_kind(typed: &RequestedKind, group: &str, sink: &mut Sink) {
    let RequestedKind {
        version,
        kind,
        plural,
        ..
    } = typed;
    if !dns::is_subdomain(group) || !group.contains('.') {
        sink.push(
            Diagnostic::error(format!(
                "invalid group `{group}`: the group of a custom resource needs at least two DNS labels"
            ))
            .help("use lower-case letters, digits, `-` and `.`: `--group webapp`, or `--group webapp.example.com` in a package without `domain`"),
        );
    } else if let Some(owner) = protected_suffix(group) {
        sink.push(protected_group(group, owner).help("use a group of your own"));
    }
    if !names::is_version(version) {
        sink.push(
            Diagnostic::error(format!("invalid version `{version}`"))
                .help("use a version such as `v1`, `v1beta1` or `v1alpha1`: `--version v1`"),
        );
    }
    check_kind_name(kind, sink);
    if let Some(plural) = plural
        && !dns::is_label(plural)
    {
        sink.push(
            Diagnostic::error(format!("invalid plural `{plural}`")).help(format!(
                "use lower-case letters, digits and `-`: `--plural {}`",
                names::pluralize(&kind.to_lowercase())
            )),
        );
    }
}

pub(super) fn check_external(typed: &RequestedKind, external: &ExternalApi, sink: &mut Sink) {
    let path = &external.path;
    let crate_path = syn::parse_str::<syn::Path>(path);
    let is_crate = crate_path.is_ok_and(|path| path.segments[0].ident != "crate");
    if !is_crate {
        sink.push(
            Diagnostic::error(format!(
                "expected the path of a module in another crate, found `{path}`"
            ))
            .help("use a Rust path: `--external-api-path certificates::v1`"),
        );
    }
    check_kind_name(&typed.kind, sink);
}

fn check_kind_name(kind: &str, sink: &mut Sink) {
    let starts_high = kind.starts_with(|first: char| first.is_ascii_uppercase());
    if !starts_high || !dns::is_label(&kind.to_lowercase()) {
        sink.push(
            Diagnostic::error(format!("invalid kind `{kind}`")).help(format!(
                "use at most 63 letters and digits, starting with a capital letter: `--kind {}`",
                similar_kind(kind)
            )),
        );
    } else if is_reserved_module(&kind.to_lowercase()) {
        sink.push(
            reserved_module("kind", kind).help(format!("choose another kind: `--kind My{kind}`")),
        );
    } else if TAKEN_KINDS.contains(&kind) {
        sink.push(
            Diagnostic::error(format!(
                "the kind `{kind}` conflicts with a type that API types use"
            ))
            .help(format!("choose another kind: `--kind My{kind}`")),
        );
    }
}

/// Returns a valid kind with the letters of an invalid one.
fn similar_kind(kind: &str) -> String {
    let mut letters: String = kind.chars().filter(char::is_ascii_alphanumeric).collect();
    letters.truncate(63);
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let starts_high = letters.starts_with(|first: char| first.is_ascii_uppercase());
    if !starts_high {
        "Guestbook".to_owned()
    } else if is_reserved_module(&letters.to_lowercase()) || TAKEN_KINDS.contains(&&*letters) {
        format!("My{letters}")
    } else {
        letters
    }
}

/// The error for a name whose module cannot be declared.
fn reserved_module(what: &str, name: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "the {what} `{name}` would have the module `{}`, a name that Rust reserves",
        name.to_lowercase()
    ))
}

/// The suffix that reserves a group for the Kubernetes project.
fn protected_suffix(group: &str) -> Option<&'static str> {
    PROTECTED_GROUPS.into_iter().find(|suffix| {
        let rest = group.strip_suffix(suffix);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

fn protected_group(group: &str, owner: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "the API server refuses CRDs in the group `{group}`: groups of `{owner}` need an approval of the Kubernetes project"
    ))
}

/// True for words that cannot name a module: keywords that cannot be raw identifiers, and `mod`,
/// because `mod.rs` is the file of the folder itself.
fn is_reserved_module(name: &str) -> bool {
    ["crate", "mod", "self", "super"].contains(&name)
}

fn is_keyword(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_err()
}

/// The candidates for the module of a kind's controller or webhooks, given the name of the kind's
/// file. For the kind CronJob, these are `cron_job`, `batch_cron_job` and `batch_cron_job_v1`.
pub(super) fn module_names(file: &str, group_module: &str, version: &str) -> [String; 3] {
    [
        file.to_owned(),
        format!("{group_module}_{file}"),
        format!("{group_module}_{file}_{version}"),
    ]
}
