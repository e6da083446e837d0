//! Conversions of types: the `impl` for a pair, with an arm for each variant of an enum.

use syn::{Fields, Item, ItemEnum, Member, Variant};

use super::declared::{TypeId, are_alike};
use super::fields::{Built, FieldsOf, members};
use super::pairs::{Direction, Pair, Toward, text};
use super::value;

impl<'a> Toward<'_, 'a> {
    /// Generates the `impl` of `From` or `TryFrom` for a pair.
    pub(super) fn pair(&mut self, pair: Pair) -> String {
        let (from, to) = self.direction.of(pair);
        let (from_path, to_path) = (self.from().path(from), self.to().path(to));
        let items = (self.from().types.item(from), self.to().types.item(to));
        let value = match self.direction {
            Direction::ToHub => "spoke",
            Direction::FromHub => "hub",
        };
        let (body, is_fallible) = match items {
            (Item::Struct(one), Item::Struct(other)) => {
                let is_nested = self.all.nested.contains(&pair);
                let fields = (FieldsOf::of(from, one), FieldsOf::of(to, other));
                let built =
                    self.fields(fields, &|name| format!("{value}.{}", text(name)), is_nested);
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
        let parameter = if value::names(&body, value) {
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

    pub(super) fn note_hub_only(&mut self, pair: Pair, built: &Built) {
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
                Ok((self.fields(fields, &binding, true), target))
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

impl Built {
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
        enclosed(path, fields, &entries.collect::<Vec<_>>())
    }

    /// A pattern that binds the fields which checks or entries use.
    fn pattern(&self, path: &str, fields: &Fields) -> String {
        let used = |name: &Member| {
            let binding = binding(name);
            let mut texts = self
                .entries
                .iter()
                .map(|(_, entry)| entry)
                .chain(&self.checks);
            texts.any(|text| value::names(text, &binding))
        };
        let bindings = members(fields).map(|(name, _)| match (&name, used(&name)) {
            (Member::Named(name), true) => name.to_string(),
            (Member::Named(name), false) => format!("{name}: _"),
            (Member::Unnamed(_), true) => binding(&name),
            (Member::Unnamed(_), false) => "_".to_owned(),
        });
        enclosed(path, fields, &bindings.collect::<Vec<_>>())
    }
}

fn enclosed(path: &str, fields: &Fields, inside: &[String]) -> String {
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
fn binding(name: &Member) -> String {
    match name {
        Member::Named(name) => name.to_string(),
        Member::Unnamed(index) => format!("field_{}", index.index),
    }
}
