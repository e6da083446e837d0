//! Evaluation of code that builds schemas: functions of `schema_with`, and hand-written
//! `JsonSchema`.
//!
//! No code is run. Literals, schemas of other types, and statements that change a schema are
//! evaluated. If the code has any other statement or expression, the schema is unknown. Code for
//! schemars 0.8 and for 1 is supported.

mod body;
mod expressions;
mod normal;
mod old_fields;
mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use genclient_schema::definition::structural_errors;
use serde_json::Value;
use syn::{
    Block, Expr, ExprIf, FnArg, ImplItem, ImplItemFn, Item, ItemImpl, Local, Pat, Signature, Stmt,
    Type, UseTree,
};

use super::Resolver;
use super::slot::Parameters;
use crate::model::Schema;
use crate::resolve::paths::{self, Found};
use crate::sources::{ModuleId, Namespace, bare_name};
use body::{FunctionBody, LocalVariable, ending, is_conditional, name_of};
use normal::SeveralTypes;

/// A function that builds a schema.
pub(super) struct SchemaFunction<'a> {
    pub(super) module: ModuleId,
    /// The `Self` type.
    pub(super) this: Option<(ModuleId, &'a Item)>,
    /// Arguments for the generic parameters of the `Self` type.
    pub(super) parameters: Parameters,
    pub(super) signature: &'a Signature,
    pub(super) block: &'a Block,
}

impl<'a> Resolver<'a, '_> {
    /// Returns the schema that a function builds. If the source does not determine the schema,
    /// returns `None` and discards the findings and cached types of the evaluation.
    pub(super) fn schema_of(&mut self, function: &SchemaFunction<'a>) -> Option<Schema> {
        let mark = self.sink.mark();
        let items: BTreeSet<_> = self.made.items.keys().cloned().collect();
        let read = self.made.read.clone();
        let value = self.value_of_function(function);
        let schema = value.and_then(normal::schema);
        let schema = schema.map(|schema| self.merged(schema, function));
        // A schema that is not structural counts as unknown: kube rewrites some such schemas, and
        // the API server refuses the others.
        let schema = schema.filter(|schema| structural_errors(schema).is_empty());
        if schema.is_none() {
            self.sink.rewind(mark);
            self.made.items.retain(|key, _| items.contains(key));
            self.made.read = read;
        }
        schema
    }

    /// Merges the alternatives of a schema. If they have several types, the result accepts any
    /// value.
    fn merged(&mut self, schema: Schema, function: &SchemaFunction<'a>) -> Schema {
        match normal::merge(schema) {
            Ok(schema) => schema,
            Err(SeveralTypes) => self.within(function.module, |resolver| {
                let name = &function.signature.ident;
                resolver.any_value(
                    name,
                    format!("the alternatives of `{name}` have several types"),
                )
            }),
        }
    }

    /// Looks up a free function, or an associated function of a type, which may be a root type that
    /// kube derives. Binds the function's generic parameters to the arguments in the path.
    pub(super) fn schema_function(&mut self, path: &syn::Path) -> Option<SchemaFunction<'a>> {
        let function = self.function_at(path)?;
        let generics = &function.signature.generics;
        let arguments = self.generic_arguments(Some(generics), path);
        let parameters = self.within(function.module, |resolver| {
            resolver.bind(Some(generics), arguments);
            mem::take(&mut resolver.parameters)
        });
        Some(SchemaFunction {
            parameters,
            ..function
        })
    }

    fn function_at(&self, path: &syn::Path) -> Option<SchemaFunction<'a>> {
        let mut above = path.clone();
        let name = above.segments.pop()?.ident.to_string();
        above.segments.pop_punct();
        // Path lookup does not find root types that kube derives, so the current module is searched
        // first.
        let beside = above.get_ident().map(ToString::to_string);
        if let Some(function) = beside.and_then(|ty| self.associated(self.module, &ty, &name)) {
            return Some(function);
        }
        match self.paths.find_value(self.module, path) {
            Some(Found::Item(module, Item::Fn(function))) => {
                let name = bare_name(&function.sig.ident);
                let all = self.sources.names(module).items(&name, Namespace::Values);
                // Several functions of one name are for different `cfg`s.
                (all.len() == 1).then(|| SchemaFunction {
                    module,
                    this: None,
                    parameters: Parameters::default(),
                    signature: &function.sig,
                    block: &function.block,
                })
            }
            _ => match self.paths.find(self.module, &above)? {
                Found::Item(module, item) => {
                    self.associated(module, &paths::item_name(item)?, &name)
                }
                _ => None,
            },
        }
    }

    /// Looks up a function in an inherent `impl` of a type, in the type's module.
    fn associated(&self, module: ModuleId, ty: &str, name: &str) -> Option<SchemaFunction<'a>> {
        let place = &self.sources[module];
        let items = self.sources.names(module).items(ty, Namespace::Types);
        let this = items.first().map(|at| (module, &place.items[*at]));
        let is_of_type = |block: &&ItemImpl| match &*block.self_ty {
            Type::Path(this) => this.path.is_ident(ty) && block.trait_.is_none(),
            _ => false,
        };
        let blocks = place.items.iter().filter_map(|item| match item {
            Item::Impl(block) => Some(block),
            _ => None,
        });
        let members = blocks.filter(is_of_type).flat_map(|block| &block.items);
        let function = only_function(members, name)?;
        Some(SchemaFunction {
            module,
            this,
            parameters: Parameters::default(),
            signature: &function.sig,
            block: &function.block,
        })
    }

    fn value_of_function(&mut self, function: &SchemaFunction<'a>) -> Option<Value> {
        // Maximum depth of nested calls, which ends recursion.
        const MAX_DEPTH: usize = 8;
        if self.functions >= MAX_DEPTH {
            return None;
        }
        self.functions += 1;
        let value = self.within(function.module, |resolver| {
            resolver.parameters = function.parameters.clone();
            FunctionBody::of(function, resolver)?.run(function.block)
        });
        self.functions -= 1;
        value
    }
}

