//! Allowances of `genclient diff`: `diff-allow` in Cargo.toml.

use super::sources::{YAML, repository};
use crate::cli::package::Package;

fn allow(package: &Package, allowance: &str) {
    let manifest = package.read("Cargo.toml");
    package.write(
        "Cargo.toml",
        format!("{manifest}\n[package.metadata.genclient]\ndiff-allow = [{allowance}]\n"),
    );
}

#[test]
fn allowed_breaking_changes_do_not_fail_diff() {
    let package = repository();
    package.edit("pkg/apis/mod.rs", "pub image: String", "pub image: i32");
    let allowance = "{ crd = \"tasks.tasks.example.com\", path = \".spec.image\", change = \"field-retyped\", reason = \"nobody set it\" }";
    allow(&package, allowance);
    package.run(&["diff", "v1"]).expect(0).says(&[
        "allowed  field-retyped v1 .spec.image: string -> integer\n",
        "allowed: nobody set it\n",
        "0 breaking changes, 1 allowed",
    ]);
    let run = package
        .run(&["diff", "v1", "--message-format", "json"])
        .expect(0);
    assert!(
        run.stdout.contains("\"breaking\":true")
            && run.stdout.contains("\"allowed\":\"nobody set it\"")
    );
    let run = package.run(&["diff", "v1", "-q"]).expect(0);
    assert_eq!(run.stdout + &run.stderr, "");
    package.edit("Cargo.toml", "field-retyped", "format-changed");
    package.run(&["diff", "v1"]).expect(1).says(&[
        "warning: `diff-allow` allows `format-changed` at .spec.image of tasks.tasks.example.com, but there is no such breaking change",
        "help: did you mean `field-retyped`?",
    ]);
    package.edit("Cargo.toml", "format-changed", "field-retyped");
    // The same change of another field is not allowed.
    package.edit("Cargo.toml", ".spec.image", ".spec.images");
    package.run(&["diff", "v1"]).expect(1).says(&[
        "warning: `diff-allow` allows `field-retyped` at .spec.images of tasks.tasks.example.com, but there is no such breaking change",
        "help: remove it",
    ]);
    package.edit(
        "Cargo.toml",
        ".spec.images\"",
        ".spec.image\", version = \"v2\"",
    );
    package.run(&["diff", "v1"]).expect(1);
    package.edit("Cargo.toml", "version = \"v2\"", "version = \"v1\"");
    package.run(&["diff", "v1"]).expect(0);
    // An allowance for definitions that are not compared causes no warning.
    package.edit("Cargo.toml", "tasks.tasks.", "chores.tasks.");
    let run = package.run(&["diff", YAML, YAML]).expect(0);
    assert_eq!(run.stderr, "no changes\n");
}

#[test]
fn allowances_for_strict_are_not_reported_as_unused() {
    let package = repository();
    let optional = "pub image: Option<String>";
    package.edit("pkg/apis/mod.rs", "pub image: String", optional);
    package.run(&["diff", "v1", "--strict"]).expect(1);
    let allowance = "{ crd = \"tasks.tasks.example.com\", path = \".spec.image\", change = \"field-now-optional\", reason = \"all clients know\" }";
    let nullable = allowance.replace("field-now-optional", "nullable-added");
    allow(&package, &format!("{allowance}, {nullable}"));
    for flags in [&["diff", "v1"][..], &["diff", "v1", "--strict"]] {
        let run = package.run(flags).expect(0);
        assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    }
}

#[test]
fn invalid_allowances_are_reported() {
    for (allowance, texts) in [
        (
            "{ crd = \"a\", change = \"field-remove\", reason = \"b\" }",
            &[
                "unknown change `field-remove`",
                "Cargo.toml:12:",
                "did you mean `field-removed`?",
            ][..],
        ),
        (
            "{ crd = \"a\", chnage = \"field-removed\", reason = \"b\" }",
            &["unknown field `chnage`", "did you mean `change`?"],
        ),
        (
            "{ crd = \"a\", change = \"field-removed\" }",
            &["missing field `reason`"],
        ),
    ] {
        let package = Package::generated();
        allow(&package, allowance);
        package.run(&["diff", YAML]).expect(2).says(texts);
        package.run(&["diff", YAML, YAML]).expect(2).says(texts);
    }
}

/// Also a command that accepts a package without API types.
#[test]
fn every_command_reports_an_unknown_change() {
    let package = Package::generated();
    allow(
        &package,
        "{ crd = \"a\", change = \"gone\", reason = \"b\" }",
    );
    for command in [
        "update",
        "verify",
        "model",
        "create api --group shop --version v1 --kind Cart",
    ] {
        let arguments: Vec<_> = command.split(' ').collect();
        package.run(&arguments).expect(2).says(&[
            "error: unknown change `gone`",
            "Cargo.toml:12:",
            "help: write a change as `genclient diff` prints it: docs/diff.md lists them",
        ]);
    }
}
