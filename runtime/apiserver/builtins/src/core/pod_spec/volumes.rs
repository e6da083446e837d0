//! Validation of the volumes of Pods (pkg/apis/core/validation).

use std::collections::BTreeMap;

use genclient_apimachinery::field;
use genclient_apimachinery::resource::Quantity;
use genclient_apimachinery::unstructured::str_field;
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{member_text, set_default};
use crate::core::persistent_volume_claim;
use crate::core::pod_spec::{environment, image};
use crate::field::ObjectField;
use crate::names;
use crate::types::{GoType, Object};

/// Object that a Pod spec belongs to. Some rules apply only to Pods, not to Pod templates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpecOwner {
    Pod,
    Template,
}

/// Volumes of a Pod spec that have no errors, by name.
pub(crate) type Volumes<'a> = BTreeMap<&'a str, &'a Value>;

const MODE_DETAIL: &str = "must be a number between 0 and 0777 (octal), both inclusive";

const HOST_PATH_TYPES: [&str; 8] = [
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];

/// Volume types whose only rule is that fields are required. An entry has the field of the volume,
/// the name of this field in kube-apiserver's error paths, and the required fields.
const REQUIRED_FIELDS: [(&str, &str, &[&str]); 11] = [
    ("gitRepo", "gitRepo", &["repository"]),
    ("gcePersistentDisk", "persistentDisk", &["pdName"]),
    (
        "awsElasticBlockStore",
        "awsElasticBlockStore",
        &["volumeID"],
    ),
    ("glusterfs", "glusterfs", &["endpoints", "path"]),
    ("rbd", "rbd", &["image"]),
    ("cinder", "cinder", &["volumeID"]),
    ("azureFile", "azureFile", &["secretName", "shareName"]),
    ("vsphereVolume", "vsphereVolume", &["volumePath"]),
    ("portworxVolume", "portworxVolume", &["volumeID"]),
    ("azureDisk", "azureDisk", &["diskName", "diskURI"]),
    ("flexVolume", "flexVolume", &["driver"]),
];

/// Validates the volumes of a Pod spec, and returns those without errors (`ValidateVolumes`).
pub(crate) fn validate_volumes<'a>(
    spec: &ObjectField<'a>,
    owner: SpecOwner,
    out: &mut field::ErrorList,
) -> Volumes<'a> {
    let mut valid = Volumes::new();
    for volume in spec.at("volumes").items() {
        let before = out.len();
        validate_source(&volume, owner, out);
        let name = volume.at("name");
        name.required_named(validation::label, out);
        if valid.contains_key(name.text()) {
            name.duplicate(out);
        }
        if out.len() == before {
            valid.insert(name.text(), volume.value);
        }
    }
    valid
}

pub(crate) fn report_missing_volume(name: &ObjectField<'_>, out: &mut field::ErrorList) {
    out.push(field::Error::not_found(&name.path, &name.text().into()));
}

/// Returns the field names of all volume types, in the order of the Go type.
fn source_kinds() -> impl Iterator<Item = &'static str> {
    let fields = GoType::named("core/v1.Volume")
        .map(|type_| type_.fields())
        .into_iter()
        .flatten();
    fields
        .filter(|field| field.embedded == "VolumeSource")
        .map(|field| field.name)
}

/// Validates the source of a volume: `emptyDir` if it is set, or else the first volume type that is
/// set. Rejects all other volume types that are set (`validateVolumeSource`).
fn validate_source(volume: &ObjectField<'_>, owner: SpecOwner, out: &mut field::ErrorList) {
    let has_empty_dir = volume.at("emptyDir").is_set();
    let mut others = source_kinds()
        .filter(|kind| *kind != "emptyDir")
        .map(|kind| (kind, volume.at(kind)))
        .filter(|(_, source)| source.is_set());
    if has_empty_dir {
        let limit = volume.at("emptyDir").at("sizeLimit");
        if Quantity::parse(limit.text()).is_ok_and(|limit| limit.sign().is_lt()) {
            limit.forbidden("SizeLimit field must be a valid resource quantity", out);
        }
    } else if let Some((kind, source)) = others.next() {
        validate_source_of_kind(kind, &source, owner, out);
    } else {
        volume.required("must specify a volume type", out);
    }
    for (_, extra) in others {
        extra.forbidden("may not specify more than 1 volume type", out);
    }
}

