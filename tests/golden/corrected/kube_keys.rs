//! Valid keys in `#[kube(…)]`, and valid attributes next to it.

pub mod v1 {
    use kube::CustomResource;

    #[derive(CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "First", namespaced, shortname = "f")]
    pub struct FirstSpec {}

    #[derive(CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Name")]
    pub struct SecondSpec {}

    #[derive(CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Third")]
    pub struct ThirdSpec {}

    #[derive(CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Fourth", plural = "fourths")]
    pub struct FourthSpec {}

    #[derive(CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(
        group = "a.example.com",
        version = "v1",
        kind = "Fifth",
        schema = "manual",
        storage = true,
        printcolumn(name = "name", type_ = "string", json_path = ".spec.a"),
        printcolumn(name = "A", type_ = "string", json_path = ".spec.a"),
        scale(spec_replicas_path = ".spec.a", status_replicas_path = ".status.a"),
        status = "NameStatus",
        validation = Rule::new("size(self.spec.a) > 0").message("a is empty")
    )]
    pub struct FifthSpec {
        #[x_kube(validation = "true", merge_strategy = ListMerge::Set)]
        pub a: Vec<String>,
    }
}
