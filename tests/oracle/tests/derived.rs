//! Tests that compare the generator's schema with that of kube's derive for the same type.

use std::panic::catch_unwind;

use e2e::suite::Suite;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{CustomResource, CustomResourceExt as _};
use oracle::each_shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::differences::{self, Difference};
use crate::generated;

pub fn tests(suite: &mut Suite) {
    suite.plain("derived::differences_are_listed", || {
        let ours = generated::shapes();
        let mut found = Vec::new();
        for (name, crd) in definitions() {
            match catch_unwind(crd) {
                Ok(crd) => differences::between(name, &schema(crd), &ours[name], &mut found),
                Err(_) => found.push(Difference {
                    path: name.to_owned(),
                    keyword: "crd()".to_owned(),
                    theirs: "panics".to_owned(),
                    ours: "a schema".to_owned(),
                }),
            }
        }
        Ok(differences::check(
            include_str!("../differences.md"),
            &found,
        )?)
    });
}

fn schema(crd: CustomResourceDefinition) -> Value {
    let mut crd = serde_json::to_value(crd).expect("a definition is JSON");
    crd.pointer_mut("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/value")
        .map(Value::take)
        .expect("the field of the shape")
}

type Definition = (&'static str, fn() -> CustomResourceDefinition);

/// Returns a CRD of kube's derive for each shape.
fn definitions() -> Vec<Definition> {
    macro_rules! kinds {
        ($($name:literal: $module:ident :: $shape:ident),* $(,)?) => {
            vec![$({
                #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
                #[kube(group = "oracle.example.com", version = "v1", kind = "Derived")]
                struct DerivedSpec {
                    value: oracle::shapes::$module::$shape,
                }
                ($name, Derived::crd as fn() -> CustomResourceDefinition)
            }),*]
        };
    }
    each_shape!(kinds)
}
