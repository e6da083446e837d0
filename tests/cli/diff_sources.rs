//! Sources and exit status of `genclient diff`.

use std::process::Command;

use serde_json::{Value, json};

use crate::cli::package::Package;

pub const YAML: &str = "config/crd/tasks.example.com_tasks.yaml";

pub fn git(package: &Package, arguments: &[&str]) {
    let run = Command::new("git")
        .args([
            "-c",
            "user.name=Somebody",
            "-c",
            "user.email=somebody@example.com",
        ])
        .args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(package.path(""))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "git {arguments:?}: {errors}");
}

/// A package with a committed CRD, tagged `v1`.
pub fn repository() -> Package {
    let package = Package::generated();
    git(&package, &["init", "-q"]);
    commit(&package, "first");
    git(&package, &["tag", "v1"]);
    package
}

pub fn commit(package: &Package, message: &str) {
    git(package, &["add", "-A"]);
    git(package, &["commit", "-qm", message]);
}

#[test]
fn a_revision_is_compared_with_the_current_types() {
    let package = repository();
    let run = package.run(&["diff", "main"]).expect(0);
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        ("", "no changes\n")
    );
    package.edit(
        "pkg/apis/mod.rs",
        "pub image: String",
        "pub picture: String",
    );
    let before = package.files();
    package.run(&["diff", "HEAD"]).expect(1).says(&[
        "breaking field-removed v1 .spec.image: string\n",
        "breaking required-field-added v1 .spec.picture: string\n",
        "2 breaking changes",
    ]);
    assert_eq!(package.files(), before);
    // The types are compared, not the CRDs generated from them.
    package.run(&["update"]).expect(0);
    package.run(&["diff", "v1"]).expect(1);
    package.run_in("pkg/apis", &["diff", "v1"]).expect(1);
}

#[test]
fn revisions_are_compared_with_each_other() {
    let package = repository();
    package.edit(
        "pkg/apis/mod.rs",
        "pub image: String",
        "pub image: Option<String>",
    );
    package.run(&["update"]).expect(0);
    git(&package, &["commit", "-qam", "second"]);
    package.run(&["diff", "v1", "HEAD"]).expect(0).says(&[
        "note     field-now-optional v1 .spec.image\n",
        "0 breaking changes, 2 others",
    ]);
    package
        .run(&["diff", "main", "HEAD~1"])
        .expect(1)
        .says(&["field-now-required"]);
    package.run(&["diff", "main", "v1:config/crd"]).expect(1);
    package
        .run_in("config", &["diff", "main", "v1:./crd/"])
        .expect(1);
    package
        .run(&["diff", &format!("v1:{YAML}"), "v1"])
        .expect(0);
}

#[test]
fn three_dots_mean_the_merge_base() {
    let package = repository();
    git(&package, &["checkout", "-q", "-b", "feature"]);
    git(
        &package,
        &["commit", "-q", "--allow-empty", "-m", "on a branch"],
    );
    git(&package, &["checkout", "-q", "main"]);
    package.edit("pkg/apis/mod.rs", "image", "picture");
    package.run(&["update"]).expect(0);
    commit(&package, "on main");
    git(&package, &["checkout", "-q", "feature"]);
    package.run(&["diff", "main"]).expect(1);
    package
        .run(&["diff", "main..."])
        .expect(0)
        .says(&["no changes"]);
    package.run(&["diff", "main...feature"]).expect(0);
    package
        .run(&["diff", "main...:config/crd", "config/crd"])
        .expect(0);
    // `OLD...` is the merge base with the other side, not with the checked out revision.
    package.run(&["diff", "feature...", "main"]).expect(1);
    package.run(&["diff", "feature...main"]).expect(1);
    package.run(&["diff", "main...", "main"]).expect(0);
    package
        .run(&["diff", "main...gone"])
        .expect(2)
        .says(&["and not a revision of this repository"]);
    git(&package, &["checkout", "-q", "--orphan", "unrelated"]);
    commit(&package, "unrelated");
    package.run(&["diff", "main..."]).expect(2).says(&[
        "error: `main` and `HEAD` have no common ancestor\n",
        "help: compare with the revision itself: genclient diff main\n",
    ]);
}

#[test]
fn one_side_may_come_from_stdin() {
    let package = repository();
    let text = package.read(YAML);
    package.write("chore.yaml", text.replace("kind: Task\n", "kind: Chore\n"));
    package.write("broken.yaml", "a: [");
    package.write("empty.yaml", "");
    for (input, arguments, code, says) in [
        (YAML, &["-", YAML][..], 0, &["no changes"][..]),
        (YAML, &["v1", "-"], 0, &["no changes"]),
        (YAML, &["-"], 0, &["no changes"]),
        ("chore.yaml", &["-"], 1, &["kind-changed: Chore -> Task"]),
        ("broken.yaml", &["-"], 2, &["error: stdin:1:"]),
        ("empty.yaml", &["-"], 2, &["error: no CRD in stdin\n"]),
        (
            YAML,
            &["-", "-"],
            2,
            &[
                "error: only one side may be stdin\n",
                "help: write the other one to a file\n",
            ],
        ),
        (
            "pkg",
            &["-"],
            2,
            &[
                "error: cannot read stdin: ",
                "help: pipe YAML into it: kubectl get crd -o yaml | genclient diff -\n",
            ],
        ),
    ] {
        let arguments = [&["diff"], arguments].concat();
        package.run_from(input, &arguments).expect(code).says(says);
    }
}

#[test]
fn a_revision_is_read_although_its_folder_is_deleted() {
    let package = repository();
    std::fs::remove_dir_all(package.path("config")).unwrap();
    package.run(&["diff", "v1"]).expect(0).says(&["no changes"]);
}

