//! Schemas of types with hand-written code: functions of `schema_with`, and implementations of
//! `JsonSchema` and `Serialize`.
//!
//! No code is run. Literals, schemas of other types, and statements that change a schema are
//! evaluated. If the code has any other statement or expression, the schema is unknown. Code for
//! schemars 0.8 and for 1 is supported.

mod normal;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use genclient_schema::definition::structural_errors;
use genclient_syntax::{JsonType, Problems, Spanned, TypeAttrs, derives};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use serde_json::{Map, Value, json};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Block, Expr, ExprCall, ExprIf, ExprMethodCall, ExprStruct, FnArg, GenericArgument,
    GenericParam, Generics, ImplItem, ImplItemFn, Item, ItemImpl, Lit, LitStr, Local, Member, Pat,
    PathArguments, Signature, Stmt, Token, Type, UseTree,
};

use super::types::{self, Argument};
use super::{FieldSchema, Parameters, Resolver, evaluate};
use crate::diagnostic::Diagnostic;
use crate::lookup::{self, PathLookup, Reach, Target};
use crate::model::Schema;
use crate::resolve::kind::attributes;
use crate::resolve::paths::{self, Found};
use crate::sources::{DefId, ModuleId, Namespace, bare_name};
use normal::SeveralTypes;

/// A function that builds a schema.
struct SchemaFunction<'a> {
    pub(super) module: ModuleId,
    /// The `Self` type.
    pub(super) this: Option<(DefId, &'a Item)>,
    /// Arguments for the generic parameters of the `Self` type.
    pub(super) parameters: Parameters,
    pub(super) signature: &'a Signature,
    pub(super) block: &'a Block,
}

impl<'a> Resolver<'a, '_> {
    /// Returns the schema that a function builds. If the source does not determine the schema,
    /// returns `None` and discards the findings and cached types of the evaluation.
    fn schema_of(&mut self, function: &SchemaFunction<'a>) -> Option<Schema> {
        let mark = self.sink.mark();
        let items: BTreeSet<_> = self.shared.items.keys().copied().collect();
        let read = self.shared.read.clone();
        // A schema that is not structural counts as unknown: kube rewrites some such schemas, and
        // the API server refuses the others.
        let schema = self
            .value_of_function(function)
            .and_then(normal::parse_schema)
            .map(|schema| self.merge_built(schema, function))
            .filter(|schema| structural_errors(schema).is_empty());
        if schema.is_none() {
            self.sink.rewind(mark);
            self.shared.items.retain(|key, _| items.contains(key));
            self.shared.read = read;
        }
        schema
    }

    /// Merges the alternatives of a schema. If they have several types, the result accepts any
    /// value.
    fn merge_built(&mut self, schema: Schema, function: &SchemaFunction<'a>) -> Schema {
        match normal::merge_alternatives(schema) {
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
    fn schema_function(&mut self, path: &syn::Path) -> Option<SchemaFunction<'a>> {
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
        if let Some(function) =
            beside.and_then(|ty| self.find_associated_function(self.module, &ty, &name))
        {
            return Some(function);
        }
        match self.paths.find_value(self.module, path) {
            Some(Found::Item(id, Item::Fn(function))) => {
                let name = bare_name(&function.sig.ident);
                let all = self
                    .sources
                    .items_named(id.module, &name, Namespace::Values);
                // Several functions of one name are for different `cfg`s.
                (all.count() == 1).then(|| SchemaFunction {
                    module: id.module,
                    this: None,
                    parameters: Parameters::default(),
                    signature: &function.sig,
                    block: &function.block,
                })
            }
            _ => match self.paths.find(self.module, &above)? {
                Found::Item(id, item) => {
                    self.find_associated_function(id.module, &paths::item_name(item)?, &name)
                }
                _ => None,
            },
        }
    }

    /// Looks up a function in an inherent `impl` of a type, in the type's module.
    fn find_associated_function(
        &self,
        module: ModuleId,
        ty: &str,
        name: &str,
    ) -> Option<SchemaFunction<'a>> {
        let source_module = &self.sources[module];
        let this = self
            .sources
            .items_named(module, ty, Namespace::Types)
            .next();
        let is_of_type = |block: &&ItemImpl| match &*block.self_ty {
            Type::Path(this) => this.path.is_ident(ty) && block.trait_.is_none(),
            _ => false,
        };
        let blocks = source_module.items.iter().filter_map(|item| match item {
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
            FunctionBody::new(function, resolver)?.run(function.block)
        });
        self.functions -= 1;
        value
    }
}

