//! Schema mappings for primitive types and types of the standard library.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::mapping::Known;
use crate::model::{JsonType, Schema};

/// The primitive types that fields of a CRD should have.
pub(crate) const PRIMITIVES: [&str; 14] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64",
    "usize",
];

/// Returns the primitive type that other languages call `name`.
pub(crate) fn primitive_synonym(name: &str) -> Option<&'static str> {
    Some(match name {
        "boolean" => "bool",
        "double" | "float" | "float64" => "f64",
        "float32" => "f32",
        "int" | "int32" | "integer" => "i32",
        "int64" | "long" => "i64",
        "uint" | "uint32" => "u32",
        "uint64" => "u64",
        _ => return None,
    })
}

pub(super) fn find_primitive(name: &str) -> Option<Known> {
    let schema = match name {
        "bool" => Schema::typed(JsonType::Boolean),
        "str" => Schema::typed(JsonType::String),
        "char" => Schema {
            min_length: Some(1),
            max_length: Some(1),
            ..Schema::typed(JsonType::String)
        },
        "f32" => Schema::formatted(JsonType::Number, "float"),
        "f64" => Schema::formatted(JsonType::Number, "double"),
        "i128" | "u128" => {
            let of_64_bits = if name == "i128" { "i64" } else { "u64" };
            return Some(Known::Discouraged(
                Box::new(sized_integer(of_64_bits)?),
                "the API server stores integers of 64 bits: use `i64`, or a `String`",
            ));
        }
        name => return sized_integer(name).map(Known::schema),
    };
    Some(Known::schema(schema))
}

/// Returns the schema of an integer type of up to 64 bits.
pub(crate) fn sized_integer(name: &str) -> Option<Schema> {
    let bounded = |format: &str, minimum: i64, maximum: i64| Schema {
        minimum: Some(minimum.into()),
        maximum: Some(maximum.into()),
        ..Schema::formatted(JsonType::Integer, format)
    };
    Some(match name {
        "i8" => bounded("int32", i8::MIN.into(), i8::MAX.into()),
        "i16" => bounded("int32", i16::MIN.into(), i16::MAX.into()),
        "u8" => bounded("int32", 0, u8::MAX.into()),
        "u16" => bounded("int32", 0, u16::MAX.into()),
        "i32" => Schema::formatted(JsonType::Integer, "int32"),
        "i64" | "isize" => Schema::formatted(JsonType::Integer, "int64"),
        // The API server has no format for unsigned integers.
        "u32" => bounded("int64", 0, u32::MAX.into()),
        "u64" | "usize" => Schema {
            minimum: Some(0.into()),
            ..Schema::formatted(JsonType::Integer, "int64")
        },
        _ => return None,
    })
}

/// Returns the mapping of a non-zero integer, by the name of its primitive type.
pub(super) fn non_zero_primitive(name: &str) -> Option<Known> {
    let mut schema = match name {
        "i128" | "u128" => return find_primitive(name),
        _ => sized_integer(name)?,
    };
    if name.starts_with('u') {
        schema.minimum = Some(1.into());
    } else {
        let zero = Schema {
            enum_: vec![json!(0)],
            ..Schema::default()
        };
        schema.not = Some(Box::new(zero));
    }
    Some(Known::schema(schema))
}

/// The known types in the standard prelude, with their paths.
pub(crate) const PRELUDE: [(&str, &str); 4] = [
    ("String", "std::string::String"),
    ("Option", "std::option::Option"),
    ("Box", "std::boxed::Box"),
    ("Vec", "std::vec::Vec"),
];

/// Returns the path of a type in the standard prelude.
pub(super) fn prelude_path(name: &str) -> Option<&'static str> {
    let found = PRELUDE.into_iter().find(|(other, _)| *other == name);
    found.map(|(_, path)| path)
}

