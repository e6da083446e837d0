//! Keywords of a CRD schema, `JSONSchemaProps`.

use crate::vocabulary::vocabulary;

vocabulary! {
    /// Keyword of `JSONSchemaProps`, as `extend("keyword" = json)` has it.
    struct Keyword;

    /// Every keyword, for what a misspelt one was meant to be.
    const ALL;

    // Set on the finished schema.
    const ADDITIONAL_PROPERTIES = "additionalProperties";
    const ALL_OF = "allOf";
    const ANY_OF = "anyOf";
    const DESCRIPTION = "description";
    const EXCLUSIVE_MAXIMUM = "exclusiveMaximum";
    const EXCLUSIVE_MINIMUM = "exclusiveMinimum";
    const EXTERNAL_DOCS = "externalDocs";
    const ITEMS = "items";
    const MAX_ITEMS = "maxItems";
    const MAX_LENGTH = "maxLength";
    const MAX_PROPERTIES = "maxProperties";
    const MAXIMUM = "maximum";
    const MIN_ITEMS = "minItems";
    const MIN_LENGTH = "minLength";
    const MIN_PROPERTIES = "minProperties";
    const MINIMUM = "minimum";
    const MULTIPLE_OF = "multipleOf";
    const NOT = "not";
    const ONE_OF = "oneOf";
    const PROPERTIES = "properties";
    const REQUIRED = "required";

    // Read into fields of `SchemaAttrs`.
    const DEFAULT = "default";
    const ENUM = "enum";
    const EXAMPLE = "example";
    const FORMAT = "format";
    const NULLABLE = "nullable";
    const PATTERN = "pattern";
    const TITLE = "title";
    const TYPE = "type";
    const X_KUBERNETES_EMBEDDED_RESOURCE = "x-kubernetes-embedded-resource";
    const X_KUBERNETES_INT_OR_STRING = "x-kubernetes-int-or-string";
    const X_KUBERNETES_LIST_MAP_KEYS = "x-kubernetes-list-map-keys";
    const X_KUBERNETES_LIST_TYPE = "x-kubernetes-list-type";
    const X_KUBERNETES_MAP_TYPE = "x-kubernetes-map-type";
    const X_KUBERNETES_PRESERVE_UNKNOWN_FIELDS = "x-kubernetes-preserve-unknown-fields";
    const X_KUBERNETES_VALIDATIONS = "x-kubernetes-validations";
}
