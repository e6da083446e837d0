//! Shapes of types, and a kind with a field for each.

pub mod collections;
pub mod enums;
pub mod flattened;
pub mod kubernetes;
pub mod scalars;
pub mod structs;

use genclient::prelude::*;

/// A kind with the shapes, as the API server gets it.
#[genclient]
#[group = "oracle.example.com"]
#[version = "v1"]
#[derive(PartialEq)]
pub struct Shape {
    pub metadata: ObjectMeta,
    pub spec: ShapeSpec,
}

/// All shapes. An object sets one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShapeSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<structs::Plain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camel: Option<structs::Camel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kebab: Option<structs::Kebab>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screaming: Option<structs::Screaming>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_fields: Option<structs::RenamedFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<structs::Optional>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twice: Option<structs::Twice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_default: Option<structs::AllDefault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_functions: Option<structs::DefaultFunctions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_fields: Option<structs::SkippedFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipping: Option<structs::Skipping>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied: Option<structs::Denied>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newtypes: Option<structs::Newtypes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional_newtype: Option<structs::OptionalNewtype>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparent: Option<structs::Transparent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty: Option<structs::Empty>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boxed: Option<structs::Boxed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generic: Option<structs::Generic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<structs::Aliases>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constrained: Option<structs::Constrained>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integers: Option<scalars::Integers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrow: Option<scalars::Narrow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounded: Option<scalars::Bounded>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floats: Option<scalars::Floats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characters: Option<scalars::Texts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anything: Option<scalars::Anything>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lists: Option<collections::Lists>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested: Option<collections::Nested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional_items: Option<collections::OptionalItems>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrays: Option<collections::Arrays>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<collections::Sets>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maps: Option<collections::Maps>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<enums::Units>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowercase: Option<enums::Lowercase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed: Option<enums::Renamed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<enums::External>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structs: Option<enums::Structs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub braced: Option<enums::Braced>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub internal: Option<enums::Internal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub internal_units: Option<enums::InternalUnits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjacent: Option<enums::Adjacent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untagged: Option<enums::Untagged>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flattened_struct: Option<flattened::FlattenedStruct>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flattened_twice: Option<flattened::FlattenedTwice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flattened_option: Option<flattened::FlattenedOption>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flattened_enum: Option<flattened::FlattenedEnum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flattened_tagged: Option<flattened::FlattenedTagged>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantities: Option<kubernetes::Quantities>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instants: Option<kubernetes::Instants>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selectors: Option<kubernetes::Selectors>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<kubernetes::Conditions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<kubernetes::Pods>,
}
