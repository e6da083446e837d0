//! Counterparts of Go markers that the table of attributes does not contain, from `markers.tsv`.

/// Counterpart of a Go marker.
#[derive(Clone, Copy)]
pub enum Counterpart {
    /// An attribute or key.
    Key(&'static str),
    /// Sentence that names an alternative, or says that there is none.
    Instead(&'static str),
}

/// Returns the counterpart of a marker, which may be written without its `+`.
pub(super) fn find_counterpart(marker: &str) -> Option<Counterpart> {
    let marker = marker.trim_start_matches('+');
    let row = marker_rows().find(|(markers, _)| markers.contains(&marker));
    row.map(|(_, here)| here)
}

/// Returns the rows of `markers.tsv`: markers, and the counterpart that they share.
pub fn marker_rows() -> impl Iterator<Item = (Vec<&'static str>, Counterpart)> {
    let lines = include_str!("markers.tsv").lines();
    lines.filter_map(|line| {
        let (markers, here) = line.split_once('\t')?;
        let here = if here.ends_with('.') {
            Counterpart::Instead(here)
        } else {
            Counterpart::Key(here)
        };
        Some((markers.split(' ').collect(), here))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use genclient_syntax::table::find;

    use super::{Counterpart, marker_rows};

    #[test]
    fn every_marker_is_explained_once() {
        let mut seen = BTreeSet::new();
        for (markers, here) in marker_rows() {
            for marker in markers {
                assert!(seen.insert(marker), "{marker} is there twice");
                assert!(find(marker).next().is_none(), "{marker} is in the table");
            }
            if let Counterpart::Key(key) = here {
                assert!(find(key).next().is_some(), "no key {key}");
            }
        }
        assert!(!seen.is_empty());
    }
}
