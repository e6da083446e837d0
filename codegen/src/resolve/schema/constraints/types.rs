//! Conversion of JSON, list and map types from attributes into the schema model.

use genclient_syntax as syntax;

use crate::model::{JsonType, ListType, MapType};

/// `type = ".."`
pub(super) fn json_type(written: syntax::JsonType) -> JsonType {
    match written {
        syntax::JsonType::Object => JsonType::Object,
        syntax::JsonType::Array => JsonType::Array,
        syntax::JsonType::String => JsonType::String,
        syntax::JsonType::Integer => JsonType::Integer,
        syntax::JsonType::Number => JsonType::Number,
        syntax::JsonType::Boolean => JsonType::Boolean,
    }
}

/// `list_type = ".."`
pub(super) fn list_type(written: syntax::ListType) -> ListType {
    match written {
        syntax::ListType::Map => ListType::Map,
        syntax::ListType::Set => ListType::Set,
        syntax::ListType::Atomic => ListType::Atomic,
    }
}

/// `map_type = ".."`, `struct_type = ".."`
pub(super) fn map_type(written: syntax::MapType) -> MapType {
    match written {
        syntax::MapType::Granular => MapType::Granular,
        syntax::MapType::Atomic => MapType::Atomic,
    }
}
