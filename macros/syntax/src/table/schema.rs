//! Table entries of the `#[crd(…)]` keys for types and fields: constraints and overrides of
//! schemas.

use super::attribute::{Applies, Attribute, Within, attributes};
use super::form::{Argument, Form, Value};
use super::key::Key;
use crate::{JsonType, ListType, MapType, Reason, Target};

const ANY_TARGET: &[Target] = &[
    Target::Resource,
    Target::Type,
    Target::Field,
    Target::Items,
    Target::Values,
];
const ANY_TARGET_AND_KEYS: &[Target] = &[
    Target::Resource,
    Target::Type,
    Target::Field,
    Target::Items,
    Target::Values,
    Target::Keys,
];
const FIELD_TARGET: &[Target] = &[Target::Field];
const TYPE_TARGETS: &[Target] = &[Target::Resource, Target::Type];

/// Details shared by `all_of`, `any_of`, `one_of` and `not`.
const APPLICATORS: &str = "A schema is written here as in a CRD. It can only narrow the schema of the Rust type: it must not \
    contain `type`, `default`, `nullable`, `description`, `metadata` or a field that the type does not have. On the \
    struct of a kind with a status subresource, the API server rejects this key: write it on the type of `spec`. If no branch \
    of `any_of` or `one_of` matches, the API server reports the errors of one branch; a `validation` with a `message` gives a \
    clearer error.";