impl<'r, 'a, 'b> FunctionBody<'r, 'a, 'b> {
    /// Creates the state for a function; `None` if a parameter is not a schema generator.
    fn of(function: &SchemaFunction<'a>, resolver: &'r mut Resolver<'a, 'b>) -> Option<Self> {
        let mut variables = BTreeMap::new();
        for input in &function.signature.inputs {
            match input {
                FnArg::Typed(input) if is_generator(&input.ty) => match &*input.pat {
                    Pat::Wild(_) => {}
                    pattern => drop(variables.insert(name_of(pattern)?, LocalVariable::Generator)),
                },
                _ => return None,
            }
        }
        Some(Self {
            resolver,
            this: function.this,
            variables,
            names: BTreeSet::new(),
        })
    }

    fn run(&mut self, block: &Block) -> Option<Value> {
        match self.statements(block)? {
            Stmt::Expr(Expr::Return(value), _) => self.value(value.expr.as_ref()?),
            last => self.result(last),
        }
    }

    /// Evaluates a block in an expression. `None` if it declares a variable with the name of one
    /// around it, which the code after the block refers to.
    fn block(&mut self, block: &Block) -> Option<Value> {
        let declared = block.stmts.iter().filter_map(|statement| match statement {
            Stmt::Local(local) => Some(name_of(&local.pat)),
            _ => None,
        });
        let declared: Vec<String> = declared.collect::<Option<_>>()?;
        if declared
            .iter()
            .any(|name| self.variables.contains_key(name))
        {
            return None;
        }
        let last = self.statements(block)?;
        let value = self.result(last);
        for name in &declared {
            self.variables.remove(name);
        }
        value
    }

