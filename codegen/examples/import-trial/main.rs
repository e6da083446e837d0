//! Round trip of `genclient import`: imports each CRD of a folder into its own package, generates a
//! CRD from the types, and compares both.
//!
//! `import-trial GENCLIENT FOLDER [KEEP]` prints a Markdown table. If the folder `KEEP` is given,
//! the packages stay there.

mod definitions;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use definitions::{compare, definitions};
use serde_json::{Map, Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [genclient, folder, keep @ ..] = &arguments[..] else {
        return Err("usage: import-trial GENCLIENT FOLDER [KEEP]".into());
    };
    let genclient = fs::canonicalize(genclient)?;
    let temporary = tempfile::tempdir()?;
    let work = keep
        .first()
        .map_or(temporary.path().to_owned(), PathBuf::from);
    let mut files = Vec::new();
    collect_yaml_files(Path::new(folder), &mut files)?;
    println!("| CRD | versions | fields | result |\n|---|---|---|---|");
    let (mut sums, mut versions, mut fields) = (BTreeMap::<String, usize>::new(), 0, 0);
    let shows_progress = stderr().is_terminal();
    for (at, file) in files.iter().enumerate() {
        if shows_progress {
            let name = file.file_name().unwrap_or_default().display();
            eprint!("\r\x1b[K{} of {}: {name}", at + 1, files.len());
        }
        let row = run_round_trip(&genclient, file, &work.join(format!("crd-{at}")))
            .unwrap_or_else(|error| Row::failed(file, &error.to_string()));
        println!(
            "| {} | {} | {} | {} |",
            row.name,
            row.versions,
            row.fields,
            row.result()
        );
        *sums.entry(row.sum()).or_default() += 1;
        versions += row.versions;
        fields += row.fields.parse::<usize>().unwrap_or_default();
    }
    if shows_progress {
        eprint!("\r\x1b[K");
    }
    println!(
        "\n{} files, {versions} versions, {fields} fields",
        files.len()
    );
    for (sum, count) in &sums {
        println!("- {count}: {sum}");
    }
    let failed = sums.keys().any(|sum| sum.starts_with("not"));
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The result for one file.
struct Row {
    name: String,
    versions: usize,
    fields: String,
    error: Option<String>,
    /// Differences by reason, each with a count and an example path.
    differences: BTreeMap<&'static str, (usize, String)>,
}

impl Row {
    fn failed(file: &Path, error: &str) -> Self {
        Self {
            name: file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            versions: 0,
            fields: String::new(),
            error: Some(error.replace('\n', " ").chars().take(700).collect()),
            differences: BTreeMap::new(),
        }
    }

    fn result(&self) -> String {
        if let Some(error) = &self.error {
            return format!("failed: {error}");
        }
        if self.differences.is_empty() {
            return "equal".to_owned();
        }
        let differences: Vec<_> = self
            .differences
            .iter()
            .map(|(reason, (count, path))| format!("{count}x {reason} ({path})"))
            .collect();
        differences.join("; ")
    }

    fn sum(&self) -> String {
        if self.error.is_some() {
            return "not imported".to_owned();
        }
        if self.differences.is_empty() {
            return "equal".to_owned();
        }
        let reasons: Vec<_> = self.differences.keys().copied().collect();
        let all = reasons.join(", ");
        if reasons.contains(&UNKNOWN) {
            format!("not equal: {all}")
        } else {
            format!("equal but for {all}")
        }
    }
}

fn run_round_trip(genclient: &Path, file: &Path, package: &Path) -> Result<Row> {
    let text = fs::read_to_string(file)?;
    let before = definitions(&text)?;
    fs::create_dir_all(package.join("pkg"))?;
    fs::write(package.join("Cargo.toml"), MANIFEST)?;
    fs::write(package.join("pkg/lib.rs"), "//! Imported types.\n")?;
    let file = fs::canonicalize(file)?;
    let run = |arguments: &[&str]| -> Result<Output> {
        Ok(Command::new(genclient)
            .args(arguments)
            .current_dir(package)
            .output()?)
    };
    let imported = run(&["import", "-v", &file.to_string_lossy()])?;
    let said = String::from_utf8_lossy(&imported.stderr).into_owned();
    if !imported.status.success() {
        return Err(format!("import: {said}").into());
    }
    let notes = parse_notes(&said);
    let counted = |line| str::strip_suffix(line, " fields").or(str::strip_suffix(line, " field"));
    let fields = { said.lines() }
        .find_map(counted)
        .and_then(|text| text.rsplit(' ').next());
    let updated = run(&["update", "--only", "crd"])?;
    if !updated.status.success() {
        return Err(format!("update: {}", String::from_utf8_lossy(&updated.stderr)).into());
    }
    let after = read_written_crds(package)?;
    let mut differences: BTreeMap<&'static str, (usize, String)> = BTreeMap::new();
    let names: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let mut versions = 0;
    for name in names {
        let absent = json!(null);
        let (one, other) = (
            before.get(name).unwrap_or(&absent),
            after.get(name).unwrap_or(&absent),
        );
        versions += one["spec"]["versions"].as_object().map_or(0, Map::len);
        let mut found = Vec::new();
        compare("", one, other, &mut found);
        for (path, one, other) in found {
            let entry = differences
                .entry(explain_difference(&path, &one, &other, &notes))
                .or_default();
            entry.0 += 1;
            if entry.1.is_empty() {
                let short = |value: &Value| value.to_string().chars().take(80).collect::<String>();
                entry.1 = format!("`{path}`: `{}` -> `{}`", short(&one), short(&other))
                    .replace('|', "\\|");
            }
        }
    }
    Ok(Row {
        name: before.keys().cloned().collect::<Vec<_>>().join(", "),
        versions,
        fields: fields.unwrap_or_default().to_owned(),
        error: None,
        differences,
    })
}

/// The CRDs that `update` wrote.
fn read_written_crds(package: &Path) -> Result<BTreeMap<String, Value>> {
    let mut after = BTreeMap::new();
    for file in fs::read_dir(package.join("config/crd"))? {
        after.extend(definitions(&fs::read_to_string(file?.path())?)?);
    }
    Ok(after)
}

const MANIFEST: &str = "\
[package]
name = \"imported\"
version = \"0.1.0\"
edition = \"2024\"

[lib]
path = \"pkg/lib.rs\"

[workspace]

[package.metadata.genclient]
apis = \"pkg/apis\"
server-side-apply = true
";

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

const UNKNOWN: &str = "no known reason";

/// The reason for a difference.
fn explain_difference(
    path: &str,
    one: &Value,
    _: &Value,
    notes: &[(String, String)],
) -> &'static str {
    let last = path.rsplit('.').next().unwrap_or_default();
    let beside = path.rsplit_once('.').map_or("", |(parent, _)| parent);
    let here: Vec<_> = notes
        .iter()
        .filter(|(place, _)| beside.starts_with(place.as_str()))
        .map(|(_, text)| text.as_str())
        .collect();
    let about = |word: &str| here.iter().find(|text| text.contains(word)).copied();
    let said = about(last).or(here.first().copied()).unwrap_or_default();
    match last {
        "caBundle" => "certificates, which are inserted when a CRD is installed",
        "listKind" => "a name of the lists that is not the kind's",
        "description" if said.starts_with("descriptions inside") => {
            "descriptions inside Kubernetes' own types"
        }
        "description" if said.starts_with("lines of descriptions") => {
            "lines of descriptions that doc comments leave out"
        }
        _ if about("has no effect")
            .or(about("does not know it"))
            .is_some() =>
        {
            "keywords without effect"
        }
        "allOf" if said.starts_with("`allOf`: a schema occurs twice") => {
            "a schema that `allOf` lists twice"
        }
        "enum" | "allOf" if said.contains("`nullable`") => {
            "`allOf` for an `enum` that is `nullable`"
        }
        "required" if said.starts_with("`required`") => "`required: status`",
        "required" if path.ends_with("openAPIV3Schema.required") => "`required: status`",
        "additionalProperties" if one.is_boolean() => "booleans for `additionalProperties`",
        PRESERVE if said.starts_with("`x-kubernetes-preserve") => {
            "`x-kubernetes-preserve-unknown-fields` of a list"
        }
        _ if path.contains("openAPIV3Schema.properties.metadata") => {
            "constraints of an object's own metadata"
        }
        _ => UNKNOWN,
    }
}

