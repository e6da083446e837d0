//! Types from other crates.

use std::process::Command;

use super::package::Package;

/// A package whose `Task` has one field: `thing` of the type `ty`, preceded by `attribute`.
fn with_field(dependencies: &str, attribute: &str, ty: &str) -> Package {
    let package = Package::new();
    let manifest = package.read("Cargo.toml");
    package.write(
        "Cargo.toml",
        format!("{manifest}{dependencies}\n\n[workspace]\n"),
    );
    package.edit(
        "pkg/apis/mod.rs",
        "pub image: String",
        &format!("{attribute} pub thing: {ty}"),
    );
    package
}

/// Adds a library next to the package, in the folder `shared`.
fn add_shared(package: &Package, manifest: &str, text: &str) {
    package.write("shared/Cargo.toml", manifest);
    package.write("shared/src/lib.rs", text);
}

/// Creates `Cargo.lock`, as any other cargo command would.
fn lock(package: &Package) {
    // Cargo would look for the crate in the registry.
    package.edit(
        "Cargo.toml",
        "genclient = \"0.1\"",
        "genclient = { path = \"genclient\" }",
    );
    package.write("genclient/Cargo.toml", "[package]\nname = \"genclient\"\n");
    package.write("genclient/src/lib.rs", "");
    let output = Command::new(env!("CARGO"))
        .args(["generate-lockfile", "--offline", "--quiet"])
        .current_dir(package.path(""))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The schema of the field in the CRD.
fn schema(package: &Package) -> String {
    package.run(&["update"]).expect(0);
    let yaml = package.read("config/crd/tasks.example.com_tasks.yaml");
    let (_, after) = yaml.split_once("              thing:\n").unwrap();
    let (schema, _) = after.split_once("\n            required:\n").unwrap();
    let lines = schema.lines().map(|line| line.trim_start_matches(' '));
    lines.collect::<Vec<_>>().join(" ")
}

const SHARED: &str = "[package]\nname = \"shared-types\"\n";

const THING: &str = "
mod inner;
pub use inner::*;
pub use inner::limits as bounds;
#[cfg(test)]
mod tests;
mod broken;
";

const INNER: &str = "
use serde::{Deserialize, Serialize};
pub mod limits;
/// A thing of another crate.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = \"camelCase\")]
pub struct Thing<const N: usize = { crate::bounds::SIDES }> {
    pub some_sides: [String; N],
    pub next: Option<crate::bounds::Next>,
}
";

const LIMITS: &str = "
pub const SIDES: usize = 4;
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Next(pub super::super::inner::limits::deeper::Deeper);
pub mod deeper {
    pub type Deeper = bool;
}
";

fn add_thing(package: &Package) {
    add_shared(package, SHARED, THING);
    package.write("shared/src/inner.rs", INNER);
    package.write("shared/src/inner/limits.rs", LIMITS);
    // No path leads to this file, so it is not read.
    package.write("shared/src/broken.rs", "pub struct {");
}

const THING_SCHEMA: &str = "description: A thing of another crate. properties: next: nullable: true type: boolean \
    someSides: items: type: string maxItems: 4 minItems: 4 type: array required: - someSides type: object";

#[test]
fn types_of_path_dependencies_are_resolved() {
    let dependency = "shared-types = { path = \"shared\" }";
    for ty in [
        "shared_types::Thing",
        "::shared_types::Thing<{ shared_types::bounds::SIDES }>",
    ] {
        let package = with_field(dependency, "", ty);
        add_thing(&package);
        assert_eq!(schema(&package), THING_SCHEMA, "{ty}");
        package.run(&["verify"]).expect(0);
    }
}

#[test]
fn imports_globs_and_renames_resolve_to_other_crates() {
    let dependency = "things = { package = \"shared-types\", path = \"shared\" }";
    for import in [
        "use things::Thing;",
        "use things::*;",
        "extern crate things as other; use self::other::Thing;",
        "use things as other; use other::Thing as Renamed; type Thing = Renamed;",
    ] {
        let package = with_field(dependency, "", "Thing");
        package.edit("pkg/apis/mod.rs", "use genclient::prelude::*;", import);
        package.edit(
            "pkg/apis/mod.rs",
            "pub mod v1 {",
            "pub mod v1 { use genclient::prelude::*;",
        );
        add_thing(&package);
        assert_eq!(schema(&package), THING_SCHEMA, "{import}");
    }
}

#[test]
fn types_of_workspace_members_and_their_dependencies_are_resolved() {
    let package = with_field("middle.workspace = true", "", "middle::Thing");
    package.edit(
        "Cargo.toml",
        "[workspace]\n",
        "[workspace]\nmembers = [\"shared\", \"middle\"]\n\
         [workspace.dependencies]\nmiddle = { path = \"middle\" }\n",
    );
    package.write(
        "middle/Cargo.toml",
        "[package]\nname = \"middle\"\n[dependencies]\nlow = { package = \"shared-types\", path = \"../shared\" }\n",
    );
    package.write("middle/src/lib.rs", "pub use low::Thing;\n");
    add_thing(&package);
    assert_eq!(schema(&package), THING_SCHEMA);
}

/// A path dependency has the features of a default build. A crate reached only through other
/// features has the features that those enable.
#[test]
fn path_dependencies_are_read_with_their_enabled_features() {
    let dependencies = "shared-types.workspace = true\nshared-types.optional = true\n\
         shared-types.features = [\"tall\"]\n\
         plain = { path = \"shared/plain\" }\n\
         [features]\ncrd = [\"dep:shared-types\", \"shared-types/wide\", \"plain/old\"]";
    let package = with_field(dependencies, "", "shared_types::Thing");
    package.edit(
        "Cargo.toml",
        "[workspace]\n",
        "[workspace]\n[workspace.dependencies]\n\
         shared-types = { path = \"shared\", default-features = false }\n",
    );
    let features = "[features]\ndefault = [\"deep\"]\ntall = [\"low?/on\"]\nwide = [\"low\"]\ndeep = []\n\
         [dependencies]\nlow = { path = \"low\", optional = true }\nplain = { path = \"plain\" }\n\
         idle = { path = \"gone\", optional = true }\n";
    add_shared(
        &package,
        &format!("{SHARED}{features}"),
        "#[derive(serde::Serialize, serde::Deserialize)]
pub struct Thing {
    #[cfg(feature = \"tall\")] pub tall: bool,
    #[cfg(feature = \"wide\")] pub wide: low::Wide,
    #[cfg(feature = \"deep\")] pub deep: bool,
    pub plain: plain::Plain,
}
",
    );
    for (name, feature, ty) in [("low", "on", "Wide"), ("plain", "old", "Plain")] {
        package.write(
            &format!("shared/{name}/Cargo.toml"),
            format!("[package]\nname = \"{name}\"\n[features]\n{feature} = []\n"),
        );
        package.write(
            &format!("shared/{name}/src/lib.rs"),
            format!(
                "#[cfg(feature = \"{feature}\")] pub type {ty} = String;\n\
                 #[cfg(not(feature = \"{feature}\"))] pub type {ty} = bool;\n"
            ),
        );
    }
    assert_eq!(
        schema(&package),
        "properties: plain: type: boolean tall: type: boolean wide: type: string \
         required: - plain - tall - wide type: object"
    );
}

/// A dependency of this workspace, whose source is therefore on disk. Its content depends on its
/// features.
#[test]
fn types_of_registry_crates_are_resolved() {
    for optional in ["false", "true"] {
        let dependency = format!(
            "similar = {{ version = \"3\", features = [\"serde\"], optional = {optional} }}"
        );
        let package = with_field(&dependency, "", "similar::ChangeTag");
        lock(&package);
        let schema = schema(&package);
        assert!(
            schema.ends_with(" enum: - equal - delete - insert type: string"),
            "{schema}"
        );
    }
}

#[test]
fn errors_in_other_crates_name_the_use_of_the_type() {
    let package = with_field("similar = \"3\"", "", "Vec<similar::ChangeTag>");
    lock(&package);
    package.refuses(&[
        "error: cannot determine the schema of `similar::ChangeTag`: it does not derive `Serialize`",
        "pkg/apis/mod.rs:13:",
        "help: give its schema: ",
        "`[package.metadata.genclient.schemas]`",
    ]);
    let package = with_field("json-patch = \"4\"", "", "json_patch::RemoveOperation");
    lock(&package);
    package.refuses(&[
        "error: cannot determine the schema of `PointerBuf`",
        "src/lib.rs:",
        "the type is used here",
        "help: give its schema: `#[crd(schema = { … })]` on the field, or `\"json_patch::RemoveOperation\" = { … }` in ",
    ]);
    let package = with_field(
        "shared-types = { path = \"shared\" }",
        "",
        "shared_types::Thing",
    );
    add_shared(&package, SHARED, "pub mod inner; pub use inner::Thing;");
    package.write("shared/src/inner.rs", "pub struct Thing {\n");
    package.refuses(&[
        "shared/src/inner.rs:1:",
        "pkg/apis/mod.rs:13:",
        "the type is used here",
    ]);
    package.write(
        "shared/src/inner.rs",
        "#[derive(serde::Serialize)]\npub struct Thing { a: (bool, bool), own: Option<Box<Thing>>, b: Unseen }\npub struct Unseen(String);\n",
    );
    package.refuses(&[
        "error: this type has no schema",
        "error: `Thing` is recursive",
        "error: cannot determine the schema of `Unseen`: it does not derive `Serialize`",
        "shared/src/inner.rs:2:",
        "the type is used here",
    ]);
}

#[test]
fn a_stated_schema_needs_no_source() {
    let package = with_field("gone = \"1\"", "", "Vec<gone::inner::Thing>");
    let manifest = package.read("Cargo.toml");
    package.write(
        "Cargo.toml",
        format!(
            "{manifest}\n[package.metadata.genclient.schemas]\n\
             \"gone::inner::Thing\" = {{ type = \"string\", maxLength = 9 }}\n"
        ),
    );
    assert_eq!(
        schema(&package),
        "items: maxLength: 9 type: string type: array"
    );
    package.edit("Cargo.toml", "maxLength", "maxLenght");
    package.refuses(&["error: unknown field `maxLenght`", "Cargo.toml:15:"]);

    let stated = "#[crd(schema = { \"type\": \"string\" })]";
    let package = with_field("gone = \"1\"", stated, "gone::Thing");
    assert_eq!(schema(&package), "type: string");
}

#[test]
fn schemas_may_be_stated_by_definition_path() {
    let package = with_field(
        "shared-types = { path = \"shared\" }",
        "",
        "shared_types::Thing",
    );
    add_thing(&package);
    let manifest = package.read("Cargo.toml");
    package.write(
        "Cargo.toml",
        format!(
            "{manifest}\n[package.metadata.genclient.schemas]\n\
             \"shared_types::inner::limits::Next\" = {{ type = \"integer\" }}\n"
        ),
    );
    assert_eq!(schema(&package), THING_SCHEMA.replace("boolean", "integer"));
}

#[test]
fn unresolved_names_are_reported() {
    let package = with_field(
        "shared-types = { path = \"shared\" }",
        "",
        "shared_types::Other",
    );
    add_thing(&package);
    package.refuses(&["error: cannot determine the schema of `shared_types::Other`"]);
    let package = with_field(
        "shared-types = { path = \"shared\" }",
        "",
        "shard_types::Thing",
    );
    add_thing(&package);
    package.refuses(&["error: cannot determine the schema of `shard_types::Thing`"]);
}

#[path = "other_crates_cargo.rs"]
mod cargo;
