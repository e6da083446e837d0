//! Names of the attribute grammar. The tables declare those of attributes and keys, in their rows.

use crate::vocabulary::vocabulary;

vocabulary! {
    /// Name of an attribute, of a key or of a key's argument.
    ///
    /// Code that reads attributes looks keys up by these constants. The table lists the arguments
    /// in the entry of their key.
    struct Key;

    /// Named arguments that are not keys themselves.
    #[cfg(test)]
    const ALL;

    const VERB = "verb";
    const SUBRESOURCE = "subresource";
    const INPUT = "input";
    const RESULT = "result";
    const SPEC_REPLICAS_PATH = "spec_replicas_path";
    const STATUS_REPLICAS_PATH = "status_replicas_path";
    const LABEL_SELECTOR_PATH = "label_selector_path";
    const JSON_PATH = "json_path";
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
    fn every_argument_is_in_the_table() {
        for key in Key::ALL {
            let mut entries = TABLE.iter();
            assert!(
                entries.any(|entry| has_argument(&entry.form, *key)),
                "the table has no `{key}`"
            );
        }
    }
}
