//! Output paths, and files that exist there already.

use super::package::{Package, kind};

#[test]
fn a_module_file_beside_the_client_folder_is_an_error() {
    let package = Package::generated();
    package.write("pkg/client.rs", "");
    for command in ["update", "verify"] {
        package.run(&[command]).expect(2).says(&[
            "pkg/client.rs conflicts with the generated module in pkg/client/mod.rs",
            "move or remove it, or choose another folder: `client = \"…\"` in `[package.metadata.genclient]`",
        ]);
    }
    package.run(&["update", "--only", "crd"]).expect(0);
}

#[test]
fn undeclared_client_modules_cause_a_warning() {
    let package = Package::generated();
    package.write("pkg/lib.rs", "pub mod apis;\n");
    package.run(&["update"]).expect(0).says(&[
        "warning: pkg/lib.rs has no module `client`: the clients are not part of the crate",
        "add `pub mod client;` to it",
    ]);
    // The macro may declare the module.
    package.write("pkg/lib.rs", "modules! { apis, client }\n");
    let run = package.run(&["update"]).expect(0);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
}

#[test]
fn files_at_former_output_paths_cause_a_warning() {
    let package = Package::generated();
    let manifest = package.read("Cargo.toml");
    package.write(
        "Cargo.toml",
        manifest + "[package.metadata.genclient]\nclient = \"pkg/kube\"\nconfig = \"deploy\"\n",
    );
    package.write("pkg/lib.rs", "pub mod apis;\npub mod kube;\n");
    package.run(&["update"]).expect(0).says(&[
        "pkg/client has generated files of an earlier run, which are now written to pkg/kube",
        "remove them: rm -r pkg/client",
        "config/crd has generated files of an earlier run, which are now written to deploy/crd",
        "remove them: rm -r config/crd",
    ]);
    std::fs::remove_dir_all(package.path("pkg/client")).unwrap();
    std::fs::remove_dir_all(package.path("config")).unwrap();
    package.write(
        "pkg/apis/mod.rs",
        kind("tasks.example.com", "Task", "image"),
    );
    let run = package.run(&["update"]).expect(0);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
}
