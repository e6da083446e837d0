//! Packages that were written for kube, as they stand.

use super::package::Package;

/// A crate without a folder of API types.
fn package(root: &str) -> Package {
    let package = Package::empty();
    package.write(
        "Cargo.toml",
        "[package]\nname = \"tasks\"\n\n[dependencies]\nkube = \"5\"\n",
    );
    package.write(root, "pub mod client;\nmod inner;\npub use inner::crd;\n");
    package.write("src/inner/mod.rs", "pub mod crd;\n");
    package.write(
        "src/inner/crd.rs",
        "#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    pub image: String,
}
",
    );
    package
}

#[test]
fn the_whole_crate_is_read() {
    for root in ["src/lib.rs", "src/main.rs"] {
        let package = package(root);
        package.run(&["update"]).expect(0);
        assert!(package.exists("config/crd/tasks.example.com_tasks.yaml"));
        let client = package.read("src/client/clientset/tasks/v1/task.rs");
        assert!(client.contains("use crate::crd::Task;"), "{client}");
        package.run(&["verify"]).expect(0);
    }
}

/// What stands in the root of a crate is seen by all of it, private or not.
#[test]
fn private_modules_of_the_root_are_reached() {
    for root in ["src/lib.rs", "src/main.rs"] {
        let package = package(root);
        package.write(root, "mod client;\nmod inner;\n");
        package.run(&["update"]).expect(0);
        let client = package.read("src/client/clientset/tasks/v1/task.rs");
        assert!(client.contains("use crate::inner::crd::Task;"), "{client}");
        package.write("src/inner/mod.rs", "mod crd;\n");
        package.run(&["update"]).expect(2).says(&[
            "generated code cannot reach `Task`: a module above it is private",
            "the private module",
        ]);
    }
}

#[test]
fn a_crate_without_kube_types_has_no_api_types() {
    let package = package("src/lib.rs");
    package.write("src/inner/crd.rs", "pub struct TaskSpec;\n");
    package
        .run(&["update"])
        .expect(2)
        .says(&["no package with API types"]);
}

/// rustc warns in a program of what nobody calls, which for a client is most of it.
#[test]
fn clients_of_a_program_may_stay_unused() {
    let lints = "#![allow(dead_code, unused_imports, reason = \"a program uses some clients\")]\n";
    for (root, expected) in [("src/lib.rs", false), ("src/main.rs", true)] {
        let package = package(root);
        package.run(&["update"]).expect(0);
        let client = package.read("src/client/mod.rs");
        assert_eq!(client.contains(lints), expected, "{client}");
    }
}
