//! Enumerated values of keys: verbs, scopes, types, topologies, reasons and webhook policies.

/// Declares an enum with a name for each variant. `NAMES` lists the names; `from_name` parses them.
macro_rules! values {
    (
        $(#[$type_attr:meta])*
        pub enum $Name:ident {
            $($(#[$variant_attr:meta])* $Variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$type_attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Name {
            $($(#[$variant_attr])* $Variant,)+
        }

        impl $Name {
            /// Every value, in source order.
            pub const ALL: &[Self] = &[$(Self::$Variant),+];

            /// The name of every value.
            pub(crate) const NAMES: &[&str] = &[$($text),+];

            /// Returns the name of the value as it is written in an attribute.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$Variant => $text,)+
                }
            }

            /// Returns the value called `name`, or `None`.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$Variant),)+
                    _ => None,
                }
            }
        }
    };
}

values! {
    /// Verbs of a client, in client-go's order.
    #[expect(missing_docs, reason = "the names are client-go's verbs")]
    pub enum Verb {
        Create = "create",
        Update = "update",
        UpdateStatus = "update_status",
        Delete = "delete",
        DeleteCollection = "delete_collection",
        Get = "get",
        List = "list",
        Watch = "watch",
        Patch = "patch",
        PatchStatus = "patch_status",
        Apply = "apply",
        ApplyStatus = "apply_status",
    }
}

impl Verb {
    /// Returns whether the verb only reads: a client with `readonly` has it.
    pub fn is_read(self) -> bool {
        matches!(self, Self::Get | Self::List | Self::Watch)
    }

    /// Returns whether the verb is for the status subresource.
    pub fn is_status(self) -> bool {
        matches!(
            self,
            Self::UpdateStatus | Self::PatchStatus | Self::ApplyStatus
        )
    }
}

values! {
    /// Verbs of an extension method.
    #[expect(missing_docs, reason = "the names are client-go's verbs")]
    pub enum MethodVerb {
        Create = "create",
        Update = "update",
        Get = "get",
        List = "list",
        Patch = "patch",
        Apply = "apply",
    }
}

impl MethodVerb {
    /// Returns whether `input`, the type of the request body, applies to the verb. The body of a
    /// patch has no fixed type.
    pub fn has_input(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Apply)
    }
}

values! {
    /// Scope of a kind.
    pub enum Scope {
        /// Each object has a namespace.
        Namespaced = "Namespaced",
        /// Objects have no namespace.
        Cluster = "Cluster",
    }
}

values! {
    /// Types of JSON values.
    pub enum JsonType {
        /// `{…}`
        Object = "object",
        /// `[…]`
        Array = "array",
        /// `"…"`
        String = "string",
        /// A whole number.
        Integer = "integer",
        /// Any number.
        Number = "number",
        /// `true` or `false`
        Boolean = "boolean",
    }
}

values! {
    /// Merge strategy of a list in server-side apply: `x-kubernetes-list-type`.
    pub enum ListType {
        /// Items are objects, identified by their merge keys.
        Map = "map",
        /// Items are unique: scalars, or atomic lists and maps.
        Set = "set",
        /// The list has one owner.
        Atomic = "atomic",
    }
}

values! {
    /// Merge strategy of a map or struct in server-side apply: `x-kubernetes-map-type`.
    pub enum MapType {
        /// Each entry has its own owner.
        Granular = "granular",
        /// All entries have one owner.
        Atomic = "atomic",
    }
}

values! {
    /// Machine-readable reasons for the failure of a CEL rule.
    pub enum Reason {
        /// A required value is missing.
        Required = "FieldValueRequired",
        /// The value is malformed.
        Invalid = "FieldValueInvalid",
        /// The value is well-formed, but not permitted under the current conditions.
        Forbidden = "FieldValueForbidden",
        /// The value is a duplicate.
        Duplicate = "FieldValueDuplicate",
    }
}

values! {
    /// Source of the schema of a spec with kube's derive: `#[kube(schema = "..")]`.
    pub enum SchemaMode {
        /// The schema is derived from the type.
        Derived = "derived",
        /// The schema is implemented by hand.
        Manual = "manual",
        /// kube generates no schema: the user's program adds one.
        Disabled = "disabled",
    }
}

values! {
    /// Operation of a request: `operations` of a webhook's rule.
    pub enum Operation {
        /// Creates an object.
        Create = "create",
        /// Updates or patches an object.
        Update = "update",
        /// Deletes an object.
        Delete = "delete",
        /// Connects to a subresource such as `pods/exec`.
        Connect = "connect",
        /// Any operation.
        All = "*",
    }
}

values! {
    /// Handling of a request if the webhook call fails.
    pub enum FailurePolicy {
        /// The request is rejected.
        Fail = "Fail",
        /// The request proceeds without the webhook.
        Ignore = "Ignore",
    }
}

values! {
    /// Handling of requests in versions of the kind that the rule of a webhook does not name.
    pub enum MatchPolicy {
        /// The object is converted to a version that the rule names, and the webhook is called.
        Equivalent = "Equivalent",
        /// The webhook is not called.
        Exact = "Exact",
    }
}

values! {
    /// Side effects of a webhook: changes to anything besides the object.
    pub enum SideEffects {
        /// No changes.
        None = "None",
        /// Changes, except in dry runs.
        NoneOnDryRun = "NoneOnDryRun",
    }
}

values! {
    /// Policy for a mutating webhook if another plug-in changes the object after the call.
    pub enum ReinvocationPolicy {
        /// The webhook is not called again.
        Never = "Never",
        /// The webhook is called again.
        IfNeeded = "IfNeeded",
    }
}
