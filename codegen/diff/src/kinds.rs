//! All kinds of change, each with the reasons why it breaks users or does not.

use std::fmt;

use serde::{Serialize, Serializer};

/// A kind of change.
///
/// At least one of `widens` and `harmless` is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeKind {
    /// Its stable name, such as `field-removed`.
    pub id: &'static str,
    /// Why it breaks users; empty if it never does.
    pub breaks: &'static str,
    /// Why it breaks only clients that do not expect new values; empty if it never does.
    pub widens: &'static str,
    /// Why it breaks nobody; empty if it always breaks somebody.
    pub harmless: &'static str,
}

/// Declares a constant for each kind in the list, and `ALL`, which contains every kind.
macro_rules! kinds {
    ($(
        $name:ident $id:literal
            $(breaks $breaks:literal)? $(widens $widens:literal)? $(harmless $harmless:literal)?;
    )*) => {
        $(pub(super) const $name: ChangeKind = ChangeKind {
            id: $id,
            breaks: concat!($($breaks)?),
            widens: concat!($($widens)?),
            harmless: concat!($($harmless)?),
        };)*

        impl ChangeKind {
            /// Every kind of change, from changes of the whole definition to changes of one
            /// constraint.
            pub const ALL: &'static [Self] = &[$($name),*];
        }
    };
}

