//! Filters in the paths of printer columns.
use genclient::prelude::*;

pub mod v1 {
    use super::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(
        printcolumn(name = "Ready", type = "string", json_path = ".status.conditions[?(@.type=='Ready')].status"),
        printcolumn(name = "Fine", type = "string", json_path = ".status.conditions[?(@.type=='Ready')].status"),
        printcolumn(name = "Lid", type = "string", json_path = ".spec.parts[?(@.origin.country==\"Rome\")].kind"),
        printcolumn(name = "Size", type = "integer", json_path = ".spec.parts[?(@.kind)].size"),
        printcolumn(name = "Any", type = "string", json_path = ".spec.open[?(@.any>1)].name")
    )]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
        pub status: Option<WidgetStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        pub parts: Vec<Part>,
        #[crd(preserve_unknown_fields, type = "object")]
        pub open: Part,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        pub kind: String,
        pub origin: Origin,
        pub size: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Origin {
        pub country: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetStatus {
        pub conditions: Vec<Condition>,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(selectable_field = ".spec.color")]
    pub struct Other {
        pub metadata: ObjectMeta,
        pub spec: OtherSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct OtherSpec {
        pub color: String,
    }
}