impl<'r, 'a, 'b> FunctionBody<'r, 'a, 'b> {
    /// Creates the state for a function; `None` if a parameter is not a schema generator.
    fn new(function: &SchemaFunction<'a>, resolver: &'r mut Resolver<'a, 'b>) -> Option<Self> {
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
        let declared: Vec<String> = block
            .stmts
            .iter()
            .filter_map(|statement| match statement {
                Stmt::Local(local) => Some(name_of(&local.pat)),
                _ => None,
            })
            .collect::<Option<_>>()?;
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
        } else if is_borrowed(&init.expr) {
            LocalVariable::Part(self.variable_part(&init.expr)?)
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
        let is_object =
            ["Some", "Schema::Object"].contains(&last_two_segments(&pattern.path).as_str());
        let name = name_of(pattern.elems.first()?)?;
        let part = self.variable_part(&bound.expr)?;
        let holds = is_object && condition.else_branch.is_none() && self.at(&part)?.is_object();
        if !holds || self.variables.contains_key(&name) {
            return None;
        }
        self.variables
            .insert(name.clone(), LocalVariable::Part(part));
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
fn only_function<'a>(
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

impl<'a> Resolver<'a, '_> {
    /// Returns the schema that the function builds. If its source does not determine the schema,
    /// reports the function and returns an unknown schema.
    pub(super) fn schema_of_function(&mut self, function: &Spanned<String>) -> Schema {
        if let Some(schema) = self.written_in(function) {
            return schema;
        }
        // schemars has the macro since 1.0.
        let literal = if self.sources.has_old_schemars {
            "serde_json::from_value(json!({ .. })).unwrap()"
        } else {
            "json_schema!({ .. })"
        };
        let help = format!(
            "return only `{literal}` from it, or give the schema: {}",
            self.stating()
        );
        self.report(
            &function.span,
            format!(
                "the schema that `{}` returns is known only at run time",
                function.value
            ),
            help,
        );
        Schema::default()
    }

    fn written_in(&mut self, function: &Spanned<String>) -> Option<Schema> {
        let path = LitStr::new(&function.value, function.span).parse().ok()?;
        let function = self.schema_function(&path)?;
        self.schema_of(&function)
    }

    /// Returns the schema of a kube kind's type with a hand-written `JsonSchema`, if the
    /// source of that impl determines it.
    pub(super) fn hand_written_schema(
        &mut self,
        (id, item): (DefId, &'a Item),
        arguments: &[Argument],
    ) -> Option<FieldSchema> {
        let is_derived = |name: &&str| derives(attributes(item), name);
        let is_of_kube = self.from_kube && !["JsonSchema", "CrdSchema"].iter().any(is_derived);
        let name = paths::item_name(item).filter(|_| is_of_kube)?;
        let (block_module, implementation) = self.implementation("JsonSchema", id.module, &name)?;
        let generics = types::generics_of(item);
        if !has_parameters_of(&implementation.self_ty, generics) {
            return None;
        }
        let function = only_function(&implementation.items, "json_schema")?;
        let parameters = self.within(id.module, |resolver| {
            resolver.bind(generics, arguments.to_vec());
            mem::take(&mut resolver.parameters)
        });
        let function = SchemaFunction {
            module: block_module,
            this: Some((id, item)),
            parameters,
            signature: &function.sig,
            block: &function.block,
        };
        self.schema_of(&function).map(FieldSchema::new)
    }
}

/// True if `this`, the type of an `impl`, names the parameters as its definition does, such as
/// `Name<A, B>` for `struct Name<A, B>`. Such an `impl` applies to every use of the type, unlike
/// one for `Name<u8, u8>`.
fn has_parameters_of(this: &Type, generics: Option<&Generics>) -> bool {
    let Type::Path(path) = this else { return false };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    let written = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .map(|argument| argument.to_token_stream().to_string())
            .collect(),
        _ => Vec::new(),
    };
    generics
        .into_iter()
        .flat_map(|generics| &generics.params)
        .map(|parameter| match parameter {
            GenericParam::Type(parameter) => parameter.ident.to_string(),
            GenericParam::Const(parameter) => parameter.ident.to_string(),
            GenericParam::Lifetime(parameter) => parameter.lifetime.to_string(),
        })
        .eq(written)
}

/// The trait that determines the JSON form of a type. A hand-written `impl` does not show this
/// form.
const SERIALIZE_TRAIT: &str = "Serialize";

impl<'a> Resolver<'a, '_> {
    /// Reports a type whose `Serialize` is or may be hand-written, unless attributes of the type
    /// state its JSON form. Returns true if the type is reported.
    pub(super) fn is_hand_written(
        &mut self,
        item: &Item,
        (module, name): &(ModuleId, String),
        path: &syn::Path,
    ) -> bool {
        let attrs: &[Attribute] = match item {
            Item::Struct(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            _ => return false,
        };
        let at = || self.locate(path);
        let shown = || paths::display(path);
        let finding = if let Some((block_module, implementation)) =
            self.implementation(SERIALIZE_TRAIT, *module, name)
        {
            Diagnostic::error(format!(
                "cannot determine the schema of `{}`: it implements `Serialize` by hand",
                shown()
            ))
            .at(at())
            .label(
                self.sources[block_module].locate(implementation.self_ty.as_ref()),
                "`Serialize` is implemented here",
            )
        } else if !derives_serialize(attrs) && self.must_derive_serialize(*module, attrs) {
            Diagnostic::error(format!(
                "cannot determine the schema of `{}`: it does not derive `Serialize`",
                shown()
            ))
            .at(at())
        } else {
            return false;
        };
        if states_json_form(item) {
            return false;
        }
        let definition = self.paths.definition(*module, name);
        let help = self.stated_instead(&definition);
        self.sink.push(finding.help(help));
        true
    }

    /// Returns the `impl` of the trait `of` for a type, in the loaded modules of its crate.
    ///
    /// There may be several, for different `cfg`s. For `Serialize`, the first is returned, since
    /// the caller only reports that there is one. For any other trait, `None` is returned, since
    /// the caller evaluates the code of the `impl`.
    fn implementation(
        &self,
        of: &str,
        module: ModuleId,
        name: &str,
    ) -> Option<(ModuleId, &'a ItemImpl)> {
        let krate = self.sources[module].krate;
        let modules = self
            .sources
            .modules()
            .filter(|(_, candidate)| candidate.krate == krate);
        let mut found = modules.flat_map(|(at, candidate)| {
            let blocks = candidate
                .trait_impls
                .iter()
                .filter_map(|index| match &candidate.items[*index] {
                    Item::Impl(block) => Some(block),
                    _ => None,
                })
                .filter(|block| implements(block, of));
            blocks.filter_map(move |block| {
                self.is_for(at, block, module, name).then_some((at, block))
            })
        });
        let first = found.next()?;
        (of == SERIALIZE_TRAIT || found.next().is_none()).then_some(first)
    }

    fn is_for(&self, at: ModuleId, item: &ItemImpl, module: ModuleId, name: &str) -> bool {
        let Type::Path(ty) = item.self_ty.as_ref() else {
            return false;
        };
        let wanted = PathLookup::new(at, &ty.path, Namespace::Types);
        match self.paths.look_up(&wanted, Reach::Everywhere) {
            Some(Target::Item(id, item)) => {
                id.module == module && lookup::type_name(item).as_deref() == Some(name)
            }
            Some(Target::Unloaded(module)) if lookup::is_in_own_crate(self.sources, module) => {
                self.paths.want(wanted);
                false
            }
            _ => false,
        }
    }

    /// True if a type must have `#[derive(Serialize)]`, because a search for an `impl` can miss it.
    /// Outside the API types, an unloaded file may contain the `impl`. Anywhere, a derive such as
    /// `Serialize_repr` may generate the `impl`.
    fn must_derive_serialize(&self, module: ModuleId, attrs: &[Attribute]) -> bool {
        !self.sources[module].is_api
            || derive_identifiers(attrs).any(|name| name.starts_with("Serialize"))
    }
}

fn implements(block: &ItemImpl, name: &str) -> bool {
    let of = block.trait_.as_ref().and_then(|(of, _)| of.segments.last());
    of.is_some_and(|of| of.ident == name)
}

fn states_json_form(item: &Item) -> bool {
    // Errors in the attributes are reported when the type is read.
    let problems = &mut Problems::new();
    let attrs = match item {
        Item::Struct(item) => TypeAttrs::of_struct(item, problems),
        Item::Enum(item) => TypeAttrs::of_enum(item, problems),
        _ => return false,
    };
    let type_ = attrs.schema.json_type.as_ref().map(|type_| type_.value);
    attrs.schema.replaces_type() || type_.is_some_and(|type_| type_ != JsonType::Object)
}

fn derives_serialize(attrs: &[Attribute]) -> bool {
    derive_identifiers(attrs).any(|name| name == "Serialize")
}

/// Identifiers in the derives, including those in `cfg_attr`.
fn derive_identifiers(attrs: &[Attribute]) -> impl Iterator<Item = String> {
    let lists = attrs.iter().filter_map(|attr| {
        let list = attr.meta.require_list().ok()?;
        let derives = attr.path().is_ident("derive")
            || attr.path().is_ident("cfg_attr") && has_derive(&list.tokens);
        derives.then(|| list.tokens.clone())
    });
    lists.flat_map(collect_identifiers)
}

fn has_derive(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    tokens.any(|token| matches!(token, TokenTree::Ident(word) if word == "derive"))
}

fn collect_identifiers(tokens: TokenStream) -> Vec<String> {
    let all = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(word) => vec![word.to_string()],
        TokenTree::Group(group) => collect_identifiers(group.stream()),
        _ => Vec::new(),
    });
    all.flatten().collect()
}

