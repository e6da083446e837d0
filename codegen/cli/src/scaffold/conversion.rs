//! Scaffolding of conversions between two versions of a kind: `Spoke` for the kind, `From` or
//! `TryFrom` for the types it uses.
//!
//! No value is dropped silently. A field that only the hub has is kept in an annotation of the
//! spoke, unless it is in a `Box`, a list, a map or a variant. For any other value that one version
//! cannot represent, the conversion returns an error until the user completes the code.

mod declared;
mod fields;
mod pairs;
mod restored;
mod types;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, Member};

pub(super) use declared::VersionTypes;
use fields::FieldsOf;
pub(super) use pairs::VersionSide;
use pairs::{Conversions, Direction, Pair, Toward, text};
use types::with_ok;

#[derive(Debug)]
pub(super) struct ConversionFile {
    pub(super) text: String,
    /// The values that the conversion refuses: `` `days` of CronTaskSpec: v2 has no such field ``.
    pub(super) gaps: Vec<String>,
}

/// Generates the conversion of a spoke to the hub and back; `None` unless both types are structs
/// that `Conversions::is_convertible` accepts.
pub(super) fn between(spoke: VersionSide<'_>, hub: VersionSide<'_>) -> Option<ConversionFile> {
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
        let text = conversions.text(kind)?;
        if conversions.known() == known {
            break text;
        }
    };
    let Conversions { gaps, .. } = conversions;
    Some(ConversionFile { text, gaps })
}

impl<'a> Conversions<'a> {
    /// The sizes of the sets that `text` adds to. The sets are complete when `text` adds nothing.
    fn known(&self) -> [usize; 4] {
        [
            self.pairs.len(),
            self.nested.len(),
            self.fallible.len(),
            self.hub_only.len(),
        ]
    }

    fn text(&mut self, kind: Pair) -> Option<String> {
        self.gaps.clear();
        let mut text = self.kind(kind)?;
        let mut at = 1;
        while let Some(pair) = self.pairs.get(at).copied() {
            let gaps = self.gaps.len();
            for direction in [Direction::ToHub, Direction::FromHub] {
                let written = self.written(pair, direction);
                let all = &mut *self;
                let one = Toward { all, direction }.pair(pair);
                match written {
                    None => text.push_str(&one),
                    Some(_) => self.gaps.truncate(gaps),
                }
            }
            at += 1;
        }
        Some(format!("{}\n{text}", self.imports()))
    }

    /// Generates the `impl` of `Spoke` for the kind.
    fn kind(&mut self, pair: Pair) -> Option<String> {
        let (Item::Struct(spoke), Item::Struct(hub)) =
            (self.spoke.types.item(pair.0), self.hub.types.item(pair.1))
        else {
            return None;
        };
        let (spoke_fields, hub_fields) = (FieldsOf::of(pair.0, spoke), FieldsOf::of(pair.1, hub));
        let restored = self.restored(pair);
        let is_kept = !restored.is_empty();
        let mut to_hub = Toward {
            all: self,
            direction: Direction::ToHub,
        };
        let value = |name: &Member| format!("self.{}", text(name));
        let built = to_hub.fields((spoke_fields, hub_fields), &value, false);
        to_hub.note_hub_only(pair, &built);
        let path = self.hub.path(pair.1);
        let to_hub = match is_kept {
            false => with_ok(&built.body(&path, &hub.fields)),
            true => format!(
                "let kept = conversion::kept::<{path}>(&mut self.metadata)?;\n{}\
                 let mut hub = {};\n\
                 // The fields that only {} has stay as they were.\n\
                 if let Some(kept) = kept {{ {restored} }}\nOk(hub)",
                built.checks.concat(),
                built.value(&path, &hub.fields),
                self.hub.version,
            ),
        };
        let mut from_hub = Toward {
            all: self,
            direction: Direction::FromHub,
        };
        let value = |name: &Member| match text(name).as_str() {
            "metadata" if is_kept => "metadata".to_owned(),
            name => format!("hub.{name}"),
        };
        let built = from_hub.fields((hub_fields, spoke_fields), &value, false);
        let from_hub = with_ok(&built.body("Self", &spoke.fields));
        let keep = match is_kept {
            false => "",
            true => {
                "let mut metadata = hub.metadata.clone();\n\
                 conversion::keep(&hub, &mut metadata)?;\n"
            }
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
            .is_some_and(|kind| !self.restored(*kind).is_empty());
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
