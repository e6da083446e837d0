//! Rust source of the structs and enums of a module.
//!
//! Items are built with `quote!` and printed by prettyplease, which formats attributes and types
//! unlike rustfmt. So numbered placeholders are printed for attributes and types, and then replaced
//! by texts in rustfmt's format.

use std::collections::{BTreeMap, BTreeSet};

use genclient_syntax::names as syntax_names;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::attribute::{self, KeyArgument, MAX_LINE_WIDTH};
use super::kind::ImportedKind;
use super::types::{Body, Description, Field, OwnType, RustType, Struct, Union};
use super::{docs, names};

/// Generator of the items of a module.
pub(super) struct Items<'a> {
    pub(super) types: &'a [OwnType],
    pub(super) names: Vec<String>,
    /// Names of imported types by their paths.
    pub(super) imports: &'a BTreeMap<String, String>,
    /// Indices of the types that implement `Default`.
    pub(super) defaults: BTreeSet<usize>,
    /// The texts that replace the placeholders, by number.
    texts: Vec<NumberedText>,
}

enum NumberedText {
    Attribute(&'static str, Vec<KeyArgument>),
    Type(String),
    /// The content of a variant: the arguments of its `#[crd(…)]`, and its type.
    Content(Vec<KeyArgument>, String),
}

/// Derives of every type except kinds.
const TYPE_DERIVES: [&str; 5] = ["Clone", "Debug", "PartialEq", "Serialize", "Deserialize"];

impl<'a> Items<'a> {
    pub(super) fn new(
        types: &'a [OwnType],
        names: Vec<String>,
        imports: &'a BTreeMap<String, String>,
    ) -> Self {
        Self {
            types,
            names,
            imports,
            defaults: types_with_default(types),
            texts: Vec::new(),
        }
    }