enum LocalVariable {
    /// schemars' generator, with settings that do not affect structural schemas.
    Generator,
    /// A schema, or another JSON value.
    Value(Value),
    /// A mutable borrow of a part of another variable.
    Part(VariablePart),
}

struct FunctionBody<'r, 'a, 'b> {
    resolver: &'r mut Resolver<'a, 'b>,
    this: Option<(DefId, &'a Item)>,
    variables: BTreeMap<String, LocalVariable>,
    /// Names imported in the body.
    names: BTreeSet<String>,
}

/// A part of a variable: the value that is reached from the variable by `keys`.
#[derive(Clone)]
struct VariablePart {
    variable: String,
    keys: Vec<String>,
}

impl FunctionBody<'_, '_, '_> {
    /// True if code mentions a local variable or an import of the body.
    fn is_of_body(&self, code: &impl ToTokens) -> bool {
        self.mentions(code.to_token_stream())
    }

    fn mentions(&self, tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(name) => {
                let name = name.to_string();
                self.variables.contains_key(&name) || self.names.contains(&name)
            }
            TokenTree::Group(group) => self.mentions(group.stream()),
            _ => false,
        })
    }
}

/// Name that a pattern binds.
fn name_of(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(name) if name.subpat.is_none() => Some(name.ident.to_string()),
        Pat::Type(typed) => name_of(&typed.pat),
        _ => None,
    }
}

