pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Rule {
        pub metadata: ObjectMeta,
        pub spec: RuleSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct RuleSpec {
        #[crd(schema = { "type": "string", "maxLength": 9, "x-kubernetes-validations": [{ "rule": "" }] })]
        pub empty: Named,
        #[crd(schema = { "type": "string", "maxLength": 9, "x-kubernetes-validations": [{ "rule": "self ==\nself" }] })]
        pub lines: Named,
        #[crd(schema = { "type": "string", "maxLength": 9, "x-kubernetes-validations": [{ "rule": "self == self", "message": "a\nb" }] })]
        pub message: Named,
        #[crd(schema = { "type": "string", "maxLength": 9, "x-kubernetes-validations": [{ "rule": "self == self", "message": " " }] })]
        pub part: Named,
        #[crd(schema = { "type": "string", "maxLength": 9, "x-kubernetes-validations": [{ "rule": "self == self", "fieldPath": " " }] })]
        pub path: Named,
        #[crd(schema = { "type": "string", "maxLength": 9, "x-kubernetes-validations": [{ "rule": "self == self", "reason": "Wrong" }] })]
        pub reason: Named,
        #[crd(schema = { "type": "string", "maxLength": 9, "x-kubernetes-validations": [{ "rule": "self == self", "optionalOldSelf": true }] })]
        pub old: Named,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Named {
        pub name: String,
    }
}