/// Validates a volume source of one type.
fn validate_source_of_kind(
    kind: &str,
    source: &ObjectField<'_>,
    owner: SpecOwner,
    out: &mut field::ErrorList,
) {
    match kind {
        "hostPath" => validate_host_path(source, out),
        "secret" => {
            require_fields(source, &["secretName"], out);
            validate_keys(source, out);
        }
        "configMap" => {
            require_fields(source, &["name"], out);
            validate_keys(source, out);
        }
        "persistentVolumeClaim" => require_fields(source, &["claimName"], out),
        "nfs" => validate_nfs(source, out),
        "downwardAPI" => {
            validate_mode(&source.at("defaultMode"), out);
            for file in source.at("items").items() {
                // kube-apiserver reports errors of an item at the path of the volume source.
                validate_downward_file(&ObjectField::of(file.value, &*source.path), out);
            }
        }
        "projected" => validate_projected(source, out),
        "csi" => validate_driver(&source.at("driver"), out),
        "ephemeral" => {
            let claim = source.at("volumeClaimTemplate");
            if claim.is_set() {
                persistent_volume_claim::validate_spec(
                    &claim.value["spec"],
                    &claim.at("spec").path,
                    out,
                );
            } else {
                claim.required("", out);
            }
        }
        "image" => {
            if owner == SpecOwner::Pod {
                require_fields(source, &["reference"], out);
            }
            source
                .at("pullPolicy")
                .supported(&["Always", "IfNotPresent", "Never"], out);
        }
        _ => {
            let required = REQUIRED_FIELDS.iter().find(|(known, ..)| *known == kind);
            if let Some((_, name_in_errors, fields)) = required {
                let parent = source.path.strip_suffix(kind).unwrap_or_default();
                let path = format!("{parent}{name_in_errors}");
                require_fields(&ObjectField::of(source.value, path), fields, out);
            }
        }
    }
}

fn require_fields(source: &ObjectField<'_>, fields: &[&str], out: &mut field::ErrorList) {
    for field in fields {
        if !source.at(field).is_filled() {
            source.at(field).required("", out);
        }
    }
}

fn validate_host_path(source: &ObjectField<'_>, out: &mut field::ErrorList) {
    let path = source.at("path");
    if !path.is_filled() {
        return path.required("", out);
    }
    validate_no_backsteps(&path, out);
    source.at("type").supported_if_set(&HOST_PATH_TYPES, out);
}

fn validate_nfs(source: &ObjectField<'_>, out: &mut field::ErrorList) {
    require_fields(source, &["server", "path"], out);
    let path = source.at("path");
    if !path.text().starts_with('/') {
        path.invalid("must be an absolute path", out);
    }
}

/// Checks the name of a CSI driver (`ValidateCSIDriverName`).
fn validate_driver(name: &ObjectField<'_>, out: &mut field::ErrorList) {
    if !name.is_filled() {
        return name.required("", out);
    }
    if name.text().len() > 63 {
        out.push(field::Error::too_long(&name.path, 63));
    }
    let lower = name.text().to_lowercase();
    names::report_name_errors(&name.path, name.text(), validation::subdomain(&lower), out);
}

fn validate_mode(mode: &ObjectField<'_>, out: &mut field::ErrorList) {
    mode.within(0, 0o777, MODE_DETAIL, out);
}

/// Validates `defaultMode` and `items` of a Secret or ConfigMap volume.
fn validate_keys(source: &ObjectField<'_>, out: &mut field::ErrorList) {
    validate_mode(&source.at("defaultMode"), out);
    for item in source.at("items").items() {
        validate_key_to_path(&item, out);
    }
}

fn validate_key_to_path(item: &ObjectField<'_>, out: &mut field::ErrorList) {
    require_fields(item, &["key", "path"], out);
    validate_local_path(&item.at("path"), out);
    validate_mode(&item.at("mode"), out);
}

fn validate_downward_file(file: &ObjectField<'_>, out: &mut field::ErrorList) {
    require_fields(file, &["path"], out);
    validate_local_path(&file.at("path"), out);
    environment::validate_file_reference(file, out);
    validate_mode(&file.at("mode"), out);
}

/// Validates the sources of a projected volume (`validateProjectionSources`). As in kube-apiserver,
/// many errors have the path of the volume instead of the path of the source.
fn validate_projected(volume: &ObjectField<'_>, out: &mut field::ErrorList) {
    validate_mode(&volume.at("defaultMode"), out);
    let mut seen = Vec::new();
    for source in volume.at("sources").items() {
        let mut kinds = 0;
        for kind in ["secret", "configMap", "downwardAPI"] {
            let one = source.at(kind);
            if one.is_set() {
                kinds += 1;
                validate_projected_files(kind, &one, volume, &mut seen, out);
            }
        }
        let token = source.at("serviceAccountToken");
        if token.is_set() {
            kinds += 1;
            validate_service_account_token(&token, volume, out);
        }
        let others = ["clusterTrustBundle", "podCertificate"];
        kinds += others
            .iter()
            .filter(|kind| source.at(kind).is_set())
            .count();
        if kinds > 1 {
            source.forbidden("may not specify more than 1 volume type per source", out);
        }
    }
}