/// Last two segments of a path.
fn last_two_segments(path: &syn::Path) -> String {
    let mut names: Vec<_> = path
        .segments
        .iter()
        .rev()
        .take(2)
        .map(|segment| segment.ident.to_string())
        .collect();
    names.reverse();
    names.join("::")
}

/// True for a statement or a field with `cfg` or `cfg_attr`.
fn is_conditional(code: &impl ToTokens) -> bool {
    let mut tokens = code.to_token_stream().into_iter();
    while let (Some(TokenTree::Punct(mark)), Some(TokenTree::Group(attribute))) =
        (tokens.next(), tokens.next())
        && mark.as_char() == '#'
    {
        if let Some(TokenTree::Ident(name)) = attribute.stream().into_iter().next()
            && (name == "cfg" || name == "cfg_attr")
        {
            return true;
        }
    }
    false
}

/// Methods that do not change their receiver's JSON form.
const TRANSPARENT_METHODS: [&str; 10] = [
    "clone",
    "collect",
    "expect",
    "into",
    "into_iter",
    "into_object",
    "to_owned",
    "to_value",
    "try_into",
    "unwrap",
];

/// Functions that do not change their argument's JSON form.
const TRANSPARENT_FUNCTIONS: [&str; 21] = [
    "Box::new",
    "BTreeMap::from",
    "BTreeMap::from_iter",
    "BTreeSet::from",
    "BTreeSet::from_iter",
    "Map::from_iter",
    "Schema::Object",
    "Schema::from",
    "Schema::try_from",
    "SingleOrVec::Single",
    "SingleOrVec::Vec",
    "SingleOrVec::from",
    "Some",
    "String::from",
    "TryFrom::try_from",
    "Value::Array",
    "Value::Bool",
    "Value::Number",
    "Value::String",
    "Value::from",
    "serde_json::from_value",
];

