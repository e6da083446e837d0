//! Validation of security contexts, `hostUsers`, `os` and the annotations of security profiles
//! (pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_field};

use crate::core::pod_spec::volumes;
use crate::field::ObjectField;
use crate::findings::go_struct;

const IDS: &str = "must be between 0 and 2147483647, inclusive";
const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF_CONTAINERS: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const PROFILES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
const WINDOWS: &str = "cannot be set for a windows pod";
const SYSCTL: &str = "must have at most 253 characters and match regex \
     ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

fn validate_ids(context: &ObjectField<'_>, names: &[&str], out: &mut field::ErrorList) {
    for name in names {
        context.at(name).within(0, i32::MAX.into(), IDS, out);
    }
}

/// Validates the security context of a Pod.
pub(crate) fn validate_pod_security(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let context = spec.at("securityContext");
    validate_ids(&context, &["fsGroup", "runAsUser", "runAsGroup"], out);
    for group in context.at("supplementalGroups").items() {
        group.within(0, i32::MAX.into(), IDS, out);
    }
    // The error has the path in Kubernetes' internal type, where `shareProcessNamespace` is in the
    // security context.
    if spec.at("hostPID").is_true() && spec.at("shareProcessNamespace").is_true() {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        let shared = spec.at("shareProcessNamespace").value;
        ObjectField::of(shared, context.at("shareProcessNamespace").path).invalid(detail, out);
    }
    validate_sysctls(&context.at("sysctls"), out);
    context
        .at("fsGroupChangePolicy")
        .supported_if_set(&["Always", "OnRootMismatch"], out);
    validate_seccomp(&context.at("seccompProfile"), out);
    validate_app_armor(&context.at("appArmorProfile"), out);
    context
        .at("supplementalGroupsPolicy")
        .supported_if_set(&["Merge", "Strict"], out);
    // Other policies need the feature gate SELinuxMount, which is off by default.
    context
        .at("seLinuxChangePolicy")
        .supported_if_set(&["Recursive"], out);
}

/// Checks that a Pod with `hostUsers: false` does not use the host's network, processes, IPC or
/// devices.
pub(crate) fn validate_host_users(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    if spec.value["hostUsers"] != false {
        return;
    }
    for (name, reported) in [
        ("hostNetwork", "hostNetwork"),
        ("hostPID", "HostPID"),
        ("hostIPC", "HostIPC"),
    ] {
        if spec.at(name).is_true() {
            let path = format!("{}.{reported}", spec.path);
            ObjectField::of(spec.value, path).forbidden("when `hostUsers` is false", out);
        }
    }
    for list in ["initContainers", "containers"] {
        for container in spec.at(list).items() {
            let devices = container.at("volumeDevices");
            if !devices.has_none() {
                devices.forbidden("when `hostUsers` is false", out);
            }
        }
    }
}

/// Fields of a container's security context, in the order in which Go prints the internal type.
const CONTEXT: [&str; 12] = [
    "Capabilities",
    "Privileged",
    "SELinuxOptions",
    "WindowsOptions",
    "RunAsUser",
    "RunAsGroup",
    "RunAsNonRoot",
    "ReadOnlyRootFilesystem",
    "AllowPrivilegeEscalation",
    "ProcMount",
    "SeccompProfile",
    "AppArmorProfile",
];

/// Validates the security context of a container (`ValidateSecurityContext`).
pub(crate) fn validate_container_security(
    context: &ObjectField<'_>,
    has_host_users: bool,
    out: &mut field::ErrorList,
) {
    validate_ids(context, &["runAsUser", "runAsGroup"], out);
    let mount = context.at("procMount");
    mount.supported_if_set(&["Default", "Unmasked"], out);
    if has_host_users && mount.text() == "Unmasked" {
        mount.invalid("`hostUsers` must be false to use `Unmasked`", out);
    }
    validate_seccomp(&context.at("seccompProfile"), out);
    if context.value["allowPrivilegeEscalation"] == false {
        validate_escalation(context, out);
    }
    validate_app_armor(&context.at("appArmorProfile"), out);
}

