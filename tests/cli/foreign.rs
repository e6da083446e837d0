//! Files that are not generated, in the output folders.

use super::package::Package;

#[test]
fn foreign_files_beside_the_output_are_kept() {
    let package = Package::generated();
    let foreign = [
        "pkg/client/notes.md",
        "pkg/client/clientset/tasks/v1/by_hand.rs",
        "pkg/client/clientset/tasks/v1/task_ext.rs",
        "config/crd/kustomization.yaml",
        "config/rbac/role.yaml",
    ];
    for file in foreign {
        package.write(file, "// written by hand\n");
    }
    package.run(&["verify"]).expect(0);
    package.edit("pkg/apis/mod.rs", "pub struct Task ", "pub struct Chore ");
    package.run(&["update"]).expect(0);
    for file in foreign {
        assert!(package.exists(file), "{file}");
    }
    assert!(!package.exists("pkg/client/clientset/tasks/v1/task.rs"));
}

#[test]
fn foreign_files_are_never_overwritten() {
    for file in [
        "pkg/client/mod.rs",
        "config/crd/tasks.example.com_tasks.yaml",
    ] {
        let package = Package::new();
        package.write(file, "// written by hand\n");
        package.refuses(&[
            &format!("error: {file} is in the way: it is not generated"),
            "help: move or remove it, or choose another folder",
        ]);
    }
}

#[test]
fn files_in_place_of_folders_are_reported() {
    for file in ["pkg/client", "config", "config/crd"] {
        let package = Package::new();
        package.write(file, "a file\n");
        let run = package.run(&["update"]).expect(2);
        // One error, however many files would be written below it.
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
        package.refuses(&[
            &format!("error: {file} is in the way: it is not a folder"),
            "help: move or remove it",
        ]);
    }
}

/// The CRDs come first and could be written. Nothing is written unless everything can be.
#[test]
fn nothing_is_written_if_one_file_is_not_writable() {
    let package = Package::new();
    std::os::unix::fs::symlink("nowhere", package.path("pkg/client")).unwrap();
    let run = package.run(&["update"]).expect(2);
    run.says(&[
        "error: cannot create pkg/client",
        "help: make sure that pkg is a writable folder, and that its files are text",
    ]);
    assert!(!package.exists("config"));
}

#[test]
fn folders_in_place_of_files_are_reported() {
    let package = Package::new();
    package.write("pkg/client/mod.rs/inside.txt", "a file\n");
    package.refuses(&["error: pkg/client/mod.rs is in the way: it is a folder"]);
}
