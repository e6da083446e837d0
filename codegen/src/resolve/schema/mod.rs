//! Rust types → structural schemas, as serde reads and writes them.

mod adapters;
mod choices;
mod constants;
mod constraints;
mod default_functions;
mod defaults;
mod derives;
mod elsewhere;
mod enums;
mod fields;
mod flatten;
mod generics;
mod hand_written;
mod json_code;
mod keys;
mod kube_defaults;
mod kube_root;
mod lengths;
mod macros;
mod omitted;
mod parameters;
mod parts;
mod pitfalls;
mod presence;
mod rename;
mod root;
mod schema_code;
mod schema_with;
mod serde_attrs;
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

use super::kind::Kind;
use super::paths::{Found, Paths};
use super::rule_places::RulePlaces;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::known::Known;
use crate::model::Schema;
use crate::sources::{ModuleId, Sources, bare_name};
pub(super) use macros::mentions;
use parameters::Parameters;
use serde_attrs::SerdeAttrs;
use slot::Slot;
use stated_paths::StatedPaths;
pub(super) use stated_paths::check as check_stated;

/// What types have turned out to be: many kinds use the same ones.
#[derive(Default)]
pub(super) struct Made<'a> {
    /// Types without parameters, by module and name, and by whether a kind of kube's asks.
    items: BTreeMap<(ModuleId, String, bool), Slot>,
    /// Types that are known without their sources, by path.
    known: BTreeMap<Vec<String>, Option<Known>>,
    /// Paths of types that schemas could be stated for, with those that are.
    pub(super) paths: StatedPaths,
    /// What single names lead to, by the module that they stand in.
    found: BTreeMap<(ModuleId, String), Found<'a>>,
    /// Where the rules of the schemas were written.
    pub(super) rules: RulePlaces,
    /// The items whose attributes were read.
    read: BTreeSet<*const Item>,
    /// The kinds whose roots kube makes.
    roots: Vec<Kind<'a>>,
}

impl<'a> Made<'a> {
    /// Nothing yet, of a package with some kinds.
    pub(super) fn of(kinds: &[Kind<'a>]) -> Self {
        let roots = kinds.iter().filter(|kind| kind.kube.is_some());
        Self {
            roots: roots.cloned().collect(),
            ..Self::default()
        }
    }

    /// True if the attributes of a type were read, and what is wrong with them said.
    pub(super) fn has_read(&self, item: &Item) -> bool {
        self.read.contains(&ptr::from_ref(item))
    }
}

/// The schema of a served type's objects.
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
    /// Where the type that is being read is written.
    module: ModuleId,
    /// What the parameters of the item around it stand for.
    parameters: Parameters,
    /// The types whose schema is being made, to find a circle.
    open: Vec<(ModuleId, String)>,
    /// The part of a field's type whose schema the field states.
    stated: *const Type,
    made: &'b mut Made<'a>,
    /// The types are those of a kind that kube makes.
    from_kube: bool,
    /// How many functions are being followed that make a schema.
    functions: usize,
}

impl<'a> Resolver<'a, '_> {
    /// Reads what is written in another module, outside of the parameters here.
    fn within<T>(&mut self, module: ModuleId, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = mem::replace(&mut self.module, module);
        let parameters = mem::take(&mut self.parameters);
        let result = read(self);
        self.module = around;
        self.parameters = parameters;
        result
    }

    /// The attributes of a field or type that no derive macro's whole-item check has read yet.
    fn report_problems(&mut self, problems: Problems) {
        let source = &self.sources[self.module].source;
        self.sink.problems(problems, source);
    }

    fn report(&mut self, node: &impl Spanned, message: impl Into<String>, help: impl Into<String>) {
        let at = self.locate(node);
        self.sink.push(Diagnostic::error(message).at(at).help(help));
    }

    fn warn(&mut self, node: &impl Spanned, message: impl Into<String>, help: impl Into<String>) {
        let at = self.locate(node);
        self.sink
            .push(Diagnostic::warning(message).at(at).help(help));
    }

    fn locate(&self, node: &impl Spanned) -> Location {
        self.sources[self.module].locate(node)
    }

    /// Serde attributes of a type, a field or a variant.
    fn serde(&mut self, attrs: &[Attribute]) -> SerdeAttrs {
        let serde = serde_attrs::parse(attrs, &self.sources[self.module], self.sink);
        // The CRDs of kube's types have the name alone, as schemars says.
        if let Some(alias) = serde.alias.filter(|_| !self.from_kube) {
            let message = "an alias cannot be served: the API server prunes every name but one";
            let help = "drop the alias, or serve the old name in a version of its own";
            self.report(&alias, message, help);
        }
        serde
    }

    fn constrain(&mut self, attrs: &SchemaAttrs, schema: Schema, shape: &Shape) -> Schema {
        let module = &self.sources[self.module];
        constraints::apply(
            attrs,
            schema,
            shape,
            module,
            &mut self.made.rules,
            self.sink,
        )
    }
}