impl FunctionBody<'_, '_, '_> {
    /// Evaluates an expression that is a schema or another JSON value.
    fn value(&mut self, value: &Expr) -> Option<Value> {
        match value {
            Expr::Macro(call) if call.mac.path.is_ident("vec") => {
                let items = call
                    .mac
                    .parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
                self.list(&items.ok()?)
            }
            Expr::Macro(call) => self
                .json(&call.mac)
                .or_else(|| self.evaluate_constant(value)),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if self.variables.contains_key(&name.to_string()) => {
                    match &self.variables[&name.to_string()] {
                        LocalVariable::Generator => None,
                        LocalVariable::Value(value) => Some(value.clone()),
                        LocalVariable::Part(part) => self.at(part).cloned(),
                    }
                }
                _ => instance_type(&path.path).or_else(|| self.evaluate_constant(value)),
            },
            Expr::Paren(inner) => self.value(&inner.expr),
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Reference(inner) => self.value(&inner.expr),
            Expr::Block(inner) => self.block(&inner.block),
            Expr::Array(list) => self.list(&list.elems),
            Expr::Tuple(parts) => parts.elems.iter().map(|part| self.value(part)).collect(),
            Expr::Struct(literal) if is_old_schema(&literal.path) => self.object(literal),
            // The field `schema` of a `RootSchema` is the schema itself.
            Expr::Field(field) if is_member(&field.member, "schema") => self.value(&field.base),
            Expr::MethodCall(call) => self.method(call).or_else(|| self.evaluate_constant(value)),
            Expr::Call(call) => self.call(call).or_else(|| self.evaluate_constant(value)),
            value => self.evaluate_constant(value),
        }
    }

    /// Evaluates a list; `None` if an item has a `cfg`.
    fn list(&mut self, items: &Punctuated<Expr, Token![,]>) -> Option<Value> {
        if items.iter().any(is_conditional) {
            return None;
        }
        items.iter().map(|item| self.value(item)).collect()
    }

    /// Evaluates an expression that uses no variables or imports of the function body.
    fn evaluate_constant(&self, value: &Expr) -> Option<Value> {
        let is_alone = !self.is_of_body(value);
        is_alone
            .then(|| self.resolver.value_in(value, self.this))
            .flatten()
    }

    /// Evaluates `json!(..)` or `json_schema!(..)`.
    fn json(&mut self, call: &syn::Macro) -> Option<Value> {
        let name = &call.path.segments.last()?.ident;
        let is_json = name == "json" || name == "json_schema";
        is_json
            .then(|| evaluate::evaluate_json_macro(&call.tokens, &mut |value| self.value(value)))
            .flatten()
    }

    /// Evaluates a method call: `generator.subschema_for::<T>()`, or a conversion.
    fn method(&mut self, call: &ExprMethodCall) -> Option<Value> {
        let name = call.method.to_string();
        if TRANSPARENT_METHODS.contains(&name.as_str()) {
            let converts = name == "into" || name == "try_into";
            // The result of `into` on a type of the user is unknown.
            return match &*call.receiver {
                Expr::Path(path) if converts && is_variant(&path.path) => None,
                Expr::Call(inner) if converts => self.call(inner),
                receiver => self.value(receiver),
            };
        }
        let makes_one = ["subschema_for", "root_schema_for", "into_root_schema_for"];
        let argument = call.turbofish.as_ref()?.args.first()?;
        match argument {
            GenericArgument::Type(ty)
                if makes_one.contains(&name.as_str()) && self.is_generator(&call.receiver) =>
            {
                self.schema_of_type(ty)
            }
            _ => None,
        }
    }

    /// Evaluates a call: `String::json_schema(generator)`, `Schema::Object(object)`, or another
    /// function.
    fn call(&mut self, call: &ExprCall) -> Option<Value> {
        let Expr::Path(function) = &*call.func else {
            return None;
        };
        let (path, first) = (&function.path, call.args.first());
        let last = path.segments.last()?.ident.to_string();
        if last == "json_schema" {
            let ty = match &function.qself {
                Some(this) => (*this.ty).clone(),
                None => type_of_function(path)?,
            };
            return self.schema_of_type(&ty);
        }
        match (last_two_segments(path).as_str(), first) {
            (name, Some(value))
                if TRANSPARENT_FUNCTIONS.contains(&name) && call.args.len() == 1 =>
            {
                self.value(value)
            }
            ("from_value", Some(value)) => self.value(value),
            ("from_str" | "serde_json::from_str", Some(Expr::Lit(text))) => match &text.lit {
                Lit::Str(text) => serde_json::from_str(&text.value()).ok(),
                _ => None,
            },
            ("Schema::Bool", Some(value)) => match self.value(value)? {
                Value::Bool(true) => Some(json!({})),
                _ => None,
            },
            ("Schema::default" | "SchemaObject::default" | "BTreeMap::new" | "Map::new", None) => {
                Some(json!({}))
            }
            ("BTreeSet::new" | "Vec::new", None) => Some(json!([])),
            _ if call.args.iter().all(|argument| self.is_generator(argument)) => {
                let is_own = !self.is_of_body(&function.path);
                let function = is_own
                    .then(|| self.resolver.schema_function(path))
                    .flatten()?;
                self.resolver.value_of_function(&function)
            }
            _ => None,
        }
    }

    /// Returns the schema of a type as JSON.
    fn schema_of_type(&mut self, ty: &Type) -> Option<Value> {
        if self.is_of_body(ty) {
            return None;
        }
        let field_schema = self.resolver.resolve_type(ty);
        serde_json::to_value(field_schema.nullable()).ok()
    }

    /// Evaluates a struct literal of schemars 0.8: `SchemaObject { format: Some(…), .. }`.
    fn object(&mut self, literal: &ExprStruct) -> Option<Value> {
        let rest = literal.rest.as_deref();
        let is_known = rest.is_none_or(|rest| is_default(rest, &literal.path));
        if !is_known || literal.fields.iter().any(is_conditional) {
            return None;
        }
        let mut schema = Map::new();
        for field in &literal.fields {
            let Member::Named(name) = &field.member else {
                return None;
            };
            match old_field(&name.to_string())? {
                OldField::Ignored => {}
                OldField::Key(key) => {
                    schema.insert(key.to_owned(), self.member(key, &field.expr)?);
                }
                OldField::Group if is_none(&field.expr) => {}
                OldField::Group => match self.members(&field.expr)? {
                    Value::Object(members) => schema.extend(members),
                    _ => return None,
                },
            }
        }
        Some(Value::Object(schema))
    }

    /// Evaluates the value of a schema's keyword.
    fn member(&mut self, key: &str, value: &Expr) -> Option<Value> {
        match key {
            _ if is_none(value) => Some(Value::Null),
            "properties" => self.members(value),
            _ => self.value(value),
        }
    }

    /// Evaluates an object. A list of pairs becomes an object as well:
    /// `[("key".to_owned(), json!(true))].into()`.
    fn members(&mut self, value: &Expr) -> Option<Value> {
        match self.value(value)? {
            Value::Array(entries) => {
                let entries = entries.into_iter().map(|entry| match entry {
                    Value::Array(mut pair) if pair.len() == 2 => {
                        let value = pair.pop()?;
                        Some((pair.pop()?.as_str()?.to_owned(), value))
                    }
                    _ => None,
                });
                entries.collect::<Option<Map<_, _>>>().map(Value::Object)
            }
            value => Some(value),
        }
    }

    /// True for schemars' generator, unless its settings affect structural schemas.
    fn is_generator(&self, value: &Expr) -> bool {
        match value {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                let variable = self.variables.get(&name.to_string());
                matches!(variable, Some(LocalVariable::Generator))
            }),
            Expr::Reference(inner) => self.is_generator(&inner.expr),
            Expr::Paren(inner) => self.is_generator(&inner.expr),
            Expr::MethodCall(call) => {
                let is_harmless = match (call.method.to_string().as_str(), call.args.first()) {
                    ("into_generator" | "clone", None) => true,
                    ("with", Some(Expr::Closure(change))) => sets_options(&change.body),
                    ("with_visitor" | "with_transform", Some(Expr::Path(visitor))) => {
                        let last = visitor.path.segments.last();
                        last.is_some_and(|last| last.ident == "StructuralSchemaRewriter")
                    }
                    _ => false,
                };
                is_harmless && self.is_generator(&call.receiver)
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    let name = last_two_segments(&path.path);
                    name.starts_with("SchemaSettings::") || name == "SchemaGenerator::default"
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// True for `SchemaObject` of schemars 0.8, or a struct with some of its members, such as
/// `StringValidation`.
fn is_old_schema(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|last| last.ident.to_string());
    last.is_some_and(|last| {
        matches!(last.as_str(), "SchemaObject" | "Metadata") || last.ends_with("Validation")
    })
}

