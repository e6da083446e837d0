//! Types of many shapes for differential tests of schemas.
//!
//! The tests compare how serde, schemars (through kube's derive) and the generator (from source)
//! treat each type.

#![expect(
    missing_docs,
    reason = "the types are examples of shapes, and their names say which"
)]

pub mod shapes;

/// Calls a macro with the JSON name and the type of each shape: `each_shape!(check)`.
#[macro_export]
macro_rules! each_shape {
    ($call:ident) => {
        $call! {
            "plain": structs::Plain,
            "camel": structs::Camel,
            "kebab": structs::Kebab,
            "screaming": structs::Screaming,
            "renamedFields": structs::RenamedFields,
            "optional": structs::Optional,
            "twice": structs::Twice,
            "allDefault": structs::AllDefault,
            "defaultFunctions": structs::DefaultFunctions,
            "skippedFields": structs::SkippedFields,
            "skipping": structs::Skipping,
            "denied": structs::Denied,
            "newtypes": structs::Newtypes,
            "optionalNewtype": structs::OptionalNewtype,
            "transparent": structs::Transparent,
            "empty": structs::Empty,
            "boxed": structs::Boxed,
            "generic": structs::Generic,
            "aliases": structs::Aliases,
            "constrained": structs::Constrained,
            "integers": scalars::Integers,
            "narrow": scalars::Narrow,
            "bounded": scalars::Bounded,
            "floats": scalars::Floats,
            "characters": scalars::Texts,
            "anything": scalars::Anything,
            "lists": collections::Lists,
            "nested": collections::Nested,
            "optionalItems": collections::OptionalItems,
            "arrays": collections::Arrays,
            "sets": collections::Sets,
            "maps": collections::Maps,
            "units": enums::Units,
            "lowercase": enums::Lowercase,
            "renamed": enums::Renamed,
            "external": enums::External,
            "structs": enums::Structs,
            "braced": enums::Braced,
            "internal": enums::Internal,
            "internalUnits": enums::InternalUnits,
            "adjacent": enums::Adjacent,
            "untagged": enums::Untagged,
            "flattenedStruct": flattened::FlattenedStruct,
            "flattenedTwice": flattened::FlattenedTwice,
            "flattenedOption": flattened::FlattenedOption,
            "flattenedEnum": flattened::FlattenedEnum,
            "flattenedTagged": flattened::FlattenedTagged,
            "quantities": kubernetes::Quantities,
            "instants": kubernetes::Instants,
            "selectors": kubernetes::Selectors,
            "conditions": kubernetes::Conditions,
            "pods": kubernetes::Pods,
        }
    };
}
