//! Every kind of change, once: its name, and why it breaks users or does not.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name, which stays: `field-removed`.
    pub id: &'static str,
    /// Why it breaks users; nothing if it never does.
    pub breaks: &'static str,
    /// Why it does not; nothing if it always does.
    pub harmless: &'static str,
}

/// One list makes the constants, `ALL` and the names.
macro_rules! kinds {
    ($($name:ident $id:literal $breaks:literal $harmless:literal)*) => {
        $(pub(super) const $name: Kind = Kind { id: $id, breaks: $breaks, harmless: $harmless };)*

        impl Kind {
            /// Every kind, from the whole definition to the smallest constraint.
            pub const ALL: &'static [Self] = &[$($name),*];
            const IDS: &'static [&'static str] = &[$($id),*];
        }
    };
}

kinds! {
    CRD_REMOVED "crd-removed"
        "The API server deletes every object with the definition." ""
    CRD_ADDED "crd-added"
        "" "Nobody used the kind before."
    GROUP_CHANGED "group-changed"
        "To the API server it is another resource: objects, roles and clients do not move along." ""
    PLURAL_CHANGED "plural-changed"
        "To the API server it is another resource: objects, roles and clients do not move along." ""
    KIND_CHANGED "kind-changed"
        "The API server refuses another kind for an established definition, and manifests name the old one." ""
    LIST_KIND_CHANGED "list-kind-changed"
        "Clients that check the kind of a list do not know the new one." ""
    SCOPE_CHANGED "scope-changed"
        "The API server refuses another scope for an established definition, and URLs differ." ""
    SINGULAR_CHANGED "singular-changed"
        "" "Only what people type after `kubectl get` changes."
    SHORT_NAME_REMOVED "short-name-removed"
        "" "Only what people type after `kubectl get` changes."
    SHORT_NAME_ADDED "short-name-added"
        "" "Only what people type after `kubectl get` changes."
    CATEGORY_REMOVED "category-removed"
        "" "Only what `kubectl get` lists for a category changes."
    CATEGORY_ADDED "category-added"
        "" "Only what `kubectl get` lists for a category changes."
    CONVERSION_CHANGED "conversion-changed"
        "Without its webhook, what differs between the versions is lost."
        "The webhook must answer there before the definition is applied."

    VERSION_REMOVED "version-removed"
        "Its clients get an error, and objects that are stored as it cannot be read."
        "It was not served; the API server refuses this only while `status.storedVersions` names it."
    VERSION_ADDED "version-added"
        "" "Clients of the other versions see no difference."
    VERSION_UNSERVED "version-unserved"
        "Its clients get an error." ""
    VERSION_SERVED "version-served"
        "" "Clients of the other versions see no difference."
    VERSION_DEPRECATED "version-deprecated"
        "" "Its clients get a warning."
    STORAGE_VERSION_CHANGED "storage-version-changed"
        "" "Objects stay stored in the old version until they are written again: migrate them before it is removed."
    STATUS_SUBRESOURCE_REMOVED "status-subresource-removed"
        "Clients that write `/status` get an error." ""
    STATUS_SUBRESOURCE_ADDED "status-subresource-added"
        "Writes to the object itself change its status no longer." ""
    SCALE_SUBRESOURCE_REMOVED "scale-subresource-removed"
        "Autoscalers and `kubectl scale` get an error." ""
    SCALE_SUBRESOURCE_CHANGED "scale-subresource-changed"
        "Autoscalers and `kubectl scale` read and write other fields." ""
    SCALE_SUBRESOURCE_ADDED "scale-subresource-added"
        "" "Nobody used it before."
    SELECTABLE_FIELD_REMOVED "selectable-field-removed"
        "Field selectors that use it are refused." ""
    SELECTABLE_FIELD_ADDED "selectable-field-added"
        "" "Nobody used it before."

    FIELD_REMOVED "field-removed"
        "Objects that have it lose it at their next write, and clients that read it find nothing."
        "Its value is kept, as unknown fields are, but checked no longer."
    FIELD_ADDED "field-added"
        "Objects may hold another value there already: unknown fields were kept."
        "Objects that leave it out are as good as before."
    REQUIRED_FIELD_ADDED "required-field-added"
        "Objects that leave it out, as all did until now, are refused." ""
    FIELD_NOW_REQUIRED "field-now-required"
        "Objects that leave it out are refused."
        "Where it is left out, the API server fills in the default."
    FIELD_NOW_OPTIONAL "field-now-optional"
        "" "Objects that have it are as good as before; clients may find it missing."
    FIELD_RETYPED "field-retyped"
        "Values of the old type are refused, and clients cannot read those of the new."
        "Values of the old type are still accepted; clients may find others."
    INT_OR_STRING_REMOVED "int-or-string-removed"
        "Values of one of the two types are refused." ""
    INT_OR_STRING_ADDED "int-or-string-added"
        "" "Values of the old type are still accepted; clients may find the other."
    NULLABLE_REMOVED "nullable-removed"
        "A null there is refused."
        "A null there is dropped or replaced by the default; without a default, server-side apply refuses it."
    NULLABLE_ADDED "nullable-added"
        "" "Values are accepted as before; clients may find a null."
    DEFAULT_ADDED "default-added"
        "" "Objects that leave it out now read as if they held this value."
    DEFAULT_CHANGED "default-changed"
        "Objects that leave it out mean something else." ""
    DEFAULT_REMOVED "default-removed"
        "Clients that rely on a value there find none." ""

    ENUM_ADDED "enum-added"
        "Values that are not listed are refused." ""
    ENUM_REMOVED "enum-removed"
        "" "Values are accepted as before; clients may find others."
    ENUM_VALUE_REMOVED "enum-value-removed"
        "Objects that hold it are refused."
        "A null there is dropped or replaced by the default; without a default, server-side apply refuses it."
    ENUM_VALUE_ADDED "enum-value-added"
        "" "Values are accepted as before; clients may find one that they do not know."
    MINIMUM_TIGHTENED "minimum-tightened"
        "Numbers below it are refused." ""
    MINIMUM_LOOSENED "minimum-loosened"
        "" "Numbers are accepted as before; clients may find lower ones."
    MAXIMUM_TIGHTENED "maximum-tightened"
        "Numbers above it are refused." ""
    MAXIMUM_LOOSENED "maximum-loosened"
        "" "Numbers are accepted as before; clients may find greater ones."
    MIN_LENGTH_TIGHTENED "min-length-tightened"
        "Shorter strings are refused." ""
    MIN_LENGTH_LOOSENED "min-length-loosened"
        "" "Strings are accepted as before; clients may find shorter ones."
    MAX_LENGTH_TIGHTENED "max-length-tightened"
        "Longer strings are refused." ""
    MAX_LENGTH_LOOSENED "max-length-loosened"
        "" "Strings are accepted as before; clients may find longer ones."
    MIN_ITEMS_TIGHTENED "min-items-tightened"
        "Lists with fewer items are refused." ""
    MIN_ITEMS_LOOSENED "min-items-loosened"
        "" "Lists are accepted as before; clients may find shorter ones."
    MAX_ITEMS_TIGHTENED "max-items-tightened"
        "Lists with more items are refused." ""
    MAX_ITEMS_LOOSENED "max-items-loosened"
        "" "Lists are accepted as before; clients may find longer ones."
    MIN_PROPERTIES_TIGHTENED "min-properties-tightened"
        "Objects with fewer members are refused." ""
    MIN_PROPERTIES_LOOSENED "min-properties-loosened"
        "" "Objects are accepted as before; clients may find smaller ones."
    MAX_PROPERTIES_TIGHTENED "max-properties-tightened"
        "Objects with more members are refused." ""
    MAX_PROPERTIES_LOOSENED "max-properties-loosened"
        "" "Objects are accepted as before; clients may find larger ones."
    MULTIPLE_OF_ADDED "multiple-of-added"
        "Numbers that are no multiple of it are refused." ""
    MULTIPLE_OF_CHANGED "multiple-of-changed"
        "Numbers that are no multiple of the new one are refused."
        "Multiples of the old one are multiples of the new one, too."
    MULTIPLE_OF_REMOVED "multiple-of-removed"
        "" "Numbers are accepted as before; clients may find others."
    PATTERN_ADDED "pattern-added"
        "Strings that do not match are refused." ""
    PATTERN_CHANGED "pattern-changed"
        "Strings that match the old one may not match the new one." ""
    PATTERN_REMOVED "pattern-removed"
        "" "Strings are accepted as before; clients may find others."
    FORMAT_ADDED "format-added"
        "Values that are not in the format are refused."
        "The API server refuses no value for this format."
    FORMAT_CHANGED "format-changed"
        "Values in the old format may not be in the new one."
        "The API server refuses no value for the new one; clients may find others."
    FORMAT_REMOVED "format-removed"
        "" "Values are accepted as before; clients may find others."
    RULE_ADDED "rule-added"
        "Objects that do not obey it are refused." ""
    RULE_CHANGED "rule-changed"
        "Objects that obey the old rule may not obey the new one." ""
    RULE_REMOVED "rule-removed"
        "" "Objects are accepted as before; clients may find others."
    ANY_OF_ADDED "any-of-added"
        "Values that fit none of the alternatives are refused." ""
    ANY_OF_CHANGED "any-of-changed"
        "Values that fit the old alternatives may fit none of the new ones."
        "The old alternatives are still there; clients may find the others."
    ANY_OF_REMOVED "any-of-removed"
        "" "Values are accepted as before; clients may find others."
    ONE_OF_ADDED "one-of-added"
        "Values that do not fit exactly one of the alternatives are refused." ""
    ONE_OF_CHANGED "one-of-changed"
        "Values that fit one of the old alternatives may fit none or several of the new ones." ""
    ONE_OF_REMOVED "one-of-removed"
        "" "Values are accepted as before; clients may find others."
    NOT_ADDED "not-added"
        "Values that fit what is excluded are refused." ""
    NOT_CHANGED "not-changed"
        "Values that were accepted may fit what is excluded now." ""
    NOT_REMOVED "not-removed"
        "" "Values are accepted as before; clients may find others."

    MAP_BECAME_OBJECT "map-became-object"
        "Entries that are not declared fields are dropped, and the others must fit the schemas of the fields." ""
    OBJECT_BECAME_MAP "object-became-map"
        "Members that do not fit the schema of the map's values are refused or pruned."
        "The object had no fields before."
    UNKNOWN_FIELDS_NOW_PRUNED "unknown-fields-now-pruned"
        "Objects lose the members that the schema does not declare." ""
    UNKNOWN_FIELDS_NOW_KEPT "unknown-fields-now-kept"
        "" "Objects are accepted as before; clients may find members that they do not know."
    EMBEDDED_RESOURCE_ADDED "embedded-resource-added"
        "Values without apiVersion, kind and valid metadata are refused." ""
    EMBEDDED_RESOURCE_REMOVED "embedded-resource-removed"
        "Objects lose apiVersion, kind and metadata there, unless the schema declares them." ""
    LIST_TYPE_CHANGED "list-type-changed"
        "Server-side apply merges in another way; as a set or a map, a list with equal items is refused." ""
    LIST_MAP_KEYS_CHANGED "list-map-keys-changed"
        "Server-side apply merges in another way, and lists whose items share the new keys are refused." ""
    MAP_TYPE_CHANGED "map-type-changed"
        "Server-side apply merges in another way: entry by entry, or as a whole that one applier owns." ""
}

impl Kind {
    /// Why a change of this kind is what it is, in one sentence.
    pub(super) fn why(self, breaking: bool) -> &'static str {
        if breaking { self.breaks } else { self.harmless }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        let kind = Self::ALL.iter().find(|kind| kind.id == id);
        kind.copied()
            .ok_or_else(|| D::Error::unknown_variant(&id, Self::IDS))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Kind;

    #[test]
    fn every_kind_explains_itself() {
        let names: BTreeSet<_> = Kind::ALL.iter().map(|kind| kind.id).collect();
        assert_eq!(names.len(), Kind::ALL.len());
        for kind in Kind::ALL {
            assert!(
                !kind.breaks.is_empty() || !kind.harmless.is_empty(),
                "{kind}"
            );
            for why in [kind.breaks, kind.harmless] {
                assert!(why.is_empty() || why.ends_with('.'), "{kind}: {why}");
            }
        }
    }
}
