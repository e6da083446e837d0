//! `exactly_one_of`, `at_most_one_of` and `at_least_one_of`, alone and several on one type.

pub mod v1beta1 {
    use genclient::prelude::*;

    /// Kind with choices between fields.
    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    #[crd(plural = "oneofs")]
    pub struct Oneof {
        pub metadata: ObjectMeta,
        pub spec: OneofSpec,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase", default)]
    pub struct OneofSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub first_type_with_oneof: Option<TypeWithOneofs>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub second_type_with_oneof: Option<TypeWithMultipleOneofs>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub first_type_with_exact_oneof: Option<TypeWithExactOneofs>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub second_type_with_exact_oneof: Option<TypeWithMultipleExactOneofs>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub type_with_multiple_at_least_one_of: Option<TypeWithMultipleAtLeastOneofs>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub type_with_all_one_of: Option<TypeWithAllOneofs>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub type_with_omit_zero: Option<TypeWithOmitZero>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub type_with_omit_zero_exact: Option<TypeWithOmitZeroExact>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub type_with_omit_zero_at_least_one_of: Option<TypeWithOmitZeroAtLeastOneOf>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub first_custom_type_alias: Option<CustomTypeAlias>,
        /// Has the rule of its type once, like the field above.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub second_custom_type_alias: Option<CustomTypeAlias>,
    }

    /// Type with a stated rule, which precedes the rule of the choice.
    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(
        at_most_one_of = ["foo", "bar"],
        validation(
            rule = "!(has(self.foo) && has(self.bar))",
            message = "only one of foo|bar may be set"
        )
    )]
    pub struct TypeWithOneofs {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub foo: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub bar: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(at_most_one_of = ["a", "b"], at_most_one_of = ["c", "d"])]
    pub struct TypeWithMultipleOneofs {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub b: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub c: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub d: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(exactly_one_of = ["foo", "bar"])]
    pub struct TypeWithExactOneofs {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub foo: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub bar: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(exactly_one_of = ["a", "b"], exactly_one_of = ["c", "d"])]
    pub struct TypeWithMultipleExactOneofs {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub b: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub c: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub d: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(at_least_one_of = ["a", "b"], at_least_one_of = ["c", "d"])]
    pub struct TypeWithMultipleAtLeastOneofs {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub b: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub c: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub d: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(
        at_most_one_of = ["a", "b"],
        exactly_one_of = ["c", "d"],
        at_least_one_of = ["e", "f"]
    )]
    pub struct TypeWithAllOneofs {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub b: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub c: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub d: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub e: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub f: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(at_most_one_of = ["foo", "bar"])]
    pub struct TypeWithOmitZero {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub foo: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub bar: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(exactly_one_of = ["a", "b"])]
    pub struct TypeWithOmitZeroExact {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub b: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(at_least_one_of = ["c", "d"])]
    pub struct TypeWithOmitZeroAtLeastOneOf {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub c: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub d: Option<String>,
    }

    /// Between 100 and 1000.
    #[derive(Clone, Copy, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(validation(
        rule = "self >= 100 && self <= 1000",
        message = "invalid CustomTypeAlias value"
    ))]
    pub struct CustomTypeAlias(pub i32);
}
