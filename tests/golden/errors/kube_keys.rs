//! Invalid keys in `#[kube(…)]`, and invalid attributes next to it.

pub mod v1 {
    use kube::CustomResource;

    #[derive(CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "First", namespace, shortnames = "f")]
    pub struct FirstSpec {}

    #[derive(CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1")]
    pub struct SecondSpec {}

    #[derive(Deserialize, Serialize)]
    #[kube(group = "a.example.com", version = "v1", kind = "Third")]
    pub struct ThirdSpec {}

    #[genclient(non_namespaced)]
    #[group = "a.example.com"]
    #[derive(CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Fourth", plural = "Fourths")]
    pub struct FourthSpec {}

    #[derive(CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(
        group = "a.example.com",
        version = "v1",
        kind = "Fifth",
        schema = "manuel",
        storage = 1,
        printcolumn = "name",
        printcolumn(name = "A", type = "string"),
        scale(spec_replicas = ".spec.a"),
        status = "",
        validation = RULE
    )]
    pub struct FifthSpec {
        #[x_kube(validate = "true", merge_strategy = ListMerge::Maps)]
        pub a: Vec<String>,
    }
}
