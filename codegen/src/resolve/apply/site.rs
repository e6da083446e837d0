//! Places in the source that types are read at, and what is read there.

use std::collections::BTreeMap;

use genclient_syntax::SchemaAttrs;
use syn::Type;

use crate::model::{ApplyValue, Schema};
use crate::sources::{DefId, ModuleId};

/// Type of a field, with what its users have to know.
#[derive(Clone)]
pub(super) struct ReadValue {
    pub(super) value: ApplyValue,
    /// Paragraphs for the setter, about parts that are sent whole.
    pub(super) notes: Vec<String>,
    /// Whether all types in it implement `PartialEq`, apart from apply configurations.
    pub(super) is_comparable: bool,
    /// Whether another type stands for that in source, with which it shares only its JSON: `f64`
    /// for `OrderedFloat<f64>`. Such a type may not implement `Ord` or `Hash`.
    pub(super) is_replaced: bool,
}

impl ReadValue {
    pub(super) fn new(value: ApplyValue) -> Self {
        Self {
            value,
            notes: Vec::new(),
            is_comparable: true,
            is_replaced: false,
        }
    }

    /// Returns the value in another form: a list of it, or one that may be `null`.
    pub(super) fn within(self, wrap: impl FnOnce(Box<ApplyValue>) -> ApplyValue) -> Self {
        Self {
            value: wrap(Box::new(self.value)),
            ..self
        }
    }

    /// Returns the value without its outer `Option`s. A field of a configuration is an `Option`
    /// anyway.
    pub(super) fn present(mut self) -> Self {
        while let ApplyValue::Option(inner) = self.value {
            self.value = *inner;
        }
        self
    }
}

/// Argument for a generic parameter.
#[derive(Clone, Copy)]
pub(super) enum BoundArgument<'v> {
    /// A type, with the place where it is written.
    Type(&'v Type, TypeScope<'v>),
    /// A constant; `None` if source does not determine it.
    Number(Option<u64>),
}

/// Arguments for the generic parameters of an alias or a newtype, by name, without defaults.
pub(super) type TypeParameters<'v> = BTreeMap<String, BoundArgument<'v>>;

/// Where a type is written.
#[derive(Clone, Copy)]
pub(super) struct TypeScope<'v> {
    pub(super) module: ModuleId,
    /// The item that contains the type, which `Self` means.
    pub(super) owner: DefId,
    pub(super) parameters: &'v TypeParameters<'v>,
}

impl TypeScope<'_> {
    /// Returns the scope of the types inside of an item without generic parameters.
    pub(super) fn inside(owner: DefId) -> Self {
        const NO_PARAMETERS: &TypeParameters<'static> = &TypeParameters::new();
        Self {
            module: owner.module,
            owner,
            parameters: NO_PARAMETERS,
        }
    }
}

/// What is known of a place in an object: its schema, and the attributes there.
#[derive(Clone, Copy, Default)]
pub(super) struct ApplySite<'v> {
    /// `None` if the kind has no CRD.
    pub(super) schema: Option<&'v Schema>,
    pub(super) attrs: Option<&'v SchemaAttrs>,
}

impl<'v> ApplySite<'v> {
    /// Returns whether an attribute states the schema, in place of the type.
    pub(super) fn is_stated(self) -> bool {
        self.attrs.is_some_and(states_schema)
    }

    /// The items of a list.
    pub(super) fn items(self) -> Self {
        Self {
            schema: self.schema.and_then(|schema| schema.items.as_deref()),
            attrs: self.attrs.and_then(|attrs| attrs.items.as_deref()),
        }
    }

    /// The values of a map.
    pub(super) fn values(self) -> Self {
        let values = |schema: &'v Schema| schema.additional_properties.as_deref();
        Self {
            schema: self.schema.and_then(values),
            attrs: self.attrs.and_then(|attrs| attrs.values.as_deref()),
        }
    }
}

/// Returns whether attributes state a schema, in place of the type that they are on.
pub(super) fn states_schema(attrs: &SchemaAttrs) -> bool {
    attrs.replaces_type() || attrs.with.is_some() || attrs.schema_with.is_some()
}
