//! Check that every generated Rust file is part of the client's module tree.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use genclient_codegen::FileSet;
use libtest_mimic::Failed;
use syn::Item;

/// Follows the `mod` lines from `client/mod.rs`, and reports Rust files that they do not reach.
pub fn check(client: &Path, files: &FileSet) -> Result<(), Failed> {
    let sources: BTreeSet<_> = files
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|(path, _)| path.to_owned())
        .collect();
    let mut reached = BTreeSet::new();
    follow(&client.join("mod.rs"), files, &mut reached)?;
    let lost: Vec<_> = sources.difference(&reached).collect();
    if lost.is_empty() {
        Ok(())
    } else {
        Err(format!("no module reaches {lost:?}").into())
    }
}

fn follow(file: &Path, files: &FileSet, reached: &mut BTreeSet<PathBuf>) -> Result<(), Failed> {
    let Some((_, text)) = files.iter().find(|(path, _)| *path == file) else {
        return Ok(());
    };
    reached.insert(file.to_owned());
    let folder = match file.file_name() {
        Some(name) if name == "mod.rs" => file.with_file_name(""),
        _ => file.with_extension(""),
    };
    follow_items(&folder, syn::parse_file(text)?.items, files, reached)
}

fn follow_items(
    folder: &Path,
    items: Vec<Item>,
    files: &FileSet,
    reached: &mut BTreeSet<PathBuf>,
) -> Result<(), Failed> {
    for item in items {
        if let Item::Mod(module) = item {
            let name = module.ident.to_string();
            match module.content {
                Some((_, items)) => follow_items(&folder.join(name), items, files, reached)?,
                None => {
                    follow(&folder.join(format!("{name}.rs")), files, reached)?;
                    follow(&folder.join(name).join("mod.rs"), files, reached)?;
                }
            }
        }
    }
    Ok(())
}