#[test]
fn existing_paths_take_precedence_over_revisions() {
    let package = repository();
    package.write(
        "main/new.yaml",
        package.read(YAML).replace("kind: Task\n", "kind: Chore\n"),
    );
    package
        .run(&["diff", "main"])
        .expect(1)
        .says(&["kind-changed: Chore -> Task"]);
    package.run(&["diff", "refs/heads/main"]).expect(0);
}

#[test]
fn paths_are_compared_without_a_package() {
    let package = Package::empty();
    let text = Package::generated().read(YAML);
    package.write("old/deep/a.yml", &text);
    package.write("old/kustomization.yaml", "resources: [deep/a.yml]\n");
    package.write("old/.hidden/a.yaml", &text);
    package.write("old/notes.md", "no: [yaml");
    package.write("new.yaml", format!("kind: Service\n---\n{text}"));
    package
        .run(&["diff", "old", "new.yaml"])
        .expect(0)
        .says(&["no changes"]);
    package
        .run(&["diff", "old"])
        .expect(2)
        .says(&["no Cargo.toml in"]);
    package
        .run(&["diff", "old", "new.yaml", "-p", "tasks"])
        .expect(2);
}

#[test]
fn invalid_diff_operands_are_errors() {
    let package = repository();
    package.write("broken.yaml", "a: [\n");
    package.write("none.yaml", "kind: Service\n");
    package.write("twice/a.yaml", package.read(YAML));
    package.write("twice/b.yaml", package.read(YAML));
    package.write("empty/none.txt", "");
    for (arguments, texts) in [
        (
            &["mian"][..],
            &[
                "`mian` is not a file or folder, and not a revision of this repository",
                "git branch -a",
            ][..],
        ),
        (
            &["mian:config"],
            &["`mian:config` is not a file or folder, and `mian` is not a revision"],
        ),
        (
            &["v1:config/rbac"],
            &[
                "no CRD in `config/rbac` of the revision `v1`",
                "git ls-tree",
            ],
        ),
        (
            &["HEAD.."],
            &["help: a merge base has three dots: `genclient diff HEAD...`"],
        ),
        (
            &["v1..HEAD:config", "--strict"],
            &["three dots: `genclient diff v1...HEAD:config --strict`"],
        ),
        (&["mian..HEAD"], &["not a revision", "git branch -a"]),
        (&["--", "--help"], &["`--help` is not a file or folder"]),
        (
            &["broken.yaml"],
            &[
                "broken.yaml:",
                "is not valid YAML: ",
                "name only the files with CRDs",
            ],
        ),
        (
            &["none.yaml"],
            &["no CRD in none.yaml", "kind: CustomResourceDefinition"],
        ),
        (&["empty", "v1"], &["no CRD in empty"]),
        (
            &["twice"],
            &["duplicate CRD tasks.tasks.example.com: in twice/a.yaml and in twice/b.yaml"],
        ),
    ] {
        let mut all = vec!["diff"];
        all.extend(arguments);
        let run = package.run(&all).expect(2).says(texts);
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert!(run.stderr.contains("help: "), "{}", run.stderr);
    }
}

#[test]
fn unknown_revisions_are_errors() {
    let package = Package::generated();
    package
        .run(&["diff", "main"])
        .expect(2)
        .says(&["no file or folder `main`, and this is not a git repository"]);
    git(&package, &["init", "-q"]);
    package
        .run(&["diff", "main"])
        .expect(2)
        .says(&["and not a revision of this repository"]);
    git(
        &package,
        &["commit", "-q", "--allow-empty", "-m", "nothing"],
    );
    // Before the first CRD, every CRD is new.
    package.run(&["diff", "main"]).expect(0).says(&[
        "note     crd-added\n",
        "warning: no CRD in the revision `main`: every CRD is new\n",
        "help: if the CRDs are in another folder, name the folder: `genclient diff REVISION:path/from/the/root`\n",
    ]);
    package.run(&["diff", "main", "HEAD"]).expect(2).says(&[
        "error: no CRD in the revision `main` or the revision `HEAD`\n",
        "help: if the CRDs are in another folder",
    ]);
    package
        .run(&["diff", "config", "main"])
        .expect(1)
        .says(&["crd-removed"]);
    package.edit("pkg/apis/mod.rs", "String", "Strong");
    package
        .run(&["diff", "config"])
        .expect(2)
        .says(&["pkg/apis/mod.rs:"]);
}

#[test]
fn changes_are_printed_as_json() {
    let package = repository();
    package.edit("pkg/apis/mod.rs", "pub image: String", "pub image: i32");
    let run = package
        .run(&["diff", "v1", "--message-format", "json"])
        .expect(1);
    let changes: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected = json!([{
        "crd": "tasks.tasks.example.com", "version": "v1", "path": ".spec.image", "package": "tasks",
        "file": "config/crd/tasks.example.com_tasks.yaml", "line": 30, "change": "field-retyped",
        "old": "string", "new": "integer", "breaking": true,
        "why": "Values of the old type are refused, and clients cannot read values of the new type.",
    }]);
    assert_eq!(Value::from(changes), expected);
    package.run(&["update"]).expect(0);
    assert_eq!(package.read(YAML).lines().nth(29).unwrap().trim(), "image:");
    let run = package
        .run(&["diff", "v1", "-q", "--color", "always"])
        .expect(1);
    assert!(run.stdout.contains('\x1b') && run.stderr.is_empty());
    let run = package.run(&["diff", "v1"]).expect(1);
    assert!(!run.stdout.contains('\x1b'));
}
