//! `load` and `resolve`, again and again until every type is known, and on every core.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::thread;

use crate::diagnostic::{Diagnostics, Sink};
use crate::load::{self, Cargo, Cut, Share};
use crate::model::{Artefact, Model};
use crate::project::Project;
use crate::resolve::{self, Part};
use crate::{nesting, parallel};

/// Runs the first half of the pipeline: what the package serves.
///
/// # Errors
///
/// Everything that is wrong with the package's API types.
pub fn understand(
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
) -> Result<(Model, Diagnostics), Diagnostics> {
    let cut = Cut {
        most: thread::available_parallelism().map_or(1, usize::from),
        least_bytes: 32 << 10,
    };
    let shares = Share::of(project, cut);
    let together = (shares.len() > 1).then(|| in_shares(&shares, project, artefacts));
    match together.flatten() {
        Some(understood) => Ok(understood),
        None => whole(project, artefacts),
    }
}

/// The model, made in one thread.
pub fn whole(
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
) -> Result<(Model, Diagnostics), Diagnostics> {
    nesting::with_stack(|| {
        let seen = look(project, artefacts, &Share::Whole, &Cargo::default())?;
        join(vec![seen.part], seen.findings, project)
    })
}

/// The same model, if nothing is wrong: what one share finds wrong may be right beside the others, and is better said by who sees all.
pub fn in_shares(
    shares: &[Share],
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
) -> Option<(Model, Diagnostics)> {
    let cargo = Cargo::default();
    let looks = parallel::map(shares, |share| {
        nesting::with_stack(|| look(project, artefacts, share, &cargo))
    });
    let mut parts = Vec::new();
    let mut files = BTreeSet::new();
    let mut findings = Sink::new();
    for look in looks {
        let look = look.ok()?;
        parts.push(look.part);
        files.extend(look.files);
        findings.extend(look.findings);
    }
    load::report_strays(&project.apis, &files, &mut findings);
    if !resolve::are_apart(&parts) {
        return None;
    }
    join(parts, findings, project).ok()
}

/// What was found out about a share.
struct Look {
    part: Part,
    /// The files of the API types that were read for it.
    files: BTreeSet<PathBuf>,
    findings: Sink,
}

fn look(
    project: &Project,
    artefacts: &BTreeSet<Artefact>,
    share: &Share,
    cargo: &Cargo,
) -> Result<Look, Diagnostics> {
    let mut sink = Sink::new();
    let sources = load::load(project, share, &mut sink);
    let mut sources = sink.finish(sources)?;
    loop {
        let mut findings = sink.clone();
        let part = resolve::part(&sources, project, artefacts, &mut findings);
        // Types lead to files that nobody thought of before.
        if !load::read_wanted(&mut sources, project, cargo) {
            return Ok(Look {
                part,
                files: sources.seen,
                findings,
            });
        }
    }
}

fn join(
    parts: Vec<Part>,
    mut findings: Sink,
    project: &Project,
) -> Result<(Model, Diagnostics), Diagnostics> {
    let model = resolve::join(parts, project, &mut findings);
    let model = findings.finish(model)?;
    Ok((model, findings.warnings()))
}
