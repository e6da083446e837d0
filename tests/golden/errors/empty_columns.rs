//! Printer columns that stay empty: filters, lists, keys with dots.
use genclient::prelude::*;
use std::collections::BTreeMap;

pub mod v1 {
    use super::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(
        printcolumn(name = "C0", type = "string", json_path = ".status.conditions[?(@.type==`Ready`)].status"),
        printcolumn(name = "C1", type = "string", json_path = ".status.conditions[?(@.type=='Ready' && @.status=='True')].reason"),
        printcolumn(name = "C2", type = "string", json_path = ".status.conditions[?(@.type==Ready)].status"),
        printcolumn(name = "C3", type = "string", json_path = ".status.conditions[?(@.type='Ready')].status"),
        printcolumn(name = "C4", type = "string", json_path = ".status.conditions[?(@.type~='Ready')].status"),
        printcolumn(name = "C5", type = "string", json_path = ".status.conditions[?(type=='Ready')].status"),
        printcolumn(name = "C6", type = "string", json_path = ".status.conditions[?(@.status==true)].type"),
        printcolumn(name = "C7", type = "string", json_path = ".status.conditions[?(!@.reason)].type"),
        printcolumn(name = "C8", type = "string", json_path = ".spec.lines[?(@.sku==3)].size"),
        printcolumn(name = "C9", type = "string", json_path = ".spec.lines[?(@.count=='3')].sku"),
        printcolumn(name = "C10", type = "string", json_path = ".spec.lines[?(@.count=='three')].sku"),
        printcolumn(name = "C11", type = "string", json_path = ".spec.lines[?(@.weight>'2.5')].sku"),
        printcolumn(name = "C12", type = "string", json_path = ".spec.lines[?(@.gift==True)].sku"),
        printcolumn(name = "C13", type = "string", json_path = ".spec.lines[?(@.gift=='false')].sku"),
        printcolumn(name = "C14", type = "string", json_path = ".spec.lines[?(@.gift==1)].sku"),
        printcolumn(name = "C15", type = "string", json_path = ".spec.lines[?(@.size=='large')].sku"),
        printcolumn(name = "C16", type = "string", json_path = ".spec.lines.sku"),
        printcolumn(name = "C17", type = "string", json_path = ".metadata.labels['example.com/tier']"),
        printcolumn(name = "C18", type = "string", json_path = ".spec.tiers.example.com/tier"),
        printcolumn(name = "C19", type = "date", json_path = ".spec.due"),
        printcolumn(name = "Quoted", type = "string", json_path = ".metadata.labels[\"a.b\"]"),
        printcolumn(name = "Unlike", type = "string", json_path = ".spec.lines[?(@.size!='Tiny')].sku"),
        printcolumn(name = "D0", type = "date", json_path = ".spec.seen"),
        printcolumn(name = "D1", type = "string", json_path = ".spec.tiers.a"),
        printcolumn(name = "D2", type = "string", json_path = ".metadata.labels['a']"),
        printcolumn(name = "D3", type = "integer", json_path = ".spec.lines[?(@.count>=3)].count"),
        printcolumn(name = "D4", type = "string", json_path = ".spec.lines[?(@.weight>3)].sku"),
        printcolumn(name = "D5", type = "string", json_path = ".spec.lines[?('a'==@.sku)].sku"),
        printcolumn(name = "D6", type = "string", json_path = ".status.conditions[?(@.status=='True')].type")
    )]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
        pub status: Option<WidgetStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        pub lines: Vec<Line>,
        #[crd(format = "date")]
        pub due: String,
        pub seen: String,
        pub tiers: BTreeMap<String, String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Line {
        pub sku: String,
        pub count: i32,
        pub weight: f64,
        pub gift: bool,
        pub size: Size,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Size {
        Small,
        Large,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetStatus {
        pub conditions: Vec<Condition>,
    }
}
