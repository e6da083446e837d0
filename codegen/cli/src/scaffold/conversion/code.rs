//! Scaffolding of conversions between two versions of a kind: `Spoke` for the kind, `From` or
//! `TryFrom` for the types it uses.
//!
//! No value is dropped silently. A field that only the hub has is kept in an annotation of the
//! spoke, unless it is in a `Box`, a list, a map or a variant, or may be a renamed field of the
//! spoke. For any other value that one version cannot represent, the conversion returns an error
//! until the user completes the code.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, Member};

use super::impls::{FieldsOf, named_members, with_ok};
use super::pairs::{Conversions, Direction, Pair, Toward, VersionSide, member_code};
use super::value::FieldType;
use super::version_types::{ResolvedType, TypeId};

#[derive(Debug)]
pub(super) struct ConversionFile {
    pub(super) text: String,
    /// The values that the conversion refuses: `` `days` of CronTaskSpec: v2 has no such field ``.
    pub(super) gaps: Vec<String>,
}

/// Generates the conversion of a spoke to the hub and back; `None` unless both types are structs
/// that `Conversions::is_convertible` accepts.
pub(super) fn generate_conversion(
    spoke: VersionSide<'_>,
    hub: VersionSide<'_>,
) -> Option<ConversionFile> {
    let kind = (spoke.types.find(spoke.kind)?, hub.types.find(hub.kind)?);
    let mut conversions = Conversions {
        spoke,
        hub,
        pairs: vec![kind],
        nested: BTreeSet::new(),
        fallible: BTreeSet::new(),
        hub_only: BTreeMap::new(),
        gaps: Vec::new(),
    };
    if !conversions.is_convertible(kind) {
        return None;
    }
    // The conversion of a struct can fail if the conversion of a field's type can. The code for the
    // field's type may be generated after that for the struct, so all code is generated again until
    // `known` stays the same.
    let text = loop {
        let known = conversions.known();
        let text = conversions.generate_file(kind)?;
        if conversions.known() == known {
            break text;
        }
    };
    let Conversions { gaps, .. } = conversions;
    Some(ConversionFile { text, gaps })
}

impl<'a> Conversions<'a> {
    /// The sizes of the sets that `generate_file` adds to. They are complete when it adds nothing.
    fn known(&self) -> [usize; 4] {
        [
            self.pairs.len(),
            self.nested.len(),
            self.fallible.len(),
            self.hub_only.len(),
        ]
    }

    /// Generates the conversions of the kind and of all types that its fields use.
    fn generate_file(&mut self, kind: Pair) -> Option<String> {
        self.gaps.clear();
        let mut text = self.generate_impl(kind)?;
        let mut at = 1;
        while let Some(pair) = self.pairs.get(at).copied() {
            let gaps = self.gaps.len();
            for direction in [Direction::ToHub, Direction::FromHub] {
                let is_written = self.written(pair, direction).is_some();
                // The code of a conversion that the project already has is generated as well: that
                // finds the pairs which its fields need. Its text and its gaps are dropped.
                let all = &mut *self;
                let generated = Toward { all, direction }.convert_pair(pair);
                if is_written {
                    self.gaps.truncate(gaps);
                } else {
                    text.push_str(&generated);
                }
            }
            at += 1;
        }
        Some(format!("{}\n{text}", self.imports()))
    }

    /// Generates the `impl` of `Spoke` for the kind.
    fn generate_impl(&mut self, pair: Pair) -> Option<String> {
        let (Item::Struct(spoke), Item::Struct(hub)) =
            (self.spoke.types.item(pair.0), self.hub.types.item(pair.1))
        else {
            return None;
        };
        let (spoke_fields, hub_fields) = (FieldsOf::new(pair.0, spoke), FieldsOf::new(pair.1, hub));
        let restored = self.restoring_statements(pair);
        let is_kept = !restored.is_empty();
        let mut to_hub = Toward {
            all: self,
            direction: Direction::ToHub,
        };
        let value = |name: &Member| format!("self.{}", member_code(name));
        let built = to_hub.fields((spoke_fields, hub_fields), &value, false);
        to_hub.note_hub_only(pair, &built);
        let path = self.hub.path(pair.1);
        let to_hub = if is_kept {
            format!(
                "let kept = conversion::kept::<{path}>(&mut self.metadata)?;\n{}\
                 let mut hub = {};\n\
                 // The fields that only {} has stay as they were.\n\
                 if let Some(kept) = kept {{ {restored} }}\nOk(hub)",
                built.checks.concat(),
                built.value(&path, &hub.fields),
                self.hub.version,
            )
        } else {
            with_ok(&built.body(&path, &hub.fields))
        };
        let mut from_hub = Toward {
            all: self,
            direction: Direction::FromHub,
        };
        let value = |name: &Member| match member_code(name).as_str() {
            "metadata" if is_kept => "metadata".to_owned(),
            name => format!("hub.{name}"),
        };
        let built = from_hub.fields((hub_fields, spoke_fields), &value, false);
        let from_hub = with_ok(&built.body("Self", &spoke.fields));
        let keep = if is_kept {
            "let mut metadata = hub.metadata.clone();\n\
             conversion::keep(&hub, &mut metadata)?;\n"
        } else {
            ""
        };
        let (name, mutable) = (self.spoke.path(pair.0), if is_kept { "mut " } else { "" });
        Some(format!(
            "\nimpl Spoke for {name} {{\ntype Hub = {path};\n\n\
             fn to_hub({mutable}self) -> Result<Self::Hub, Inconvertible> {{ {to_hub} }}\n\n\
             fn from_hub(hub: Self::Hub) -> Result<Self, Inconvertible> {{\n\
             {keep}{from_hub} }}\n}}\n"
        ))
    }