kinds! {
    CRD_REMOVED "crd-removed"
        breaks "The API server deletes every object with the definition.";
    CRD_ADDED "crd-added"
        harmless "No client uses the kind yet.";
    GROUP_CHANGED "group-changed"
        breaks "The API server treats it as another resource: objects, roles and clients are not migrated.";
    PLURAL_CHANGED "plural-changed"
        breaks "The API server treats it as another resource: objects, roles and clients are not migrated.";
    KIND_CHANGED "kind-changed"
        breaks "The API server refuses to change the kind of an established definition, and manifests use the old one.";
    LIST_KIND_CHANGED "list-kind-changed"
        breaks "Clients that check the kind of a list do not know the new one.";
    SCOPE_CHANGED "scope-changed"
        breaks "The API server refuses to change the scope of an established definition, and URLs differ.";
    SINGULAR_CHANGED "singular-changed"
        harmless "Only the names for `kubectl get` change.";
    SHORT_NAME_REMOVED "short-name-removed"
        harmless "Only the names for `kubectl get` change.";
    SHORT_NAME_ADDED "short-name-added"
        harmless "Only the names for `kubectl get` change.";
    CATEGORY_REMOVED "category-removed"
        harmless "Only the lists of `kubectl get` for a category change.";
    CATEGORY_ADDED "category-added"
        harmless "Only the lists of `kubectl get` for a category change.";
    CONVERSION_CHANGED "conversion-changed"
        breaks "Without its webhook, fields that differ between the versions are lost."
        harmless "A new webhook must answer before the definition is applied.";

    VERSION_REMOVED "version-removed"
        breaks "Clients of the version get an error, and objects that are stored in it cannot be read."
        harmless "The version was not served; run `genclient migrate` before the removal, as objects may be stored in it or name it in `managedFields`.";
    VERSION_ADDED "version-added"
        harmless "Clients of the other versions are not affected.";
    VERSION_UNSERVED "version-unserved"
        breaks "Clients of the version get an error.";
    VERSION_SERVED "version-served"
        harmless "Clients of the other versions are not affected.";
    VERSION_DEPRECATED "version-deprecated"
        harmless "Clients of the version get a warning.";
    STORAGE_VERSION_CHANGED "storage-version-changed"
        harmless "Objects stay stored in the old version until they are written again: run `genclient migrate` before that version is removed.";
    STATUS_SUBRESOURCE_REMOVED "status-subresource-removed"
        breaks "Clients that write `/status` get an error.";
    STATUS_SUBRESOURCE_ADDED "status-subresource-added"
        breaks "Writes to the object itself no longer change its status.";
    SCALE_SUBRESOURCE_REMOVED "scale-subresource-removed"
        breaks "Autoscalers and `kubectl scale` get an error.";
    SCALE_SUBRESOURCE_CHANGED "scale-subresource-changed"
        breaks "Autoscalers and `kubectl scale` read and write other fields.";
    SCALE_SUBRESOURCE_ADDED "scale-subresource-added"
        harmless "No client uses it yet.";
    SELECTABLE_FIELD_REMOVED "selectable-field-removed"
        breaks "Field selectors that use it are refused.";
    SELECTABLE_FIELD_ADDED "selectable-field-added"
        harmless "No client uses it yet.";

    FIELD_REMOVED "field-removed"
        breaks "Objects lose the field at their next write, and clients that read it find no value."
        harmless "Its value is preserved as an unknown field, but no longer validated.";
    FIELD_ADDED "field-added"
        breaks "Objects may already have another value there, since unknown fields were preserved."
        harmless "Objects without it stay valid.";
    REQUIRED_FIELD_ADDED "required-field-added"
        breaks "Objects without it are refused, and no existing object has it.";
    FIELD_NOW_REQUIRED "field-now-required"
        breaks "Objects without it are refused."
        harmless "If it is absent, the API server fills in the default.";
    FIELD_NOW_OPTIONAL "field-now-optional"
        widens "Objects with it stay valid; clients may find it absent.";
    FIELD_RETYPED "field-retyped"
        breaks "Values of the old type are refused, and clients cannot read values of the new type."
        widens "Values of the old type are still accepted; clients may find others.";
    INT_OR_STRING_REMOVED "int-or-string-removed"
        breaks "Values of one of the two types are refused.";
    INT_OR_STRING_ADDED "int-or-string-added"
        widens "Values of the old type are still accepted; clients may find values of the other type.";
    NULLABLE_REMOVED "nullable-removed"
        breaks "A null is refused."
        harmless "A null is dropped or replaced by the default; without a default, server-side apply refuses it.";
    NULLABLE_ADDED "nullable-added"
        widens "Values are accepted as before; clients may find a null.";
    DEFAULT_ADDED "default-added"
        widens "Objects without the field now read as if they had this value.";
    DEFAULT_CHANGED "default-changed"
        breaks "Objects without the field get another value.";
    DEFAULT_REMOVED "default-removed"
        breaks "Clients that rely on the default find no value.";

    ENUM_ADDED "enum-added"
        breaks "Values that are not listed are refused.";
    ENUM_REMOVED "enum-removed"
        widens "Values are accepted as before; clients may find others.";
    ENUM_VALUE_REMOVED "enum-value-removed"
        breaks "Objects with this value are refused."
        harmless "A null is dropped or replaced by the default; without a default, server-side apply refuses it.";
    ENUM_VALUE_ADDED "enum-value-added"
        widens "Values are accepted as before; clients may find one that they do not know.";
    MINIMUM_TIGHTENED "minimum-tightened"
        breaks "Numbers below it are refused.";
    MINIMUM_LOOSENED "minimum-loosened"
        widens "Numbers are accepted as before; clients may find lower ones.";
    MAXIMUM_TIGHTENED "maximum-tightened"
        breaks "Numbers above it are refused.";
    MAXIMUM_LOOSENED "maximum-loosened"
        widens "Numbers are accepted as before; clients may find greater ones.";
    MIN_LENGTH_TIGHTENED "min-length-tightened"
        breaks "Shorter strings are refused.";
    MIN_LENGTH_LOOSENED "min-length-loosened"
        widens "Strings are accepted as before; clients may find shorter ones.";
    MAX_LENGTH_TIGHTENED "max-length-tightened"
        breaks "Longer strings are refused.";
    MAX_LENGTH_LOOSENED "max-length-loosened"
        widens "Strings are accepted as before; clients may find longer ones.";
    MIN_ITEMS_TIGHTENED "min-items-tightened"
        breaks "Lists with fewer items are refused.";
    MIN_ITEMS_LOOSENED "min-items-loosened"
        widens "Lists are accepted as before; clients may find shorter ones.";
    MAX_ITEMS_TIGHTENED "max-items-tightened"
        breaks "Lists with more items are refused.";
    MAX_ITEMS_LOOSENED "max-items-loosened"
        widens "Lists are accepted as before; clients may find longer ones.";
    MIN_PROPERTIES_TIGHTENED "min-properties-tightened"
        breaks "Objects with fewer members are refused.";
    MIN_PROPERTIES_LOOSENED "min-properties-loosened"
        widens "Objects are accepted as before; clients may find smaller ones.";
    MAX_PROPERTIES_TIGHTENED "max-properties-tightened"
        breaks "Objects with more members are refused.";
    MAX_PROPERTIES_LOOSENED "max-properties-loosened"
        widens "Objects are accepted as before; clients may find larger ones.";
    MULTIPLE_OF_ADDED "multiple-of-added"
        breaks "Numbers that are not a multiple of it are refused.";
    MULTIPLE_OF_CHANGED "multiple-of-changed"
        breaks "Numbers that are not a multiple of the new one are refused."
        harmless "Multiples of the old one are multiples of the new one, too.";
    MULTIPLE_OF_REMOVED "multiple-of-removed"
        widens "Numbers are accepted as before; clients may find others.";
    PATTERN_ADDED "pattern-added"
        breaks "Strings that do not match are refused.";
    PATTERN_CHANGED "pattern-changed"
        breaks "Strings that match the old one may not match the new one.";
    PATTERN_REMOVED "pattern-removed"
        widens "Strings are accepted as before; clients may find others.";
    FORMAT_ADDED "format-added"
        breaks "Values that are not in the format are refused."
        harmless "The API server refuses no value for this format.";
    FORMAT_CHANGED "format-changed"
        breaks "Values in the old format may not be in the new one."
        widens "The API server refuses no value for the new one; clients may find others.";
    FORMAT_REMOVED "format-removed"
        widens "Values are accepted as before; clients may find others.";
    RULE_ADDED "rule-added"
        breaks "Objects that violate the rule are refused.";
    RULE_CHANGED "rule-changed"
        breaks "Objects that satisfy the old rule may violate the new one.";
    RULE_REMOVED "rule-removed"
        widens "Objects are accepted as before; clients may find others.";
    ANY_OF_ADDED "any-of-added"
        breaks "Values that match none of the alternatives are refused.";
    ANY_OF_CHANGED "any-of-changed"
        breaks "Values that match the old alternatives may match none of the new ones."
        widens "The old alternatives are still there; clients may find the others.";
    ANY_OF_REMOVED "any-of-removed"
        widens "Values are accepted as before; clients may find others.";
    ONE_OF_ADDED "one-of-added"
        breaks "Values that do not match exactly one of the alternatives are refused.";
    ONE_OF_CHANGED "one-of-changed"
        breaks "Values that match one of the old alternatives may match none or several of the new ones.";
    ONE_OF_REMOVED "one-of-removed"
        widens "Values are accepted as before; clients may find others.";
    NOT_ADDED "not-added"
        breaks "Values that match the excluded schema are refused.";
    NOT_CHANGED "not-changed"
        breaks "Values that were accepted may match the schema that is now excluded.";
    NOT_REMOVED "not-removed"
        widens "Values are accepted as before; clients may find others.";

    MAP_BECAME_OBJECT "map-became-object"
        breaks "Entries that are not declared fields are dropped, and the others must match the schemas of the fields.";
    OBJECT_BECAME_MAP "object-became-map"
        breaks "Members that do not match the schema of the map's values are refused or pruned."
        harmless "The object had no fields before.";
    UNKNOWN_FIELDS_NOW_PRUNED "unknown-fields-now-pruned"
        breaks "Objects lose the members that the schema does not declare.";
    UNKNOWN_FIELDS_NOW_KEPT "unknown-fields-now-kept"
        harmless "Objects are accepted as before, and clients ignore members that they do not know.";
    EMBEDDED_RESOURCE_ADDED "embedded-resource-added"
        breaks "Values without apiVersion, kind and valid metadata are refused.";
    EMBEDDED_RESOURCE_REMOVED "embedded-resource-removed"
        breaks "Objects lose apiVersion, kind and metadata there, unless the schema declares them.";
    LIST_TYPE_CHANGED "list-type-changed"
        breaks "Server-side apply merges differently; a set refuses equal items, and a map refuses items with equal keys.";
    LIST_MAP_KEYS_CHANGED "list-map-keys-changed"
        breaks "Server-side apply merges differently, and lists whose items share the new keys are refused.";
    MAP_TYPE_CHANGED "map-type-changed"
        breaks "Server-side apply merges differently: entry by entry, or as a whole that one applier owns.";
}

