//! Names of the attribute grammar: attributes, keys and their named arguments.

use crate::vocabulary::vocabulary;

vocabulary! {
    /// Name of an attribute, of a key or of a key's argument.
    ///
    /// The table has an entry for each attribute and key, and lists the arguments in the entry of
    /// their key. Code that reads attributes looks keys up by these constants.
    struct Key;

    #[cfg(test)]
    const ALL;

    // `#[genclient]`, its keys and the attributes beside it.
    const GENCLIENT = "genclient";
    const GROUP = "group";
    const VERSION = "version";
    const KIND = "kind";
    const NO_STATUS = "no_status";
    const NON_NAMESPACED = "non_namespaced";
    const NO_VERBS = "no_verbs";
    const ONLY_VERBS = "only_verbs";
    const SKIP_VERBS = "skip_verbs";
    const READONLY = "readonly";
    const METHOD = "method";
    const SKIP_CRD = "skip_crd";
    const SKIP_CLIENT = "skip_client";

    // `#[webhook]` and its keys, some of which are also arguments of other keys.
    const WEBHOOK = "webhook";
    const OPERATIONS = "operations";
    const FAILURE_POLICY = "failure_policy";
    const TIMEOUT = "timeout";
    const MATCH_POLICY = "match_policy";
    const SIDE_EFFECTS = "side_effects";
    const REINVOCATION_POLICY = "reinvocation_policy";
    const PATH = "path";
    const SERVICE = "service";
    const PORT = "port";
    const URL = "url";
    const NAME = "name";
    const REVIEW_VERSIONS = "review_versions";
    const CONFIGURATION = "configuration";
    const GROUPS = "groups";
    const VERSIONS = "versions";
    const RESOURCES = "resources";
    const NAMESPACE_SELECTOR = "namespace_selector";
    const OBJECT_SELECTOR = "object_selector";
    const MATCH_CONDITIONS = "match_conditions";

    // `#[rbac]` and its keys.
    const RBAC = "rbac";
    const RESOURCE = "resource";
    const VERBS = "verbs";
    const NAMES = "names";
    const URLS = "urls";
    const NAMESPACE = "namespace";
    const ROLE = "role";

    // Keys of `#[crd(…)]` on a kind.
    const PLURAL = "plural";
    const SINGULAR = "singular";
    const SHORT_NAMES = "short_names";
    const CATEGORIES = "categories";
    const SCOPE = "scope";
    const SCALE = "scale";
    const STATUS = "status";
    const PRINTCOLUMN = "printcolumn";
    const SELECTABLE_FIELD = "selectable_field";
    const STORAGE = "storage";
    const UNSERVED = "unserved";
    const DEPRECATED = "deprecated";
    const SKIP_VERSION = "skip_version";
    const ANNOTATION = "annotation";
    const LABEL = "label";
    const CONVERSION = "conversion";

    // Keys of `#[crd(…)]` on types and fields: constraints and overrides of schemas.
    const MINIMUM = "minimum";
    const MAXIMUM = "maximum";
    const EXCLUSIVE_MINIMUM = "exclusive_minimum";
    const EXCLUSIVE_MAXIMUM = "exclusive_maximum";
    const MULTIPLE_OF = "multiple_of";
    const MIN_LENGTH = "min_length";
    const MAX_LENGTH = "max_length";
    const PATTERN = "pattern";
    const FORMAT = "format";
    const MIN_ITEMS = "min_items";
    const MAX_ITEMS = "max_items";
    const UNIQUE_ITEMS = "unique_items";
    const MIN_PROPERTIES = "min_properties";
    const MAX_PROPERTIES = "max_properties";
    const ENUM = "enum";
    const DEFAULT = "default";
    const EXAMPLE = "example";
    const TITLE = "title";
    const EXTERNAL_DOCS = "external_docs";
    const TYPE = "type";
    const INT_OR_STRING = "int_or_string";
    const PRESERVE_UNKNOWN_FIELDS = "preserve_unknown_fields";
    const EMBEDDED_RESOURCE = "embedded_resource";
    const SCHEMALESS = "schemaless";
    const SCHEMA = "schema";
    const ITEMS = "items";
    const VALUES = "values";
    const KEYS = "keys";
    const VALIDATION = "validation";
    const IMMUTABLE = "immutable";
    const LIST_TYPE = "list_type";
    const LIST_MAP_KEYS = "list_map_keys";
    const MAP_TYPE = "map_type";
    const STRUCT_TYPE = "struct_type";
    const EMBEDDED_METADATA = "embedded_metadata";
    const OPTIONAL = "optional";
    const REQUIRED = "required";
    const NULLABLE = "nullable";
    const NO_DEFAULT = "no_default";
    const AT_MOST_ONE_OF = "at_most_one_of";
    const EXACTLY_ONE_OF = "exactly_one_of";
    const AT_LEAST_ONE_OF = "at_least_one_of";
    const ALL_OF = "all_of";
    const ANY_OF = "any_of";
    const ONE_OF = "one_of";
    const NOT = "not";
    const SKIP = "skip";

    // Named arguments that are not keys themselves.
    const VERB = "verb";
    const SUBRESOURCE = "subresource";
    const INPUT = "input";
    const RESULT = "result";
    const SPEC_REPLICAS_PATH = "spec_replicas_path";
    const STATUS_REPLICAS_PATH = "status_replicas_path";
    const LABEL_SELECTOR_PATH = "label_selector_path";
    const JSON_PATH = "json_path";
    const DESCRIPTION = "description";
    const PRIORITY = "priority";
    const RULE = "rule";
    const MESSAGE = "message";
    const MESSAGE_EXPRESSION = "message_expression";
    const REASON = "reason";
    const FIELD_PATH = "field_path";
    const OPTIONAL_OLD_SELF = "optional_old_self";
}

impl Key {
    /// Group, version and kind: attributes of their own, and keys of `#[genclient(…)]`.
    pub(crate) const GVK: [Self; 3] = [Self::GROUP, Self::VERSION, Self::KIND];

    /// Keys that override the Rust type, or loosen its schema. If one is written, other keys are
    /// checked as if the shape were unknown.
    pub(crate) const OVERRIDES_TYPE: [Self; 6] = [
        Self::TYPE,
        Self::INT_OR_STRING,
        Self::SCHEMA,
        Self::SCHEMALESS,
        Self::PRESERVE_UNKNOWN_FIELDS,
        Self::EMBEDDED_RESOURCE,
    ];

    /// Makes a key from the name of a table entry or of an argument.
    pub(super) const fn new(name: &'static str) -> Self {
        Self(name)
    }
}

#[cfg(test)]
mod tests {
    use super::Key;
    use crate::table::{Argument, Form, TABLE};

    fn has_argument(form: &Form, key: Key) -> bool {
        let is_meant =
            |argument: &Argument| argument.key() == key || has_argument(&argument.form, key);
        matches!(form, Form::Arguments(arguments) if arguments.iter().any(is_meant))
    }

    #[test]
    fn every_key_constant_is_in_the_table() {
        for key in Key::ALL {
            let mut entries = TABLE.iter();
            assert!(
                entries.any(|entry| entry.key() == *key || has_argument(&entry.form, *key)),
                "the table has no `{key}`"
            );
        }
    }
}
