//! Specs with kube's derive: kube generates the roots, genclient their clients and CRDs.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::genclient;
    use kube::core::ObjectMeta;
    use kube::{CustomResource, KubeSchema};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// Printing press.
    ///
    /// The second paragraph is only part of the CRD.
    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, KubeSchema)]
    #[kube(
        group = "print.example.com",
        version = "v1",
        kind = "Press",
        namespaced,
        status = "PressStatus",
        shortname = "pr",
        shortname = "prs",
        category = "all",
        annotation("example.com/owner", "works"),
        label("tier", "back"),
        selectable = ".spec.paper",
        validation = Rule::new("self.metadata.name != 'none'").message("a press has a name"),
        deprecated = "use Printer"
    )]
    #[kube(
        printcolumn = r#"{"name":"Paper","type":"string","jsonPath":".spec.paper","priority":1}"#
    )]
    #[kube(printcolumn(name = "Pages", type_ = "integer", json_path = ".status.pages"))]
    #[kube(scale = r#"{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.pages"}"#)]
    #[serde(rename_all = "camelCase")]
    #[x_kube(validation = ("self.replicas < 9", "too many"))]
    pub struct PressSpec {
        /// Paper to print on.
        #[x_kube(validation = Rule::new("self == oldSelf").reason(Reason::FieldValueForbidden))]
        pub paper: String,
        /// Number of machines.
        pub replicas: i32,
        /// Inks, merged by color.
        #[x_kube(merge_strategy = ListMerge::Map(vec!["color".into()]))]
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub inks: Vec<Ink>,
        /// Notes, merged as a whole.
        #[x_kube(merge_strategy = MapMerge::Atomic)]
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub notes: BTreeMap<String, String>,
    }

    /// Ink of a press.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Ink {
        /// Name of the color.
        pub color: String,
    }

    /// Observed state of a press.
    #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
    pub struct PressStatus {
        /// Number of printed pages.
        pub pages: i32,
    }

    /// Read-only archive.
    #[genclient(readonly)]
    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "print.example.com", version = "v1", kind = "Archive")]
    pub struct ArchiveSpec {
        /// Location of the archive.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub shelf: Option<String>,
        /// Metadata that is copied to each page.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub page_metadata: Option<ObjectMeta>,
    }
}
