//! Version `v1` of the group `example.com`.

use std::collections::BTreeMap;

use genclient::prelude::*;

/// A shop.
#[genclient]
#[group = "example.com"]
#[crd(
    short_names = ["sh"],
    categories = ["all"],
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(
        name = "Address",
        type = "string",
        json_path = ".spec.address",
        description = "Where the shop is.",
        priority = 1
    ),
    printcolumn(name = "Age", type = "date", json_path = ".metadata.creationTimestamp"),
    selectable_field = ".spec.address"
)]
pub struct Shop {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    pub spec: ShopSpec,

    /// Observed state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ShopStatus>,
}

/// Fields of `.spec` in `Shop`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct ShopSpec {
    /// Where the shop is.
    ///
    /// It cannot move.
    #[crd(
        min_length = 1,
        max_length = 100,
        pattern = r#"^[^"\\]+$"#,
        validation(rule = "self == oldSelf", message = "field is immutable")
    )]
    pub address: String,

    /// Whether it is closed.
    #[crd(required, default = false)]
    pub closed: bool,

    /// What is taken off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(type = "number", minimum = 0, maximum = 1, exclusive_maximum)]
    pub discount: Option<f64>,

    /// How many doors it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(minimum = 1, maximum = 10, multiple_of = 1, default = 2)]
    pub doors: Option<i32>,

    /// When it is open, by day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(
        max_properties = 7,
        values(max_items = 2, items(minimum = 0, maximum = 24))
    )]
    pub hours: Option<BTreeMap<String, Vec<i32>>>,

    /// What it sells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(default = "Grocer")]
    pub kind: Option<Kind>,

    /// Who owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,

    /// Its port, by number or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<IntOrString>,

    /// How many clerks there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,

    /// Its shelves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(max_items = 16, list_type = "map", list_map_keys = ["name"])]
    pub shelves: Option<Vec<Shelve>>,

    /// When it opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,

    /// Words for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(max_items = 8, list_type = "set", items(max_length = 10))]
    pub tags: Option<Vec<String>>,
}

/// Values of `.spec.kind` in `Shop`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
pub enum Kind {
    /// The value `Grocer`.
    #[default]
    Grocer,

    /// The value `Book-Seller`.
    #[serde(rename = "Book-Seller")]
    BookSeller,

    /// The value ``.
    #[serde(rename = "")]
    Empty,
}

/// Fields of `.spec.owner` in `Shop`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[crd(
    min_properties = 1,
    max_properties = 1,
    struct_type = "atomic",
    one_of = [{ "required": ["company"] }, { "required": ["person"] }]
)]
pub struct Owner {
    /// A company.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,

    /// A person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(title = "Owner", example = "Somebody")]
    pub person: Option<String>,
}

/// A shelf.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[crd(validation(
    rule = "!has(self.width) || self.width > 0",
    message = "a shelf of no width",
    reason = "FieldValueInvalid"
))]
pub struct Shelve {
    /// Name of the shelf.
    pub name: String,

    /// How wide it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<i64>,
}

/// Fields of `.status` in `Shop`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct ShopStatus {
    /// How many clerks are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,

    /// Selects the clerks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}
