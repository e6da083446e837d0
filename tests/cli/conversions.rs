//! The generated module `conversion` of a client.

use super::package::Package;

/// A package with two versions of a kind, converted by a webhook.
fn converted() -> Package {
    let package = Package::new();
    let version = |name: &str, stored: &str| {
        format!(
            "pub mod {name} {{
    use genclient::prelude::*;
    #[genclient]
    #[group = \"tasks.example.com\"]
    {stored}
    pub struct Task {{
        pub metadata: ObjectMeta,
    }}
}}
"
        )
    };
    let stored = "#[crd(storage, conversion(webhook(service = \"system/webhook\", review_versions = [\"v1\"])))]";
    package.write(
        "pkg/apis/mod.rs",
        version("v1", stored) + &version("v1alpha1", ""),
    );
    package
}

#[test]
fn conversion_module_exists_while_a_webhook_converts() {
    let package = converted();
    package.run(&["update"]).expect(0);
    let root = package.read("pkg/client/mod.rs");
    assert!(root.contains("pub mod conversion;\n"), "{root}");
    let module = package.read("pkg/client/conversion.rs");
    let test = "conversion::round_trip::<v1alpha1::Task>(&crds::all())";
    assert!(module.contains(test), "{module}");
    package.run(&["verify"]).expect(0);
    let text = package.read("pkg/apis/mod.rs");
    let start = text.find(", conversion").unwrap();
    let end = start + text[start..].find(")]").unwrap();
    package.write(
        "pkg/apis/mod.rs",
        text[..start].to_owned() + &text[end + 1..],
    );
    package.edit("pkg/apis/mod.rs", "#[crd(storage", "#[crd(storage)");
    package.run(&["update"]).expect(0).says(&["1 removed"]);
    assert!(!package.exists("pkg/client/conversion.rs"));
    let root = package.read("pkg/client/mod.rs");
    assert!(!root.contains("conversion"), "{root}");
}

/// The tests in the generated module use the CRDs of the client.
#[test]
fn conversion_tests_require_the_crds() {
    let package = converted();
    package.run(&["update", "--only", "conversion"]).expect(0);
    let module = package.read("pkg/client/conversion.rs");
    assert!(
        module.contains("pub fn tasks() -> Versions<v1::Task> {"),
        "{module}"
    );
    assert!(!module.contains("mod tests"), "{module}");
}