/// True for a block that sets only harmless options, such as `{ s.inline_subschemas = true; }`.
fn sets_options(body: &Expr) -> bool {
    const OPTIONS: [&str; 3] = ["inline_subschemas", "meta_schema", "option_nullable"];
    let Expr::Block(body) = body else {
        return false;
    };
    body.block.stmts.iter().all(|statement| match statement {
        Stmt::Expr(Expr::Assign(assign), Some(_)) => match &*assign.left {
            Expr::Field(field) => OPTIONS.iter().any(|name| is_member(&field.member, name)),
            _ => false,
        },
        _ => false,
    })
}

/// Returns `"string"` for `InstanceType::String`.
fn instance_type(path: &syn::Path) -> Option<Value> {
    let name = last_two_segments(path);
    let name = name.strip_prefix("InstanceType::")?;
    Some(name.to_lowercase().into())
}

/// True for `Type::Variant`, but not for a constant or a variant of `InstanceType`.
fn is_variant(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|last| last.ident.to_string());
    let is_constant = last.is_some_and(|last| !last.contains(char::is_lowercase));
    path.segments.len() > 1 && !is_constant && instance_type(path).is_none()
}

fn is_member(member: &Member, name: &str) -> bool {
    matches!(member, Member::Named(member) if member == name)
}

/// True for `Default::default()`, and for `SchemaObject::default()` in a literal of a
/// `SchemaObject`.
fn is_default(value: &Expr, this: &syn::Path) -> bool {
    let (Expr::Call(call), Some(this)) = (value, this.segments.last()) else {
        return false;
    };
    let Expr::Path(function) = &*call.func else {
        return false;
    };
    let name = last_two_segments(&function.path);
    name == "Default::default" || name == format!("{}::default", this.ident)
}

