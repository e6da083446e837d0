//! Code that converts a type: the `impl` for a pair, with an arm for each variant of an enum, and
//! the fields, including those that only one version has.

use syn::{Attribute, Field, Fields, Ident, Index, Item, ItemEnum, ItemStruct, Member, Variant};

use super::pairs::{Direction, Pair, Toward, member_code};
use super::value::{self, FieldType};
use super::version_types::{TypeId, are_alike};

impl<'a> Toward<'_, 'a> {
    /// Generates the `impl` of `From` or `TryFrom` for a pair.
    pub(super) fn convert_pair(&mut self, pair: Pair) -> String {
        let (from, to) = self.direction.source_and_target(pair);
        let (from_path, to_path) = (self.from().path(from), self.to().path(to));
        let items = (self.from().types.item(from), self.to().types.item(to));
        let value = match self.direction {
            Direction::ToHub => "spoke",
            Direction::FromHub => "hub",
        };
        let (body, is_fallible) = match items {
            (Item::Struct(one), Item::Struct(other)) => {
                let is_nested = self.all.nested.contains(&pair);
                let fields = (FieldsOf::new(from, one), FieldsOf::new(to, other));
                let built = self.fields(
                    fields,
                    &|name| format!("{value}.{}", member_code(name)),
                    is_nested,
                );
                self.note_hub_only(pair, &built);
                (built.body("Self", &other.fields), built.is_fallible)
            }
            (Item::Enum(one), Item::Enum(other)) => {
                let (arms, is_fallible) = self.arms((from, one), (to, other), &from_path);
                (format!("match {value} {{ {arms} }}"), is_fallible)
            }
            _ => return String::new(),
        };
        if is_fallible {
            self.all.fallible.insert((pair, self.direction));
        }
        let parameter = if value::mentions_variable(&body, value) {
            value
        } else {
            "_"
        };
        if !self.all.fallible.contains(&(pair, self.direction)) {
            return format!(
                "\nimpl From<{from_path}> for {to_path} {{\n\
                 fn from({parameter}: {from_path}) -> Self {{ {body} }}\n}}\n"
            );
        }
        let body = match items.0 {
            Item::Struct(_) => with_ok(&body),
            _ => body,
        };
        format!(
            "\nimpl TryFrom<{from_path}> for {to_path} {{\ntype Error = Inconvertible;\n\n\
             fn try_from({parameter}: {from_path}) -> Result<Self, Inconvertible> {{\n\
             {body} }}\n}}\n"
        )
    }

    pub(super) fn note_hub_only(&mut self, pair: Pair, built: &ConvertedFields) {
        if self.direction == Direction::ToHub && !self.all.nested.contains(&pair) {
            self.all.hub_only.insert(pair, built.absent.clone());
        }
    }

    /// Returns match arms for the variants of an enum, and whether the conversion can fail.
    fn arms(
        &mut self,
        (from, one): (TypeId, &'a ItemEnum),
        (to, other): (TypeId, &'a ItemEnum),
        from_path: &str,
    ) -> (String, bool) {
        let mut arms = Vec::new();
        for variant in &one.variants {
            let name = &variant.ident;
            let target = other.variants.iter().find(|it| it.ident == *name);
            let Some(target) = target else {
                let version = self.to().version;
                let of = &one.ident;
                let gap = self.gap(format!("`{name}` of {of}: {version} has no such variant"));
                arms.push((variant, Err(gap)));
                continue;
            };
            let of = |id, variant: &'a Variant| FieldsOf {
                id,
                name: &variant.ident,
                variant_of: Some(&one.ident),
                attrs: &[],
                fields: &variant.fields,
            };
            let arm = if are_alike(&variant.fields, &target.fields) {
                let fields = (of(from, variant), of(to, target));
                Ok((self.fields(fields, &binding_name, true), target))
            } else {
                let (of, hub) = (&one.ident, self.all.hub.version);
                Err(self.gap(format!("`{name}` of {of}: it has another form in {hub}")))
            };
            arms.push((variant, arm));
        }
        let is_fallible = arms.iter().any(|(_, arm)| match arm {
            Ok((built, _)) => built.is_fallible,
            Err(_) => true,
        });
        let arms = arms.iter().map(|(variant, arm)| {
            let name = &variant.ident;
            match arm {
                Err(gap) => {
                    let fields = match variant.fields {
                        Fields::Unit => "",
                        _ => " { .. }",
                    };
                    format!("{from_path}::{name}{fields} => {{ Err({gap:?}.into()) }}")
                }
                Ok((built, target)) => {
                    let pattern = built.pattern(&format!("{from_path}::{name}"), &variant.fields);
                    let body = built.value(&format!("Self::{name}"), &target.fields);
                    let body = if is_fallible {
                        format!("Ok({body})")
                    } else {
                        body
                    };
                    match &built.checks[..] {
                        [] => format!("{pattern} => {body},"),
                        checks => format!("{pattern} => {{ {}{body} }}", checks.concat()),
                    }
                }
            }
        });
        (arms.collect(), is_fallible)
    }
}

