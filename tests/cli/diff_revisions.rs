//! Packages of a revision, which `genclient diff` finds by the manifests of that revision.

use std::fs;

use super::sources::{commit, git};
use crate::cli::package::{DEPENDENCIES, Package, kind};

const MANIFEST: &str = "Cargo.toml";

fn manifest(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\n\n{DEPENDENCIES}")
}

/// A workspace with the packages `one` and `two`, each with a kind, tagged `v1`.
fn workspace() -> Package {
    let package = Package::empty();
    package.write(MANIFEST, "[workspace]\nmembers = [\"api-*\", \"other\"]\n");
    package.write("other/Cargo.toml", manifest("other"));
    package.write("other/src/lib.rs", "");
    // CRDs of a package without API types are not generated.
    package.write(
        "other/config/crd/a.yaml",
        "kind: CustomResourceDefinition\nspec: {versions: [{}]}\n",
    );
    for (name, title) in [("one", "One"), ("two", "Two")] {
        let folder = format!("api-{name}");
        package.write(&format!("{folder}/Cargo.toml"), manifest(name));
        package.write(
            &format!("{folder}/src/lib.rs"),
            "pub mod apis;\npub mod client;\n",
        );
        let group = format!("{name}.example.com");
        package.write(
            &format!("{folder}/src/apis/mod.rs"),
            kind(&group, title, "image"),
        );
    }
    package.run(&["update"]).expect(0);
    git(&package, &["init", "-q"]);
    commit(&package, "first");
    git(&package, &["tag", "v1"]);
    package
}

/// Removes a field and adds a required one, which breaks users.
fn rename_field(package: &Package, folder: &str) {
    package.edit(&format!("{folder}/src/apis/mod.rs"), "image", "picture");
}

fn remove(package: &Package, folder: &str) {
    fs::remove_dir_all(package.path(folder)).unwrap();
}

fn rename(package: &Package, from: &str, to: &str) {
    let to = package.path(to);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(package.path(from), to).unwrap();
}

/// A description, the changes since the revision, the folder in which `diff` runs, and the printed
/// changes.
type Case = (
    &'static str,
    fn(&Package),
    &'static str,
    &'static [&'static str],
);

const REMOVED: &str = "breaking crd-removed twos.two.example.com";
const BROKEN: &str = "breaking field-removed twos.two.example.com v1 .spec.image";
const REQUIRED: &str = "breaking required-field-added twos.two.example.com v1 .spec.picture";

const CASES: &[Case] = &[
    ("nothing", |_| {}, "", &[]),
    (
        "a package is deleted",
        |p| remove(p, "api-two"),
        "",
        &[REMOVED],
    ),
    (
        "a package is dropped from `members`",
        |p| p.edit(MANIFEST, "api-*", "api-one"),
        "",
        &[REMOVED],
    ),
    (
        "a package is excluded",
        |p| p.write(MANIFEST, p.read(MANIFEST) + "exclude = [\"api-two\"]\n"),
        "",
        &[REMOVED],
    ),
    (
        "a package is moved",
        |p| {
            rename(p, "api-two", "apis/two");
            p.edit(MANIFEST, "api-*", "api-*\", \"apis/two");
            rename_field(p, "apis/two");
        },
        "",
        &[BROKEN, REQUIRED],
    ),
    (
        "a package is moved, seen from inside of it",
        |p| {
            rename(p, "api-two", "apis/two");
            p.edit(MANIFEST, "api-*", "api-*\", \"apis/two");
            rename_field(p, "apis/two");
        },
        "apis/two/src",
        &[BROKEN, REQUIRED],
    ),
    (
        "a package is renamed",
        |p| {
            p.edit("api-two/Cargo.toml", "two", "second");
            rename_field(p, "api-two");
        },
        "api-two",
        &[BROKEN, REQUIRED],
    ),
    (
        "a package is seen from inside of another",
        |p| remove(p, "api-two"),
        "api-one",
        &[],
    ),
    (
        "a package has another `config` folder",
        |p| {
            p.write(
                "api-two/Cargo.toml",
                manifest("two") + "[package.metadata.genclient]\nconfig = \"deploy\"\n",
            );
            rename_field(p, "api-two");
        },
        "",
        &[BROKEN, REQUIRED],
    ),
    (
        "a package has API types no longer",
        |p| remove(p, "api-two/src/apis"),
        "",
        &[REMOVED],
    ),
    (
        "the workspace is moved",
        |p| {
            for folder in ["api-one", "api-two", "other"] {
                rename(p, folder, &format!("rust/{folder}"));
            }
            rename(p, MANIFEST, "rust/Cargo.toml");
            rename_field(p, "rust/api-two");
        },
        "rust",
        &[BROKEN, REQUIRED],
    ),
];

/// The breaking changes in the output of a run.
fn breaking(stdout: &str) -> Vec<String> {
    let changes = stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let shown = changes.map(|change: serde_json::Value| {
        let text = |key: &str| change[key].as_str().unwrap_or_default().to_owned();
        let parts = [text("change"), text("crd"), text("version"), text("path")];
        format!("breaking {}", parts.join(" ").trim_end())
    });
    shown.collect()
}