fn is_none(value: &Expr) -> bool {
    matches!(value, Expr::Path(path) if path.path.is_ident("None"))
}

/// Returns the type of an associated function: `String` for `String::json_schema`.
fn type_of_function(path: &syn::Path) -> Option<Type> {
    let mut path = path.clone();
    path.segments.pop()?;
    path.segments.pop_punct();
    let is_empty = path.segments.is_empty();
    (!is_empty).then(|| syn::parse_quote!(#path))
}

impl VariablePart {
    fn inside(mut self, key: &str) -> Self {
        self.keys.push(key.to_owned());
        self
    }
}

/// Methods that return the receiver itself, or a struct that groups some of its members.
const RECEIVER_METHODS: [&str; 11] = [
    "array",
    "as_mut",
    "as_object_mut",
    "ensure_object",
    "expect",
    "metadata",
    "number",
    "object",
    "string",
    "subschemas",
    "unwrap",
];

/// Keywords that a schema from here may use differently than schemars' schema of the same type: for
/// an `Option`, for example, schemars may write an `anyOf` with `null`, and the schema from here is
/// `nullable`. Code that changes an existing value of these keywords is not evaluated.
const SHAPE_KEYWORDS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// True for an expression that borrows a variable, or a part of one, mutably.
fn is_borrowed(value: &Expr) -> bool {
    match value {
        Expr::Reference(reference) => reference.mutability.is_some(),
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "expect" | "unwrap" => is_borrowed(&call.receiver),
            name => name == "get_mut" || RECEIVER_METHODS.contains(&name),
        },
        _ => false,
    }
}

impl FunctionBody<'_, '_, '_> {
    /// Returns the part of a variable that an expression refers to. If this is the field
    /// `properties` or `required` of schemars 0.8, and the schema lacks it, adds an empty one.
    fn variable_part(&mut self, value: &Expr) -> Option<VariablePart> {
        match value {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                match self.variables.get(&name)? {
                    LocalVariable::Value(_) => Some(VariablePart {
                        variable: name,
                        keys: Vec::new(),
                    }),
                    LocalVariable::Part(part) => Some(part.clone()),
                    LocalVariable::Generator => None,
                }
            }
            Expr::Paren(inner) => self.variable_part(&inner.expr),
            Expr::Reference(inner) => self.variable_part(&inner.expr),
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "get_mut" => {
                    let key = self.key(call.args.first()?)?;
                    Some(self.variable_part(&call.receiver)?.inside(&key))
                }
                name if RECEIVER_METHODS.contains(&name) => self.variable_part(&call.receiver),
                _ => None,
            },
            Expr::Index(index) => {
                let key = self.key(&index.index)?;
                Some(self.variable_part(&index.expr)?.inside(&key))
            }
            Expr::Field(field) if is_member(&field.member, "schema") => {
                self.variable_part(&field.base)
            }
            Expr::Field(field) => {
                let Member::Named(name) = &field.member else {
                    return None;
                };
                let part = self.variable_part(&field.base)?;
                match old_field(&name.to_string())? {
                    OldField::Group => Some(part),
                    OldField::Key(key) => {
                        let schema = self.at_mut(&part)?.as_object_mut()?;
                        let empty = match key {
                            "properties" => json!({}),
                            "required" => json!([]),
                            _ => return None,
                        };
                        schema.entry(key).or_insert(empty);
                        Some(part.inside(key))
                    }
                    OldField::Ignored => None,
                }
            }
            _ => None,
        }
    }

    fn key(&mut self, value: &Expr) -> Option<String> {
        let key = self.value(value)?.as_str()?.to_owned();
        (!SHAPE_KEYWORDS.contains(&key.as_str())).then_some(key)
    }

    fn at(&self, part: &VariablePart) -> Option<&Value> {
        let LocalVariable::Value(root) = self.variables.get(&part.variable)? else {
            return None;
        };
        let mut keys = part.keys.iter();
        keys.try_fold(root, |value, key| value.get(key))
    }

    fn at_mut(&mut self, part: &VariablePart) -> Option<&mut Value> {
        let LocalVariable::Value(root) = self.variables.get_mut(&part.variable)? else {
            return None;
        };
        let mut keys = part.keys.iter();
        keys.try_fold(root, |value, key| value.get_mut(key))
    }

    /// Applies a statement that changes a schema.
    fn change(&mut self, change: &Expr) -> Option<()> {
        match change {
            Expr::MethodCall(call) if call.method == "insert" => self.insert(call),
            Expr::MethodCall(call) if call.method == "remove" => {
                let key = self.key(call.args.first()?)?;
                let is_old = matches!(&*call.receiver, Expr::Field(_));
                let part = self.variable_part(&call.receiver).filter(|_| !is_old)?;
                self.at_mut(&part)?.as_object_mut()?.remove(&key);
                Some(())
            }
            Expr::Assign(assign) => self.assign(&assign.left, &assign.right),
            _ => None,
        }
    }

    /// Applies `schema.insert("key".into(), value)` or `required.insert("name".into())`.
    fn insert(&mut self, call: &ExprMethodCall) -> Option<()> {
        let part = self.variable_part(&call.receiver)?;
        let mut arguments = call.args.iter();
        let (first, second) = (self.value(arguments.next()?)?, arguments.next());
        let second = match second {
            Some(value) => Some(self.value(value)?),
            None => None,
        };
        match (self.at_mut(&part)?, second) {
            (Value::Object(members), Some(value)) => {
                let key = first.as_str()?;
                if SHAPE_KEYWORDS.contains(&key) && members.contains_key(key) {
                    return None;
                }
                members.insert(key.to_owned(), value);
            }
            (Value::Array(items), None) if items.contains(&first) => {}
            (Value::Array(items), None) => items.push(first),
            _ => return None,
        }
        Some(())
    }

    /// Applies an assignment: `schema.format = Some("date".to_owned())`,
    /// `schema["items"] = json!({ .. })`.
    fn assign(&mut self, left: &Expr, right: &Expr) -> Option<()> {
        let (part, key) = match left {
            Expr::Index(index) => (self.variable_part(&index.expr)?, self.key(&index.index)?),
            Expr::Field(field) => {
                let Member::Named(name) = &field.member else {
                    return None;
                };
                let part = self.variable_part(&field.base)?;
                match old_field(&name.to_string())? {
                    OldField::Ignored => return is_literal(right).then_some(()),
                    OldField::Key(key) => (part, key.to_owned()),
                    // An assignment such as `schema.string = ..` replaces all members of the group.
                    // A schema does not record which of its members are in which group. So the
                    // assignment is evaluated only if nothing can be replaced: the schema has no
                    // members but `type` and `format`, which are in no group.
                    OldField::Group => {
                        let Value::Object(members) = self.members(right)? else {
                            return None;
                        };
                        let schema = self.at_mut(&part)?.as_object_mut()?;
                        let is_first = schema.keys().all(|key| key == "type" || key == "format");
                        return is_first.then(|| schema.extend(members));
                    }
                }
            }
            _ => return None,
        };
        let value = self.member(&key, right)?;
        let schema = self.at_mut(&part)?.as_object_mut()?;
        if SHAPE_KEYWORDS.contains(&key.as_str()) && schema.contains_key(&key) {
            return None;
        }
        schema.insert(key, value);
        Some(())
    }
}