impl ConvertedFields {
    /// The code of the checks, followed by the expression of the converted value.
    pub(super) fn body(&self, path: &str, fields: &Fields) -> String {
        format!("{}{}", self.checks.concat(), self.value(path, fields))
    }

    /// The expression of the converted value, without the checks.
    pub(super) fn value(&self, path: &str, fields: &Fields) -> String {
        let entries = self.entries.iter().map(|(name, entry)| match name {
            Member::Named(name) if name == entry => entry.clone(),
            Member::Named(name) => format!("{name}: {entry}"),
            Member::Unnamed(_) => entry.clone(),
        });
        wrap_fields(path, fields, &entries.collect::<Vec<_>>())
    }

    /// A pattern that binds the fields which checks or entries use.
    fn pattern(&self, path: &str, fields: &Fields) -> String {
        let used = |name: &Member| {
            let binding = binding_name(name);
            let mut texts = self
                .entries
                .iter()
                .map(|(_, entry)| entry)
                .chain(&self.checks);
            texts.any(|text| value::mentions_variable(text, &binding))
        };
        let bindings = named_members(fields).map(|(name, _)| match (&name, used(&name)) {
            (Member::Named(name), true) => name.to_string(),
            (Member::Named(name), false) => format!("{name}: _"),
            (Member::Unnamed(_), true) => binding_name(&name),
            (Member::Unnamed(_), false) => "_".to_owned(),
        });
        wrap_fields(path, fields, &bindings.collect::<Vec<_>>())
    }
}

fn wrap_fields(path: &str, fields: &Fields, inside: &[String]) -> String {
    let inside = inside.join(", ");
    match fields {
        Fields::Named(_) => format!("{path} {{ {inside} }}"),
        Fields::Unnamed(_) => format!("{path}({inside})"),
        Fields::Unit => path.to_owned(),
    }
}

/// Wraps the last line, an expression, in `Ok`.
pub(super) fn with_ok(body: &str) -> String {
    let (checks, value) = body.rsplit_once('\n').unwrap_or(("", body));
    format!("{checks}\nOk({value})")
}

/// The variable that a field of a variant is bound to.
fn binding_name(name: &Member) -> String {
    match name {
        Member::Named(name) => name.to_string(),
        Member::Unnamed(index) => format!("field_{}", index.index),
    }
}

/// The fields of a struct or a variant in one version.
#[derive(Clone, Copy)]
pub(super) struct FieldsOf<'a> {
    pub(super) id: TypeId,
    pub(super) name: &'a Ident,
    /// The enum, for fields of a variant.
    variant_of: Option<&'a Ident>,
    pub(super) attrs: &'a [Attribute],
    pub(super) fields: &'a Fields,
}

impl<'a> FieldsOf<'a> {
    pub(super) fn new(id: TypeId, item: &'a ItemStruct) -> Self {
        Self {
            id,
            name: &item.ident,
            variant_of: None,
            attrs: &item.attrs,
            fields: &item.fields,
        }
    }

    /// The name in messages: `Choice::First`.
    pub(super) fn display_name(self) -> String {
        match self.variant_of {
            Some(enum_name) => format!("{enum_name}::{}", self.name),
            None => self.name.to_string(),
        }
    }

    pub(super) fn find(self, member: &Member) -> Option<&'a Field> {
        let mut all = named_members(self.fields);
        all.find_map(|(name, field)| (name == *member).then_some(field))
    }

    /// The fields that the other version lacks.
    fn only_here(self, other: FieldsOf<'_>) -> Vec<(Member, &'a Field)> {
        named_members(self.fields)
            .filter(|(name, _)| other.find(name).is_none())
            .collect()
    }
}

/// The fields with their names or indices.
pub(super) fn named_members(fields: &Fields) -> impl Iterator<Item = (Member, &Field)> {
    let numbered = fields.iter().enumerate();
    numbered.map(|(number, field)| match &field.ident {
        Some(name) => (Member::Named(name.clone()), field),
        None => (Member::Unnamed(Index::from(number)), field),
    })
}

