//! Go types of Kubernetes' built-in kinds. They determine how objects are decoded, encoded and
//! patched.
//!
//! `hack/kubernetes-schemas.sh` extracts the types from the Go modules into `data/types.tsv`. That
//! file has a line for each named type, and one for each kind, such as `@apps/v1/Deployment`, with
//! the name of its struct. `hack/kinds/types/main.go` describes the format. The line of a struct is
//! parsed when the struct is first used.

mod base64;
mod convert;
mod decode;
mod decode_error;
mod patch_meta;
mod protobuf;

use std::sync::{LazyLock, OnceLock};

pub use base64::decode_base64;
pub use base64::encode_base64;
pub use convert::convert;
pub use decode::{DecodedObject, decode, decode_converted};
pub use decode_error::DecodeError;
pub use genclient_apimachinery::go::quoted;
pub use protobuf::{ProtobufError, decode_protobuf, is_protobuf};

const TYPES: &str = include_str!("../../data/types.tsv");

/// Members of a JSON object.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// Line of `data/types.tsv`: a named Go type or a kind. A struct has its fields once the line is
/// parsed.
struct Named {
    name: &'static str,
    text: &'static str,
    fields: OnceLock<Box<[Field]>>,
}

/// All named types and kinds, sorted by name.
static NAMED: LazyLock<Vec<Named>> = LazyLock::new(|| {
    let lines = TYPES.lines().filter_map(|line| line.split_once('\t'));
    let named = |(name, text)| Named {
        name,
        text,
        fields: OnceLock::new(),
    };
    lines.map(named).collect()
});

fn find_named(name: &str) -> Option<&'static Named> {
    let found = NAMED.binary_search_by_key(&name, |named| named.name);
    found.ok().and_then(|at| NAMED.get(at))
}

/// Field of a Go struct with its JSON name and tags.
#[derive(Debug)]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// The Go type.
    pub type_: GoType,
    /// Whether the tag has `omitempty`: an empty value is not written, unless it is a struct.
    pub omit_empty: bool,
    /// Whether the tag has `omitzero`: a zero value is not written.
    pub omit_zero: bool,
    /// The tag `patchStrategy`, such as `merge` or `merge,retainKeys`, or empty.
    pub strategies: &'static str,
    /// The tag `patchMergeKey`, or empty.
    pub merge_key: &'static str,
    /// The embedded struct that declares the field, such as `VolumeSource`, or empty. Go's errors
    /// name this struct.
    pub embedded: &'static str,
}

impl Field {
    /// Parses `name:type:omit`, optionally followed by `:strategies:mergeKey` and by `@` and the
    /// embedded struct.
    fn parse(cell: &'static str) -> Option<Self> {
        let (cell, embedded) = cell.split_once('@').unwrap_or((cell, ""));
        let mut parts = cell.split(':');
        let name = parts.next()?;
        let type_ = GoType(parts.next()?);
        let omit = parts.next()?;
        Some(Self {
            name,
            type_,
            omit_empty: omit.contains('o'),
            omit_zero: omit.contains('z'),
            strategies: parts.next().unwrap_or_default(),
            merge_key: parts.next().unwrap_or_default(),
            embedded,
        })
    }
}

/// Go type, written as in Go: `*int32`, `[]core/v1.Container`, `map[string]string`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoType(&'static str);

