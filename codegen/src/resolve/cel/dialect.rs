//! Attributes that state schemas in the sources of a kind, for help texts.

use genclient_cel::declare::SizeKeyword;

use super::field_paths;
use crate::model::{Origin, Schema};
use crate::sources::Sources;

/// End of help that suggests `#[crd(…)]` on a type that lacks its derive.
pub(in crate::resolve) const WITH_DERIVE: &str = ", with `genclient::CrdSchema` in the derive";

/// Attributes in which a type states the schemas of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::resolve) enum SchemaDialect {
    /// `#[crd(…)]`, of types that derive `CrdSchema` or have `#[genclient]`.
    Crd,
    /// `#[crd(…)]`, once the type derives `CrdSchema`.
    CrdWithoutDerive,
    /// `#[schemars(…)]`, of types in kinds of kube's derive.
    Schemars,
    /// The same before schemars 1, which has no `extend`.
    OldSchemars,
}

impl SchemaDialect {
    const ALL: [Self; 4] = [
        Self::Crd,
        Self::CrdWithoutDerive,
        Self::Schemars,
        Self::OldSchemars,
    ];

    /// Returns the dialect of types that only have attributes of schemars.
    pub(in crate::resolve) fn of_schemars(sources: &Sources) -> Self {
        if sources.has_old_schemars {
            Self::OldSchemars
        } else {
            Self::Schemars
        }
    }

    pub(super) fn is_of_schemars(self) -> bool {
        matches!(self, Self::Schemars | Self::OldSchemars)
    }

    /// Help for a list of objects whose items cannot be correlated.
    pub(super) fn list_map(self) -> String {
        if self == Self::Schemars {
            return "give the list `#[schemars(extend(\"x-kubernetes-list-type\" = \"map\", \
                    \"x-kubernetes-list-map-keys\" = [..]))]`"
                .to_owned();
        }
        let help = "give the list `#[crd(list_type = \"map\", list_map_keys = [..])]`";
        let end = if self == Self::Crd { "" } else { WITH_DERIVE };
        format!("{help}{end}")
    }

    /// Returns how messages name a bound: the key in `#[crd(…)]`, or else the keyword.
    pub(super) fn bound(self, keyword: SizeKeyword) -> &'static str {
        match keyword {
            _ if !self.is_of_schemars() => attribute_key(keyword),
            SizeKeyword::MaxItems => "maxItems",
            SizeKeyword::MaxLength => "maxLength",
            SizeKeyword::MaxProperties => "maxProperties",
        }
    }
}

fn attribute_key(keyword: SizeKeyword) -> &'static str {
    match keyword {
        SizeKeyword::MaxItems => "max_items",
        SizeKeyword::MaxLength => "max_length",
        SizeKeyword::MaxProperties => "max_properties",
    }
}

/// The declaration of a field, as far as help texts depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve) struct FieldOrigin {
    pub(in crate::resolve) dialect: SchemaDialect,
    /// True if `schema_with` states the schema of the field.
    pub(in crate::resolve) has_schema_with: bool,
}

impl From<FieldOrigin> for Origin {
    fn from(origin: FieldOrigin) -> Self {
        let has_schema_with = u8::from(origin.has_schema_with);
        Self(Some(((origin.dialect as u8) << 1) | has_schema_with))
    }
}

impl FieldOrigin {
    /// Returns the origin of a field's schema. Other schemas have none.
    pub(in crate::resolve::cel) fn from_origin(origin: Origin) -> Option<Self> {
        let tag = origin.0?;
        Some(Self {
            dialect: *SchemaDialect::ALL.get(usize::from(tag >> 1))?,
            has_schema_with: tag & 1 == 1,
        })
    }

