//! RBAC rules inferred from controllers: for the reads of watches and reconcilers, for storage
//! migrations, for events, and for the finalizers of owners.

use std::collections::BTreeSet;

use genclient_syntax::TypeRef;
use syn::Type;

use super::declared::{
    self, Declaration, LocatedDeclaration, Migrated, Namespaces, RuntimeTypes, Watched,
};
use super::stated::StatedRule;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::model::{InferredRule, PolicyRule};
use crate::project::Deploy;
use crate::resolve::kind_lookup::{KindLookup, ResolvedKind};
use crate::sources::{DefId, ModuleId, Sources, is_cfg_test};

pub(super) struct Inferred {
    pub(super) namespace: Option<String>,
    pub(super) rule: InferredRule,
}

/// Returns the rules inferred from the controllers. Reports a declaration if its kind or namespaces
/// cannot be determined. Also reports a read that conflicts with stated rules or with the scope of
/// the deployment.
pub(super) fn infer_rules(
    lookup: KindLookup<'_, '_>,
    stated: &[StatedRule],
    deploy: Option<&Deploy>,
    sink: &mut Sink,
) -> Vec<Inferred> {
    let sources = lookup.sources;
    let mut found = Declarations::default();
    for module in sources.controller_modules() {
        if is_test(module, sources) {
            continue;
        }
        let names = RuntimeTypes {
            module,
            sources,
            paths: lookup.paths,
        };
        for (id, item) in sources.items(module) {
            let own: Vec<_> = stated.iter().filter(|rule| rule.item == id).collect();
            let keep = |found: &mut Declarations, read, sink: &mut Sink| {
                found.keep(check_scope(read, deploy), &own, sink);
            };
            for LocatedDeclaration { span, declaration } in
                declared::find_declarations(item, &names)
            {
                let place = Location::new(&sources[module].source, span);
                match declaration {
                    Declaration::Events(how) => found.events.push((place, how)),
                    Declaration::Owner(how) => found.owners.push((id, place, how)),
                    Declaration::Object(ty) => {
                        let read = read_of_object(&ty, id, place, lookup);
                        keep(&mut found, read, sink);
                    }
                    Declaration::Watch(watched) => {
                        let read = read_of_watch(watched, id, place, lookup);
                        keep(&mut found, read, sink);
                    }
                    Declaration::Migration(_) if is_of_one_namespace(deploy) => {
                        sink.push(migration_in_one_namespace(place));
                    }
                    Declaration::Migration(migrated) => {
                        match migration_of(&migrated, place, lookup) {
                            Ok(migration) => found.migrations.extend(migration),
                            Err(_) if grant_migration(&own) => {}
                            Err(error) => sink.push(error),
                        }
                    }
                }
            }
        }
    }
    found.rules(stated, sources, sink)
}

/// True for a module in or below `#[cfg(test)]`.
fn is_test(id: ModuleId, sources: &Sources) -> bool {
    let mut at = Some(id);
    while let Some(id) = at {
        if sources[id].attrs.iter().any(is_cfg_test) {
            return true;
        }
        at = sources[id].parent;
    }
    false
}

