//! Printer columns, selectable fields, names, and annotations and labels of the CRD.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "columns.example.com"]
    #[crd(
        singular = "row", short_names = ["r", "rw"], categories = ["all", "tables"],
        printcolumn(name = "On", type = "boolean", json_path = ".spec.on"),
        printcolumn(name = "Age", type = "date", json_path = ".metadata.creationTimestamp", description = "since: when", format = "date-time", priority = 1),
        selectable_field = ".spec.on",
        selectable_field = ".spec.name",
        annotation("example.com/owner", "team: yes"),
        label("app", "on")
    )]
    pub struct TableRow {
        pub metadata: ObjectMeta,
        pub spec: RowSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct RowSpec {
        pub on: bool,
        pub name: String,
    }
}