/// Rejects settings that contradict `allowPrivilegeEscalation: false`.
fn validate_escalation(context: &ObjectField<'_>, out: &mut field::ErrorList) {
    let mut refuse = |what: &str| {
        let detail = format!("cannot set `allowPrivilegeEscalation` to false and {what}");
        out.push(field::Error::invalid_text(
            &*context.path,
            &format_context(context),
            &detail,
        ));
    };
    if context.at("privileged").is_true() {
        refuse("`privileged` to true");
    }
    let added = context.at("capabilities").at("add").items();
    if added
        .iter()
        .any(|capability| capability.text() == "CAP_SYS_ADMIN")
    {
        refuse("`capabilities.Add` CAP_SYS_ADMIN");
    }
}

/// Formats a security context as Go prints Kubernetes' internal type.
fn format_context(context: &ObjectField<'_>) -> String {
    let mut context = context.value.clone();
    let options = context["seLinuxOptions"].take();
    context["sELinuxOptions"] = options;
    let parts = [
        ("capabilities", &["Add", "Drop"][..]),
        ("sELinuxOptions", &["User", "Role", "Type", "Level"]),
        ("seccompProfile", &["Type", "LocalhostProfile"]),
        ("appArmorProfile", &["Type", "LocalhostProfile"]),
    ];
    for (name, fields) in parts {
        let printed = go_struct(&context[name], fields);
        context[name] = serde_json::from_str(&printed).unwrap_or_default();
    }
    go_struct(&context, &CONTEXT)
}

/// Validates the sysctls of a Pod. Their names are unique (`validateSysctls`).
fn validate_sysctls(sysctls: &ObjectField<'_>, out: &mut field::ErrorList) {
    let all = sysctls.items();
    for (at, sysctl) in all.iter().enumerate() {
        let name = sysctl.at("name");
        if !name.is_filled() {
            name.required("", out);
        } else if !is_sysctl(name.text()) {
            name.invalid(SYSCTL, out);
        } else if all[..at]
            .iter()
            .any(|before| before.at("name").value == name.value)
        {
            name.duplicate(out);
        }
    }
}

fn is_sysctl(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_part = |part: &str| {
        part.starts_with(inner)
            && part.ends_with(inner)
            && part.chars().all(|c| inner(c) || "-_".contains(c))
    };
    name.len() <= 253 && name.split(['.', '/']).all(is_part)
}

/// Validates a seccomp profile (`validateSeccompProfileField`).
fn validate_seccomp(profile: &ObjectField<'_>, out: &mut field::ErrorList) {
    if !profile.is_set() {
        return;
    }
    let kind = profile.at("type");
    let detail = "type is required when seccompProfile is set";
    kind.required_one_of(&PROFILES, detail, out);
    let path = profile.at("localhostProfile");
    match (kind.text(), path.is_set()) {
        ("Localhost", false) => path.required("must be set when seccomp type is Localhost", out),
        ("Localhost", true) => volumes::validate_inner_path(&path, out),
        (_, true) => {
            let printed = go_struct(profile.value, &["Type", "LocalhostProfile"]);
            let detail = "can only be set when seccomp type is Localhost";
            out.push(field::Error::invalid_text(&*path.path, &printed, detail));
        }
        _ => {}
    }
}

/// Validates an AppArmor profile (`ValidateAppArmorProfileField`).
fn validate_app_armor(profile: &ObjectField<'_>, out: &mut field::ErrorList) {
    if !profile.is_set() {
        return;
    }
    let (kind, name) = (profile.at("type"), profile.at("localhostProfile"));
    match kind.text() {
        "Localhost" if name.text().trim() != name.text() => {
            name.invalid("must not be padded with whitespace", out);
        }
        "Localhost" if !name.is_filled() => {
            name.required("must be set when AppArmor type is Localhost", out);
        }
        "Localhost" => {}
        "RuntimeDefault" | "Unconfined" => {
            if name.is_set() {
                name.invalid("can only be set when AppArmor type is Localhost", out);
            }
        }
        _ => {
            let detail = "type is required when appArmorProfile is set";
            kind.required_one_of(&PROFILES, detail, out);
        }
    }
}