    fn imports(&self) -> String {
        let is_kept = self
            .pairs
            .first()
            .is_some_and(|kind| !self.restoring_statements(*kind).is_empty());
        let itself = if is_kept { "self, " } else { "" };
        let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for pair in &self.pairs {
            let mut directions = [Direction::ToHub, Direction::FromHub].into_iter();
            let is_named = directions.any(|it| self.written(*pair, it).is_none());
            let path = self.spoke.types.path(pair.0, false);
            if let Some(path) = path.filter(|_| is_named) {
                let (module, name) = path.rsplit_once("::").unwrap_or(("", &path));
                let module = match module {
                    "" => "super".to_owned(),
                    module => format!("super::{module}"),
                };
                modules.entry(module).or_default().insert(name.to_owned());
            }
        }
        let mut text = format!("use genclient::conversion::{{{itself}Inconvertible, Spoke}};\n\n");
        for (module, names) in modules {
            let names: Vec<_> = names.into_iter().collect();
            text.push_str(&format!("use {module}::{{{}}};\n", names.join(", ")));
        }
        text.push_str(&format!("use {};\n", self.hub.types.module_path));
        text
    }
}

impl Conversions<'_> {
    /// Statements that restore the fields that only the hub has: `hub.spec.size = kept.spec.size;`.
    /// Fields of fields are included, unless the types are in `Conversions::nested`.
    pub(super) fn restoring_statements(&self, pair: Pair) -> String {
        self.restore_below(pair, "")
    }

    fn restore_below(&self, pair: Pair, path: &str) -> String {
        let mut text = String::new();
        let field_path = |name: &Member| format!("{path}.{}", member_code(name));
        for name in self.hub_only.get(&pair).into_iter().flatten() {
            let path = field_path(name);
            text.push_str(&format!("hub{path} = kept{path};\n"));
        }
        let (Item::Struct(spoke), Item::Struct(hub)) =
            (self.spoke.types.item(pair.0), self.hub.types.item(pair.1))
        else {
            return text;
        };
        let hub = FieldsOf::new(pair.1, hub);
        for (name, field) in named_members(&spoke.fields) {
            let Some(other) = hub.find(&name) else {
                continue;
            };
            let types = (
                self.spoke.typed(pair.0, field),
                self.hub.typed(pair.1, other),
            );
            let path = field_path(&name);
            if let Some(inner) = self.direct(types.0.own(), types.1.own()) {
                text.push_str(&self.restore_below(inner, &path));
            } else if let (Some(one), Some(other)) = (types.0.optional(), types.1.optional())
                && let Some(inner) = self.direct(one.own(), other.own())
            {
                let inner = self.restore_below(inner, "");
                if !inner.is_empty() {
                    text.push_str(&format!(
                        "if let (Some(hub), Some(kept)) = (&mut hub{path}, kept{path}) \
                         {{ {inner} }}\n"
                    ));
                }
            }
        }
        text
    }

    /// The pair of two types, if it has a conversion and is not in `Conversions::nested`.
    fn direct(&self, spoke: Option<TypeId>, hub: Option<TypeId>) -> Option<Pair> {
        let pair = (spoke?, hub?);
        (self.pairs.contains(&pair) && !self.nested.contains(&pair)).then_some(pair)
    }
}

impl FieldType<'_> {
    /// The type, if the version's module declares it.
    fn own(self) -> Option<TypeId> {
        match self.resolved().resolve()? {
            ResolvedType::Own(id) => Some(id),
            ResolvedType::Other(_) => None,
        }
    }
}
