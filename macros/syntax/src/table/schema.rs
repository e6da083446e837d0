//! Table entries of the `#[crd(…)]` keys for any type and field: constraints and overrides.

use super::attribute::{Applies, Attribute, Within};
use super::form::{Argument, Form, Value};
use super::key::Key;
use crate::{JsonType, ListType, MapType, Reason, Site};

const ANY: &[Site] = &[
    Site::Resource,
    Site::Type,
    Site::Field,
    Site::Items,
    Site::Values,
];
const ANY_AND_KEYS: &[Site] = &[
    Site::Resource,
    Site::Type,
    Site::Field,
    Site::Items,
    Site::Values,
    Site::Keys,
];
const FIELDS: &[Site] = &[Site::Field];
const TYPES: &[Site] = &[Site::Resource, Site::Type];

/// Details shared by `all_of`, `any_of`, `one_of` and `not`.
const JUNCTORS: &str = "It is written as in a CRD and stands beside what the Rust type says, which it can only narrow: no \
    `type`, `default`, `nullable` or description, no `metadata`, and no field that the type does not have. A kind with a \
    status subresource has none at its root, where the API server refuses it: write it on the type of `spec`. Of a value \
    that does not fit the API server says what one branch lacks; a `validation` with a `message` says what you mean.";

pub(super) const ATTRIBUTES: &[Attribute] = &[
    crd(Key::MINIMUM, Form::Value(Value::Number), ANY)
        .applies(Applies::Numbers)
        .summary("Least value of a number.")
        .go("kubebuilder:validation:Minimum")
        .example("#[crd(minimum = 1)]"),
    crd(Key::MAXIMUM, Form::Value(Value::Number), ANY)
        .applies(Applies::Numbers)
        .summary("Greatest value of a number.")
        .go("kubebuilder:validation:Maximum")
        .example("#[crd(maximum = 100)]"),
    crd(Key::EXCLUSIVE_MINIMUM, Form::Flag, ANY)
        .applies(Applies::Numbers)
        .summary("The minimum itself is not allowed.")
        .details("Stands beside `minimum`.")
        .go("kubebuilder:validation:ExclusiveMinimum")
        .example("#[crd(minimum = 0, exclusive_minimum)]"),
    crd(Key::EXCLUSIVE_MAXIMUM, Form::Flag, ANY)
        .applies(Applies::Numbers)
        .summary("The maximum itself is not allowed.")
        .details("Stands beside `maximum`.")
        .go("kubebuilder:validation:ExclusiveMaximum")
        .example("#[crd(maximum = 1, exclusive_maximum)]"),
    crd(Key::MULTIPLE_OF, Form::Value(Value::Number), ANY)
        .applies(Applies::Numbers)
        .summary("The number is a multiple of this one.")
        .go("kubebuilder:validation:MultipleOf")
        .example("#[crd(multiple_of = 5)]"),
    crd(Key::MIN_LENGTH, Form::Value(Value::Count), ANY_AND_KEYS)
        .applies(Applies::Strings)
        .summary("Least length of a string, in code points.")
        .go("kubebuilder:validation:MinLength")
        .example("#[crd(min_length = 1)]"),
    crd(Key::MAX_LENGTH, Form::Value(Value::Count), ANY_AND_KEYS)
        .applies(Applies::Strings)
        .summary("Greatest length of a string, in code points.")
        .details("CEL rules cost less with it.")
        .go("kubebuilder:validation:MaxLength")
        .example("#[crd(max_length = 63)]"),
    crd(Key::PATTERN, Form::Value(Value::String), ANY_AND_KEYS)
        .applies(Applies::Strings)
        .summary("Regular expression that a string contains a match of.")
        .details("RE2: no look-ahead, no back-references. Anchor it with ^ and $ to match the whole string.")
        .go("kubebuilder:validation:Pattern")
        .example("#[crd(pattern = \"^[a-z]+$\")]"),
    crd(Key::FORMAT, Form::Value(Value::String), ANY_AND_KEYS)
        .summary("Format of a value, such as `date-time`.")
        .details(
            "One that the API server does not know is an error: it would check nothing. It knows \
             `byte`, `date`, `date-time`, `datetime`, `duration`, `email`, `hostname`, `ipv4`, \
             `ipv6`, `cidr`, `mac`, `uri`, `uuid`, `uuid3`, `uuid4`, `uuid5`, `password`, \
             `k8s-short-name`, `k8s-long-name`, `isbn`, `isbn10`, `isbn13`, `creditcard`, `ssn`, \
             `hexcolor`, `rgbcolor` and `bsonobjectid`.",
        )
        .go("kubebuilder:validation:Format")
        .example("#[crd(format = \"ipv4\")]"),
    crd(Key::MIN_ITEMS, Form::Value(Value::Count), ANY)
        .applies(Applies::Lists)
        .summary("Least length of a list.")
        .go("kubebuilder:validation:MinItems")
        .example("#[crd(min_items = 1)]"),
    crd(Key::MAX_ITEMS, Form::Value(Value::Count), ANY)
        .applies(Applies::Lists)
        .summary("Greatest length of a list.")
        .details("CEL rules over the items need it.")
        .go("kubebuilder:validation:MaxItems")
        .example("#[crd(max_items = 16)]"),
    crd(Key::UNIQUE_ITEMS, UNIQUE_ITEMS, ANY)
        .applies(Applies::Lists)
        .summary("Cannot be written: the API server forbids it.")
        .details("Use list_type = \"set\" for scalars and list_type = \"map\" for objects.")
        .go("kubebuilder:validation:UniqueItems")
        .example("#[crd(list_type = \"set\")]   // in place of unique_items"),
    crd(Key::MIN_PROPERTIES, Form::Value(Value::Count), ANY)
        .applies(Applies::Objects)
        .summary("Least number of entries of a map, or of members of an object.")
        .go("kubebuilder:validation:MinProperties")
        .example("#[crd(min_properties = 1)]"),
    crd(Key::MAX_PROPERTIES, Form::Value(Value::Count), ANY)
        .applies(Applies::Objects)
        .summary("Greatest number of entries of a map, or of members of an object.")
        .go("kubebuilder:validation:MaxProperties")
        .example("#[crd(max_properties = 16)]"),
    crd(Key::ENUM, Form::Value(Value::JsonList), ANY_AND_KEYS)
        .summary("The only values allowed.")
        .details(
            "A Rust enum needs none: its variants are the values. On a field with such a type it admits fewer of them. Where \
             the field may be null, null is admitted as well.",
        )
        .go("kubebuilder:validation:Enum")
        .example("#[crd(enum = [\"Always\", \"Never\"])]"),
    crd(Key::DEFAULT, Form::Value(Value::Json), ANY)
        .summary("What the API server fills in where nothing is written.")
        .details(
            "Makes a field optional, and an `Option` not nullable. It applies inside an object that is present; the object \
             itself may need `default = {}`. #[serde(default = \"path\")] is a default already where the function returns a \
             value that its source tells.",
        )
        .go("kubebuilder:default")
        .example("#[crd(default = 1)]"),
    crd(Key::EXAMPLE, Form::Value(Value::Json), ANY)
        .summary("An example for readers of the schema.")
        .go("kubebuilder:example")
        .example("#[crd(example = \"4Gi\")]"),
    crd(Key::TITLE, Form::Value(Value::String), ANY)
        .summary("A title for readers of the schema.")
        .go("kubebuilder:title")
        .example("#[crd(title = \"Memory limit\")]"),
    crd(Key::EXTERNAL_DOCS, Form::Arguments(EXTERNAL_DOCS), ANY)
        .summary("Where to read more.")
        .go("kubebuilder:externalDocs")
        .example("#[crd(external_docs(url = \"https://example.com/docs\", description = \"The manual\"))]"),
    crd(Key::TYPE, Form::Value(Value::OneOf(JsonType::NAMES)), ANY)
        .summary("JSON type, in place of what the Rust type says.")
        .details(
            "What the Rust type says of its values goes with it, its format as well: `format` beside it states another.",
        )
        .go("kubebuilder:validation:Type")
        .example("#[crd(type = \"string\")]"),
    crd(Key::INT_OR_STRING, Form::Flag, ANY)
        .summary("The value is an integer or a string.")
        .details(
            "For a type of your own that serde reads from both. Strings and integers only: no float, no boolean. `IntOrString` \
             of the prelude is this already.",
        )
        .go("kubebuilder:validation:XIntOrString")
        .example("#[crd(int_or_string)]"),
    crd(Key::PRESERVE_UNKNOWN_FIELDS, Form::Flag, ANY)
        .summary("Members that the schema does not know are kept.")
        .details(
            "It works on the object itself, not inside the members that are declared. The values of a map may be anything \
             then. `serde_json::Value` and RawExtension are this already.",
        )
        .go("kubebuilder:pruning:PreserveUnknownFields")
        .example("#[crd(preserve_unknown_fields)]"),
    crd(Key::EMBEDDED_RESOURCE, Form::Flag, ANY)
        .applies(Applies::Objects)
        .summary("The value is a whole object, with apiVersion, kind and metadata.")
        .details("Members that are not declared are kept where the type declares none.")
        .go("kubebuilder:validation:EmbeddedResource")
        .example("#[crd(embedded_resource)]"),
    crd(Key::SCHEMALESS, Form::Flag, ANY)
        .summary("The Rust type is not looked at: the schema is what the other keys say.")
        .details("One of them says the type: `type`, `int_or_string` or `preserve_unknown_fields`.")
        .go("kubebuilder:validation:Schemaless")
        .example("#[crd(schemaless, preserve_unknown_fields)]"),
    crd(Key::SCHEMA, Form::Value(Value::JsonObject), ANY)
        .summary("The whole schema, in place of what the Rust type says.")
        .details(
            "It is written as in a CRD, but for `additionalProperties: true`: the values of a map have a schema, for any \
             value `{ \"x-kubernetes-preserve-unknown-fields\": true }`. In `items(..)` and `values(..)` it says as well \
             whether they may be null. For types of other crates it may stand in Cargo.toml, by path: \
             `[package.metadata.genclient.schemas]` with `\"ipnet::IpNet\" = { type = \"string\" }`.",
        )
        .example("#[crd(schema = { \"type\": \"string\", \"format\": \"uuid\" })]"),
    crd(Key::ITEMS, Form::Schema, ANY)
        .applies(Applies::Lists)
        .summary("Constraints of the items of a list, at any depth.")
        .details("They nest: `items(values(minimum = 1))` is about a list of maps.")
        .go("kubebuilder:validation:items")
        .example("#[crd(items(min_length = 1))]"),
    crd(Key::VALUES, Form::Schema, ANY)
        .applies(Applies::Maps)
        .summary("Constraints of the values of a map, at any depth.")
        .details("They nest: `values(items(min_length = 1))` is about a map of lists.")
        .example("#[crd(values(maximum = 10))]"),
    crd(Key::KEYS, Form::Schema, ANY)
        .applies(Applies::Maps)
        .summary("Constraints of the keys of a map: lengths, pattern, format, enum.")
        .details(
            "A schema cannot say this; it becomes a CEL rule, which costs less than the API server allows if the map has \
             `max_properties`, and the lists around it have `max_items`. Keys of an enum or integer type need it, and a \
             warning says so: the API server takes any text for a key, and one object with another key can be read by no \
             client. The rule is not there by itself, as in a list without a bound it would be refused.",
        )
        .example("#[crd(max_properties = 16, keys(max_length = 63))]"),
    crd(Key::VALIDATION, Form::Arguments(VALIDATION), ANY)
        .repeats()
        .summary("A CEL rule that the value has to obey.")
        .details(
            "Fields have their JSON names; `oldSelf` is the value before an update. Ask `has(self.field)` before a field that \
             may be absent. Lists, maps and strings that a rule goes over need a greatest length, or the rule may cost more \
             than the API server allows. A rule of several lines needs a message.",
        )
        .go("kubebuilder:validation:XValidation")
        .example("#[crd(validation(rule = \"self.min <= self.max\", message = \"min is above max\"))]"),
    crd(Key::IMMUTABLE, Form::Flag, FIELDS)
        .summary("The field does not change once it is set.")
        .details("One that is optional may be set later, and not be removed again.")
        .go("k8s:immutable")
        .example("#[crd(immutable)]"),
    crd(Key::LIST_TYPE, Form::Value(Value::OneOf(ListType::NAMES)), ANY)
        .applies(Applies::Lists)
        .summary("How server-side apply merges a list: by key, as a set, or as a whole.")
        .details(
            "Default: as a whole. A set has scalars; a list that is merged by key has objects, and needs `list_map_keys`. \
             `BTreeSet` and `HashSet` of scalars are sets already.",
        )
        .go("listType")
        .example("#[crd(list_type = \"map\", list_map_keys = [\"name\"])]"),
    crd(Key::LIST_MAP_KEYS, Form::Value(Value::Strings), ANY)
        .applies(Applies::Lists)
        .summary("The members that tell the items of a list apart, by their JSON names.")
        .details("Each has to be required or to have a default.")
        .go("listMapKey")
        .example("#[crd(list_type = \"map\", list_map_keys = [\"name\"])]"),
    crd(Key::MAP_TYPE, Form::Value(Value::OneOf(MapType::NAMES)), ANY)
        .applies(Applies::Maps)
        .summary("How server-side apply merges a map: entry by entry, or as a whole.")
        .details("Default: entry by entry.")
        .go("mapType")
        .example("#[crd(map_type = \"atomic\")]"),
    crd(Key::STRUCT_TYPE, Form::Value(Value::OneOf(MapType::NAMES)), ANY)
        .applies(Applies::Structs)
        .summary("How server-side apply merges a struct: field by field, or as a whole.")
        .details("Default: field by field.")
        .go("structType")
        .example("#[crd(struct_type = \"atomic\")]"),
    crd(Key::EMBEDDED_METADATA, Form::Flag, FIELDS)
        .applies(Applies::Objects)
        .summary("An `ObjectMeta` field keeps name, namespace, labels, annotations and finalizers.")
        .details(
            "Without it the API server empties the metadata of everything but the kind itself, and a warning says so.",
        )
        .example("#[crd(embedded_metadata)]"),
    crd(Key::OPTIONAL, Form::Flag, FIELDS)
        .summary("The field may be absent.")
        .details(
            "`Option` and #[serde(default)] say so already, and a field that serde needs cannot be absent.",
        )
        .go("optional")
        .example("#[crd(optional)]"),
    crd(Key::REQUIRED, Form::Flag, FIELDS)
        .summary("The field must be present.")
        .details(
            "For an `Option`, or a field that serde has a default for, which the API demands all the same.",
        )
        .go("required")
        .example("#[crd(required)]"),
    crd(Key::NULLABLE, Form::Flag, FIELDS)
        .summary("The field may be null.")
        .details(
            "An `Option` is nullable already where serde writes null: without `skip_serializing_if` and without a default in \
             the CRD. Of an enum, null is one more value then.",
        )
        .go("nullable")
        .example("#[crd(nullable)]"),
    crd(Key::NO_DEFAULT, Form::Flag, FIELDS)
        .summary("The CRD promises no default, although serde has one.")
        .details(
            "#[serde(default = \"path\")] promises what the function returns. This is for a value that the CRD shall not fill \
             in, or that source does not tell.",
        )
        .example("#[crd(no_default)]"),
    crd(Key::AT_MOST_ONE_OF, Form::Value(Value::Choice), TYPES)
        .applies(Applies::Structs)
        .repeats()
        .summary("None or one of these fields is set.")
        .details(
            "JSON names of two or more optional fields, which serde leaves out when they are not set.",
        )
        .go("kubebuilder:validation:AtMostOneOf")
        .example("#[crd(at_most_one_of = [\"secret\", \"configMap\"])]"),
    crd(Key::EXACTLY_ONE_OF, Form::Value(Value::Choice), TYPES)
        .applies(Applies::Structs)
        .repeats()
        .summary("One of these fields is set.")
        .details(
            "JSON names of two or more optional fields, which serde leaves out when they are not set. An enum with data says \
             the same to serde as well.",
        )
        .go("kubebuilder:validation:ExactlyOneOf")
        .example("#[crd(exactly_one_of = [\"secret\", \"configMap\"])]"),
    crd(Key::AT_LEAST_ONE_OF, Form::Value(Value::Choice), TYPES)
        .applies(Applies::Structs)
        .repeats()
        .summary("One or more of these fields are set.")
        .details(
            "JSON names of two or more optional fields, which serde leaves out when they are not set.",
        )
        .go("kubebuilder:validation:AtLeastOneOf")
        .example("#[crd(at_least_one_of = [\"secret\", \"configMap\"])]"),
    crd(Key::ALL_OF, Form::Value(Value::JsonList), ANY)
        .summary("Every one of these schemas has to fit as well.")
        .details(JUNCTORS)
        .example("#[crd(all_of = [{ \"pattern\": \"^[a-z]\" }, { \"pattern\": \"[a-z]$\" }])]"),
    crd(Key::ANY_OF, Form::Value(Value::JsonList), ANY)
        .summary("One or more of these schemas have to fit as well.")
        .details(JUNCTORS)
        .example("#[crd(any_of = [{ \"enum\": [0] }, { \"minimum\": 1024 }])]"),
    crd(Key::ONE_OF, Form::Value(Value::JsonList), ANY)
        .summary("Just one of these schemas has to fit as well.")
        .details(JUNCTORS)
        .example("#[crd(one_of = [{ \"required\": [\"secret\"] }, { \"required\": [\"configMap\"] }])]"),
    crd(Key::NOT, Form::Value(Value::JsonObject), ANY)
        .summary("This schema may not fit.")
        .details(JUNCTORS)
        .example("#[crd(not = { \"enum\": [\"default\"] })]"),
    crd(Key::SKIP, Form::Flag, &[Site::Type])
        .summary("The type has no schema.")
        .details(
            "For a type that derives `CrdSchema` and is in no field of a served type; if it is in one, that is an error.",
        )
        .example("#[crd(skip)]"),
];

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

const fn crd(key: Key, form: Form, sites: &'static [Site]) -> Attribute {
    Attribute::new(Within::Crd, key, form, sites)
}