    /// Evaluates all statements of a block but the last, and returns the last.
    fn statements<'s>(&mut self, block: &'s Block) -> Option<&'s Stmt> {
        if block.stmts.iter().any(is_conditional) {
            return None;
        }
        let (last, before) = block.stmts.split_last()?;
        for statement in before {
            self.statement(statement)?;
        }
        Some(last)
    }

    /// Evaluates the last statement of a block.
    fn result(&mut self, last: &Stmt) -> Option<Value> {
        match last {
            Stmt::Expr(value, None) => self.value(value),
            Stmt::Macro(value) if value.semi_token.is_none() => self.json(&value.mac),
            _ => None,
        }
    }

    fn statement(&mut self, statement: &Stmt) -> Option<()> {
        match statement {
            Stmt::Local(local) => self.variable(local),
            Stmt::Item(Item::Use(item)) => self.import(&item.tree),
            Stmt::Expr(Expr::If(condition), _) => self.condition(condition),
            Stmt::Expr(change, Some(_)) => self.change(change),
            _ => None,
        }
    }

    fn variable(&mut self, local: &Local) -> Option<()> {
        let name = name_of(&local.pat)?;
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let is_new = !self.variables.contains_key(&name);
        let has_parts = || {
            let mut variables = self.variables.values();
            variables.any(|variable| matches!(variable, LocalVariable::Part(_)))
        };
        // A borrow of the shadowed variable would be taken for a borrow of the new variable.
        if !is_new && has_parts() {
            return None;
        }
        let value = if self.is_generator(&init.expr) {
            LocalVariable::Generator
        } else if places::is_borrowed(&init.expr) {
            LocalVariable::Part(self.place(&init.expr)?)
        } else {
            LocalVariable::Value(self.value(&init.expr)?)
        };
        self.variables.insert(name, value);
        Some(())
    }

    /// Evaluates an `if let Some(object) = schema.as_object_mut() { .. }` with a true condition;
    /// `None` for any other `if`.
    fn condition(&mut self, condition: &ExprIf) -> Option<()> {
        let Expr::Let(bound) = &*condition.cond else {
            return None;
        };
        let Pat::TupleStruct(pattern) = &*bound.pat else {
            return None;
        };
        let is_object = ["Some", "Schema::Object"].contains(&ending(&pattern.path).as_str());
        let name = name_of(pattern.elems.first()?)?;
        let place = self.place(&bound.expr)?;
        let holds = is_object && condition.else_branch.is_none() && self.at(&place)?.is_object();
        if !holds || self.variables.contains_key(&name) {
            return None;
        }
        self.variables
            .insert(name.clone(), LocalVariable::Part(place));
        for statement in &condition.then_branch.stmts {
            match statement {
                Stmt::Expr(change, Some(_)) if !is_conditional(statement) => self.change(change)?,
                _ => return None,
            }
        }
        self.variables.remove(&name);
        Some(())
    }

    /// Records imported names, which lookups from the module cannot resolve.
    fn import(&mut self, tree: &UseTree) -> Option<()> {
        match tree {
            UseTree::Path(path) => self.import(&path.tree),
            UseTree::Name(name) => {
                self.names.insert(name.ident.to_string());
                Some(())
            }
            UseTree::Rename(name) => {
                self.names.insert(name.rename.to_string());
                Some(())
            }
            UseTree::Group(group) => group.items.iter().try_for_each(|tree| self.import(tree)),
            UseTree::Glob(_) => None,
        }
    }
}

/// Returns the only function with a name. `None` if no function has the name, or if several
/// functions have the name, each for another `cfg`.
pub(super) fn only_function<'a>(
    members: impl IntoIterator<Item = &'a ImplItem>,
    name: &str,
) -> Option<&'a ImplItemFn> {
    let mut found = members.into_iter().filter_map(|member| match member {
        ImplItem::Fn(function) if function.sig.ident == name => Some(function),
        _ => None,
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// True for `SchemaGenerator` and references to it.
fn is_generator(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_generator(&reference.elem),
        Type::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident == "SchemaGenerator")
        }
        _ => false,
    }
}
