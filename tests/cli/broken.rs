//! Erroneous input: exit status 2, location, help, and no changed file.

use super::package::{DEPENDENCIES, Package, kind};

#[test]
fn invalid_attributes_leave_files_unchanged() {
    let package = Package::generated();
    package.edit("pkg/apis/mod.rs", "#[genclient]", "#[genclient(readonli)]");
    package.edit(
        "pkg/apis/mod.rs",
        "pub image: String",
        "pub picture: Missing",
    );
    package.refuses(&[
        "error: unknown key `readonli` in `#[genclient(..)]`",
        " --> pkg/apis/mod.rs:4:17",
        "help: did you mean `readonly`?",
        "error: cannot determine the schema of `Missing`",
        "  --> pkg/apis/mod.rs:13:22",
    ]);
}

#[test]
fn syntax_errors_leave_files_unchanged() {
    let package = Package::generated();
    package.edit("pkg/apis/mod.rs", "pub struct Task {", "pub struct Task {{");
    package.refuses(&["error: ", " --> pkg/apis/mod.rs:", "help: fix the syntax"]);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let package = Package::generated();
    package.write("pkg/apis/mod.rs", b"// \xff\xfe\n");
    package.refuses(&[
        "error: cannot read pkg/apis/mod.rs: ",
        "help: a module must be a readable file of UTF-8 text",
    ]);

    let package = Package::generated();
    package.write("pkg/apis/mod.rs", "pub mod tasks;\n");
    package.write("pkg/apis/tasks.rs/inside.txt", "");
    package.refuses(&["error: cannot read pkg/apis/tasks.rs: "]);
}

#[test]
fn missing_api_types_are_an_error() {
    let package = Package::generated();
    package.write("pkg/apis/mod.rs", "//! Nothing yet.\n");
    package.refuses(&[
        "error: no type with `#[genclient]` or `#[kube(..)]` under pkg/apis",
        "looked in pkg/apis/mod.rs",
    ]);

    let package = Package::empty();
    package.write("Cargo.toml", "[package]\nname = \"tasks\"\n");
    package.refuses(&[
        "error: no package with API types",
        "`pkg/apis` or `src/apis`",
    ]);

    let package = Package::empty();
    package.write(
        "Cargo.toml",
        "[package]\nname = \"tasks\"\n[lib]\npath = \"pkg/lib.rs\"\n",
    );
    package.write("pkg/apis/readme.md", "");
    package.refuses(&["error: no API types: neither pkg/apis/mod.rs nor pkg/apis.rs exists"]);
}

#[test]
fn no_manifest_is_an_error() {
    let package = Package::empty();
    package
        .run(&["update"])
        .expect(2)
        .says(&["error: no Cargo.toml in ", "help: "]);
    package
        .run(&["update", "--manifest-path", "gone/Cargo.toml"])
        .expect(2)
        .says(&["error: cannot read gone/Cargo.toml"]);
}

#[test]
fn files_outside_the_module_tree_cause_a_warning() {
    let package = Package::new();
    package.write("pkg/apis/stray.rs", kind("stray.example.com", "Stray", "a"));
    package.run(&["update"]).expect(0).says(&[
        "warning: pkg/apis/stray.rs is not part of the module tree: its types are ignored",
        "help: add `pub mod stray;` to pkg/apis/mod.rs",
    ]);
    package.write(
        "pkg/apis/deep/v1/more.rs",
        kind("deep.example.com", "Deep", "a"),
    );
    let in_module = ["help: add `pub mod more;` to the parent module"];
    package.run(&["update"]).expect(0).says(&in_module);
    package.write("pkg/apis/deep/mod.rs", "pub mod v1;");
    package.write("pkg/apis/deep/v1.rs", "pub mod more;");
    let outermost = ["help: add `pub mod deep;` to pkg/apis/mod.rs"];
    package.run(&["update"]).expect(0).says(&outermost);
}

#[test]
fn undeclared_versions_with_clients_are_an_error() {
    let package = Package::empty();
    let manifest = format!("[package]\nname = \"bakery\"\n{DEPENDENCIES}");
    package.write("Cargo.toml", manifest);
    package.write("src/lib.rs", "pub mod apis;\npub mod client;\n");
    package.write("src/apis/mod.rs", "pub mod bakery;\n");
    package.write("src/apis/bakery/mod.rs", "pub mod v1;\npub mod v1alpha1;\n");
    for (version, kind_name) in [("v1", "Oven"), ("v1alpha1", "Bread")] {
        let text = kind("bakery.example.com", kind_name, "size").replace("mod v1", "mod types");
        package.write(&format!("src/apis/bakery/{version}.rs"), text);
    }
    package.run(&["update"]).expect(0);
    package.edit("src/apis/bakery/mod.rs", "pub mod v1;\n", "");
    package.refuses(&[
        "error: src/apis/bakery/v1.rs is not part of the module tree: its types are ignored, and their clients would be removed",
        "help: add `pub mod v1;` to src/apis/bakery/mod.rs",
    ]);
}

#[test]
fn mistakes_of_all_packages_are_reported() {
    let package = Package::empty();
    package.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    for name in ["a", "b"] {
        package.write(
            &format!("{name}/Cargo.toml"),
            format!("[package]\nname = \"{name}\"\n{DEPENDENCIES}"),
        );
        package.write(
            &format!("{name}/src/apis.rs"),
            kind(&format!("{name}.example.com"), "Task", "x").replace("String", "Gone"),
        );
    }
    let places = ["--> a/src/apis.rs:13:16", "--> b/src/apis.rs:13:16"];
    package.refuses(&places);
    package.run(&["model"]).expect(2).says(&places);
}
