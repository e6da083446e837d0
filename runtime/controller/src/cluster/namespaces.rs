//! [`Namespaces`]: the namespaces that a cache covers.

/// The namespaces that a cache covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Namespaces {
    /// `None`: all namespaces.
    pub(crate) only: Option<Vec<String>>,
    pub(crate) except: Vec<String>,
}

impl Namespaces {
    /// Returns the namespaces to list and watch one by one, so that permissions are needed only
    /// there. `None` is all namespaces.
    pub(super) fn listed(&self) -> Option<Vec<String>> {
        let mut only = self.only.clone()?;
        // To the API server, an empty name is every namespace.
        if only.iter().any(String::is_empty) {
            return None;
        }
        only.retain(|namespace| !self.except.contains(namespace));
        only.sort();
        only.dedup();
        Some(only)
    }

    /// Returns the field selector that excludes namespaces from a list of all, as
    /// controller-runtime does for `cache.AllNamespaces` beside other namespaces.
    pub(super) fn field_selector(&self) -> Option<String> {
        if self.listed().is_some() || self.except.is_empty() {
            return None;
        }
        let mut except = self.except.clone();
        except.sort();
        except.dedup();
        let terms = { except.iter() }.map(|namespace| format!("metadata.namespace!={namespace}"));
        Some(terms.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_listed_or_left_out() {
        let names = |names: &str| names.split_whitespace().map(str::to_owned).collect();
        for (only, except, listed, selector) in [
            (None, "", None, None),
            (Some("b a b"), "", Some("a b"), None),
            (Some("a b"), "b", Some("a"), None),
            (Some(""), "b", Some(""), None),
            (
                None,
                "b a",
                None,
                Some("metadata.namespace!=a,metadata.namespace!=b"),
            ),
        ] {
            let namespaces = Namespaces {
                only: only.map(names),
                except: names(except),
            };
            assert_eq!(namespaces.listed(), listed.map(names), "{namespaces:?}");
            assert_eq!(
                namespaces.field_selector().as_deref(),
                selector,
                "{namespaces:?}"
            );
        }
    }
}
