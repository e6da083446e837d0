//! `external_docs` on fields and on a type.

pub mod v1 {
    use genclient::prelude::*;

    /// A kind whose fields are explained elsewhere.
    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct ExternalDoc {
        pub metadata: ObjectMeta,
        #[serde(default)]
        pub spec: ExternalDocSpec,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase", default)]
    pub struct ExternalDocSpec {
        /// An address and what is found there.
        #[serde(skip_serializing_if = "String::is_empty")]
        #[crd(external_docs(
            url = "https://example.com/docs",
            description = "external docs description"
        ))]
        pub field_with_external_doc: String,
        /// An address alone.
        #[serde(
            rename = "fieldWithExternalDocURLOnly",
            skip_serializing_if = "String::is_empty"
        )]
        #[crd(external_docs(url = "https://example.com/docs"))]
        pub field_with_external_doc_url_only: String,
        /// What the type says.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub type_with_external_doc: Option<TypeWithExternalDoc>,
    }

    /// A string that is explained elsewhere.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(external_docs(
        url = "https://example.com/type-docs",
        description = "type-level external docs"
    ))]
    pub struct TypeWithExternalDoc(pub String);
}
