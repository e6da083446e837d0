//! `Chart.yaml` and `values.yaml` of a Helm chart. All values are scalars: switches and quantities.

use crate::header::HEADER;
use crate::manifests::{AMOUNTS, IMAGE};
use crate::project::{Certificates, Deploy};
use crate::yaml::{self, Yaml, YamlNode};

/// The chart version; `helm package --version` overrides it.
const VERSION: &str = "0.1.0";

/// `Chart.yaml`.
pub(super) fn about(deploy: &Deploy) -> String {
    marked(&Yaml::of(|yaml| {
        yaml.text("apiVersion", "v2");
        let description = format!("Deploys {}", deploy.name);
        yaml.text("description", description.as_str());
        yaml.text("name", deploy.name.as_str());
        yaml.text("type", "application");
        yaml.text("version", VERSION);
    }))
}

/// `values.yaml`: the settings of the package, as defaults of an installation.
pub(super) fn values(deploy: &Deploy) -> String {
    let switch = |yaml: &mut Yaml, name: &str, is_on: bool| {
        yaml.map(name, |yaml| yaml.plain("enabled", Some(is_on)));
    };
    marked(&Yaml::of(|yaml| {
        switch(
            yaml,
            "certManager",
            deploy.certificates == Certificates::CertManager,
        );
        yaml.map("crd", |yaml| {
            yaml.plain("enabled", Some(true));
            yaml.plain("keep", Some(true));
        });
        yaml.text("image", IMAGE);
        switch(yaml, "metrics", deploy.metrics);
        switch(yaml, "networkPolicy", deploy.network_policy);
        switch(yaml, "prometheus", deploy.prometheus);
        yaml.map("rbac", |yaml| {
            yaml.map("helpers", |yaml| yaml.plain("enabled", Some(true)));
        });
        yaml.plain("replicas", Some(deploy.replicas));
        yaml.map("resources", |yaml| {
            for of in ["limits", "requests"] {
                yaml.map(of, |yaml| {
                    for amount in AMOUNTS.iter().filter(|amount| amount.of == of) {
                        yaml.text(amount.resource, amount.default);
                    }
                });
            }
        });
    }))
}

/// A document with the header of generated files.
fn marked(node: &YamlNode) -> String {
    format!("# {HEADER}\n{}", yaml::text(node))
}