/// Structure of a Go type (`reflect.Kind`).
#[derive(Clone, Copy, Debug)]
pub enum GoKind {
    /// `*T`
    Pointer(GoType),
    /// `[]T`
    Slice(GoType),
    /// `map[K]T`; `K` is a string type.
    Map(GoType),
    /// A struct with its fields, in the order of the source.
    Struct(&'static [Field]),
    /// A named type with a custom `UnmarshalJSON`.
    Custom(&'static str),
    /// `bool`
    Bool,
    /// A signed integer type with this number of bits. `uint32` counts as 64 bits.
    Integer(u32),
    /// `float32` or `float64`
    Float,
    /// `string`
    String,
    /// `[]byte`: base64 in JSON.
    Bytes,
    /// `interface{}`, or a type that is not in `data/types.tsv`
    Any,
}

impl GoType {
    /// Returns the struct of a built-in kind.
    ///
    /// ```
    /// # use genclient_builtins::types::GoType;
    /// let pod = GoType::of_kind("", "v1", "Pod").unwrap();
    /// assert_eq!(pod.printed(), "v1.Pod");
    /// ```
    #[must_use]
    pub fn of_kind(group: &str, version: &str, kind: &str) -> Option<Self> {
        find_named(&format!("@{group}/{version}/{kind}")).map(|named| Self(named.text))
    }

    /// Returns the type with this name, such as `core/v1.PodSpec`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        find_named(name).map(|named| Self(named.name))
    }

    /// Returns the structure of the type.
    #[must_use]
    pub fn kind(self) -> GoKind {
        match self.0 {
            "bool" => return GoKind::Bool,
            "string" => return GoKind::String,
            "interface {}" => return GoKind::Any,
            "[]uint8" => return GoKind::Bytes,
            "float32" | "float64" => return GoKind::Float,
            "int32" => return GoKind::Integer(32),
            "int" | "int64" | "uint32" => return GoKind::Integer(64),
            _ => {}
        }
        if let Some(inner) = self.0.strip_prefix('*') {
            return GoKind::Pointer(Self(inner));
        }
        if let Some(inner) = self.0.strip_prefix("[]") {
            return GoKind::Slice(Self(inner));
        }
        if self.0.starts_with("map[") {
            return GoKind::Map(Self(
                self.0.split_once(']').map_or("string", |(_, inner)| inner),
            ));
        }
        self.named_kind()
    }

    /// Returns the structure of a named type.
    fn named_kind(self) -> GoKind {
        let Some(named) = find_named(self.0) else {
            return GoKind::Any;
        };
        if named.text == "!" {
            return GoKind::Custom(named.name);
        }
        if let Some(underlying) = named.text.strip_prefix('=') {
            return Self(underlying).kind();
        }
        let fields = named
            .fields
            .get_or_init(|| named.text.split('\t').filter_map(Field::parse).collect());
        GoKind::Struct(fields)
    }

    /// Returns the type that a pointer points to, or the type itself if it is not a pointer.
    #[must_use]
    pub fn pointed(self) -> Self {
        self.0.strip_prefix('*').map_or(self, Self)
    }

    /// Returns the fields of a struct or of a pointer to a struct. Other types have none.
    #[must_use]
    pub fn fields(self) -> &'static [Field] {
        match self.pointed().kind() {
            GoKind::Struct(fields) => fields,
            _ => &[],
        }
    }

    /// Returns the field with this JSON name.
    #[must_use]
    pub fn field(self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.name == name)
    }

    /// Returns the type as written in Go, with its package: `core/v1.PodSpec` or `*int32`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Returns the name of the struct without its package, such as `PodSpec`.
    #[must_use]
    pub fn bare_name(self) -> &'static str {
        self.0.rsplit_once('.').map_or(self.0, |(_, name)| name)
    }

    /// Returns the type as Go's errors print it, such as `*v1.PodOS` or `[]v1.Container`.
    #[must_use]
    pub fn printed(self) -> String {
        let named = self.0.find(|c: char| c.is_ascii_alphabetic());
        match self.kind() {
            GoKind::Pointer(inner) => format!("*{}", inner.printed()),
            GoKind::Slice(inner) if self.0.starts_with('[') => format!("[]{}", inner.printed()),
            GoKind::Map(inner) if self.0.starts_with("map[") => {
                let key = self.0.trim_start_matches("map[").split(']').next();
                let key = Self(key.unwrap_or("string")).printed();
                format!("map[{key}]{}", inner.printed())
            }
            _ => match named.and_then(|_| self.0.rsplit_once('/')) {
                Some((_, last)) => last.to_owned(),
                None => self.0.to_owned(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_types_are_sorted_and_references_resolve() {
        let names: Vec<_> = NAMED.iter().map(|named| named.name).collect();
        assert!(names.is_sorted());
        for named in &*NAMED {
            if named.name.starts_with('@') || named.text == "!" || named.text.starts_with('=') {
                continue;
            }
            for field in GoType(named.name).fields() {
                let mut type_ = field.type_;
                loop {
                    type_ = match type_.kind() {
                        GoKind::Pointer(inner) | GoKind::Slice(inner) | GoKind::Map(inner) => inner,
                        _ => break,
                    }
                }
                let known = find_named(type_.0).is_some() || !type_.0.contains('.');
                assert!(known, "{}: {}", named.name, type_.0);
            }
        }
    }

    #[test]
    fn merge_keys_are_loaded_from_the_go_types() {
        let keys = NAMED.iter().flat_map(|named| GoType(named.name).fields());
        let merged = keys.filter(|field| !field.merge_key.is_empty()).count();
        assert!(merged > 50, "{merged}");
    }
}