#[test]
fn packages_are_found_by_the_manifests_of_the_revision() {
    for (name, change, folder, expected) in CASES {
        let package = workspace();
        change(&package);
        let arguments = ["diff", "v1", "-q", "--message-format", "json"];
        let run = package.run_in(folder, &arguments);
        assert_eq!(breaking(&run.stdout), *expected, "{name}: {}", run.stderr);
        assert_eq!(
            (run.code, run.stderr.as_str()),
            (i32::from(!expected.is_empty()), ""),
            "{name}"
        );
    }
}

#[test]
fn each_revision_has_its_own_packages() {
    let package = workspace();
    rename(&package, "api-two", "apis/two");
    package.edit(MANIFEST, "api-*", "api-*\", \"apis/two");
    rename_field(&package, "apis/two");
    package.run(&["update"]).expect(0);
    commit(&package, "moved");
    git(&package, &["tag", "v2"]);
    remove(&package, "apis/two");
    package.edit(MANIFEST, "\"apis/two\", ", "");
    for (revisions, expected) in [(["v1", "v2"], &[BROKEN, REQUIRED][..]), (["v2", "v2"], &[])] {
        let arguments = [&["diff", "-q", "--message-format", "json"][..], &revisions].concat();
        assert_eq!(
            breaking(&package.run(&arguments).stdout),
            expected,
            "{revisions:?}"
        );
    }
    package
        .run(&["diff", "v2"])
        .expect(1)
        .says(&["crd-removed"]);
    package.run(&["diff", "v2", "-p", "one"]).expect(0);
}

#[test]
fn a_single_package_may_become_a_workspace_member() {
    let package = Package::generated();
    git(&package, &["init", "-q"]);
    commit(&package, "first");
    for file in ["pkg", "config", MANIFEST] {
        rename(&package, file, &format!("api/{file}"));
    }
    package.write(MANIFEST, "[workspace]\nmembers = [\"api\"]\n");
    package.edit("api/pkg/apis/mod.rs", "image", "picture");
    for folder in ["", "api", "api/pkg"] {
        let run = package.run_in(folder, &["diff", "HEAD"]).expect(1);
        run.says(&["field-removed v1 .spec.image", "2 breaking changes"]);
    }
}

#[test]
fn crates_with_kube_kinds_are_packages_of_their_revision() {
    let package = Package::empty();
    package.write(MANIFEST, "[workspace]\nmembers = [\"tasks\", \"jobs\"]\n");
    for name in ["tasks", "jobs"] {
        package.write(
            &format!("{name}/Cargo.toml"),
            manifest(name) + "kube = \"5\"\n",
        );
        let source = format!(
            "pub mod client;
#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"{name}.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {{
    pub image: String,
}}
"
        );
        package.write(&format!("{name}/src/lib.rs"), source);
    }
    package.run(&["update"]).expect(0);
    git(&package, &["init", "-q"]);
    commit(&package, "first");
    package.edit(MANIFEST, ", \"jobs\"", "");
    let run = package.run(&["diff", "HEAD"]).expect(1);
    run.says(&[
        "tasks.jobs.example.com\n  breaking crd-removed",
        "1 breaking change\n",
    ]);
}

#[test]
fn repositories_are_found_through_symlinks() {
    let package = workspace();
    let links = Package::empty();
    std::os::unix::fs::symlink(package.path("api-two"), links.path("two")).unwrap();
    rename_field(&package, "api-two");
    let run = links.run(&["diff", "v1", "--manifest-path", "two/Cargo.toml"]);
    run.expect(1)
        .says(&["field-removed v1 .spec.image", "2 breaking changes"]);
}

#[test]
fn unreadable_manifests_of_a_revision_are_named() {
    let package = workspace();
    let manifest = package.read("api-two/Cargo.toml");
    package.write("api-two/Cargo.toml", "[package\n");
    commit(&package, "broken");
    package.write("api-two/Cargo.toml", manifest);
    package
        .run(&["diff", "HEAD"])
        .expect(2)
        .says(&["HEAD:api-two/Cargo.toml:1:"]);
    package.run(&["diff", "v1"]).expect(0);
}

#[test]
fn json_names_the_package_and_the_file() {
    let package = workspace();
    rename_field(&package, "api-one");
    remove(&package, "api-two");
    let run = package
        .run(&["diff", "v1", "--message-format", "json"])
        .expect(1);
    let changes = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let places = changes.map(|change: serde_json::Value| {
        ["package", "file"].map(|key| change[key].as_str().unwrap().to_owned())
    });
    let one = ["one", "api-one/config/crd/one.example.com_ones.yaml"];
    let two = ["two", "v1:api-two/config/crd/two.example.com_twos.yaml"];
    assert_eq!(places.collect::<Vec<_>>(), [one, one, two]);
}

#[test]
fn a_member_that_is_not_in_the_revision_is_an_error() {
    let package = workspace();
    let elsewhere = Package::generated();
    std::os::unix::fs::symlink(elsewhere.path(""), package.path("api-linked")).unwrap();
    package.edit(MANIFEST, "api-*", "api-*\", \"api-linked");
    commit(&package, "linked");
    package
        .run(&["diff", "HEAD"])
        .expect(2)
        .says(&["error: cannot read HEAD:api-linked/Cargo.toml: \
         no such file in the revision; symbolic links and submodules are not followed\n"]);
}
