//! [`User`]: name, groups, uid and extra attributes of the user who sends a request.

use std::collections::BTreeMap;

/// Group whose members may do everything, whatever their roles.
pub(crate) const MASTERS: &str = "system:masters";
pub(crate) const AUTHENTICATED: &str = "system:authenticated";
pub(crate) const UNAUTHENTICATED: &str = "system:unauthenticated";
pub(crate) const ANONYMOUS: &str = "system:anonymous";

const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// User who sends requests to the API server, for
/// [`ApiServer::client_as`](crate::ApiServer::client_as) and
/// [`ApiServerBuilder::token`](crate::ApiServerBuilder::token).
///
/// The user of a service account is `system:serviceaccount:NAMESPACE:NAME`, in the groups
/// `system:serviceaccounts` and `system:serviceaccounts:NAMESPACE`. For each request, the server
/// adds the group `system:authenticated` to every user except `system:anonymous` and members of
/// `system:unauthenticated`.
///
/// If the extensions of an [`http::Request`] contain a `User`, the server takes that user as the
/// sender of the request.
///
/// ```
/// use genclient_apiserver::User;
///
/// let manager = User::service_account("default", "manager");
/// assert_eq!(manager, User::new("system:serviceaccount:default:manager"));
/// let admin = User::new("alice").group("system:masters");
/// assert_eq!(admin.groups(), ["system:masters"]);
/// let node = manager.with_uid("7").extra("authentication.kubernetes.io/node-name", "node");
/// assert_eq!(node.uid(), "7");
/// assert_eq!(node.extras()["authentication.kubernetes.io/node-name"], ["node"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) groups: Vec<String>,
    pub(crate) extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// Creates a user with the groups that the name implies.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let groups = match service_account(&name) {
            Some((namespace, _)) => groups_of(namespace),
            None if name == ANONYMOUS => vec![UNAUTHENTICATED.to_owned()],
            None => Vec::new(),
        };
        Self {
            name,
            groups,
            ..Self::default()
        }
    }

    /// Creates a user without groups, whatever the name.
    pub(crate) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Creates the user of a service account.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self::new(format!("{SERVICE_ACCOUNT}{namespace}:{name}"))
    }

    /// Adds a group.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.groups.push(group.into());
        self
    }

    /// Sets the uid. Default: empty.
    #[must_use]
    pub fn with_uid(mut self, uid: impl Into<String>) -> Self {
        self.uid = uid.into();
        self
    }

    /// Adds an extra attribute, such as `authentication.kubernetes.io/node-name`.
    #[must_use]
    pub fn extra(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.extra.entry(key.into()).or_default().push(value.into());
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the groups. The group `system:authenticated`, which the server adds, is present only
    /// in the user of an `AdmissionRequest`.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// Returns the uid.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// Returns the extra attributes.
    pub fn extras(&self) -> &BTreeMap<String, Vec<String>> {
        &self.extra
    }

    /// Adds the group `system:authenticated`, except to anonymous and unauthenticated users
    /// (`AuthenticatedGroupAdder`).
    pub(crate) fn authenticated(mut self) -> Self {
        let is_known = self.is_in(AUTHENTICATED) || self.is_in(UNAUTHENTICATED);
        if self.name != ANONYMOUS && !is_known {
            self.groups.push(AUTHENTICATED.to_owned());
        }
        self
    }

    pub(crate) fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|one| one == group)
    }
}

impl From<&str> for User {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for User {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// Returns namespace and name of a service account from the name of its user.
pub(crate) fn service_account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix(SERVICE_ACCOUNT)?.split_once(':')?;
    let is_valid = genclient_apimachinery::validation::label(namespace).is_empty()
        && genclient_apimachinery::validation::subdomain(name).is_empty();
    is_valid.then_some((namespace, name))
}

/// Returns whether a user name belongs to the given service account.
pub(crate) fn is_service_account(user: &str, namespace: &str, name: &str) -> bool {
    let rest = user.strip_prefix(SERVICE_ACCOUNT);
    let rest = rest.and_then(|rest| rest.strip_prefix(namespace));
    rest.and_then(|rest| rest.strip_prefix(':')) == Some(name)
}

/// Returns the groups of every service account in a namespace.
pub(crate) fn groups_of(namespace: &str) -> Vec<String> {
    vec![
        "system:serviceaccounts".to_owned(),
        format!("system:serviceaccounts:{namespace}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implicit_groups_depend_on_the_user_name() {
        let groups = |name: &str| User::new(name).authenticated().groups;
        let account = [
            "system:serviceaccounts",
            "system:serviceaccounts:a",
            AUTHENTICATED,
        ];
        assert_eq!(groups("system:serviceaccount:a:b"), account);
        assert_eq!(groups("system:serviceaccount:a:b:c"), [AUTHENTICATED]);
        assert_eq!(groups("alice"), [AUTHENTICATED]);
        assert_eq!(groups(ANONYMOUS), [UNAUTHENTICATED]);
    }
}