    /// The struct of a kind.
    pub(super) fn generate_kind(&mut self, kind: &ImportedKind) -> String {
        let docs = doc_attributes(&docs::doc_lines(kind.description.as_deref()));
        let genclient = self.attribute("genclient", kind.client.clone());
        let mut tokens = quote!(#docs #genclient);
        let (name, group) = (new_ident(&kind.name), &kind.group);
        tokens.extend(quote!(#[group = #group]));
        if let Some(kind) = &kind.kind {
            tokens.extend(quote!(#[kind = #kind]));
        }
        if let Some(version) = &kind.version {
            tokens.extend(quote!(#[version = #version]));
        }
        if !kind.crd.is_empty() {
            tokens.extend(self.attribute("crd", kind.crd.clone()));
        }
        let (serde, fields) = self.fields(&kind.fields, kind.open);
        tokens.extend(quote!(#serde pub struct #name { #fields }));
        self.print_tokens(tokens)
    }

    /// The struct or enum at an index of the module's types.
    pub(super) fn generate_type(&mut self, at: usize) -> String {
        let own = &self.types[at];
        let name = new_ident(&self.names[at]);
        let path = own
            .path
            .split_once('.')
            .map_or("", |(_, path)| path)
            .replace("[]", "")
            .replace(".*", "");
        let first = own.uses.first().and_then(|chain| chain.first());
        let kind = first.map_or("", String::as_str);
        let sentence = match own.body {
            Body::Struct(_) => format!("Fields of `.{path}` in `{kind}`."),
            Body::Enum(_) => format!("Values of `.{path}` in `{kind}`."),
            Body::Union(_) => format!("Alternatives of `.{path}` in `{kind}`."),
        };
        let lines = match &own.description {
            // The CRD never shows this doc comment, only the descriptions of the fields that use
            // the type.
            Description::Hidden => vec![sentence],
            Description::Shown(None) => docs::doc_lines_outside_crd(sentence),
            Description::Shown(Some(description)) => docs::doc_lines(Some(description)),
        };
        let docs = doc_attributes(&lines);
        let derives = self.derives(at);
        let derive = quote!(#[derive(#(#derives),*)]);
        let tokens = match &own.body {
            Body::Struct(Struct {
                fields,
                arguments,
                open,
            }) => {
                let crd = (!arguments.is_empty()).then(|| self.attribute("crd", arguments.clone()));
                let (serde, fields) = self.fields(fields, *open);
                quote!(#docs #derive #serde #crd pub struct #name { #fields })
            }
            Body::Enum(values) => {
                let (serde, variants) = self.variants(values, own.default_value());
                quote!(#docs #derive #serde pub enum #name { #variants })
            }
            Body::Union(Union {
                variants,
                arguments,
            }) => {
                let crd = (!arguments.is_empty()).then(|| self.attribute("crd", arguments.clone()));
                let (serde, variants) = self.alternatives(variants);
                quote!(#docs #derive #serde #crd pub enum #name { #variants })
            }
        };
        self.print_tokens(tokens)
    }

    /// The name of each enum, followed by the names of its variants.
    pub(super) fn enum_names(&self) -> Vec<Vec<String>> {
        let named = self.names.iter().zip(self.types);
        let enums = named.filter_map(|(name, own)| match &own.body {
            Body::Enum(values) => Some((name, values.clone())),
            Body::Union(body) => Some((name, property_names(&body.variants))),
            Body::Struct(_) => None,
        });
        enums
            .map(|(name, values)| [vec![name.clone()], variant_names(&values)].concat())
            .collect()
    }

    fn derives(&self, at: usize) -> Vec<Ident> {
        let mut derives: Vec<_> = TYPE_DERIVES.to_vec();
        match &self.types[at].body {
            Body::Enum(_) => {
                derives.insert(1, "Copy");
                if self.defaults.contains(&at) {
                    derives.insert(3, "Default");
                }
                let after = derives.iter().position(|name| *name == "PartialEq");
                derives.insert(after.map_or(0, |at| at + 1), "Eq");
            }
            Body::Struct(_) if self.defaults.contains(&at) => derives.insert(2, "Default"),
            Body::Struct(_) | Body::Union(_) => {}
        }
        derives.push("CrdSchema");
        derives.into_iter().map(new_ident).collect()
    }

    /// The serde attribute and the fields of a struct.
    fn fields(&mut self, fields: &[Field], open: bool) -> (TokenStream, TokenStream) {
        let mut taken = BTreeSet::new();
        let named: Vec<_> = fields
            .iter()
            .map(|field| names::unique_name(names::field_name(&field.name), &mut taken))
            .collect();
        let mut pairs = fields.iter().zip(&named);
        let renames =
            pairs.any(|(field, name)| name.contains('_') && names::camel_case(name) == field.name);
        let container = renames.then(|| {
            self.attribute(
                "serde",
                vec![KeyArgument::from_text("rename_all", "camelCase")],
            )
        });
        let mut tokens = TokenStream::new();
        for (field, name) in fields.iter().zip(&named) {
            let written = if renames {
                names::camel_case(name)
            } else {
                name.clone()
            };
            tokens.extend(self.field(field, name, (written != field.name).then_some(&field.name)));
        }
        if open {
            let name = new_ident(names::unique_name("other".to_owned(), &mut taken));
            let docs = doc_attributes(&["All other fields.".to_owned()]);
            let serde = self.attribute("serde", vec![KeyArgument::Flag("flatten")]);
            let value = RustType::Path("serde_json::Value".to_owned());
            let map = self.type_(&RustType::Map(value.into()));
            tokens.extend(quote!(#docs #serde pub #name: #map,));
        }
        (quote!(#container), tokens)
    }

    fn field(&mut self, field: &Field, name: &str, rename: Option<&String>) -> TokenStream {
        let docs = doc_attributes(&docs::doc_lines(field.description.as_deref()));
        let mut serde = Vec::new();
        serde.extend(rename.map(|name| KeyArgument::from_text("rename", name)));
        if field.optional {
            serde.push(KeyArgument::Flag("default"));
            serde.push(KeyArgument::from_text(
                "skip_serializing_if",
                "Option::is_none",
            ));
        }
        let serde = (!serde.is_empty()).then(|| self.attribute("serde", serde));
        let crd =
            (!field.arguments.is_empty()).then(|| self.attribute("crd", field.arguments.clone()));
        let (name, type_) = (syntax_names::ident(name), self.type_(&field.type_));
        quote!(#docs #serde #crd pub #name: #type_,)
    }

    /// The serde attribute and the variants of an enum, of which one may be the default.
    fn variants(&mut self, values: &[String], default: Option<&str>) -> (TokenStream, TokenStream) {
        let named = variant_names(values);
        let case = variant_case(&named, values);
        let container = self.rename_variants(case);
        let mut tokens = TokenStream::new();
        for (name, value) in named.iter().zip(values) {
            let docs = doc_attributes(&[format!("The value `{value}`.")]);
            let rename = self.rename_variant(name, value, case);
            let default = (default == Some(value)).then(|| quote!(#[default]));
            let name = new_ident(name);
            tokens.extend(quote!(#docs #rename #default #name,));
        }
        (container, tokens)
    }

    /// The serde attribute and the variants of an enum with data.
    fn alternatives(&mut self, variants: &[Field]) -> (TokenStream, TokenStream) {
        let values = property_names(variants);
        let named = variant_names(&values);
        let case = variant_case(&named, &values);
        let container = self.rename_variants(case);
        let mut tokens = TokenStream::new();
        for (variant, name) in variants.iter().zip(&named) {
            let docs = doc_attributes(&docs::doc_lines(variant.description.as_deref()));
            let rename = self.rename_variant(name, &variant.name, case);
            let type_ = self.print_type(&variant.type_);
            let content = NumberedText::Content(variant.arguments.clone(), type_);
            let (variant_name, number) = (new_ident(name), self.placeholder(content));
            tokens.extend(quote!(#docs #rename #variant_name(#number),));
        }
        (container, tokens)
    }

    fn rename_variants(&mut self, case: Option<&'static str>) -> TokenStream {
        let container = case
            .map(|case| self.attribute("serde", vec![KeyArgument::from_text("rename_all", case)]));
        quote!(#container)
    }

    fn rename_variant(
        &mut self,
        name: &str,
        value: &str,
        case: Option<&'static str>,
    ) -> Option<TokenStream> {
        let written = names::apply_rename_all(name, case.unwrap_or_default());
        (written != value)
            .then(|| self.attribute("serde", vec![KeyArgument::from_text("rename", value)]))
    }

    fn attribute(&mut self, name: &'static str, arguments: Vec<KeyArgument>) -> TokenStream {
        let number = self.placeholder(NumberedText::Attribute(name, arguments));
        quote!(#[#number])
    }

    fn type_(&mut self, type_: &RustType) -> Ident {
        self.placeholder(NumberedText::Type(self.print_type(type_)))
    }

    fn placeholder(&mut self, text: NumberedText) -> Ident {
        let number = format_ident!("{PLACEHOLDER_PREFIX}{}", self.texts.len());
        self.texts.push(text);
        number
    }

    fn print_type(&self, type_: &RustType) -> String {
        match type_ {
            RustType::Path(path) => self.imports.get(path).unwrap_or(path).clone(),
            RustType::Own(at) => self.names[*at].clone(),
            RustType::List(items) => format!("Vec<{}>", self.print_type(items)),
            RustType::Map(values) => format!("BTreeMap<String, {}>", self.print_type(values)),
            RustType::Option(inner) => format!("Option<{}>", self.print_type(inner)),
        }
    }

    #[expect(clippy::expect_used, reason = "all names are made to be identifiers")]
    fn print_tokens(&mut self, tokens: TokenStream) -> String {
        let file = syn::parse2(tokens).expect("an item");
        let printed = prettyplease::unparse(&file);
        let texts = std::mem::take(&mut self.texts);
        let mut text = String::new();
        let mut after_field = false;
        for line in printed.lines() {
            let is_inner = line.starts_with("    ");
            if after_field && is_inner {
                text.push('\n');
            }
            let line = replace_placeholder(line, &texts);
            after_field = is_inner && line.ends_with(',') && !is_attribute(&line);
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}

/// Prefix of placeholder names.
const PLACEHOLDER_PREFIX: &str = "__text_";

fn is_attribute(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("///") || line.starts_with("#[")
}

/// A line with its placeholder replaced by the text.
fn replace_placeholder(line: &str, texts: &[NumberedText]) -> String {
    if line.trim_start().starts_with("///") {
        return line.trim_end().to_owned();
    }
    let Some((before, rest)) = line.split_once(PLACEHOLDER_PREFIX) else {
        return line.to_owned();
    };
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (number, after) = rest.split_at(digits);
    match number.parse().ok().and_then(|at: usize| texts.get(at)) {
        Some(NumberedText::Type(type_)) => {
            let whole = format!("{before}{type_}{after}");
            if whole.len() <= MAX_LINE_WIDTH {
                return whole;
            }
            format!("{}\n        {type_}{after}", before.trim_end())
        }
        Some(NumberedText::Attribute(name, arguments)) => {
            let indent = line.len() - line.trim_start().len();
            attribute_lines(name, arguments, indent)
        }
        Some(NumberedText::Content(arguments, type_)) => {
            format!("{before}{}{after}", variant_content(arguments, type_))
        }
        None => line.to_owned(),
    }
}

/// An attribute at an indentation, with a comment above if it states a whole schema.
fn attribute_lines(name: &str, arguments: &[KeyArgument], indent: usize) -> String {
    let text = attribute::format_attribute(name, arguments, indent);
    let pad = " ".repeat(indent);
    let comment = if states_schema(arguments) {
        format!("{pad}// No Rust type has this schema, so it is stated here.\n")
    } else {
        String::new()
    };
    format!("{comment}{pad}{text}")
}

/// The content of a variant between its parentheses: in the same line, or below it.
fn variant_content(arguments: &[KeyArgument], type_: &str) -> String {
    const INDENT: usize = 8;
    /// rustfmt's `fn_call_width`.
    const LINE_WIDTH: usize = 60;
    let attribute = if arguments.is_empty() {
        String::new()
    } else {
        attribute_lines("crd", arguments, INDENT) + "\n"
    };
    let line = format!("{} {type_}", attribute.trim()).trim().to_owned();
    if line.len() <= LINE_WIDTH && !line.contains('\n') {
        return line;
    }
    format!("\n{attribute}{}{type_},\n    ", " ".repeat(INDENT))
}

/// True if an argument or nested argument is a whole schema: `schema = { .. }`.
fn states_schema(arguments: &[KeyArgument]) -> bool {
    arguments.iter().any(|argument| match argument {
        KeyArgument::Value("schema", _) => true,
        KeyArgument::List(_, inner) => states_schema(inner),
        _ => false,
    })
}

fn variant_names(values: &[String]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let values = values.iter();
    values
        .map(|value| names::unique_name(names::variant_name(value), &mut taken))
        .collect()
}

/// The names in JSON of the properties that variants stand for.
fn property_names(variants: &[Field]) -> Vec<String> {
    variants
        .iter()
        .map(|variant| variant.name.clone())
        .collect()
}

/// The `rename_all` that fits more than half of the variants, if it fits more than none does.
fn variant_case(named: &[String], values: &[String]) -> Option<&'static str> {
    let right = |case: &str| {
        let pairs = named.iter().zip(values);
        pairs
            .filter(|(name, value)| names::apply_rename_all(name, case) == **value)
            .count()
    };
    let best = names::VARIANT_CASES
        .into_iter()
        .rev()
        .max_by_key(|case| right(case));
    best.filter(|case| right(case) > right("") && right(case) * 2 > values.len())
}

fn doc_attributes(lines: &[String]) -> TokenStream {
    let mut tokens = TokenStream::new();
    for line in lines {
        let line = if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        };
        tokens.extend(quote!(#[doc = #line]));
    }
    tokens
}

fn new_ident(name: impl AsRef<str>) -> Ident {
    Ident::new(name.as_ref(), Span::call_site())
}

/// Path suffixes of types that do not implement `Default`.
const WITHOUT_DEFAULT: [&str; 2] = ["::Time", "::Condition"];

/// The indices of structs whose fields all implement `Default`, and of enums with a default.
fn types_with_default(types: &[OwnType]) -> BTreeSet<usize> {
    let may_have = |own: &OwnType| match own.body {
        Body::Struct(_) => true,
        Body::Enum(_) => own.default_value().is_some(),
        Body::Union(_) => false,
    };
    let mut found: BTreeSet<usize> = (0..types.len())
        .filter(|at| may_have(&types[*at]))
        .collect();
    loop {
        let has = |type_: &RustType| match type_ {
            RustType::Own(at) => found.contains(at),
            RustType::Path(path) => !WITHOUT_DEFAULT.iter().any(|name| path.ends_with(name)),
            RustType::List(_) | RustType::Map(_) | RustType::Option(_) => true,
        };
        let kept: BTreeSet<usize> = found
            .iter()
            .copied()
            .filter(|at| match &types[*at].body {
                Body::Struct(body) => body.fields.iter().all(|field| has(&field.type_)),
                Body::Enum(_) | Body::Union(_) => true,
            })
            .collect();
        if kept == found {
            return found;
        }
        found = kept;
    }
}
