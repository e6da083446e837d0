//! Program that writes a set of API types: `apiset genclient|go|kube-derive KINDS FOLDER`.

use std::error::Error;
use std::path::Path;

use apiset::Spelling;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spelling, kinds, folder] = &arguments[..] else {
        return Err("usage: apiset genclient|go|kube-derive KINDS FOLDER".into());
    };
    let spelling = match spelling.as_str() {
        "genclient" => Spelling::Genclient,
        "go" => Spelling::Go,
        "kube-derive" => Spelling::KubeDerive,
        other => return Err(format!("no spelling {other}").into()),
    };
    let files = spelling.files(&apiset::groups(kinds.parse()?));
    apiset::write(&files, Path::new(folder))?;
    Ok(())
}
