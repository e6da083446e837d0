//! Workspaces with several packages.

use super::package::{DEPENDENCIES, Package, kind};

/// Two packages with API types, and one without.
fn workspace() -> Package {
    let package = Package::empty();
    package.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"apis/*\", \"tool\"]\n",
    );
    for name in ["jobs", "tasks"] {
        package.write(
            &format!("apis/{name}/Cargo.toml"),
            format!("[package]\nname = \"{name}-api\"\n{DEPENDENCIES}"),
        );
        package.write(
            &format!("apis/{name}/src/apis.rs"),
            kind(&format!("{name}.example.com"), "Task", "x"),
        );
    }
    package.write("tool/Cargo.toml", "[package]\nname = \"tool\"\n");
    package
}

#[test]
fn code_is_generated_for_all_packages_with_types() {
    let package = workspace();
    package.run(&["update"]).expect(0);
    assert!(package.exists("apis/jobs/src/client/mod.rs"));
    assert!(package.exists("apis/tasks/config/crd/tasks.example.com_tasks.yaml"));
    package.run(&["verify"]).expect(0);
}

#[test]
fn packages_are_chosen_by_name_or_by_folder() {
    let package = workspace();
    package.run(&["update", "-p", "jobs-api"]).expect(0);
    assert!(package.exists("apis/jobs/src/client/mod.rs"));
    assert!(!package.exists("apis/tasks/src/client"));

    let package = workspace();
    package.run_in("apis/tasks/src", &["update"]).expect(0);
    assert!(!package.exists("apis/jobs/src/client"));
    assert!(package.exists("apis/tasks/src/client/mod.rs"));

    // A package without types stands for its workspace.
    let package = workspace();
    package.run_in("tool", &["update"]).expect(0);
    assert!(package.exists("apis/jobs/src/client/mod.rs"));

    let package = workspace();
    package
        .run(&["update", "--manifest-path", "apis/jobs/Cargo.toml"])
        .expect(0);
    assert!(!package.exists("apis/tasks/src/client"));

    // A bare file name has an empty parent folder.
    let package = workspace();
    package
        .run_in("apis/jobs", &["update", "--manifest-path", "Cargo.toml"])
        .expect(0);
    assert!(package.exists("apis/jobs/src/client/mod.rs"));
}

#[test]
fn an_unknown_package_is_an_error() {
    let package = workspace();
    package.run(&["update", "-p", "task-api"]).expect(2).says(&[
        "error: no package `task-api` in the workspace",
        "help: the packages are: jobs-api, tasks-api, tool",
    ]);
    package
        .run(&["update", "-p", "tool"])
        .expect(2)
        .says(&["error: ", "help: "]);
}

#[test]
fn clients_may_be_written_to_another_package() {
    let package = Package::empty();
    package.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"api\", \"client\"]\n",
    );
    package.write(
        "api/Cargo.toml",
        format!("[package]\nname = \"tasks-api\"\n[package.metadata.genclient]\nclient = \"../client/src\"\n{DEPENDENCIES}"),
    );
    package.write("api/src/apis.rs", kind("tasks.example.com", "Task", "x"));
    let client = format!("[package]\nname = \"tasks-client\"\n{DEPENDENCIES}");
    package.write("client/Cargo.toml", client);
    package.run(&["update"]).expect(0);
    assert!(package.exists("client/src/lib.rs"));
    let informer = package.read("client/src/informers/tasks/v1.rs");
    assert!(
        informer.contains("use crate::kinds::v1::Task;"),
        "{informer}"
    );
    let crds = package.read("client/src/crds.rs");
    assert!(crds.contains("  name: tasks.tasks.example.com\n"), "{crds}");
    package.run(&["update"]).expect(0).says(&["0 written"]);
}

/// Two packages must not write the same file.
#[test]
fn packages_do_not_share_an_output_folder() {
    let package = workspace();
    for name in ["jobs", "tasks"] {
        let manifest = format!("apis/{name}/Cargo.toml");
        let text = package.read(&manifest);
        package.write(
            &manifest,
            format!("{text}[package.metadata.genclient]\nclient = \"../../tool/src/client\"\n"),
        );
    }
    let before = package.files();
    package
        .run(&["update"])
        .expect(2)
        .says(&["error: ", "jobs-api", "tasks-api", "help: "]);
    assert_eq!(package.files(), before);
}

#[test]
fn invalid_workspace_member_patterns_are_errors() {
    let package = Package::empty();
    package.write("Cargo.toml", "[workspace]\nmembers = [\"crates/[a\"]\n");
    package.refuses(&["error: cannot expand the workspace member `crates/[a`: "]);
}

/// Only the text of the manifest is a pattern, not the path of the workspace.
#[test]
fn workspace_paths_are_not_glob_patterns() {
    let package = Package::empty();
    package.write("a[b] *c/Cargo.toml", "[workspace]\nmembers = [\"*\"]\n");
    let manifest = format!("[package]\nname = \"api\"\n{DEPENDENCIES}");
    package.write("a[b] *c/api/Cargo.toml", manifest);
    package.write(
        "a[b] *c/api/src/apis.rs",
        kind("tasks.example.com", "Task", "x"),
    );
    package.run_in("a[b] *c", &["update"]).expect(0);
    // The command in the help text can be typed unchanged.
    package.edit("a[b] *c/api/src/apis.rs", "pub x:", "pub y:");
    package
        .run(&["verify", "--manifest-path", "a[b] *c/Cargo.toml"])
        .expect(1)
        .says(&["genclient update --manifest-path 'a[b] *c/Cargo.toml'\n"]);
}