/// The places listed in the warnings of `import`, as CRD paths, each with the warning's text.
fn parse_notes(said: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in said.lines() {
        let Some((_, line)) = line.split_once("warning: ") else {
            continue;
        };
        let Some((text, places)) = line.rsplit_once(" at ") else {
            continue;
        };
        let text = text.split_once(": ").map_or(text, |(_, text)| text);
        for place in places.split(", ") {
            let (version, path) = place.split_once('.').unwrap_or((place, ""));
            let path = path.replace("[]", ".[]");
            let steps: String = path
                .split('.')
                .filter(|step| !step.is_empty())
                .map(|step| match step {
                    "[]" => ".items".to_owned(),
                    "*" => ".additionalProperties".to_owned(),
                    name => format!(".properties.{name}"),
                })
                .collect();
            let place = format!(".spec.versions.{version}.schema.openAPIV3Schema{steps}");
            found.push((place, text.to_owned()));
        }
    }
    found.sort_by_key(|(place, _)| std::cmp::Reverse(place.len()));
    found
}

/// The YAML files below a folder, sorted.
fn collect_yaml_files(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<_> = fs::read_dir(path)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    entries.sort();
    for entry in entries {
        let is_yaml = entry
            .extension()
            .is_some_and(|end| end == "yaml" || end == "yml");
        if entry.is_dir() || is_yaml {
            collect_yaml_files(&entry, files)?;
        }
    }
    Ok(())
}
