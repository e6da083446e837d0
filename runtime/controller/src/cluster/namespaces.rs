//! [`Namespaces`]: the namespaces that a cache covers.

/// The namespaces that a cache covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Namespaces {
    /// All, if `None`.
    pub(crate) only: Option<Vec<String>>,
    pub(crate) except: Vec<String>,
}

impl Namespaces {
    /// These and no others: in a list and watch each, which is where rights are needed.
    pub(super) fn listed(&self) -> Option<Vec<String>> {
        let mut only = self.only.clone()?;
        // An empty name is every namespace to the API server.
        if only.iter().any(String::is_empty) {
            return None;
        }
        only.retain(|namespace| !self.except.contains(namespace));
        only.sort();
        only.dedup();
        Some(only)
    }

    /// The field selector that leaves namespaces out of a list of all: controller-runtime's
    /// `cache.AllNamespaces` beside other namespaces.
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