/// Validates the deprecated annotations that `seccompProfile` and `appArmorProfile` replace.
pub(crate) fn validate_annotations(
    annotations: &ObjectField<'_>,
    spec: &serde_json::Value,
    out: &mut field::ErrorList,
) {
    let entries = annotations.entries();
    for (key, value) in &entries {
        if *key == SECCOMP || key.starts_with(SECCOMP_OF_CONTAINERS) {
            let path = format!("{}.{key}", annotations.path);
            validate_seccomp_annotation(&ObjectField::of(value.value, path), out);
        }
    }
    for (key, value) in &entries {
        let Some(name) = key.strip_prefix(APP_ARMOR) else {
            continue;
        };
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        let mut containers = lists.iter().flat_map(|list| list_field(spec, list));
        if !containers.any(|container| str_field(container, "name") == name) {
            ObjectField::of(&name.into(), &*value.path).invalid("container not found", out);
        }
        let profile = value.text();
        let known = ["", "runtime/default", "unconfined"];
        if !known.contains(&profile) && !profile.starts_with("localhost/") {
            let quoted = crate::types::quoted(profile);
            value.invalid(&format!("invalid AppArmor profile name: {quoted}"), out);
        }
    }
}

fn validate_seccomp_annotation(value: &ObjectField<'_>, out: &mut field::ErrorList) {
    match value.text().strip_prefix("localhost/") {
        Some(path) => {
            volumes::validate_inner_path(&ObjectField::of(&path.into(), &*value.path), out)
        }
        None => {
            let known = ["runtime/default", "docker/default", "unconfined"];
            if !known.contains(&value.text()) {
                value.invalid("must be a valid seccomp profile", out);
            }
        }
    }
}

/// Validates `os` of a Pod, and rejects the fields that a Windows Pod cannot set.
pub(crate) fn validate_operating_system(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let system = spec.at("os");
    let name = system.at("name");
    if !system.is_set() {
        return;
    }
    match name.text() {
        "" => name.required("", out),
        "linux" => {}
        "windows" => validate_windows(spec, out),
        _ => ObjectField::of(name.value, system.path).supported(&["linux", "windows"], out),
    }
}

/// Rejects fields that a Windows Pod cannot set, in kube-apiserver's order (`validateWindows`).
fn validate_windows(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let context = spec.at("securityContext");
    let mut forbid = |owner: &ObjectField<'_>, names: &[&str]| {
        for field in names.iter().map(|name| owner.at(name)) {
            if field.is_set() && *field.value != false {
                field.forbidden(WINDOWS, out);
            }
        }
    };
    forbid(&context, &["appArmorProfile", "seLinuxOptions"]);
    forbid(spec, &["hostPID", "hostIPC"]);
    let names = [
        "seccompProfile",
        "fsGroup",
        "fsGroupChangePolicy",
        "sysctls",
    ];
    forbid(&context, &names);
    forbid(spec, &["shareProcessNamespace"]);
    let names = [
        "runAsUser",
        "runAsGroup",
        "supplementalGroups",
        "supplementalGroupsPolicy",
    ];
    forbid(&context, &names);
    for list in ["initContainers", "containers"] {
        for container in spec.at(list).items() {
            let names = [
                "appArmorProfile",
                "seLinuxOptions",
                "seccompProfile",
                "capabilities",
                "readOnlyRootFilesystem",
                "privileged",
                "allowPrivilegeEscalation",
                "procMount",
                "runAsUser",
                "runAsGroup",
            ];
            forbid(&container.at("securityContext"), &names);
        }
    }
}
