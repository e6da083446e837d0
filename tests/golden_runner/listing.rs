//! Check of `compiled/lib.rs`: the crate lists every golden case.

use std::fs;
use std::path::Path;

use libtest_mimic::Failed;

use crate::case::Case;

pub const FILE: &str = "compiled/lib.rs";

/// Line above the generated list.
const MARK: &str = "// The cases, as the golden tests list them.\n";

/// Checks that the list below the mark has every case.
pub fn check(cases: &[Case]) -> Result<(), Failed> {
    let text = fs::read_to_string(FILE)?;
    let Some((head, _)) = text.split_once(MARK) else {
        return Err(format!("{FILE} has no line {MARK:?}").into());
    };
    let modules: Vec<_> = cases.iter().map(module).collect();
    let wanted = format!(
        "{head}{MARK}\n{}\n{}\n{}",
        modules.join("\n"),
        definitions(cases),
        kinds(cases)?
    );
    if crate::updates() && text != wanted {
        fs::write(FILE, &wanted)?;
        return Ok(());
    }
    let difference = crate::tree::diff(Path::new(FILE), &text, &wanted);
    if difference.is_empty() {
        Ok(())
    } else {
        Err(format!("{difference}cargo xtask bless writes the list").into())
    }
}

fn module(case: &Case) -> String {
    let (name, identifier) = (&case.name, case.module());
    let inputs = case.other_modules().into_iter().chain(["apis".to_owned()]);
    let mut modules: Vec<_> = inputs
        .map(|module| (module, "#[allow(missing_docs, reason = \"an input\")]"))
        .collect();
    if case.has_client() {
        modules.push(("client".to_owned(), "#[path = \"expected/client/mod.rs\"]"));
    }
    // In the order of rustfmt.
    modules.sort();
    let mut text =
        format!("/// `golden/{name}`\n#[path = \"../golden/{name}\"]\npub mod {identifier} {{\n");
    for (module, attribute) in modules {
        text.push_str(&format!("    {attribute}\n    pub mod {module};\n"));
    }
    text.push_str("}\n");
    text
}

/// Returns the table of functions that return the CRDs of each case.
fn definitions(cases: &[Case]) -> String {
    let mut text = String::from(
        "/// The definitions of each case, as its `crds` module has them.\n\
         pub const DEFINITIONS: &[(&str, Definitions)] = &[\n",
    );
    for case in cases.iter().filter(|case| case.has_client()) {
        let first = format!("\"{}\"", case.name);
        let second = format!("{}::client::crds::all", case.module());
        // In the layout of rustfmt for tuples.
        text.push_str(&if first.len() + second.len() + 2 <= 60 {
            format!("    ({first}, {second}),\n")
        } else {
            format!("    (\n        {first},\n        {second},\n    ),\n")
        });
    }
    text.push_str("];\n");
    text
}

/// Returns the table of the kinds in the cases' CRDs.
fn kinds(cases: &[Case]) -> Result<String, Failed> {
    let mut text = String::from(
        "/// The kinds of each case, and how their types read an object and write it again.\n\
         #[allow(deprecated, reason = \"some types are\")]\n\
         pub const KINDS: &[(&str, &str, &str, Rewrite)] = &[\n",
    );
    for case in cases {
        for kind in case.kinds()? {
            for condition in &kind.cfg {
                text.push_str(&format!("    #[cfg({condition})]\n"));
            }
            let texts = [&case.name, &kind.api_version, &kind.name];
            text.push_str("    (\n");
            for part in texts {
                text.push_str(&format!("        \"{part}\",\n"));
            }
            text.push_str(&format!("        rewrite::<{}>,\n    ),\n", kind.path));
        }
    }
    text.push_str("];\n");
    Ok(text)
}
