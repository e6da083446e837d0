//! CEL values at run time, which borrow from the object and the schema where possible.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use genclient_apimachinery::go;
use genclient_apimachinery::go::time::Timestamp;
use serde_json::{Map as JsonMap, Value as Json};

use super::authorization::Authorization;
use super::named_format::Format;
use super::quantity::QuantityValue;
use super::semver::SemVer;
use super::shape::{Fields, Shape};
use super::url::Url;

/// A CEL value or an evaluation error.
///
/// As in cel-go, an error is a value: a list can contain errors, and `||` and `&&` can ignore them.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Text<'a>),
    Bytes(Rc<[u8]>),
    /// Nanoseconds.
    Duration(i64),
    Timestamp(Timestamp),
    List(List<'a>),
    Map(MapValue<'a>),
    Optional(Option<Rc<Value<'a>>>),
    /// A type, by name.
    Type(&'static str),
    Url(Rc<Url>),
    Quantity(QuantityValue),
    Ip(IpAddr),
    /// An address and its prefix length.
    Cidr(IpAddr, u8),
    Format(&'static Format),
    Semver(Rc<SemVer>),
    Authorization(Rc<Authorization<'a>>),
    /// Data of a schema with `x-kubernetes-preserve-unknown-fields` and no type.
    Preserved(Rc<Native<'a>>),
    Error(Rc<str>),
}

/// A string: owned, or borrowed from the object or the plan.
#[derive(Clone, Debug)]
pub(super) enum Text<'a> {
    Borrowed(&'a str),
    Owned(Arc<str>),
}

#[derive(Clone, Debug)]
pub(super) enum List<'a> {
    Values(Rc<[Value<'a>]>),
    Texts(Rc<[Text<'a>]>),
    /// Concatenated lists.
    Parts(Rc<[List<'a>]>),
    /// A list without a schema.
    Native(Elements<'a>),
    /// The accumulator of a running comprehension.
    Growing(Rc<RefCell<Vec<Value<'a>>>>),
    /// A list in the validated object, with its schema.
    Typed(TypedList<'a>),
}

#[derive(Clone, Debug)]
pub(super) struct TypedList<'a> {
    pub(super) elements: Elements<'a>,
    pub(super) items: &'a Shape,
    pub(super) merge: Merging<'a>,
}

/// Rule for `==` and `+` of a list, from its `x-kubernetes-list-type`.
#[derive(Clone, Debug)]
pub(super) enum Merging<'a> {
    Atomic,
    /// The elements as a set, computed on first use. As in the API server, `list + other` also
    /// changes the set of `list`: it gets the elements of `other`.
    Set(Rc<RefCell<Option<Vec<Native<'a>>>>>),
    /// The merge keys.
    Map(&'a [String]),
}

#[derive(Clone, Debug)]
pub(super) enum MapValue<'a> {
    Values(Rc<MapEntries<'a>>),
    /// A map without a schema.
    Native(&'a JsonMap<String, Json>),
    /// The accumulator of a running comprehension.
    Growing(Rc<RefCell<MapEntries<'a>>>),
    /// An object or a map inside the validated object, with its schema.
    Typed(&'a JsonMap<String, Json>, &'a Fields),
}

/// Map entries in insertion order.
#[derive(Clone, Debug, Default)]
pub(super) struct MapEntries<'a> {
    pub(super) items: Vec<(Value<'a>, Value<'a>)>,
    pub(super) places: HashMap<Key, usize>,
}

/// A hashable map key, with Go's equality.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    /// The bits of the number.
    Double(u64),
    Duration(i64),
    Text(Arc<str>),
}

/// A native value: Go's `interface{}`.
#[derive(Clone, Debug)]
pub(super) enum Native<'a> {
    Nil,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Text<'a>),
    Object(&'a JsonMap<String, Json>),
    Array(Elements<'a>),
    /// A value without a variant here, such as a timestamp or a list made by an expression.
    Value(Value<'a>),
}

/// The elements of a Go slice.
#[derive(Clone, Debug)]
pub(super) enum Elements<'a> {
    Json(&'a [Json]),
    Natives(Rc<[Native<'a>]>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Owned(text) => text,
        }
    }
}

impl<'a> From<Authorization<'a>> for Value<'a> {
    fn from(authorization: Authorization<'a>) -> Self {
        Self::Authorization(Rc::new(authorization))
    }
}

impl<'a> Value<'a> {
    pub(super) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(Text::Owned(text.into()))
    }

    pub(super) fn error(message: impl Into<Rc<str>>) -> Self {
        Self::Error(message.into())
    }

    pub(super) fn some(value: Self) -> Self {
        Self::Optional(Some(Rc::new(value)))
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(List::from_values(items))
    }

    pub(super) fn no_such_overload() -> Self {
        Self::error("no such overload")
    }

    /// Returns the value if it is an error, else "no such overload"
    /// (`types.MaybeNoSuchOverloadErr`).
    pub(super) fn error_or_no_such_overload(&self) -> Self {
        match self {
            Self::Error(_) => self.clone(),
            _ => Self::no_such_overload(),
        }
    }

    pub(super) fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    /// Returns the name of the CEL type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Url(_) => "kubernetes.URL",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Ip(_) => "net.IP",
            Self::Cidr(..) => "net.CIDR",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Authorization(it) => it.type_name(),
            Self::Preserved(_) => "unknown",
            Self::Error(_) => "error",
        }
    }

    /// Returns the size in characters, bytes, items or entries, if the type has one
    /// (`traits.Sizer`).
    pub(super) fn size(&self) -> Option<u64> {
        let bytes = |bits: u32| u64::from(bits.div_ceil(8));
        match self {
            Self::Text(text) => Some(text.chars().count() as u64),
            Self::Bytes(bytes) => Some(bytes.len() as u64),
            Self::List(list) => Some(list.len() as u64),
            Self::Map(map) => Some(map.len() as u64),
            Self::Ip(IpAddr::V4(_)) => Some(4),
            Self::Ip(IpAddr::V6(_)) => Some(16),
            Self::Cidr(_, bits) => Some(bytes(u32::from(*bits))),
            _ => None,
        }
    }

    /// Returns whether the value is the zero value of its type, such as 0 or the empty string
    /// (`traits.Zeroer`).
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Int(value) => *value == 0,
            Self::Uint(value) => *value == 0,
            Self::Double(value) => *value == 0.0,
            Self::Text(text) => text.is_empty(),
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Duration(value) => *value == 0,
            Self::Timestamp(time) => time.is_zero(),
            Self::List(list) => list.is_zero(),
            Self::Map(map) => map.is_zero(),
            _ => false,
        }
    }

    /// Formats the value as Go's `%v` does.
    pub(super) fn printed(&self) -> String {
        match self {
            Self::Null => "0".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Uint(value) => value.to_string(),
            Self::Double(value) => go::float(*value),
            Self::Text(text) => text.to_string(),
            Self::Bytes(bytes) => {
                let bytes: Vec<_> = bytes.iter().map(u8::to_string).collect();
                format!("[{}]", bytes.join(" "))
            }
            Self::Duration(value) => go::format_duration(*value),
            Self::Timestamp(time) => time.verbose(),
            Self::List(list) => {
                let items: Vec<_> = list.iter().map(|item| item.printed()).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Map(map) => {
                let entries = map.entries();
                let entries = entries
                    .iter()
                    .map(|(key, value)| format!("{}: {}", key.printed(), value.printed()));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
            Self::Optional(None) => "optional.none()".to_owned(),
            Self::Optional(Some(value)) => format!("optional({})", value.printed()),
            Self::Type(name) => (*name).to_owned(),
            Self::Error(text) => text.to_string(),
            Self::Url(url) => url.to_string(),
            Self::Quantity(quantity) => quantity.quantity.canonical(),
            Self::Ip(address) => address.to_string(),
            Self::Cidr(address, bits) => format!("{address}/{bits}"),
            Self::Semver(version) => version.to_string(),
            Self::Authorization(it) => it.type_name().to_owned(),
            Self::Format(format) => format.name.to_owned(),
            Self::Preserved(_) => "unknown".to_owned(),
        }
    }

    /// Returns the name of the Go type, for errors of cel-go.
    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Null => "types.Null",
            Self::Bool(_) => "types.Bool",
            Self::Int(_) => "types.Int",
            Self::Uint(_) => "types.Uint",
            Self::Double(_) => "types.Double",
            Self::Text(_) => "types.String",
            Self::Bytes(_) => "types.Bytes",
            Self::Duration(_) => "types.Duration",
            Self::Timestamp(_) => "types.Timestamp",
            Self::List(list) => list.go_type(),
            Self::Map(map) => map.go_type(),
            Self::Optional(_) => "*types.Optional",
            Self::Type(_) => "*types.Type",
            Self::Url(_) => "cel.URL",
            Self::Quantity(quantity) if quantity.computed => "*cel.Quantity",
            Self::Quantity(_) => "cel.Quantity",
            Self::Ip(_) => "cel.IP",
            Self::Cidr(..) => "cel.CIDR",
            Self::Format(_) => "cel.Format",
            Self::Semver(_) => "cel.Semver",
            Self::Authorization(it) => it.go_type(),
            Self::Preserved(_) => "*common.unknownPreserved",
            Self::Error(_) => "*types.Err",
        }
    }
}
