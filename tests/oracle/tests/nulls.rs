//! Tests of `nullable = "kube"`: a schema is nullable where kube's derive makes it so.

use std::path::Path;

use compiled::{kube_defaults, kube_derive, kube_idioms, kube_roots, kube_schemars};
use e2e::suite::Suite;
use genclient_codegen::{Artefact, Crd, Nullable, Project};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;
use serde_json::{Value, json};

use crate::differences::{self, Difference};
use crate::generated;

pub fn tests(suite: &mut Suite) {
    suite.plain("nulls::are_those_of_kube", || {
        let kinds: [(&str, CustomResourceDefinition); 8] = [
            ("kube/derive", kube_derive::apis::v1::Press::crd()),
            ("kube/derive", kube_derive::apis::v1::Archive::crd()),
            ("kube/defaults", kube_defaults::apis::v1::Kiln::crd()),
            ("kube/idioms", kube_idioms::apis::v1::Forge::crd()),
            ("kube/roots", kube_roots::apis::mixed::HttpRoute::crd()),
            ("kube/roots", kube_roots::apis::mixed::Policy::crd()),
            ("kube/roots", kube_roots::apis::mixed::Switch::crd()),
            ("kube/schemars", kube_schemars::apis::v1::Form::crd()),
        ];
        let mut found = Vec::new();
        for (case, theirs) in kinds {
            let kind = &theirs.spec.names.kind;
            let definitions = definitions(case);
            let ours = definitions
                .iter()
                .find(|crd| crd.kind == *kind)
                .expect("the kind");
            let ours = json!(ours.versions[0].schema);
            let theirs = json!(theirs)
                .pointer_mut("/spec/versions/0/schema/openAPIV3Schema")
                .map(Value::take)
                .expect("a schema");
            let mut all = Vec::new();
            differences::between(kind, &theirs, &ours, &mut all);
            found.extend(all.into_iter().filter(|one| one.keyword == "nullable"));
        }
        let found: Vec<_> = found.iter().map(Difference::to_string).collect();
        if found.is_empty() {
            Ok(())
        } else {
            Err(found.join("\n").into())
        }
    });
}

/// Returns the CRDs of a golden case, generated with `nullable = "kube"`.
fn definitions(case: &str) -> Vec<Crd> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
    let project = Project {
        apis: golden.join(case).join("apis"),
        crate_root: golden.join("../compiled/lib.rs"),
        types: format!("crate::{}::apis", case.replace('/', "_")),
        nullable: Some(Nullable::Kube),
        ..generated::project()
    };
    match genclient_codegen::understand(&project, &[Artefact::Crd].into()) {
        Ok((model, _)) => model.crds,
        Err(mistakes) => panic!("{mistakes}"),
    }
}
