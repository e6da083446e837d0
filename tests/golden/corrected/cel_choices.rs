pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    #[crd(
        validation(rule = "self.phase != 'Running' || self.replicas > 0"),
        validation(rule = "self.phase in ['Pending', 'Running']"),
        validation(rule = "'Running' in self.history"),
        validation(rule = "oldSelf.phase != 'Gone' || self.phase == 'Pending'"),
        validation(rule = "self.phase != ''"),
        validation(rule = "self.word == 'a'"),
        validation(rule = "self.word == self.phase")
    )]
    pub struct WidgetSpec {
        pub phase: Phase,
        pub replicas: i32,
        #[crd(max_items = 5)]
        pub history: Vec<Phase>,
        #[crd(enum = ["a", "b", "c", "d", "e", "f", "g", "h", "i"])]
        pub word: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Phase {
        Pending,
        Running,
    }
}