/// Generated code for the fields of a converted type.
#[derive(Default)]
pub(super) struct ConvertedFields {
    /// Statements that refuse values which the target cannot represent.
    pub(super) checks: Vec<String>,
    /// The name and the expression of each field.
    pub(super) entries: Vec<(Member, String)>,
    /// Fields that the source version lacks, unless they may have another name there.
    pub(super) absent: Vec<Member>,
    /// True if a check or an entry may fail.
    pub(super) is_fallible: bool,
}

impl<'a> Toward<'_, 'a> {
    /// Converts each field of `to` from the field of the same name in `from`. The generated code
    /// refuses objects that set a field of `from` which `to` lacks. If `from` is the hub and is not
    /// nested, an annotation of the spoke keeps the field instead, unless it may have been renamed.
    pub(super) fn fields(
        &mut self,
        (from, to): (FieldsOf<'a>, FieldsOf<'a>),
        value: &dyn Fn(&Member) -> String,
        is_nested: bool,
    ) -> ConvertedFields {
        let mut lost = from.only_here(to);
        let lost_types: Vec<_> = lost
            .iter()
            .map(|(_, field)| self.source(from.id, field))
            .collect();
        let mut new_types = Vec::new();
        let mut built = ConvertedFields::default();
        for (name, field) in named_members(to.fields) {
            let entry = match from.find(&name) {
                Some(source) => {
                    let types = (self.source(from.id, source), self.target(to.id, field));
                    let converted = value::convert_value(types, &value(&name), is_nested, self);
                    converted.ok_or_else(|| self.differs(&from.display_name(), &name))
                }
                None => {
                    let ty = self.target(to.id, field);
                    if !ty.is_among(&lost_types) {
                        built.absent.push(name.clone());
                    }
                    new_types.push(ty);
                    match default_of_field(ty, to, field) {
                        Some(text) => Ok(value::Converted::infallible(text)),
                        None => Err(self.lacks(self.direction, &to.display_name(), &name)),
                    }
                }
            };
            let entry = match entry {
                Ok(converted) => {
                    built.is_fallible |= converted.is_result;
                    converted.unwrapped()
                }
                Err(gap) => {
                    built.is_fallible = true;
                    format!("Err({gap:?})?")
                }
            };
            built.entries.push((name, entry));
        }
        if self.direction == Direction::FromHub && !is_nested {
            // If each version has a field of that type which the other lacks, it may be the same
            // one with a new name. To keep it would hide it from clients of the spoke.
            lost.retain(|(_, field)| self.source(from.id, field).is_among(&new_types));
        }
        self.refuse(from, &lost, value, &mut built);
        built
    }

    /// Adds checks that refuse values of the fields `lost`, which the target lacks.
    fn refuse(
        &mut self,
        from: FieldsOf<'a>,
        lost: &[(Member, &'a Field)],
        value: &dyn Fn(&Member) -> String,
        built: &mut ConvertedFields,
    ) {
        for (name, field) in lost {
            let gap = self.lacks(self.direction.back(), &from.display_name(), name);
            let is_set = self.source(from.id, field).is_set(&value(name));
            built.checks.push(match is_set {
                Some(is_set) => format!("if {is_set} {{ return Err({gap:?}.into()); }}\n"),
                None => format!("Err::<(), _>({gap:?})?;\n"),
            });
            built.is_fallible = true;
        }
    }
}

/// The default of an absent field, if the default is known.
fn default_of_field(ty: FieldType<'_>, container: FieldsOf<'_>, field: &Field) -> Option<String> {
    if has_serde_default(&field.attrs)? {
        return Some("Default::default()".to_owned());
    }
    if has_serde_default(container.attrs)? {
        let name = field.ident.as_ref()?;
        return Some(format!("Self::default().{name}"));
    }
    ty.is_option().then(|| "None".to_owned())
}

/// True for `#[serde(default)]`; `None` if the attribute names a function.
fn has_serde_default(attrs: &[Attribute]) -> Option<bool> {
    let (mut is_there, mut is_named) = (false, false);
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        // Errors are ignored: the compiler reports attributes that serde rejects.
        let _ = attr.parse_nested_meta(|meta| {
            let is_value = meta.input.peek(syn::Token![=]);
            if meta.path.is_ident("default") {
                is_there = true;
                is_named = is_value;
            }
            if is_value {
                meta.value()?.parse::<syn::Expr>()?;
            } else if meta.input.peek(syn::token::Paren) {
                meta.parse_nested_meta(|inner| inner.value()?.parse::<syn::Expr>().map(|_| ()))?;
            }
            Ok(())
        });
    }
    (!is_named).then_some(is_there)
}
