//! Validation of volume mounts and devices (pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_field};

use crate::core::pod_spec::volumes;
use crate::core::pod_spec::volumes::Volumes;
use crate::field::ObjectField;

/// Validates the volume mounts of a container (`ValidateVolumeMounts`).
pub(crate) fn validate_mounts(
    container: &ObjectField<'_>,
    volumes: &Volumes<'_>,
    out: &mut field::ErrorList,
) {
    let field = container.at("volumeMounts");
    let mounts = list_field(container.value, "volumeMounts");
    let devices = list_field(container.value, "volumeDevices");
    for (at, mount) in field.items().iter().enumerate() {
        let (name, place) = (mount.at("name"), mount.at("mountPath"));
        let is_device = |part: &str, text: &str| devices.iter().any(|device| device[part] == text);
        if !name.is_filled() {
            name.required("", out);
        }
        if !volumes.contains_key(name.text()) {
            volumes::report_missing_volume(&name, out);
        }
        if !place.is_filled() {
            place.required("", out);
        }
        if mounts[..at]
            .iter()
            .any(|before| str_field(before, "mountPath") == place.text())
        {
            place.invalid("must be unique", out);
        }
        if is_device("name", name.text()) {
            name.invalid("must not already exist in volumeDevices", out);
        }
        if is_device("devicePath", place.text()) {
            place.invalid("must not already exist as a path in volumeDevices", out);
        }
        validate_sub_path(&field, mount, out);
        validate_propagation(&field, mount, container, out);
    }
}

/// Returns a field of a mount. As in kube-apiserver, the field's path omits the index of the mount.
fn field_of_list<'a>(
    list: &ObjectField<'_>,
    mount: &ObjectField<'a>,
    name: &str,
) -> ObjectField<'a> {
    ObjectField::of(&mount.value[name], format!("{}.{name}", list.path))
}

/// Validates `subPath` and `subPathExpr` of a mount.
fn validate_sub_path(list: &ObjectField<'_>, mount: &ObjectField<'_>, out: &mut field::ErrorList) {
    let (path, expression) = (mount.at("subPath"), mount.at("subPathExpr"));
    if path.is_filled() {
        volumes::validate_inner_path(&field_of_list(list, mount, "subPath"), out);
    }
    if expression.is_filled() {
        if path.is_filled() {
            expression.invalid("subPathExpr and subPath are mutually exclusive", out);
        }
        volumes::validate_inner_path(&field_of_list(list, mount, "subPathExpr"), out);
    }
}

/// Validates `mountPropagation` and `recursiveReadOnly` of a mount.
fn validate_propagation(
    list: &ObjectField<'_>,
    mount: &ObjectField<'_>,
    container: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    let mode = field_of_list(list, mount, "mountPropagation");
    mode.supported_if_set(&["Bidirectional", "HostToContainer", "None"], out);
    let is_privileged = container.at("securityContext").at("privileged").is_true();
    if mode.text() == "Bidirectional" && !is_privileged {
        let detail = "Bidirectional mount propagation is available only to privileged containers";
        mode.forbidden(detail, out);
    }
    let recursive = field_of_list(list, mount, "recursiveReadOnly");
    match recursive.text() {
        "Enabled" | "IfPossible" => {
            if !mount.at("readOnly").is_true() {
                recursive.forbidden("may only be specified when readOnly is true", out);
            }
            if !matches!(mode.text(), "" | "None") {
                let detail = "may only be specified when mountPropagation is None or not specified";
                recursive.forbidden(detail, out);
            }
        }
        _ => recursive.supported_if_set(&["Disabled", "Enabled", "IfPossible"], out),
    }
}

/// Validates the volume devices of a container (`ValidateVolumeDevices`).
pub(crate) fn validate_devices(
    container: &ObjectField<'_>,
    volumes: &Volumes<'_>,
    out: &mut field::ErrorList,
) {
    let mounts = list_field(container.value, "volumeMounts");
    let devices = list_field(container.value, "volumeDevices");
    for (at, device) in container.at("volumeDevices").items().iter().enumerate() {
        let (name, path) = (device.at("name"), device.at("devicePath"));
        let repeats = |part: &str, field: &ObjectField<'_>| {
            field.is_filled() && devices[..at].iter().any(|one| one[part] == *field.value)
        };
        let is_mounted = |part: &str, field: &ObjectField<'_>| {
            mounts
                .iter()
                .any(|mount| str_field(mount, part) == field.text())
        };
        if !name.is_filled() {
            name.required("", out);
        }
        if repeats("name", &name) {
            name.invalid("must be unique", out);
        }
        match volumes.get(name.text()) {
            None => volumes::report_missing_volume(&name, out),
            Some(volume) => {
                let claims = ["persistentVolumeClaim", "ephemeral"];
                if claims.iter().all(|claim| volume[*claim].is_null()) {
                    let detail = "can only use volume source type of PersistentVolumeClaim or \
                         Ephemeral for block mode";
                    name.invalid(detail, out);
                }
            }
        }
        if !path.is_filled() {
            path.required("", out);
        }
        if repeats("devicePath", &path) {
            path.invalid("must be unique", out);
        }
        if volumes::has_backsteps(path.text()) {
            path.invalid("can not contain backsteps ('..')", out);
        }
        if is_mounted("name", &name) {
            name.invalid("must not already exist in volumeMounts", out);
        }
        if is_mounted("mountPath", &path) {
            path.invalid("must not already exist as a path in volumeMounts", out);
        }
    }
}
