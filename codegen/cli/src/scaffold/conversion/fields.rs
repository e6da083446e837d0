//! Conversion of fields, including fields that only one version has.

use syn::{Attribute, Field, Fields, Ident, Index, ItemStruct, Member};

use super::declared::TypeId;
use super::pairs::{Direction, Toward};
use super::value::{self, FieldType};

/// The fields of a struct or a variant in one version.
#[derive(Clone, Copy)]
pub(super) struct FieldsOf<'a> {
    pub(super) id: TypeId,
    pub(super) name: &'a Ident,
    /// The enum, for fields of a variant.
    pub(super) variant_of: Option<&'a Ident>,
    pub(super) attrs: &'a [Attribute],
    pub(super) fields: &'a Fields,
}

impl<'a> FieldsOf<'a> {
    pub(super) fn of(id: TypeId, item: &'a ItemStruct) -> Self {
        Self {
            id,
            name: &item.ident,
            variant_of: None,
            attrs: &item.attrs,
            fields: &item.fields,
        }
    }

    /// The name in messages: `Choice::First`.
    pub(super) fn shown(self) -> String {
        match self.variant_of {
            Some(of) => format!("{of}::{}", self.name),
            None => self.name.to_string(),
        }
    }

    pub(super) fn find(self, member: &Member) -> Option<&'a Field> {
        let mut all = members(self.fields);
        all.find_map(|(name, field)| (name == *member).then_some(field))
    }
}

/// The fields with their names or indices.
pub(super) fn members(fields: &Fields) -> impl Iterator<Item = (Member, &Field)> {
    let numbered = fields.iter().enumerate();
    numbered.map(|(number, field)| match &field.ident {
        Some(name) => (Member::Named(name.clone()), field),
        None => (Member::Unnamed(Index::from(number)), field),
    })
}

/// Generated code for the fields of a converted type.
#[derive(Default)]
pub(super) struct Built {
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
    /// nested, an annotation of the spoke keeps the field instead.
    pub(super) fn fields(
        &mut self,
        (from, to): (FieldsOf<'a>, FieldsOf<'a>),
        value: &dyn Fn(&Member) -> String,
        is_nested: bool,
    ) -> Built {
        let lacks = |one: FieldsOf<'_>, other: FieldsOf<'_>| {
            members(one.fields).any(|(name, _)| other.find(&name).is_none())
        };
        // If each side has a field that the other lacks, a field may have been renamed. The
        // conversion then returns an error instead of a default.
        let may_be_renamed = lacks(from, to) && lacks(to, from);
        let mut built = Built::default();
        for (name, field) in members(to.fields) {
            let entry = match from.find(&name) {
                Some(source) => {
                    let types = (self.source(from.id, source), self.target(to.id, field));
                    let converted = value::convert(types, &value(&name), is_nested, self);
                    converted.ok_or_else(|| self.differs(&from.shown(), &name))
                }
                None => {
                    if !may_be_renamed {
                        built.absent.push(name.clone());
                    }
                    match default(self.target(to.id, field), to, field) {
                        Some(text) if !may_be_renamed => Ok(value::Converted::infallible(text)),
                        _ => Err(self.lacks(self.direction, &to.shown(), &name)),
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
        let is_kept = self.direction == Direction::FromHub && !is_nested;
        if !may_be_renamed && !is_kept {
            self.refuse((from, to), value, &mut built);
        }
        built
    }

    /// Adds checks that refuse values of fields which the target lacks.
    fn refuse(
        &mut self,
        (from, to): (FieldsOf<'a>, FieldsOf<'a>),
        value: &dyn Fn(&Member) -> String,
        built: &mut Built,
    ) {
        for (name, field) in members(from.fields) {
            if to.find(&name).is_some() {
                continue;
            }
            let gap = self.lacks(self.direction.back(), &from.shown(), &name);
            let is_set = self.source(from.id, field).is_set(&value(&name));
            built.checks.push(match is_set {
                Some(is_set) => format!("if {is_set} {{ return Err({gap:?}.into()); }}\n"),
                None => format!("Err::<(), _>({gap:?})?;\n"),
            });
            built.is_fallible = true;
        }
    }
}

/// The default of an absent field, if the default is known.
fn default(ty: FieldType<'_>, of: FieldsOf<'_>, field: &Field) -> Option<String> {
    if has_serde_default(&field.attrs)? {
        return Some("Default::default()".to_owned());
    }
    if has_serde_default(of.attrs)? {
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
