//! Specs as kube's users write them: kube makes the roots, and we their clients and definitions.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::genclient;
    use kube::core::ObjectMeta;
    use kube::{CustomResource, KubeSchema};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// A machine that prints.
    ///
    /// Its second paragraph is for the CRD.
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
        /// What is printed on.
        #[x_kube(validation = Rule::new("self == oldSelf").reason(Reason::FieldValueForbidden))]
        pub paper: String,
        /// How many at once.
        pub replicas: i32,
        /// Each with a key.
        #[x_kube(merge_strategy = ListMerge::Map(vec!["color".into()]))]
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub inks: Vec<Ink>,
        /// Whole, or not at all.
        #[x_kube(merge_strategy = MapMerge::Atomic)]
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub notes: BTreeMap<String, String>,
    }

    /// A color.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Ink {
        /// Its name.
        pub color: String,
    }

    /// What has been seen.
    #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
    pub struct PressStatus {
        /// How many.
        pub pages: i32,
    }

    /// What is read only.
    #[genclient(readonly)]
    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "print.example.com", version = "v1", kind = "Archive")]
    pub struct ArchiveSpec {
        /// Where it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub shelf: Option<String>,
        /// What is copied to each page.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub page_metadata: Option<ObjectMeta>,
    }
}
