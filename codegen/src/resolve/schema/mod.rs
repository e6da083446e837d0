//! Structural schemas of Rust types, as serde reads and writes them.

mod constants;
mod constraints;
mod crd_attributes;
mod default_functions;
mod defaults;
mod derives;
mod enums;
mod fields;
mod flatten;
mod foreign_types;
mod generics;
mod hand_written;
mod json_code;
mod keys;
mod kube_defaults;
mod kube_root;
mod macros;
mod pitfalls;
mod presence;
mod rename;
mod root;
mod schema_code;
mod serde_attrs;
mod serde_keys;
mod size;
mod slot;
mod stated_paths;
mod structs;
mod types;
mod union;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::{mem, ptr};

use genclient_syntax::{Problems, SchemaAttrs, Shape};
use syn::spanned::Spanned;
use syn::{Attribute, Item, Type};

use super::cel::RulePlaces;
use super::kind::Kind;
use super::paths::{Found, Paths};
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::known::Known;
use crate::model::Schema;
use crate::sources::{ModuleId, Sources, bare_name};
pub(super) use macros::mentions;
use serde_attrs::SerdeAttrs;
use serde_keys::SerdeSite;
use slot::{Parameters, Slot};
use stated_paths::StatedPaths;
pub(super) use stated_paths::check as check_stated;
pub(super) use words::schema_error;

/// State that all kinds of a pass share: resolved types, found paths, and locations of rules.
#[derive(Default)]
pub(super) struct Made<'a> {
    /// Slots of types without generic parameters, by module, name, and whether a kube kind uses the
    /// type.
    items: BTreeMap<(ModuleId, String, bool), Slot>,
    /// Results of looking up known types by path.
    known: BTreeMap<Vec<String>, Option<Known>>,
    pub(super) paths: StatedPaths,
    /// Results of looking up paths of a single name, by the module that contains the path.
    found: BTreeMap<(ModuleId, String), Found<'a>>,
    /// Locations of the schemas' rules.
    pub(super) rules: RulePlaces,
    /// Items whose attributes have been read, and the errors in them reported.
    read: BTreeSet<*const Item>,
    /// Kinds whose root types kube derives.
    roots: Vec<Kind<'a>>,
}

impl<'a> Made<'a> {
    /// Creates the state for a package with these kinds.
    pub(super) fn of(kinds: &[Kind<'a>]) -> Self {
        let roots = kinds.iter().filter(|kind| kind.kube.is_some());
        Self {
            roots: roots.cloned().collect(),
            ..Self::default()
        }
    }

    /// Forgets the resolved types, so that their errors are reported again. Lookups are kept.
    pub(super) fn forget_types(&mut self) {
        self.items.clear();
        self.read.clear();
    }

    /// True if the attributes of a type have been read, and the errors in them reported.
    pub(super) fn has_read(&self, item: &Item) -> bool {
        self.read.contains(&ptr::from_ref(item))
    }
}

/// Returns the schema of a kind's objects.
pub(super) fn of_kind<'a>(
    kind: &Kind<'a>,
    sources: &'a Sources,
    paths: &Paths<'a>,
    made: &mut Made<'a>,
    sink: &mut Sink,
) -> Schema {
    let mut resolver = Resolver {
        sources,
        paths,
        sink,
        module: kind.module,
        parameters: Parameters::default(),
        open: vec![(kind.module, bare_name(&kind.attrs.ident))],
        stated: ptr::null(),
        made,
        from_kube: kind.kube.is_some(),
        functions: 0,
    };
    resolver.kind(kind)
}

struct Resolver<'a, 'b> {
    sources: &'a Sources,
    paths: &'b Paths<'a>,
    sink: &'b mut Sink,
    /// Module of the type that is being read.
    module: ModuleId,
    /// Arguments for the generic parameters of the enclosing item.
    parameters: Parameters,
    /// Types whose schemas are being resolved, for finding circles.
    open: Vec<(ModuleId, String)>,
    /// Part of a field's type that is not resolved, since an attribute states its schema.
    stated: *const Type,
    made: &'b mut Made<'a>,
    /// True if the resolved kind is a kube kind: declared with kube's derive.
    from_kube: bool,
    /// Depth of nested functions that build a schema.
    functions: usize,
}

impl<'a> Resolver<'a, '_> {
    /// Calls `read` with another current module and without the current generic arguments.
    fn within<T>(&mut self, module: ModuleId, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = mem::replace(&mut self.module, module);
        let parameters = mem::take(&mut self.parameters);
        let result = read(self);
        self.module = around;
        self.parameters = parameters;
        result
    }

    fn report_problems(&mut self, problems: Problems) {
        let mark = self.sink.mark();
        let source = &self.sources[self.module].source;
        self.sink.problems(problems, source);
        self.add_derive_since(mark);
    }

    fn report(&mut self, node: &impl Spanned, message: impl Into<String>, help: impl Into<String>) {
        let at = self.locate(node);
        let help = self.with_derive(help.into());
        self.sink.push(Diagnostic::error(message).at(at).help(help));
    }

    fn warn(&mut self, node: &impl Spanned, message: impl Into<String>, help: impl Into<String>) {
        let at = self.locate(node);
        let help = self.with_derive(help.into());
        self.sink
            .push(Diagnostic::warning(message).at(at).help(help));
    }

    fn locate(&self, node: &impl Spanned) -> Location {
        self.sources[self.module].locate(node)
    }

    /// Reads the serde attributes of a type, a field or a variant. Reports `alias`, except for kube
    /// kinds.
    fn serde(&mut self, attrs: &[Attribute], site: SerdeSite) -> SerdeAttrs {
        let serde = serde_attrs::parse(attrs, site, &self.sources[self.module], self.sink);
        // schemars ignores aliases, so an error would refuse CRDs that are already in use.
        if let Some(alias) = serde.alias.filter(|_| !self.from_kube) {
            let message = "`alias` is not supported: the API server prunes every name but one";
            let help = "remove the alias, or serve the old name in a separate version";
            self.report(&alias, message, help);
        }
        serde
    }

    fn constrain(&mut self, attrs: &SchemaAttrs, schema: Schema, shape: &Shape) -> Schema {
        let mark = self.sink.mark();
        let module = &self.sources[self.module];
        let schema = constraints::apply(
            attrs,
            schema,
            shape,
            module,
            &mut self.made.rules,
            self.sink,
        );
        self.add_derive_since(mark);
        schema
    }
}
