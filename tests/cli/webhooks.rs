//! Sources of webhooks, and the files of their configurations.

use std::process::Command;

use super::package::{Package, kind};

const MANIFESTS: &str = "config/webhook/manifests.yaml";

/// A package with a webhook for its kind in `pkg/webhook.rs`.
fn with_webhook() -> Package {
    let package = Package::new();
    package.write(
        "pkg/lib.rs",
        "pub mod apis;\npub mod client;\npub mod webhook;\n",
    );
    package.write("pkg/webhook.rs", webhook("super::apis::v1::Task"));
    package
}

/// A webhook, and another one in a test module.
fn webhook(object: &str) -> String {
    format!(
        "use genclient::webhook;
pub struct Quota;

#[webhook]
impl Validator for Quota {{
    type Object = {object};
}}

#[cfg(test)]
mod tests {{
    #[webhook]
    impl Validator for Test {{
        type Object = Task;
    }}
}}
"
    )
}

#[track_caller]
fn assert_written(package: &Package, file: &str) {
    let text = package.read(file);
    for line in [
        "      path: /validate-tasks-example-com-v1-task\n",
        "  name: validation.task.tasks.example.com\n",
        "    - tasks.example.com\n",
        "    - tasks\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    assert_eq!(text.matches("admissionReviewVersions").count(), 1, "{text}");
}

#[test]
fn the_webhook_module_beside_the_types_is_read() {
    let package = with_webhook();
    package.run(&["verify"]).expect(1).says(&[MANIFESTS]);
    package.run(&["update"]).expect(0);
    assert_written(&package, MANIFESTS);
    package.run(&["verify"]).expect(0);
    package.write("config/webhook/kustomization.yaml", "resources: []\n");
    package.write("pkg/webhook.rs", "pub struct Quota;\n");
    package.run(&["update"]).expect(0).says(&["1 removed"]);
    assert!(!package.exists(MANIFESTS));
    assert!(package.exists("config/webhook/kustomization.yaml"));
}

#[test]
fn only_webhook_writes_just_the_webhook_manifests() {
    let package = with_webhook();
    let run = package.run(&["update", "--only", "webhook"]).expect(0);
    run.says(&["1 written, 0 removed, 0 unchanged"]);
    assert_written(&package, MANIFESTS);
}

/// A file written by hand or by controller-gen stays.
#[test]
fn foreign_webhook_manifests_are_not_overwritten() {
    let package = with_webhook();
    package.write(MANIFESTS, "---\nkind: MutatingWebhookConfiguration\n");
    package.refuses(&[
        "error: config/webhook/manifests.yaml is in the way: it is not generated",
        "help: move or remove it",
    ]);
}

/// A program refers to its package's library by name.
#[test]
fn webhooks_may_be_in_the_binary_crate() {
    let package = Package::new();
    let manifest = package.read("Cargo.toml");
    package.write(
        "Cargo.toml",
        manifest + "[package.metadata.genclient]\nwebhooks = \"src/webhook\"\n",
    );
    package.write("src/main.rs", "mod webhook;\nfn main() {}\n");
    package.write("src/webhook/mod.rs", "mod quota;\n");
    package.write("src/webhook/quota.rs", webhook("tasks::apis::v1::Task"));
    package.run(&["update"]).expect(0);
    assert_written(&package, MANIFESTS);
}

#[test]
fn packages_may_have_webhooks_without_types() {
    let package = Package::empty();
    package.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"tasks\", \"operator\"]\n",
    );
    package.write(
        "tasks/Cargo.toml",
        "[package]\nname = \"tasks\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [dependencies]\ngenclient = { path = \"../genclient\" }\nserde = \"1\"\n",
    );
    package.write("tasks/src/lib.rs", "pub mod apis;\npub mod client;\n");
    package.write("genclient/Cargo.toml", "[package]\nname = \"genclient\"\n");
    package.write("genclient/src/lib.rs", "");
    package.write(
        "tasks/src/apis/mod.rs",
        kind("tasks.example.com", "Task", "image"),
    );
    package.write(
        "operator/Cargo.toml",
        "[package]\nname = \"operator\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [package.metadata.genclient]\nwebhooks = \"src/webhook\"\n\n\
         [dependencies]\ntasks = { path = \"../tasks\" }\n",
    );
    package.write("operator/src/main.rs", "mod webhook;\nfn main() {}\n");
    package.write("operator/src/webhook.rs", webhook("tasks::apis::v1::Task"));
    let lock = Command::new(env!("CARGO"))
        .args(["generate-lockfile", "--offline", "--quiet"])
        .current_dir(package.path(""))
        .status();
    assert!(lock.unwrap().success());
    package.run(&["update"]).expect(0);
    assert_written(&package, "operator/config/webhook/manifests.yaml");
    assert!(package.exists("tasks/config/crd/tasks.example.com_tasks.yaml"));
    assert!(!package.exists("operator/src/client"));
    package.run(&["verify"]).expect(0);
}

#[test]
fn unreadable_webhook_modules_are_errors() {
    let package = with_webhook();
    package.write("pkg/webhook.rs", "impl {\n");
    package.refuses(&["pkg/webhook.rs:1"]);
    let package = with_webhook();
    let manifest = package.read("Cargo.toml");
    package.write(
        "Cargo.toml",
        manifest + "[package.metadata.genclient]\nwebhooks = \"pkg/hooks\"\n",
    );
    package.refuses(&[
        "error: no webhooks: neither pkg/hooks/mod.rs nor pkg/hooks.rs exists",
        "help: fix `webhooks` in `[package.metadata.genclient]`",
    ]);
}

/// A package may have only webhooks, but not if `apis` names a folder.
#[test]
fn missing_api_folder_of_the_setting_is_an_error() {
    let package = with_webhook();
    let manifest = package.read("Cargo.toml");
    package.write(
        "Cargo.toml",
        manifest + "[package.metadata.genclient]\napis = \"pkg/api\"\n",
    );
    package.refuses(&[
        "error: no API types: neither pkg/api/mod.rs nor pkg/api.rs exists",
        "help: fix `apis` in `[package.metadata.genclient]`, or create one of them",
    ]);
}

#[test]
fn undeclared_webhook_files_cause_a_warning() {
    let package = with_webhook();
    package.write("pkg/webhook/stray.rs", webhook("crate::apis::v1::Task"));
    package.run(&["update"]).expect(0).says(&[
        "warning: pkg/webhook/stray.rs is not part of the module tree: its webhooks are ignored",
        "help: add a `mod` line for it to the parent module",
    ]);
    assert_written(&package, MANIFESTS);
}
