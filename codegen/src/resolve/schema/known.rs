//! Types of the standard library, of Kubernetes and of common crates.

use super::condition;
use crate::model::Schema;

/// What a type of another crate is.
pub(super) enum Known {
    /// A schema of its own.
    Is(Box<Schema>),
    /// `Option<T>`
    Optional,
    /// `Box<T>`: the inner type.
    Inner,
    /// `Vec<T>`
    List,
    /// `BTreeSet<T>`
    Set,
    /// `BTreeMap<K, V>`
    Map,
    /// Something that cannot be served, and what to use instead.
    Refused(&'static str),
}

/// What is known of a path, if anything.
pub(super) fn of(path: &[String]) -> Option<Known> {
    let (name, crates) = path.split_last()?;
    match crates.first().map(String::as_str) {
        None => language(name).or_else(|| standard(name, true)),
        Some("std" | "core" | "alloc") => standard(name, false),
        Some("indexmap") => indexmap(name),
        Some("serde_json") => (name == "Value").then(any),
        Some("genclient" | "k8s_openapi" | "kube" | "kube_core") => kubernetes(name, crates),
        Some(_) => None,
    }
}

fn language(name: &str) -> Option<Known> {
    let integer = |minimum: i64, maximum: i64| {
        let mut schema = Schema::formatted("integer", "int32");
        schema.minimum = Some(minimum.into());
        schema.maximum = Some(maximum.into());
        schema
    };
    let schema = match name {
        "bool" => Schema::typed("boolean"),
        "str" => Schema::typed("string"),
        "char" => Schema {
            min_length: Some(1),
            max_length: Some(1),
            ..Schema::typed("string")
        },
        "i8" => integer(i8::MIN.into(), i8::MAX.into()),
        "i16" => integer(i16::MIN.into(), i16::MAX.into()),
        "u8" => integer(0, u8::MAX.into()),
        "u16" => integer(0, u16::MAX.into()),
        "i32" => Schema::formatted("integer", "int32"),
        "i64" | "isize" => Schema::formatted("integer", "int64"),
        // The API server knows no format for it.
        "u32" => Schema {
            format: Some("int64".to_owned()),
            ..integer(0, u32::MAX.into())
        },
        "u64" | "usize" => Schema {
            minimum: Some(0.into()),
            ..Schema::formatted("integer", "int64")
        },
        "f32" => Schema::formatted("number", "float"),
        "f64" => Schema::formatted("number", "double"),
        "i128" | "u128" => {
            return Some(Known::Refused(
                "the API server stores integers of 64 bits: use `i64`, or a `String`",
            ));
        }
        _ => return None,
    };
    Some(Known::Is(Box::new(schema)))
}

/// Types of the standard library; only those of the prelude go without a path.
fn standard(name: &str, prelude_only: bool) -> Option<Known> {
    let known = match name {
        "String" => string(),
        "Option" => Known::Optional,
        "Box" => Known::Inner,
        "Vec" => Known::List,
        _ if prelude_only => return None,
        "Rc" | "Arc" | "Cow" => Known::Inner,
        "VecDeque" => Known::List,
        "HashSet" | "BTreeSet" => Known::Set,
        "HashMap" | "BTreeMap" => Known::Map,
        "Ipv4Addr" => formatted("ipv4"),
        "Ipv6Addr" => formatted("ipv6"),
        // The API server knows no format for either.
        "IpAddr" => string(),
        "Duration" => Known::Refused(
            "serde writes it as seconds and nanoseconds: use `genclient::prelude::Duration`, which reads `1h30m`",
        ),
        _ => return None,
    };
    Some(known)
}

fn string() -> Known {
    Known::Is(Box::new(Schema::typed("string")))
}

fn formatted(format: &str) -> Known {
    Known::Is(Box::new(Schema::formatted("string", format)))
}

fn indexmap(name: &str) -> Option<Known> {
    match name {
        "IndexMap" => Some(Known::Map),
        "IndexSet" => Some(Known::Set),
        _ => None,
    }
}

/// Any JSON value.
fn any() -> Known {
    Known::Is(Box::new(Schema {
        preserve_unknown_fields: true,
        ..Schema::default()
    }))
}

fn kubernetes(name: &str, path: &[String]) -> Option<Known> {
    let schema = match name {
        "ObjectMeta" => Schema::typed("object"),
        "Time" => Schema::formatted("string", "date-time"),
        "MicroTime" => Schema::formatted("string", "date-time"),
        "Quantity" => int_or_string(Some(QUANTITY)),
        "IntOrString" => int_or_string(None),
        "Condition" => condition::schema(),
        "RawExtension" => Schema {
            preserve_unknown_fields: true,
            ..Schema::typed("object")
        },
        "ByteString" => Schema::formatted("string", "byte"),
        "Duration" if path.first().is_some_and(|name| name != "k8s_openapi") => {
            Schema::typed("string")
        }
        _ => return None,
    };
    Some(Known::Is(Box::new(schema)))
}

/// What the API server takes for a quantity.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

fn int_or_string(pattern: Option<&str>) -> Schema {
    Schema {
        any_of: vec![Schema::typed("integer"), Schema::typed("string")],
        int_or_string: true,
        pattern: pattern.map(str::to_owned),
        ..Schema::default()
    }
}