/// Validates the files that a source of a projected volume contributes. `seen` has the paths of all
/// sources before it.
fn validate_projected_files<'a>(
    kind: &str,
    source: &ObjectField<'a>,
    volume: &ObjectField<'_>,
    seen: &mut Vec<&'a str>,
    out: &mut field::ErrorList,
) {
    let is_downward = kind == "downwardAPI";
    if !is_downward {
        require_fields(source, &["name"], out);
    }
    for item in source.at("items").items() {
        if is_downward {
            // As in a volume, errors of an item are reported at the path of the projection.
            validate_downward_file(&ObjectField::of(item.value, &*source.path), out);
        } else {
            validate_key_to_path(&item, out);
        }
        let path = item.at("path").text();
        if seen.contains(&path) && !path.is_empty() {
            let named = if is_downward {
                path
            } else {
                str_field(source.value, "name")
            };
            let detail = "conflicting duplicate paths";
            ObjectField::of(&named.into(), &*volume.path).invalid(detail, out);
        }
        seen.push(path);
    }
}

/// Validates a projected token (`validateProjectionSources`).
fn validate_service_account_token(
    token: &ObjectField<'_>,
    volume: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    let expiration = token.at("expirationSeconds");
    if expiration.number() < 600 {
        expiration.invalid("may not specify a duration less than 10 minutes", out);
    }
    if expiration.number() > 1 << 32 {
        expiration.invalid("may not specify a duration larger than 2^32 seconds", out);
    }
    let path = ObjectField::of(&token.value["path"], format!("{}.path", volume.path));
    if path.is_filled() {
        validate_local_path(&path, out);
    } else {
        path.required("", out);
    }
}

/// Checks that a Pod without a service account has no token projections.
pub(crate) fn validate_token_sources(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    if spec.at("serviceAccountName").is_filled() {
        return;
    }
    for volume in spec.at("volumes").items() {
        for source in volume.at("projected").at("sources").items() {
            let token = source.at("serviceAccountToken");
            if token.is_set() {
                token.forbidden(
                    "must not be specified when serviceAccountName is not set",
                    out,
                );
            }
        }
    }
}

pub(crate) fn has_backsteps(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

/// Checks that a path has no segment `..` (`validatePathNoBacksteps`).
fn validate_no_backsteps(path: &ObjectField<'_>, out: &mut field::ErrorList) {
    if has_backsteps(path.text()) {
        path.invalid("must not contain '..'", out);
    }
}

/// Checks that a path is relative and has no segment `..` (`validateLocalDescendingPath`).
pub(crate) fn validate_inner_path(path: &ObjectField<'_>, out: &mut field::ErrorList) {
    if path.text().starts_with('/') {
        path.invalid("must be a relative path", out);
    }
    validate_no_backsteps(path, out);
}

/// Checks that a path is relative, has no segment `..` and does not begin with a reserved name such
/// as `..data` (`ValidateLocalNonReservedPath`).
fn validate_local_path(path: &ObjectField<'_>, out: &mut field::ErrorList) {
    validate_inner_path(path, out);
    let reserved = path.text().starts_with("..") && !path.text().starts_with("../");
    if reserved && path.text() != ".." {
        path.invalid("must not start with '..'", out);
    }
}

/// Default file mode: `rw-r--r--`.
const DEFAULT_MODE: i32 = 0o644;

/// Sets the defaults of a volume or a volume source. `name` is the Go struct of the core group.
pub(crate) fn set_defaults(name: &str, members: &mut Object) {
    match name {
        // A volume with only a name.
        "Volume" if members.len() <= 1 => set_default(members, "emptyDir", json!({})),
        // `set_default` would replace an empty type, which is the default itself.
        "HostPathVolumeSource" if !members.contains_key("type") => {
            members.insert("type".to_owned(), "".into());
        }
        "SecretVolumeSource"
        | "ConfigMapVolumeSource"
        | "DownwardAPIVolumeSource"
        | "ProjectedVolumeSource" => set_default(members, "defaultMode", DEFAULT_MODE),
        "ServiceAccountTokenProjection" => set_default(members, "expirationSeconds", 3600),
        "ISCSIVolumeSource" => {
            set_default(members, "iscsiInterface", "default");
        }
        "RBDVolumeSource" => {
            set_default(members, "pool", "rbd");
            set_default(members, "user", "admin");
            set_default(members, "keyring", "/etc/ceph/keyring");
        }
        "AzureDiskVolumeSource" => {
            set_default(members, "cachingMode", "ReadWrite");
            set_default(members, "fsType", "ext4");
            set_default(members, "readOnly", false);
            set_default(members, "kind", "Shared");
        }
        "ScaleIOVolumeSource" => {
            set_default(members, "storageMode", "ThinProvisioned");
            set_default(members, "fsType", "xfs");
        }
        "ImageVolumeSource" => {
            let policy = image::default_pull_policy(member_text(members, "reference"));
            set_default(members, "pullPolicy", policy);
        }
        _ => {}
    }
}