/// Returns the mapping of a path that starts with `std`. `reexports::canonical_path` has replaced
/// `core` and `alloc` by `std`.
pub(super) fn find_standard(path: &str) -> Option<Known> {
    Some(match path {
        "std::option::Option" => Known::Optional,
        "std::string::String" | "std::path::PathBuf" | "std::path::Path" => Known::string(),
        "std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc" | "std::borrow::Cow" => Known::Inner,
        "std::cell::Cell" | "std::cell::RefCell" | "std::sync::Mutex" | "std::sync::RwLock" => {
            Known::Inner
        }
        "std::num::Wrapping" | "std::num::Saturating" | "std::cmp::Reverse" => Known::Inner,
        "std::vec::Vec" => Known::List,
        "std::net::Ipv4Addr" => Known::formatted("ipv4"),
        "std::net::Ipv6Addr" => Known::formatted("ipv6"),
        "std::net::IpAddr" => address_schema(),
        // The API server has no format for socket addresses.
        "std::net::SocketAddr" | "std::net::SocketAddrV4" | "std::net::SocketAddrV6" => {
            Known::string()
        }
        _ => {
            return find_collection(path)
                .or_else(|| non_zero_integer(path))
                .or_else(|| refusal_reason(path));
        }
    })
}

/// Returns the schema of an IPv4 or IPv6 address.
fn address_schema() -> Known {
    let formatted = |format: &str| Schema {
        format: Some(format.to_owned()),
        ..Schema::default()
    };
    Known::schema(Schema {
        any_of: vec![formatted("ipv4"), formatted("ipv6")],
        ..Schema::typed(JsonType::String)
    })
}

/// Returns the mapping of a collection. Both `std::collections::VecDeque` and
/// `std::collections::vec_deque::VecDeque` are found.
fn find_collection(path: &str) -> Option<Known> {
    let below = path.strip_prefix("std::collections::")?;
    Some(match below {
        "VecDeque" | "vec_deque::VecDeque" => Known::List,
        "LinkedList" | "linked_list::LinkedList" => Known::List,
        "BinaryHeap" | "binary_heap::BinaryHeap" => Known::List,
        "HashSet" | "hash_set::HashSet" | "BTreeSet" | "btree_set::BTreeSet" => Known::Set,
        "HashMap" | "hash_map::HashMap" | "BTreeMap" | "btree_map::BTreeMap" => Known::Map,
        _ => return None,
    })
}

fn non_zero_integer(path: &str) -> Option<Known> {
    let integer = path.strip_prefix("std::num::NonZero")?;
    if integer.is_empty() {
        return Some(Known::Refused(
            "use the alias of one integer type: `std::num::NonZeroU32`",
        ));
    }
    non_zero_primitive(&integer.to_lowercase())
}

fn refusal_reason(path: &str) -> Option<Known> {
    Some(Known::Refused(match path {
        "std::time::Duration" => {
            let schema = seconds_and_nanoseconds("secs", "nanos");
            return Some(Known::Discouraged(
                Box::new(schema),
                "serde writes it as seconds and nanoseconds: use `genclient::prelude::Duration`, which reads `1h30m`",
            ));
        }
        "std::time::SystemTime" => {
            let schema = seconds_and_nanoseconds("secs_since_epoch", "nanos_since_epoch");
            return Some(Known::Discouraged(
                Box::new(schema),
                "serde writes it as seconds and nanoseconds: use `genclient::prelude::Time`",
            ));
        }
        "std::ffi::OsString" | "std::ffi::OsStr" | "std::ffi::CString" | "std::ffi::CStr" => {
            "serde writes it as numbers: use a `String`"
        }
        _ => return None,
    }))
}

/// Returns the schema of a `Duration` or `SystemTime` as serde writes it: whole seconds, and less
/// than 1,000,000,000 nanoseconds. serde also reads more nanoseconds, but the schema refuses them.
fn seconds_and_nanoseconds(seconds: &str, nanoseconds: &str) -> Schema {
    let whole = Schema {
        minimum: Some(0.into()),
        ..Schema::formatted(JsonType::Integer, "int64")
    };
    let rest = Schema {
        minimum: Some(0.into()),
        maximum: Some(999_999_999.into()),
        ..Schema::formatted(JsonType::Integer, "int32")
    };
    let properties = [(seconds, whole), (nanoseconds, rest)];
    let properties: BTreeMap<_, _> = properties
        .map(|(name, schema)| (name.to_owned(), Arc::new(schema)))
        .into();
    Schema {
        required: properties.keys().cloned().collect(),
        properties,
        ..Schema::typed(JsonType::Object)
    }
}
