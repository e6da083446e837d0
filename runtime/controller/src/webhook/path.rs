//! Default paths of webhooks.

use genclient::kube::Resource;

/// Returns `/mutate-<group, its dots as dashes>-<version>-<kind in lower case>`, as
/// controller-runtime's `generateMutatePath` does.
pub(super) fn mutate<K: Resource<DynamicType: Default>>() -> String {
    of::<K>("mutate")
}

/// As [`mutate`], for a validator.
pub(super) fn validate<K: Resource<DynamicType: Default>>() -> String {
    of::<K>("validate")
}

fn of<K: Resource<DynamicType: Default>>(verb: &str) -> String {
    let types = K::DynamicType::default();
    let group = K::group(&types).replace('.', "-");
    let (version, kind) = (K::version(&types), K::kind(&types).to_lowercase());
    format!("/{verb}-{group}-{version}-{kind}")
}

/// Whether a path consists of slash-separated `[a-zA-Z0-9-_]+`, as controller-runtime requires.
pub(super) fn is_valid(path: &str) -> bool {
    let is_valid = |segment: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !segment.is_empty() && segment.bytes().all(is_allowed)
    };
    let rest = path.strip_prefix('/');
    rest.is_some_and(|rest| rest.is_empty() || rest.split('/').all(is_valid))
}