#[derive(Default)]
struct Declarations {
    reads: Vec<Read>,
    migrations: Vec<Migration>,
    events: Vec<(Location, &'static str)>,
    owners: Vec<(DefId, Location, &'static str)>,
}

impl Declarations {
    /// Adds a read, or reports the error in its declaration. The error is ignored if `own`, the
    /// `#[rbac]` rules of the item, grant `list` and `watch`.
    fn keep(
        &mut self,
        read: Result<Option<Read>, Diagnostic>,
        own: &[&StatedRule],
        sink: &mut Sink,
    ) {
        match read {
            Ok(read) => self.reads.extend(read),
            Err(_) if grants(own, &READ_VERBS) => {}
            Err(error) => sink.push(error),
        }
    }

    fn rules(&self, stated: &[StatedRule], sources: &Sources, sink: &mut Sink) -> Vec<Inferred> {
        let mut rules = Vec::new();
        for read in self.reads.iter().filter(|read| !self.is_replaced(read)) {
            if check_read(read, stated, sources, sink) {
                rules.extend(rules_for_read(read));
            }
        }
        rules.extend(self.migrations.iter().flat_map(rules_for_migration));
        rules.extend(self.events.iter().map(|(place, how)| Inferred {
            namespace: None,
            rule: InferredRule {
                rule: policy_rule("", "events", &["create", "patch"]),
                declaration: format!("`{how}`"),
                place: path_and_line(place),
            },
        }));
        for (item, place, how) in &self.owners {
            for owner in self.owners_of(*item, sources) {
                let resource = format!("{}/finalizers", owner.plural);
                rules.push(Inferred {
                    namespace: None,
                    rule: InferredRule {
                        rule: policy_rule(&owner.group, &resource, &["update"]),
                        declaration: format!("`{how}`"),
                        place: path_and_line(place),
                    },
                });
            }
        }
        rules
    }

    /// True for the read of `type Object` if a `Controller::watching` of the same kind replaces it.
    fn is_replaced(&self, read: &Read) -> bool {
        let is_same = |other: &Read| {
            other.form == ReadForm::Watching
                && other.object.group == read.object.group
                && other.object.plural == read.object.plural
        };
        read.form == ReadForm::Object && self.reads.iter().any(is_same)
    }

    /// Returns the kinds that the item reconciles. If there are none, returns the kinds reconciled
    /// in its module, else in the nearest parent module with reconcilers, else in all modules.
    fn owners_of(&self, item: DefId, sources: &Sources) -> Vec<&ResolvedKind> {
        let objects = |is_there: &dyn Fn(DefId) -> bool| {
            let reads = self
                .reads
                .iter()
                .filter(|read| read.form == ReadForm::Object && is_there(read.item));
            reads.map(|read| &read.object).collect::<Vec<_>>()
        };
        let mut owners = objects(&|found| found == item);
        let mut above = Some(item.module);
        while let (true, Some(module)) = (owners.is_empty(), above) {
            owners = objects(&|found| found.module == module);
            above = sources[module].parent;
        }
        if owners.is_empty() {
            objects(&|_| true)
        } else {
            owners
        }
    }
}

fn read_of_object(
    ty: &Type,
    item: DefId,
    place: Location,
    lookup: KindLookup<'_, '_>,
) -> Result<Option<Read>, Diagnostic> {
    let shown = format!("type Object = {}", source_text(&place));
    let object = resolve_kind(ty, item.module, lookup)?;
    Ok(object.map(|object| Read {
        object,
        namespaces: Namespaces::All,
        name: None,
        item,
        place,
        shown,
        form: ReadForm::Object,
    }))
}

fn read_of_watch(
    watched: Watched,
    item: DefId,
    place: Location,
    lookup: KindLookup<'_, '_>,
) -> Result<Option<Read>, Diagnostic> {
    let Some(ty) = &watched.kind else {
        let message = if watched.in_macro {
            "cannot determine the kind of a watch inside a macro"
        } else {
            "cannot determine the kind of this watch"
        };
        let help = format!(
            "write `Watch::<Pod>::new()`{}, or {STATED_RULE_HELP}",
            if watched.in_macro {
                " outside of the macro"
            } else {
                ""
            }
        );
        return Err(Diagnostic::error(message).at(place).help(help));
    };
    let object = resolve_kind(ty, watched.module, lookup)?;
    Ok(object.map(|object| Read {
        object,
        namespaces: watched.namespaces,
        name: watched.object,
        item,
        shown: source_text(&place).to_owned(),
        place,
        form: if watched.of_reconciler {
            ReadForm::Watching
        } else {
            ReadForm::Watch
        },
    }))
}

const STATED_RULE_HELP: &str = "declare the rule above the item: `#[rbac(group = \"..\", resources = [\"..\"], verbs = [\"list\", \"watch\"])]`";

fn resolve_kind(
    ty: &Type,
    module: ModuleId,
    lookup: KindLookup<'_, '_>,
) -> Result<Option<ResolvedKind>, Diagnostic> {
    let ty = TypeRef(ty.clone());
    lookup
        .find_kind(&ty, module)
        .map_err(|why| lookup.unresolved_error(&ty, why, STATED_RULE_HELP, module))
}

/// True if the program is deployed for one namespace.
fn is_of_one_namespace(deploy: Option<&Deploy>) -> bool {
    deploy.is_some_and(|deploy| deploy.namespaced)
}

/// Returns an error for a read of a cluster-scoped kind if the program is deployed for one
/// namespace.
fn check_scope(
    read: Result<Option<Read>, Diagnostic>,
    deploy: Option<&Deploy>,
) -> Result<Option<Read>, Diagnostic> {
    match read? {
        Some(read) if is_of_one_namespace(deploy) && !read.object.namespaced => {
            let kind = &read.object.kind;
            Err(Diagnostic::error(format!(
                "{kind} is cluster-scoped, but this program is deployed for a single namespace"
            ))
            .at(read.place)
            .help(format!(
                "remove `namespaced = true` from `[package.metadata.genclient.deploy]`, or grant the \
                 read in the whole cluster with an attribute on the item: `#[rbac(group = \"{}\", \
                 resources = [\"{}\"], verbs = [\"list\", \"watch\"])]`",
                read.object.group, read.object.plural
            )))
        }
        read => Ok(read),
    }
}

/// Returns the rules of a read: one for each of its namespaces, or a single rule without a
/// namespace.
fn rules_for_read(read: &Read) -> Vec<Inferred> {
    let inferred = |namespace| Inferred {
        namespace,
        rule: InferredRule {
            rule: policy_rule(&read.object.group, &read.object.plural, &READ_VERBS),
            declaration: format!("`{}`", read.shown),
            place: path_and_line(&read.place),
        },
    };
    match &read.namespaces {
        Namespaces::Only(only) if read.object.namespaced => only
            .iter()
            .map(|namespace| inferred(Some(namespace.clone())))
            .collect(),
        _ => vec![inferred(None)],
    }
}

fn policy_rule(group: &str, resource: &str, verbs: &[&str]) -> PolicyRule {
    PolicyRule {
        groups: [group.to_owned()].into(),
        resources: [resource.to_owned()].into(),
        verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
        ..PolicyRule::default()
    }
}

const EXTENSIONS: &str = "apiextensions.k8s.io";
const DEFINITIONS: &str = "customresourcedefinitions";
const DEFINITION_STATUS: &str = "customresourcedefinitions/status";

/// Verbs that a storage migration needs on the definition.
const DEFINITION_VERBS: [&str; 3] = ["get", "list", "watch"];

/// Verbs that a storage migration needs on its objects.
const MIGRATION_VERBS: [&str; 3] = ["get", "list", "patch"];

/// A storage migration that a program declares.
struct Migration {
    object: ResolvedKind,
    place: Location,
}

fn migration_of(
    migrated: &Migrated,
    place: Location,
    lookup: KindLookup<'_, '_>,
) -> Result<Option<Migration>, Diagnostic> {
    const STATED: &str = "declare the rules above the item: \
        `#[rbac(group = \"apiextensions.k8s.io\", resources = [\"customresourcedefinitions\"], names = [\"..\"], verbs = [\"get\", \"list\", \"watch\"])]`, \
        `#[rbac(group = \"apiextensions.k8s.io\", resources = [\"customresourcedefinitions/status\"], names = [\"..\"], verbs = [\"patch\"])]`, \
        `#[rbac(group = \"..\", resources = [\"..\"], verbs = [\"get\", \"list\", \"patch\"])]` and \
        `#[rbac(group = \"..\", resources = [\"../status\"], verbs = [\"patch\"])]`";
    let Some(ty) = &migrated.kind else {
        let (message, place_of_call) = if migrated.in_macro {
            (
                "cannot determine the kind of a storage migration inside a macro",
                " outside of the macro",
            )
        } else {
            ("cannot determine the kind of this storage migration", "")
        };
        let help =
            format!("write `StorageMigration::<GPUTask>::new()`{place_of_call}, or {STATED}");
        return Err(Diagnostic::error(message).at(place).help(help));
    };
    let ty = TypeRef(ty.clone());
    let object = lookup
        .find_kind(&ty, migrated.module)
        .map_err(|why| lookup.unresolved_error(&ty, why, STATED, migrated.module))?;
    Ok(object.map(|object| Migration { object, place }))
}

fn migration_in_one_namespace(place: Location) -> Diagnostic {
    let message = "a storage migration needs all namespaces, but this program is deployed for a single namespace";
    let help = "remove `namespaced = true` from `[package.metadata.genclient.deploy]`, or run \
                `genclient migrate` instead";
    Diagnostic::error(message).at(place).help(help)
}

/// True if the rules together grant what a storage migration needs: on definitions, on their
/// status, and on objects. The kind of the objects is not compared.
fn grant_migration(rules: &[&StatedRule]) -> bool {
    let on_definitions = |resource: &str| {
        let rules = rules.iter().copied().filter(|stated| {
            lists_or_wildcard(&stated.rule.groups, EXTENSIONS)
                && lists_or_wildcard(&stated.rule.resources, resource)
        });
        rules.collect::<Vec<_>>()
    };
    let is_other = |stated: &&StatedRule| stated.rule.groups.iter().any(|it| it != EXTENSIONS);
    let on_objects: Vec<_> = rules.iter().copied().filter(is_other).collect();
    grants(&on_definitions(DEFINITIONS), &DEFINITION_VERBS)
        && grants(&on_definitions(DEFINITION_STATUS), &["patch"])
        && grants(&on_objects, &MIGRATION_VERBS)
}

/// Returns the rules of a storage migration. Those about the definition name it.
fn rules_for_migration(migration: &Migration) -> Vec<Inferred> {
    let Migration { object, place } = migration;
    let definition = format!("{}.{}", object.plural, object.group);
    let of_definition = |resource: &str, verbs: &[&str]| PolicyRule {
        names: [definition.clone()].into(),
        ..policy_rule(EXTENSIONS, resource, verbs)
    };
    let status = format!("{}/status", object.plural);
    [
        of_definition(DEFINITIONS, &DEFINITION_VERBS),
        of_definition(DEFINITION_STATUS, &["patch"]),
        policy_rule(&object.group, &object.plural, &MIGRATION_VERBS),
        policy_rule(&object.group, &status, &["patch"]),
    ]
    .into_iter()
    .map(|rule| Inferred {
        namespace: None,
        rule: InferredRule {
            rule,
            declaration: format!("`{}`", source_text(place)),
            place: path_and_line(place),
        },
    })
    .collect()
}

/// Source text at a location.
fn source_text(place: &Location) -> &str {
    place
        .source
        .text
        .get(place.span.clone())
        .unwrap_or_default()
}

/// Path and line, such as `pkg/controller/mod.rs:34`.
fn path_and_line(place: &Location) -> String {
    format!("{}:{}", place.source.path, place.line_column().0)
}

/// True if the rules together grant all of the verbs. The resources of the rules are not compared.
pub(super) fn grants(rules: &[&StatedRule], verbs: &[&str]) -> bool {
    let granted = |verb: &&str| {
        rules
            .iter()
            .any(|stated| lists_or_wildcard(&stated.rule.verbs, verb))
    };
    verbs.iter().all(granted)
}

/// Checks a read against the stated rules. Returns true if the caller should infer rules from the
/// read.
///
/// Returns false if the namespaces of the read are known only at run time, or if a stated rule for
/// the kind, in the module of the read, has a namespace, names or a role. In these cases, the
/// stated rules alone must grant `list` and `watch`. If they do not, an error is reported.
pub(super) fn check_read(
    read: &Read,
    stated: &[StatedRule],
    sources: &Sources,
    sink: &mut Sink,
) -> bool {
    let about = |stated: &&StatedRule| {
        stated.item.module == read.item.module && is_about(&stated.rule, read)
    };
    let about: Vec<_> = stated.iter().filter(about).collect();
    let is_computed = read.object.namespaced && read.namespaces == Namespaces::Computed;
    if is_computed && !grants(&about, &READ_VERBS) {
        sink.push(computed_namespaces_error(read));
        return false;
    }
    let is_limited = |stated: &&&StatedRule| {
        stated.namespace.is_some() || stated.role.is_some() || !stated.rule.names.is_empty()
    };
    let Some(limited) = about.iter().find(is_limited) else {
        return !is_computed;
    };
    let missing: Vec<_> = READ_VERBS
        .into_iter()
        .filter(|verb| !is_granted(verb, read, &about))
        .collect();
    if !missing.is_empty() {
        sink.push(missing_verbs_error(read, &missing, limited, sources));
    }
    false
}

/// True if a rule grants `list` or `watch` on the kind of the read.
fn is_about(rule: &PolicyRule, read: &Read) -> bool {
    lists_or_wildcard(&rule.groups, &read.object.group)
        && lists_or_wildcard(&rule.resources, &read.object.plural)
        && READ_VERBS
            .iter()
            .any(|verb| lists_or_wildcard(&rule.verbs, verb))
}

fn lists_or_wildcard(texts: &BTreeSet<String>, text: &str) -> bool {
    texts.contains(text) || texts.contains("*")
}

fn is_granted(verb: &str, read: &Read, rules: &[&StatedRule]) -> bool {
    let granting = |namespace: Option<&str>| {
        rules.iter().any(|stated| {
            let names = &stated.rule.names;
            let is_named = read.name.as_ref().is_some_and(|name| names.contains(name));
            lists_or_wildcard(&stated.rule.verbs, verb)
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

fn computed_namespaces_error(read: &Read) -> Diagnostic {
    let kind = &read.object;
    Diagnostic::error("the namespaces of this watch are known only at run time")
        .at(read.place.clone())
        .help(format!(
            "declare the rule above the item: `#[rbac(group = \"{}\", resources = [\"{}\"], verbs = [\"list\", \"watch\"])]`; if the namespaces are fixed, declare one rule for each, with `namespace = \"..\"`",
            kind.group, kind.plural
        ))
}

fn missing_verbs_error(
    read: &Read,
    missing: &[&str],
    limited: &StatedRule,
    sources: &Sources,
) -> Diagnostic {
    let verbs: Vec<_> = missing.iter().map(|verb| format!("`{verb}`")).collect();
    let place = match &read.namespaces {
        Namespaces::Only(only) if read.object.namespaced => {
            let only: Vec<_> = only.iter().map(|name| format!("`{name}`")).collect();
            format!("in {}", only.join(", "))
        }
        _ if read.object.namespaced => "in all namespaces".to_owned(),
        _ => "in the cluster".to_owned(),
    };
    let at = Location::new(&sources[limited.item.module].source, limited.span);
    let LimitedRule { label, help } = describe_limit(read, limited);
    Diagnostic::error(format!(
        "this needs {} on `{}` {place}, which the role does not grant",
        verbs.join(" and "),
        read.object.plural
    ))
    .at(read.place.clone())
    .label(at, label)
    .help(help)
}

/// Texts about a stated rule that grants less than a read needs.
struct LimitedRule {
    label: String,
    help: String,
}

/// Returns the texts about the rule `limited`, which does not grant the whole read.
fn describe_limit(read: &Read, limited: &StatedRule) -> LimitedRule {
    let on_watch = |method: String| match read.form {
        ReadForm::Object => format!(
            "add the controller with `Controller::watching(Watch::<..>::new(){method}, reconciler)`"
        ),
        _ => format!("add `{method}` to the watch"),
    };
    let is_listed = matches!(read.namespaces, Namespaces::Only(_));
    match (&limited.namespace, limited.rule.names.first()) {
        (Some(namespace), _) => LimitedRule {
            label: format!("this rule applies only in the namespace `{namespace}`"),
            help: match (read.object.namespaced, is_listed) {
                (true, false) => format!(
                    "{}, or remove `namespace` from the rule",
                    on_watch(format!(".namespaces([\"{namespace}\"])"))
                ),
                (true, true) => "repeat the rule for each namespace of the watch".to_owned(),
                (false, _) => {
                    "remove `namespace` from the rule: the kind is cluster-scoped".to_owned()
                }
            },
        },
        (None, Some(name)) => LimitedRule {
            label: "this rule applies only to these names".to_owned(),
            help: format!(
                "{}, or remove `names` from the rule",
                on_watch(format!(".fields(\"metadata.name={name}\")"))
            ),
        },
        (None, None) => LimitedRule {
            label: "this rule belongs to another role".to_owned(),
            help: "write `verbs = [\"list\", \"watch\"]` in the rule".to_owned(),
        },
    }
}

/// Verbs that a cache needs for its reads. A cache never sends `get`.
const READ_VERBS: [&str; 2] = ["list", "watch"];

/// A read that a controller declares.
pub(super) struct Read {
    pub(super) object: ResolvedKind,
    pub(super) namespaces: Namespaces,
    /// Name of the selected object, if the read is limited to one object.
    pub(super) name: Option<String>,
    pub(super) item: DefId,
    pub(super) place: Location,
    /// The declaration as shown in messages.
    shown: String,
    form: ReadForm,
}

/// Form of the declaration of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadForm {
    Watch,
    /// The watch of a reconciler: `Controller::watching`.
    Watching,
    /// `type Object` of a reconciler.
    Object,
}