attributes! {
    MINIMUM = "minimum" => crd_attribute(Form::Value(Value::Number), ANY_TARGET)
        .applies(Applies::Numbers)
        .summary("Minimum value of a number.")
        .go("kubebuilder:validation:Minimum")
        .example("#[crd(minimum = 1)]"),
    MAXIMUM = "maximum" => crd_attribute(Form::Value(Value::Number), ANY_TARGET)
        .applies(Applies::Numbers)
        .summary("Maximum value of a number.")
        .go("kubebuilder:validation:Maximum")
        .example("#[crd(maximum = 100)]"),
    EXCLUSIVE_MINIMUM = "exclusive_minimum" => crd_attribute(Form::Flag, ANY_TARGET)
        .applies(Applies::Numbers)
        .summary("Excludes the minimum itself.")
        .details("Needs `minimum`.")
        .go("kubebuilder:validation:ExclusiveMinimum")
        .example("#[crd(minimum = 0, exclusive_minimum)]"),
    EXCLUSIVE_MAXIMUM = "exclusive_maximum" => crd_attribute(Form::Flag, ANY_TARGET)
        .applies(Applies::Numbers)
        .summary("Excludes the maximum itself.")
        .details("Needs `maximum`.")
        .go("kubebuilder:validation:ExclusiveMaximum")
        .example("#[crd(maximum = 1, exclusive_maximum)]"),
    MULTIPLE_OF = "multiple_of" => crd_attribute(Form::Value(Value::Number), ANY_TARGET)
        .applies(Applies::Numbers)
        .summary("Factor that a number must be a multiple of.")
        .go("kubebuilder:validation:MultipleOf")
        .example("#[crd(multiple_of = 5)]"),
    MIN_LENGTH = "min_length" => crd_attribute(Form::Value(Value::Count), ANY_TARGET_AND_KEYS)
        .applies(Applies::Strings)
        .summary("Minimum length of a string, in code points.")
        .go("kubebuilder:validation:MinLength")
        .example("#[crd(min_length = 1)]"),
    MAX_LENGTH = "max_length" => crd_attribute(Form::Value(Value::Count), ANY_TARGET_AND_KEYS)
        .applies(Applies::Strings)
        .summary("Maximum length of a string, in code points.")
        .details("Reduces the estimated cost of CEL rules.")
        .go("kubebuilder:validation:MaxLength")
        .example("#[crd(max_length = 63)]"),
    PATTERN = "pattern" => crd_attribute(Form::Value(Value::String), ANY_TARGET_AND_KEYS)
        .applies(Applies::Strings)
        .summary("Regular expression that must match somewhere in a string.")
        .details("RE2: no look-ahead, no back-references. Anchor it with ^ and $ to match the whole string.")
        .go("kubebuilder:validation:Pattern")
        .example("#[crd(pattern = \"^[a-z]+$\")]"),
    FORMAT = "format" => crd_attribute(Form::Value(Value::String), ANY_TARGET_AND_KEYS)
        .summary("Format of a value, such as `date-time`.")
        .details(
            "A format that the API server does not support is an error, because it would have no effect. \
             Supported are `byte`, `date`, `date-time`, `datetime`, `duration`, `email`, `hostname`, `ipv4`, \
             `ipv6`, `cidr`, `mac`, `uri`, `uuid`, `uuid3`, `uuid4`, `uuid5`, `password`, \
             `k8s-short-name`, `k8s-long-name`, `isbn`, `isbn10`, `isbn13`, `creditcard`, `ssn`, \
             `hexcolor`, `rgbcolor` and `bsonobjectid`.",
        )
        .go("kubebuilder:validation:Format")
        .example("#[crd(format = \"ipv4\")]"),
    MIN_ITEMS = "min_items" => crd_attribute(Form::Value(Value::Count), ANY_TARGET)
        .applies(Applies::Lists)
        .summary("Minimum length of a list.")
        .go("kubebuilder:validation:MinItems")
        .example("#[crd(min_items = 1)]"),
    MAX_ITEMS = "max_items" => crd_attribute(Form::Value(Value::Count), ANY_TARGET)
        .applies(Applies::Lists)
        .summary("Maximum length of a list.")
        .details("CEL rules that iterate over the items need it.")
        .go("kubebuilder:validation:MaxItems")
        .example("#[crd(max_items = 16)]"),
    UNIQUE_ITEMS = "unique_items" => crd_attribute(UNIQUE_ITEMS, ANY_TARGET)
        .applies(Applies::Lists)
        .summary("Not supported: the API server forbids `uniqueItems`.")
        .details("Use list_type = \"set\" for scalars and list_type = \"map\" for objects.")
        .go("kubebuilder:validation:UniqueItems")
        .example("#[crd(list_type = \"set\")]   // instead of unique_items"),
    MIN_PROPERTIES = "min_properties" => crd_attribute(Form::Value(Value::Count), ANY_TARGET)
        .applies(Applies::Objects)
        .summary("Minimum number of entries of a map, or of properties of an object.")
        .go("kubebuilder:validation:MinProperties")
        .example("#[crd(min_properties = 1)]"),
    MAX_PROPERTIES = "max_properties" => crd_attribute(Form::Value(Value::Count), ANY_TARGET)
        .applies(Applies::Objects)
        .summary("Maximum number of entries of a map, or of properties of an object.")
        .go("kubebuilder:validation:MaxProperties")
        .example("#[crd(max_properties = 16)]"),
    ENUM = "enum" => crd_attribute(Form::Value(Value::JsonList), ANY_TARGET_AND_KEYS)
        .summary("Allowed values.")
        .details(
            "A Rust enum does not need it: its variants are the values. On a field of an enum type, the key restricts the values. \
             A nullable field also accepts null.",
        )
        .go("kubebuilder:validation:Enum")
        .example("#[crd(enum = [\"Always\", \"Never\"])]"),
    DEFAULT = "default" => crd_attribute(Form::Value(Value::Json), ANY_TARGET)
        .summary("Default value that the API server sets if the field is absent.")
        .details(
            "Makes a field optional, and an `Option` not nullable. The API server sets it only if the object around the field \
             is present; that object may need `default = {}`. #[serde(default = \"path\")] already sets a default if the value of \
             the function can be read from its source.",
        )
        .go("kubebuilder:default")
        .example("#[crd(default = 1)]"),
    EXAMPLE = "example" => crd_attribute(Form::Value(Value::Json), ANY_TARGET)
        .summary("Example value for readers of the schema.")
        .go("kubebuilder:example")
        .example("#[crd(example = \"4Gi\")]"),
    TITLE = "title" => crd_attribute(Form::Value(Value::String), ANY_TARGET)
        .summary("Title for readers of the schema.")
        .go("kubebuilder:title")
        .example("#[crd(title = \"Memory limit\")]"),
    DESCRIPTION = "description" => crd_attribute(Form::Value(Value::String), ANY_TARGET)
        .summary("Description in the CRD, instead of the doc comment.")
        .details("An empty text omits the description.")
        .example("#[crd(description = \"\")]"),
    MAX_DESC_LEN = "max_desc_len" => crd_attribute(Form::Value(Value::Count), ANY_TARGET)
        .summary("Maximum length of the descriptions of a value and of everything in it, in characters.")
        .details(
            "0 omits them, such as the 1,500 lines of a Pod template. The setting `max-desc-len` of the package applies as \
             well: of two lengths, the smaller one counts.",
        )
        .example("#[crd(max_desc_len = 0)]"),
    EXTERNAL_DOCS = "external_docs" => crd_attribute(Form::Arguments(EXTERNAL_DOCS), ANY_TARGET)
        .summary("Link to further documentation.")
        .go("kubebuilder:externalDocs")
        .example("#[crd(external_docs(url = \"https://example.com/docs\", description = \"The manual\"))]"),
    TYPE = "type" => crd_attribute(Form::Value(Value::OneOf(JsonType::NAMES)), ANY_TARGET)
        .summary("JSON type, instead of that of the Rust type.")
        .details(
            "It also discards the constraints and the format of the Rust type; `format` sets a new one.",
        )
        .go("kubebuilder:validation:Type")
        .example("#[crd(type = \"string\")]"),
    INT_OR_STRING = "int_or_string" => crd_attribute(Form::Flag, ANY_TARGET)
        .summary("Accepts an integer or a string.")
        .details(
            "For a type of your own that serde reads from both. Strings and integers only: no float, no boolean. `IntOrString` \
             of the prelude does not need it.",
        )
        .go("kubebuilder:validation:XIntOrString")
        .example("#[crd(int_or_string)]"),
    PRESERVE_UNKNOWN_FIELDS = "preserve_unknown_fields" => crd_attribute(Form::Flag, ANY_TARGET)
        .summary("Preserves fields that the schema does not declare.")
        .details(
            "It applies to the object itself, not to the objects in its declared fields. The values of a map may then be \
             anything. `serde_json::Value` and RawExtension do not need it.",
        )
        .go("kubebuilder:pruning:PreserveUnknownFields")
        .example("#[crd(preserve_unknown_fields)]"),
    EMBEDDED_RESOURCE = "embedded_resource" => crd_attribute(Form::Flag, ANY_TARGET)
        .applies(Applies::Objects)
        .summary("The value is a complete object with apiVersion, kind and metadata.")
        .details("If the type declares no fields, all fields are preserved.")
        .go("kubebuilder:validation:EmbeddedResource")
        .example("#[crd(embedded_resource)]"),
    SCHEMALESS = "schemaless" => crd_attribute(Form::Flag, ANY_TARGET)
        .summary("Ignores the Rust type: the other keys define the schema.")
        .details("One of the keys `type`, `int_or_string` and `preserve_unknown_fields` is required.")
        .go("kubebuilder:validation:Schemaless")
        .example("#[crd(schemaless, preserve_unknown_fields)]"),
    SCHEMA = "schema" => crd_attribute(Form::Value(Value::JsonObject), ANY_TARGET)
        .summary("Complete schema, instead of that of the Rust type.")
        .details(
            "It is written as in a CRD, except that `additionalProperties` must be a schema, not `true`. The \
             schema that admits any value is `{ \"x-kubernetes-preserve-unknown-fields\": true }`. In `items(..)` and \
             `values(..)` it also determines whether an item or value may be null. For types of other crates it may be given in Cargo.toml, by path: \
             `[package.metadata.genclient.schemas]` with `\"ipnet::IpNet\" = { type = \"string\" }`.",
        )
        .example("#[crd(schema = { \"type\": \"string\", \"format\": \"uuid\" })]"),
    ITEMS = "items" => crd_attribute(Form::Schema, ANY_TARGET)
        .applies(Applies::Lists)
        .summary("Constraints on the items of a list.")
        .details("They nest: `items(values(minimum = 1))` applies to a list of maps.")
        .go("kubebuilder:validation:items")
        .example("#[crd(items(min_length = 1))]"),
    VALUES = "values" => crd_attribute(Form::Schema, ANY_TARGET)
        .applies(Applies::Maps)
        .summary("Constraints on the values of a map.")
        .details("They nest: `values(items(min_length = 1))` applies to a map of lists.")
        .example("#[crd(values(maximum = 10))]"),
    KEYS = "keys" => crd_attribute(Form::Schema, ANY_TARGET)
        .applies(Applies::Maps)
        .summary("Constraints on the keys of a map: length, pattern, format, enum.")
        .details(
            "A schema cannot constrain keys, so genclient writes the constraints as a CEL rule. Its estimated cost stays within the limit of the API server \
             if the map has `max_properties` and the lists around it have `max_items`. Without `keys(..)`, a map with keys \
             of an enum or integer type is a warning: the API server accepts any text as a key, and clients cannot read an \
             object with an invalid one. By default, genclient adds no rule for such a map: in a list without `max_items`, \
             its estimated cost would be too high, and the API server would reject the CRD.",
        )
        .example("#[crd(max_properties = 16, keys(max_length = 63))]"),
    VALIDATION = "validation" => crd_attribute(Form::Arguments(VALIDATION), ANY_TARGET)
        .repeats()
        .summary("CEL rule that the value must satisfy.")
        .details(
            "Fields have their JSON names; `oldSelf` is the value before an update. Check `has(self.field)` before the use of \
             a field that may be absent. Lists, maps and strings that a rule iterates over need a maximum length, or the \
             estimated cost may exceed the limit of the API server. A rule with line breaks needs a message. `message_expression` is an \
             expression that computes the message. `reason` is the reason of the error, by default \"FieldValueInvalid\". `field_path` \
             is the path, below the value, of the field that the error names, such as \".max\". With `optional_old_self`, `oldSelf` is an \
             optional value, and the rule is evaluated on creation, too.",
        )
        .go("kubebuilder:validation:XValidation")
        .example("#[crd(validation(rule = \"self.min <= self.max\", message = \"min is above max\"))]"),
    IMMUTABLE = "immutable" => crd_attribute(Form::Flag, FIELD_TARGET)
        .summary("The field cannot be changed once it is set.")
        .details("An optional field may be set later, but not removed again.")
        .go("k8s:immutable")
        .example("#[crd(immutable)]"),
    LIST_TYPE = "list_type" => crd_attribute(Form::Value(Value::OneOf(ListType::NAMES)), ANY_TARGET)
        .applies(Applies::Lists)
        .summary("List type: server-side apply merges a list by map keys, as a set, or atomically.")
        .details(
            "Default: \"atomic\". The items of a set must be scalars. The items of a map list must be objects, and it needs \
             `list_map_keys`. `BTreeSet` and `HashSet` of scalars are sets already.",
        )
        .go("listType")
        .example("#[crd(list_type = \"map\", list_map_keys = [\"name\"])]"),
    LIST_MAP_KEYS = "list_map_keys" => crd_attribute(Form::Value(Value::Strings), ANY_TARGET)
        .applies(Applies::Lists)
        .summary("Map keys of a list: JSON names of the fields that identify an item.")
        .details("Each must be required or have a default.")
        .go("listMapKey")
        .example("#[crd(list_type = \"map\", list_map_keys = [\"name\"])]"),
    MAP_TYPE = "map_type" => crd_attribute(Form::Value(Value::OneOf(MapType::NAMES)), ANY_TARGET)
        .applies(Applies::Maps)
        .summary("Map type: server-side apply merges a map entry by entry or atomically.")
        .details("Default: \"granular\".")
        .go("mapType")
        .example("#[crd(map_type = \"atomic\")]"),
    STRUCT_TYPE = "struct_type" => crd_attribute(Form::Value(Value::OneOf(MapType::NAMES)), ANY_TARGET)
        .applies(Applies::Structs)
        .summary("Struct type: server-side apply merges a struct field by field or atomically.")
        .details("Default: \"granular\".")
        .go("structType")
        .example("#[crd(struct_type = \"atomic\")]"),
    EMBEDDED_METADATA = "embedded_metadata" => crd_attribute(Form::Flag, FIELD_TARGET)
        .applies(Applies::Objects)
        .summary("Preserves name, namespace, labels, annotations and finalizers of an `ObjectMeta` field.")
        .details(
            "Without it, the API server prunes this metadata, and genclient warns of that.",
        )
        .example("#[crd(embedded_metadata)]"),
    OPTIONAL = "optional" => crd_attribute(Form::Flag, FIELD_TARGET)
        .summary("The field may be absent.")
        .details(
            "Implied by `Option` and #[serde(default)]. A field that serde requires cannot be optional.",
        )
        .go("optional")
        .example("#[crd(optional)]"),
    REQUIRED = "required" => crd_attribute(Form::Flag, FIELD_TARGET)
        .summary("The field must be present.")
        .details(
            "For a field that the API requires although it is an `Option` or has a default in serde.",
        )
        .go("required")
        .example("#[crd(required)]"),
    NULLABLE = "nullable" => crd_attribute(Form::Flag, FIELD_TARGET)
        .summary("The field may be null.")
        .details(
            "An `Option` is already nullable if it has neither `skip_serializing_if`, without which serde writes null, nor a default \
             in the CRD. For an enum, null becomes one more value.",
        )
        .go("nullable")
        .example("#[crd(nullable)]"),
    NO_DEFAULT = "no_default" => crd_attribute(Form::Flag, FIELD_TARGET)
        .summary("Omits the default from the CRD, although serde has one.")
        .details(
            "#[serde(default = \"path\")] adds the return value of the function to the CRD. Write `no_default` if the API server must \
             not set the value, or if it cannot be read from source.",
        )
        .example("#[crd(no_default)]"),
    AT_MOST_ONE_OF = "at_most_one_of" => crd_attribute(Form::Value(Value::Choice), TYPE_TARGETS)
        .applies(Applies::Structs)
        .repeats()
        .summary("At most one of these fields may be set.")
        .details(
            "JSON names of two or more optional fields, which serde omits when they are not set.",
        )
        .go("kubebuilder:validation:AtMostOneOf")
        .example("#[crd(at_most_one_of = [\"secret\", \"configMap\"])]"),
    EXACTLY_ONE_OF = "exactly_one_of" => crd_attribute(Form::Value(Value::Choice), TYPE_TARGETS)
        .applies(Applies::Structs)
        .repeats()
        .summary("Exactly one of these fields must be set.")
        .details(
            "JSON names of two or more optional fields, which serde omits when they are not set. An enum with \
             data does not need this key: serde enforces the same.",
        )
        .go("kubebuilder:validation:ExactlyOneOf")
        .example("#[crd(exactly_one_of = [\"secret\", \"configMap\"])]"),
    AT_LEAST_ONE_OF = "at_least_one_of" => crd_attribute(Form::Value(Value::Choice), TYPE_TARGETS)
        .applies(Applies::Structs)
        .repeats()
        .summary("At least one of these fields must be set.")
        .details(
            "JSON names of two or more optional fields, which serde omits when they are not set.",
        )
        .go("kubebuilder:validation:AtLeastOneOf")
        .example("#[crd(at_least_one_of = [\"secret\", \"configMap\"])]"),
    ALL_OF = "all_of" => crd_attribute(Form::Value(Value::JsonList), ANY_TARGET)
        .summary("The value must also match all of these schemas.")
        .details(APPLICATORS)
        .example("#[crd(all_of = [{ \"pattern\": \"^[a-z]\" }, { \"pattern\": \"[a-z]$\" }])]"),
    ANY_OF = "any_of" => crd_attribute(Form::Value(Value::JsonList), ANY_TARGET)
        .summary("The value must also match at least one of these schemas.")
        .details(APPLICATORS)
        .example("#[crd(any_of = [{ \"enum\": [0] }, { \"minimum\": 1024 }])]"),
    ONE_OF = "one_of" => crd_attribute(Form::Value(Value::JsonList), ANY_TARGET)
        .summary("The value must also match exactly one of these schemas.")
        .details(APPLICATORS)
        .example("#[crd(one_of = [{ \"required\": [\"secret\"] }, { \"required\": [\"configMap\"] }])]"),
    NOT = "not" => crd_attribute(Form::Value(Value::JsonObject), ANY_TARGET)
        .summary("The value must not match this schema.")
        .details(APPLICATORS)
        .example("#[crd(not = { \"enum\": [\"default\"] })]"),
    SKIP = "skip" => crd_attribute(Form::Flag, &[Target::Type])
        .summary("Generates no schema for the type.")
        .details(
            "For a type that derives `CrdSchema` but is not used in a field of a kind. Such a use is an error.",
        )
        .example("#[crd(skip)]"),
}

const UNIQUE_ITEMS: Form = Form::Refused {
    reason: "the API server forbids `uniqueItems`",
    help: "write `list_type = \"set\"`, or `list_type = \"map\"` with `list_map_keys` for a list of objects",
};

const EXTERNAL_DOCS: &[Argument] = &[
    Argument::required(Key::URL, Value::String),
    Argument::optional(Key::DESCRIPTION, Value::String),
];

const VALIDATION: &[Argument] = &[
    Argument::required(Key::RULE, Value::String),
    Argument::optional(Key::MESSAGE, Value::String),
    Argument::optional(Key::MESSAGE_EXPRESSION, Value::String),
    Argument::optional(Key::REASON, Value::OneOf(Reason::NAMES)),
    Argument::optional(Key::FIELD_PATH, Value::String),
    Argument::new(Key::OPTIONAL_OLD_SELF, Form::Flag, false),
];

const fn crd_attribute(key: Key, form: Form, targets: &'static [Target]) -> Attribute {
    Attribute::new(Within::Crd, key, form, targets)
}
