//! Reads that controllers declare, and stated rules that limit them.

use std::collections::BTreeSet;

use super::declared::Namespaces;
use super::stated::Stated;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::PolicyRule;
use crate::resolve::object::Object;
use crate::sources::{DefId, Sources};

/// True if the rules together grant all of the verbs. The resources of the rules are not compared.
pub(super) fn grants(rules: &[&Stated], verbs: &[&str]) -> bool {
    let granted = |verb: &&str| rules.iter().any(|stated| has(&stated.rule.verbs, verb));
    verbs.iter().all(granted)
}

/// Checks a read against the stated rules. Returns true if the caller should infer rules from the
/// read.
///
/// Returns false if the namespaces of the read are known only at run time, or if a stated rule for
/// the kind, in the module of the read, has a namespace, names or a role. In these cases, the
/// stated rules alone must grant `list` and `watch`. If they do not, an error is reported.
pub(super) fn check(read: &Read, stated: &[Stated], sources: &Sources, sink: &mut Sink) -> bool {
    let about =
        |stated: &&Stated| stated.item.module == read.item.module && is_about(&stated.rule, read);
    let about: Vec<_> = stated.iter().filter(about).collect();
    let is_computed = read.object.namespaced && read.namespaces == Namespaces::Computed;
    if is_computed && !grants(&about, &READS) {
        sink.push(computed(read));
        return false;
    }
    let is_limited = |stated: &&&Stated| {
        stated.namespace.is_some() || stated.role.is_some() || !stated.rule.names.is_empty()
    };
    let Some(limited) = about.iter().find(is_limited) else {
        return !is_computed;
    };
    let missing: Vec<_> = READS
        .into_iter()
        .filter(|verb| !is_granted(verb, read, &about))
        .collect();
    if !missing.is_empty() {
        sink.push(lacking(read, &missing, limited, sources));
    }
    false
}

/// True if a rule grants `list` or `watch` on the kind of the read.
fn is_about(rule: &PolicyRule, read: &Read) -> bool {
    has(&rule.groups, &read.object.group)
        && has(&rule.resources, &read.object.plural)
        && READS.iter().any(|verb| has(&rule.verbs, verb))
}

fn has(texts: &BTreeSet<String>, text: &str) -> bool {
    texts.contains(text) || texts.contains("*")
}

fn is_granted(verb: &str, read: &Read, rules: &[&Stated]) -> bool {
    let granting = |namespace: Option<&str>| {
        rules.iter().any(|stated| {
            let names = &stated.rule.names;
            let is_named = read.name.as_ref().is_some_and(|name| names.contains(name));
            has(&stated.rule.verbs, verb)
                && (names.is_empty() || is_named)
                && (stated.namespace.is_none() || stated.namespace.as_deref() == namespace)
        })
    };
    match &read.namespaces {
        Namespaces::Computed if read.object.namespaced => true,
        Namespaces::Only(only) if read.object.namespaced => {
            only.iter().all(|namespace| granting(Some(namespace)))
        }
        _ => granting(None),
    }
}

fn computed(read: &Read) -> Diagnostic {
    let kind = &read.object;
    Diagnostic::error("the namespaces of this watch are known only at run time")
        .at(read.place.clone())
        .help(format!(
            "declare the rule above the item: `#[rbac(group = \"{}\", resources = [\"{}\"], verbs = [\"list\", \"watch\"])]`; if the namespaces are fixed, declare one rule for each, with `namespace = \"..\"`",
            kind.group, kind.plural
        ))
}

fn lacking(read: &Read, missing: &[&str], limited: &Stated, sources: &Sources) -> Diagnostic {
    let verbs: Vec<_> = missing.iter().map(|verb| format!("`{verb}`")).collect();
    let place = match &read.namespaces {
        Namespaces::Only(only) if read.object.namespaced => {
            let only: Vec<_> = only.iter().map(|name| format!("`{name}`")).collect();
            format!("in {}", only.join(", "))
        }
        _ if read.object.namespaced => "in all namespaces".to_owned(),
        _ => "in the cluster".to_owned(),
    };
    let at = Location::of(&sources[limited.item.module].source, limited.span);
    let (limit, help) = limit(read, limited);
    Diagnostic::error(format!(
        "this needs {} on `{}` {place}, which the role does not grant",
        verbs.join(" and "),
        read.object.plural
    ))
    .at(read.place.clone())
    .label(at, limit)
    .help(help)
}

/// Returns the label for the rule that limits a read, and the help.
fn limit(read: &Read, limited: &Stated) -> (String, String) {
    let on_watch = |method: String| match read.form {
        ReadForm::Object => format!(
            "add the controller with `Controller::watching(Watch::<..>::new(){method}, reconciler)`"
        ),
        _ => format!("add `{method}` to the watch"),
    };
    let is_listed = matches!(read.namespaces, Namespaces::Only(_));
    match (&limited.namespace, limited.rule.names.first()) {
        (Some(namespace), _) => (
            format!("this rule applies only in the namespace `{namespace}`"),
            match (read.object.namespaced, is_listed) {
                (true, false) => format!(
                    "{}, or remove `namespace` from the rule",
                    on_watch(format!(".namespaces([\"{namespace}\"])"))
                ),
                (true, true) => "repeat the rule for each namespace of the watch".to_owned(),
                (false, _) => {
                    "remove `namespace` from the rule: the kind is cluster-scoped".to_owned()
                }
            },
        ),
        (None, Some(name)) => (
            "this rule applies only to these names".to_owned(),
            format!(
                "{}, or remove `names` from the rule",
                on_watch(format!(".fields(\"metadata.name={name}\")"))
            ),
        ),
        (None, None) => (
            "this rule belongs to another role".to_owned(),
            "write `verbs = [\"list\", \"watch\"]` in the rule".to_owned(),
        ),
    }
}

/// Verbs that a cache needs for its reads. A cache never sends `get`.
pub(super) const READS: [&str; 2] = ["list", "watch"];

/// A read that a controller declares.
pub(super) struct Read {
    pub(super) object: Object,
    pub(super) namespaces: Namespaces,
    /// Name of the selected object, if the read is limited to one object.
    pub(super) name: Option<String>,
    pub(super) item: DefId,
    pub(super) place: Location,
    /// The declaration as shown in messages.
    pub(super) shown: String,
    pub(super) form: ReadForm,
}

/// Form of the declaration of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadForm {
    Watch,
    /// The watch of a reconciler: `Controller::watching`.
    Watching,
    /// `type Object` of a reconciler.
    Object,
}