impl ChangeKind {
    /// Returns the kind with this `id`.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.id == id)
    }

    /// The reason why a change of this kind breaks users or does not, in one sentence.
    pub(super) fn why(self, breaking: bool) -> &'static str {
        match (breaking, self.widens) {
            (true, _) => self.breaks,
            (false, "") => self.harmless,
            (false, widens) => widens,
        }
    }
}

impl ChangeKind {
    /// The possible answers to whether a change of this kind is breaking, each with its reason:
    /// `yes`, `--strict` (only with this flag) and `no`.
    pub fn reasons(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let reasons = [
            ("yes", self.breaks),
            ("`--strict`", self.widens),
            ("no", self.harmless),
        ];
        reasons.into_iter().filter(|(_, why)| !why.is_empty())
    }
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl Serialize for ChangeKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ChangeKind;

    #[test]
    fn every_change_kind_has_a_reason() {
        let names: BTreeSet<_> = ChangeKind::ALL.iter().map(|kind| kind.id).collect();
        assert_eq!(names.len(), ChangeKind::ALL.len());
        for kind in ChangeKind::ALL {
            let reasons = [kind.breaks, kind.widens, kind.harmless];
            assert!(reasons.iter().any(|why| !why.is_empty()), "{kind}");
            assert!(kind.widens.is_empty() || kind.harmless.is_empty(), "{kind}");
            for why in reasons {
                assert!(why.is_empty() || why.ends_with('.'), "{kind}: {why}");
            }
        }
    }
}