fn is_literal(value: &Expr) -> bool {
    matches!(value, Expr::Lit(literal) if !matches!(literal.lit, Lit::Verbatim(_)))
}

/// Form of a field in JSON.
enum OldField {
    /// A member of the schema.
    Key(&'static str),
    /// A struct or map of further members of the schema.
    Group,
    /// A keyword that CRDs do not have.
    Ignored,
}

/// Returns the form of a field; `None` for a field that cannot be converted for a CRD.
fn old_field(name: &str) -> Option<OldField> {
    Some(match name {
        "array" | "extensions" | "metadata" | "number" | "object" | "string" | "subschemas" => {
            OldField::Group
        }
        "deprecated" | "examples" | "id" | "read_only" | "unique_items" | "write_only" => {
            OldField::Ignored
        }
        name => OldField::Key(
            KEYS_OF_OLD_FIELDS
                .iter()
                .find(|(field, _)| *field == name)?
                .1,
        ),
    })
}

const KEYS_OF_OLD_FIELDS: [(&str, &str); 23] = [
    ("additional_properties", "additionalProperties"),
    ("all_of", "allOf"),
    ("any_of", "anyOf"),
    ("const_value", "const"),
    ("default", "default"),
    ("description", "description"),
    ("enum_values", "enum"),
    ("format", "format"),
    ("instance_type", "type"),
    ("items", "items"),
    ("max_items", "maxItems"),
    ("max_length", "maxLength"),
    ("maximum", "maximum"),
    ("min_items", "minItems"),
    ("min_length", "minLength"),
    ("minimum", "minimum"),
    ("multiple_of", "multipleOf"),
    ("not", "not"),
    ("one_of", "oneOf"),
    ("pattern", "pattern"),
    ("properties", "properties"),
    ("required", "required"),
    ("title", "title"),
];