    /// Help for a field without a type.
    pub(in crate::resolve::cel) fn missing_type(self) -> String {
        let help = match self.dialect {
            SchemaDialect::Crd => "set it with `#[crd(type = \"..\")]`",
            SchemaDialect::CrdWithoutDerive => {
                return format!("set it with `#[crd(type = \"..\")]`{WITH_DERIVE}");
            }
            _ if self.has_schema_with => {
                "replace `schema_with` by a Rust type: `#[schemars(with = \"..\")]`"
            }
            _ => "set it with a Rust type: `#[schemars(with = \"..\")]`",
        };
        help.to_owned()
    }
}

/// The field that declares a value: the value itself, or a list or map around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldDeclaration {
    pub(super) origin: FieldOrigin,
    /// The lists and maps from the field to the value, from the outside: `items` for each list,
    /// `values` for each map.
    pub(super) parts: Vec<&'static str>,
}

impl FieldDeclaration {
    /// Returns the declaration of the value at a path of a rule, such as `self.parts[*].name`.
    /// `self` has this declaration and this schema.
    pub(super) fn at(&self, path: &str, mut schema: &Schema) -> Self {
        let mut found = self.clone();
        for step in field_paths::path_steps(path) {
            match step.as_str() {
                "[*]" if schema.items.is_some() => found.parts.push("items"),
                "[*]" => found.parts.push("values"),
                _ => found.parts.clear(),
            }
            let Some(inner) = field_paths::schema_of_step(schema, &step) else {
                break;
            };
            found.origin = FieldOrigin::from_origin(inner.origin).unwrap_or(found.origin);
            schema = inner;
        }
        found
    }

    /// Returns the attribute that bounds the size of the value: a key beside other keys of
    /// `#[crd(…)]`, or a whole attribute. Without `max`, a placeholder stands for the number.
    pub(super) fn attribute(&self, keyword: SizeKeyword, max: Option<u64>) -> String {
        let dialect = self.origin.dialect;
        let number = max.map_or("..".to_owned(), |max| max.to_string());
        let is_map = keyword == SizeKeyword::MaxProperties;
        if dialect.is_of_schemars() && !is_map && self.parts.iter().all(|part| *part == "items") {
            let length = format!("length(max = {number})");
            let nested = self
                .parts
                .iter()
                .fold(length, |inner, _| format!("inner({inner})"));
            return format!("#[schemars({nested})]");
        }
        if dialect == SchemaDialect::Schemars && is_map && self.parts.is_empty() {
            return format!("#[schemars(extend(\"maxProperties\" = {number}))]");
        }
        let is_bare = dialect == SchemaDialect::Crd && self.parts.is_empty() && max.is_none();
        let key = if is_bare {
            attribute_key(keyword).to_owned()
        } else {
            format!("{} = {number}", attribute_key(keyword))
        };
        let nested = self
            .parts
            .iter()
            .rev()
            .fold(key, |inner, part| format!("{part}({inner})"));
        match dialect {
            SchemaDialect::Crd => nested,
            _ => format!("#[crd({nested})]"),
        }
    }
}

/// A value whose size the schema can bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SizedValue {
    /// Its path from `self`, or from the root.
    pub(super) path: String,
    pub(super) keyword: SizeKeyword,
    pub(super) declaration: FieldDeclaration,
}

impl SizedValue {
    /// Returns the attribute that sets the bound, and where it is written, such as `max_items` on
    /// `self.list`.
    pub(super) fn set(&self, max: Option<u64>) -> String {
        let attribute = self.declaration.attribute(self.keyword, max);
        let around = "[*]".repeat(self.declaration.parts.len());
        match self.path.strip_suffix(&around) {
            Some(field) => format!("`{attribute}` on `{field}`"),
            // `self` is an item of a list or a value of a map: the attribute surrounds the rule.
            None => format!("`{attribute}`"),
        }
    }

    /// Returns how messages name the bound.
    pub(super) fn bound(&self) -> &'static str {
        self.declaration.origin.dialect.bound(self.keyword)
    }
}

/// Returns the end of help that suggests an attribute: the derive that it needs in addition.
pub(super) fn derive_for(attribute: &str) -> &'static str {
    if attribute.contains("#[crd(") {
        WITH_DERIVE
    } else {
        ""
    }
}
