//! Lookup of roots that kube's derive generates; they have no item and are found by their specs.

use super::kind::Kind;
use super::paths::Paths;
use crate::lookup::{Reach, Target, Wanted};
use crate::sources::{ModuleId, Sources, bare_name};

/// Returns the kind whose root the path names.
pub(super) fn find<'k, 'a>(
    path: &Wanted,
    kinds: &'k [Kind<'a>],
    sources: &Sources,
    paths: &Paths<'_>,
) -> Option<&'k Kind<'a>> {
    let (name, above) = path.segments.split_last()?;
    let names = sources.names(path.module);
    let mut places = vec![(above.to_vec(), name.clone())];
    if above.is_empty() {
        places.extend(names.imports(name).filter_map(|import| {
            let (name, above) = import.path.split_last()?;
            Some((above.to_vec(), name.clone()))
        }));
        places.extend(names.globs().map(|glob| (glob.path.clone(), name.clone())));
    }
    places.into_iter().find_map(|(segments, name)| {
        let module = match segments.is_empty() {
            true => path.module,
            false => self::module(
                Wanted {
                    segments,
                    ..path.clone()
                },
                paths,
            )?,
        };
        let is_root = |kind: &&Kind<'_>| {
            let ident = bare_name(&kind.attrs.ident);
            kind.kube.is_some() && kind.module == module && ident == name
        };
        kinds.iter().find(is_root)
    })
}

fn module(path: Wanted, paths: &Paths<'_>) -> Option<ModuleId> {
    match paths.look_up(&path, Reach::Everywhere)? {
        Target::Module(module) => Some(module),
        Target::Unread(_) => {
            paths.want(path);
            None
        }
        _ => None,
    }
}
