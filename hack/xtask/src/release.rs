//! Releases: the new version, its place in the changelog, checks, packages, commit and tag.

use anyhow::{Context, ensure};
use xshell::{Shell, cmd};

use crate::checks;
use crate::ci::packages_to_publish;

/// Arguments of `release`.
#[derive(clap::Args)]
pub(crate) struct Release {
    /// The new version, such as 0.2.0
    version: String,
    /// Date in the changelog; default: today
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<String>,
    /// Do everything in a copy of the repository, and show the changes
    #[arg(long)]
    dry_run: bool,
}

/// Makes a release. Nothing is pushed or published.
pub(crate) fn make_release(sh: &Shell, release: &Release) -> anyhow::Result<()> {
    let Release {
        version, dry_run, ..
    } = release;
    let changed = cmd!(sh, "git status --porcelain").read()?;
    ensure!(
        changed.is_empty(),
        "the checkout has changes that are not committed:\n{changed}"
    );
    let tag = format!("v{version}");
    let released = cmd!(sh, "git tag --list {tag}").read()?;
    ensure!(released.is_empty(), "{version} has been released");
    let date = match &release.date {
        Some(date) => date.clone(),
        None => cmd!(sh, "date +%Y-%m-%d").read()?,
    };
    checks::check_public_api(sh, None)?;
    // Packages are made of a copy, so that a failure changes nothing here.
    let folder = sh.create_temp_dir()?;
    let copy = folder.path().join("genclient");
    cmd!(sh, "git clone --quiet --no-hardlinks . {copy}").run()?;
    {
        let _copy = sh.push_dir(&copy);
        write_version(sh, version, &date)?;
        cmd!(sh, "cargo update --quiet --workspace").run()?;
        let packages = packages_to_publish();
        cmd!(sh, "cargo package --allow-dirty --no-verify {packages...}").run()?;
        cmd!(sh, "git diff").run()?;
    }
    if *dry_run {
        eprintln!("nothing was changed here; to release: cargo xtask release {version}");
        return Ok(());
    }
    write_version(sh, version, &date)?;
    sh.copy_file(copy.join("Cargo.lock"), "Cargo.lock")?;
    let message = format!("Release {version}");
    cmd!(sh, "git commit --quiet --all --message {message}").run()?;
    cmd!(sh, "git tag --annotate {tag} --message {message}").run()?;
    eprintln!("next: git push --follow-tags, then cargo publish --workspace");
    Ok(())
}

/// Writes the version into the manifest, and its heading into the changelog.
fn write_version(sh: &Shell, version: &str, date: &str) -> anyhow::Result<()> {
    let manifest = with_version(&sh.read_file("Cargo.toml")?, version)?;
    let changelog = with_heading(&sh.read_file("CHANGELOG.md")?, version, date)?;
    sh.write_file("Cargo.toml", manifest)?;
    Ok(sh.write_file("CHANGELOG.md", changelog)?)
}

/// Returns the manifest of the workspace with this version for its packages, and for dependencies
/// on them.
fn with_version(manifest: &str, version: &str) -> anyhow::Result<String> {
    let (_, package) = manifest
        .split_once("[workspace.package]\nversion = \"")
        .context("Cargo.toml has no version")?;
    let (old, _) = package.split_once('"').context("the version has no end")?;
    let mut edited = manifest.to_owned();
    for operator in ["\nversion = \"", " version = \"="] {
        edited = edited.replace(
            &format!("{operator}{old}\""),
            &format!("{operator}{version}\""),
        );
    }
    Ok(edited)
}

/// Returns the changelog with the unreleased changes below the heading of a version.
fn with_heading(changelog: &str, version: &str, date: &str) -> anyhow::Result<String> {
    let (before, changes) = changelog
        .split_once("## Unreleased\n")
        .context("CHANGELOG.md has no `## Unreleased`")?;
    let end = changes.find("\n## ").unwrap_or(changes.len());
    ensure!(
        !changes[..end].trim().is_empty(),
        "CHANGELOG.md has no unreleased changes"
    );
    Ok(format!(
        "{before}## Unreleased\n\n## {version} ({date})\n{changes}"
    ))
}

#[cfg(test)]
mod tests {
    use super::{with_heading, with_version};

    const MANIFEST: &str = r#"[workspace.package]
version = "0.1.0"
edition = "2024"

[workspace.dependencies]
genclient = { path = "runtime", version = "=0.1.0" }
other = { version = "0.1.0" }
"#;

    #[test]
    fn versions_of_packages_and_of_dependencies_on_them_change() {
        let expected = r#"[workspace.package]
version = "0.2.0"
edition = "2024"

[workspace.dependencies]
genclient = { path = "runtime", version = "=0.2.0" }
other = { version = "0.1.0" }
"#;
        assert_eq!(with_version(MANIFEST, "0.2.0").unwrap(), expected);
    }

    #[test]
    fn unreleased_changes_get_a_heading() {
        let changelog = "# Changes\n\n## Unreleased\n\n- New.\n\n## 0.1.0\n\n- First.\n";
        let expected = "# Changes\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- New.\n\n\
                        ## 0.1.0\n\n- First.\n";
        let heading = |changelog| with_heading(changelog, "0.2.0", "2026-12-01");
        assert_eq!(heading(changelog).unwrap(), expected);
        let without = "# Changes\n\n## Unreleased\n\n## 0.1.0\n\n- First.\n";
        let error = heading(without).unwrap_err();
        assert_eq!(error.to_string(), "CHANGELOG.md has no unreleased changes");
    }
}
