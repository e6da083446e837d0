//! Declarations in controllers' source that imply permissions: watches, reconcilers, storage
//! migrations, events and blocking owner references.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Expr, ExprCall, ExprMethodCall, GenericArgument, ImplItem, Item, Lit, Member, PathArguments,
    Token, Type,
};

use crate::lookup::{PathLookup, Reach, Target, is_in_own_crate};
use crate::resolve::paths::{Found, Paths};
use crate::sources::{CrateId, ModuleId, Namespace, Sources, bare_name, is_cfg_test};

/// Constructors of `Watch`.
const WATCH_CONSTRUCTORS: [&str; 4] = ["new", "of", "served", "default"];

/// Constructors of `StorageMigration`.
const MIGRATION_CONSTRUCTORS: [&str; 3] = ["new", "of", "default"];

/// A declaration in an item, with its location.
pub(super) struct LocatedDeclaration {
    pub(super) span: Span,
    pub(super) declaration: Declaration,
}

pub(super) enum Declaration {
    Watch(Watched),
    Migration(Migrated),
    /// `type Object` of a reconciler.
    Object(Type),
    /// A call that records events, with the name of the method.
    Events(&'static str),
    /// An owner reference that blocks the deletion of the owner, with the name of the function or
    /// field that sets it.
    Owner(&'static str),
}

/// A `Watch`, with the request options that its methods set.
pub(super) struct Watched {
    /// The watched type; `None` if the compiler infers it, or if it is unknown (`in_macro`).
    pub(super) kind: Option<Type>,
    /// The module in which the path `kind` is resolved.
    pub(super) module: ModuleId,
    pub(super) namespaces: Namespaces,
    /// Name of the object that a field selector with `metadata.name` selects.
    pub(super) object: Option<String>,
    /// True for the argument of `Controller::watching`, which replaces the watch implied by the
    /// reconciler's `type Object`.
    pub(super) of_reconciler: bool,
    /// True if the watch is in a macro call whose input is not a list of expressions, so that the
    /// watched type is unknown.
    pub(super) in_macro: bool,
}

/// The objects of a `StorageMigration`.
pub(super) struct Migrated {
    /// The migrated type; `None` if the compiler infers it, or if it is unknown (`in_macro`).
    pub(super) kind: Option<Type>,
    /// The module in which the path `kind` is resolved.
    pub(super) module: ModuleId,
    /// As for [`Watched`].
    pub(super) in_macro: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Namespaces {
    All,
    Only(BTreeSet<String>),
    /// Known only at run time.
    Computed,
}

/// Returns the declarations of an item in source order, without those of functions, methods and
/// impls in `#[cfg(test)]`.
pub(super) fn find_declarations(
    item: &Item,
    names: &RuntimeTypes<'_, '_>,
) -> Vec<LocatedDeclaration> {
    let mut finder = Finder {
        names,
        found: Vec::new(),
        of_reconciler: false,
    };
    finder.visit_item(item);
    finder.found
}

struct Finder<'n, 's, 'a> {
    names: &'n RuntimeTypes<'s, 'a>,
    found: Vec<LocatedDeclaration>,
    of_reconciler: bool,
}

impl Finder<'_, '_, '_> {
    fn add(&mut self, span: Span, declaration: Declaration) {
        self.found.push(LocatedDeclaration { span, declaration });
    }

    /// Adds the watch that `function` constructs, with the options that `methods` set. Returns
    /// false if the function is not a constructor of `Watch`.
    fn add_watch(&mut self, function: &Expr, methods: &[&ExprMethodCall]) -> bool {
        let Expr::Path(path) = function else {
            return false;
        };
        let Some((ty, name)) = type_of_function(path) else {
            return false;
        };
        if !WATCH_CONSTRUCTORS.contains(&name.as_str()) {
            return false;
        }
        let Some((kind, module)) = self.names.argument_of("Watch", &ty) else {
            return false;
        };
        let of_reconciler = self.of_reconciler;
        // A watch in another cluster needs no permissions in this cluster.
        if methods.iter().all(|call| call.method != "in_cluster") {
            let watched = Watched {
                kind,
                module,
                namespaces: self.namespaces(methods),
                object: selected_object_name(methods),
                of_reconciler,
                in_macro: false,
            };
            self.add(path.span(), Declaration::Watch(watched));
        }
        true
    }

    /// Adds the storage migration that `path` constructs, if it is a constructor of
    /// `StorageMigration`.
    fn add_migration(&mut self, path: &syn::ExprPath) {
        let constructed = type_of_function(path);
        let Some((ty, name)) = constructed else {
            return;
        };
        if MIGRATION_CONSTRUCTORS.contains(&name.as_str())
            && let Some((kind, module)) = self.names.argument_of("StorageMigration", &ty)
        {
            let migrated = Migrated {
                kind,
                module,
                in_macro: false,
            };
            self.add(path.span(), Declaration::Migration(migrated));
        }
    }

    /// Returns the namespaces that result from the calls of `namespaces` and `all_namespaces`, in
    /// call order.
    fn namespaces(&self, methods: &[&ExprMethodCall]) -> Namespaces {
        let mut namespaces = Namespaces::All;
        for call in methods {
            if call.method == "all_namespaces" {
                namespaces = Namespaces::All;
            } else if call.method == "namespaces" {
                let added = call
                    .args
                    .first()
                    .and_then(|list| self.string_constants(list));
                namespaces = match (namespaces, added) {
                    (Namespaces::Only(mut known), Some(added)) => {
                        known.extend(added);
                        Namespaces::Only(known)
                    }
                    (Namespaces::All, Some(added)) => Namespaces::Only(added),
                    _ => Namespaces::Computed,
                };
            }
        }
        namespaces
    }

    /// Strings of an array of literals and constants; `None` for any other expression.
    fn string_constants(&self, list: &Expr) -> Option<BTreeSet<String>> {
        match list {
            Expr::Reference(list) => self.string_constants(&list.expr),
            Expr::Array(list) => list
                .elems
                .iter()
                .map(|one| self.string_constant(one))
                .collect(),
            _ => None,
        }
    }

    fn string_constant(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            Expr::Path(path) => {
                let RuntimeTypes { module, paths, .. } = self.names;
                match paths.find_value(*module, &path.path)? {
                    Found::Item(_, Item::Const(constant)) => match &*constant.expr {
                        Expr::Lit(_) => self.string_constant(&constant.expr),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_, '_, '_> {
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if item.attrs.iter().any(is_cfg_test) {
            return;
        }
        let of_trait = item.trait_.as_ref();
        if of_trait.is_some_and(|(path, _)| self.names.is(path, "Reconciler")) {
            for part in &item.items {
                if let ImplItem::Type(part) = part
                    && part.ident == "Object"
                {
                    self.add(part.ty.span(), Declaration::Object(part.ty.clone()));
                }
            }
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !item.attrs.iter().any(is_cfg_test) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !item.attrs.iter().any(is_cfg_test) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if call.method == "recorder" {
            self.add(call.method.span(), Declaration::Events("recorder"));
        } else if call.method == "refuse" && call.args.len() == 3 && !is_self(&call.receiver) {
            self.add(call.method.span(), Declaration::Events("refuse"));
        } else if call.method == "apply_owned" {
            self.add(call.method.span(), Declaration::Owner("apply_owned"));
        }
        let (methods, root) = split_call_chain(call);
        if let Expr::Call(constructor) = root
            && self.add_watch(&constructor.func, &methods)
        {
            let arguments = methods.iter().flat_map(|call| &call.args);
            for argument in arguments.chain(&constructor.args) {
                self.visit_expr(argument);
            }
            return;
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let function = match &*call.func {
            Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        match function.as_deref() {
            Some("set_controller_reference") => {
                self.add(
                    call.func.span(),
                    Declaration::Owner("set_controller_reference"),
                );
            }
            Some("watching") => {
                if let Some(watch) = call.args.first() {
                    self.of_reconciler = true;
                    self.visit_expr(watch);
                    self.of_reconciler = false;
                }
                call.args
                    .iter()
                    .skip(1)
                    .for_each(|other| self.visit_expr(other));
                return;
            }
            _ => {}
        }
        if self.add_watch(&call.func, &[]) {
            call.args
                .iter()
                .for_each(|argument| self.visit_expr(argument));
        } else {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.add_migration(path);
        visit::visit_expr_path(self, path);
    }

    /// Finds constructors that are passed as functions, such as `map(Watch::<Pod>::default)`.
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if !(matches!(expr, Expr::Path(_)) && self.add_watch(expr, &[])) {
            visit::visit_expr(self, expr);
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if let Member::Named(name) = &field.member
            && name == "block_owner_deletion"
            && is_some_true(&field.expr)
        {
            self.add(name.span(), Declaration::Owner("block_owner_deletion"));
        }
        visit::visit_field_value(self, field);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        match call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            Ok(arguments) => arguments
                .iter()
                .for_each(|argument| self.visit_expr(argument)),
            Err(_) => {
                if let Some(span) = find_function_of("Watch", call.tokens.clone()) {
                    let watched = Watched {
                        kind: None,
                        module: self.names.module,
                        namespaces: Namespaces::All,
                        object: None,
                        of_reconciler: false,
                        in_macro: true,
                    };
                    self.add(span, Declaration::Watch(watched));
                }
                if let Some(span) = find_function_of("StorageMigration", call.tokens.clone()) {
                    let migrated = Migrated {
                        kind: None,
                        module: self.names.module,
                        in_macro: true,
                    };
                    self.add(span, Declaration::Migration(migrated));
                }
            }
        }
    }
}

/// Methods of a call chain in call order, and the expression that the chain begins with.
fn split_call_chain(call: &ExprMethodCall) -> (Vec<&ExprMethodCall>, &Expr) {
    let (mut methods, mut receiver) = (vec![call], &*call.receiver);
    while let Expr::MethodCall(call) = receiver {
        methods.push(call);
        receiver = &call.receiver;
    }
    methods.reverse();
    (methods, receiver)
}

/// Object name in `.fields("metadata.name=settings")`.
fn selected_object_name(methods: &[&ExprMethodCall]) -> Option<String> {
    let mut fields = methods.iter().filter(|call| call.method == "fields");
    fields.find_map(|call| match call.args.first()? {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => {
                let text = text.value();
                let mut terms = text.split(',');
                let name = terms.find_map(|term| term.strip_prefix("metadata.name="))?;
                Some(name.trim_start_matches('=').to_owned())
            }
            _ => None,
        },
        _ => None,
    })
}

fn is_self(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident("self"))
}

fn is_some_true(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else {
        return false;
    };
    let is_some = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some"));
    let value = call.args.first();
    let is_true = |value: &Expr| matches!(value, Expr::Lit(literal) if matches!(&literal.lit, Lit::Bool(lit) if lit.value));
    is_some && value.is_some_and(is_true)
}

/// Location of a type among tokens, in front of `::`.
fn find_function_of(ty: &str, tokens: TokenStream) -> Option<Span> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                if let Some(span) = find_function_of(ty, group.stream()) {
                    return Some(span);
                }
            }
            TokenTree::Ident(name) if name == ty => {
                if matches!(tokens.peek(), Some(TokenTree::Punct(colon)) if colon.as_char() == ':')
                {
                    return Some(name.span());
                }
            }
            _ => {}
        }
    }
    None
}

/// Lookup of runtime types by their paths in `module`.
pub(super) struct RuntimeTypes<'s, 'a> {
    pub(super) module: ModuleId,
    pub(super) sources: &'s Sources,
    pub(super) paths: &'s Paths<'a>,
}

/// Result of the lookup of a path.
enum Meaning<'a> {
    /// An item of another crate, or a path that does not resolve. The text is the last name of the
    /// path.
    Foreign(String),
    /// A type alias in this crate: its module and the type that it stands for.
    Alias(ModuleId, &'a Type),
    /// Any other item of this crate.
    Own,
}

impl RuntimeTypes<'_, '_> {
    /// True if the path resolves to the trait or type `name` of another crate.
    pub(super) fn is(&self, path: &syn::Path, name: &str) -> bool {
        let meaning = self.meaning(self.module, path);
        matches!(meaning, Some(Meaning::Foreign(found)) if found == name)
    }

    /// Returns `K` of a path to a type of another crate, such as `Watch<K>`, and the module that
    /// names `K`. `K` is `None` for a path without an argument.
    pub(super) fn argument_of(
        &self,
        name: &str,
        path: &syn::Path,
    ) -> Option<(Option<Type>, ModuleId)> {
        match self.meaning(self.module, path)? {
            Meaning::Foreign(found) if found == name => {
                Some((first_type_argument(path), self.module))
            }
            Meaning::Alias(module, Type::Path(alias)) => match self.meaning(module, &alias.path)? {
                Meaning::Foreign(found) if found == name => {
                    Some((first_type_argument(&alias.path), module))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn meaning(&self, module: ModuleId, path: &syn::Path) -> Option<Meaning<'_>> {
        let wanted = PathLookup::new(module, path, Namespace::Types);
        match self.paths.look_up(&wanted, Reach::Everywhere) {
            Some(Target::Item(id, item)) if self.sources[id.module].krate == CrateId::OWN => {
                match item {
                    Item::Type(alias) => Some(Meaning::Alias(id.module, &alias.ty)),
                    _ => Some(Meaning::Own),
                }
            }
            Some(Target::Unloaded(module)) if is_in_own_crate(self.sources, module) => {
                self.paths.want(wanted);
                None
            }
            Some(Target::Foreign(path)) => path.last().cloned().map(Meaning::Foreign),
            // Other crates are not loaded for this lookup, so their re-exports are not followed.
            // The last name of the path decides.
            _ => match self.paths.look_up(&wanted, Reach::Api) {
                Some(Target::Foreign(path)) => path.last().cloned().map(Meaning::Foreign),
                _ => wanted.segments.last().cloned().map(Meaning::Foreign),
            },
        }
    }
}

/// First type argument other than `_` of a path's last segment.
fn first_type_argument(path: &syn::Path) -> Option<Type> {
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else {
        return None;
    };
    let mut arguments = arguments.args.iter();
    arguments.find_map(|argument| match argument {
        GenericArgument::Type(ty) if !matches!(ty, Type::Infer(_)) => Some(ty.clone()),
        _ => None,
    })
}

/// Splits a path such as `Watch::<Pod>::new` into its type and the function's name.
fn type_of_function(path: &syn::ExprPath) -> Option<(syn::Path, String)> {
    let name = bare_name(&path.path.segments.last()?.ident);
    if let Some(written) = &path.qself {
        let Type::Path(ty) = &*written.ty else {
            return None;
        };
        return (written.position == 0).then(|| (ty.path.clone(), name));
    }
    let mut ty = path.path.clone();
    ty.segments.pop();
    ty.segments.pop_punct();
    (!ty.segments.is_empty()).then_some((ty, name))
}
