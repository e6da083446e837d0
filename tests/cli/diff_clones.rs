//! Shallow clones: the commands in the error message of `genclient diff` make it succeed.

use std::process::Command;

use super::sources::{commit, git, repository};
use crate::cli::package::{Package, Run};

/// A repository whose branch `main` has commits that `feature` lacks.
fn upstream() -> Package {
    let upstream = repository();
    git(&upstream, &["checkout", "-q", "-b", "feature"]);
    upstream.edit("pkg/apis/mod.rs", "image", "picture");
    upstream.run(&["update"]).expect(0);
    commit(&upstream, "feature");
    git(&upstream, &["checkout", "-q", "main"]);
    upstream.edit("pkg/apis/mod.rs", "String", "i32");
    upstream.run(&["update"]).expect(0);
    commit(&upstream, "main");
    upstream
}

/// A clone with only the last commit of `feature`, as CI systems create it.
fn clone(upstream: &Package) -> Package {
    let clone = Package::empty();
    let url = format!("file://{}", upstream.path("").display());
    let branch = ["clone", "-q", "--depth=1", "--branch", "feature", &url, "."];
    git(&clone, &branch);
    clone
}

/// Runs the two commands at the end of the message.
#[track_caller]
fn follow(clone: &Package, run: &Run) -> Run {
    let lines: Vec<_> = run
        .stderr
        .lines()
        .map(|line| line.trim_matches([' ', '|']))
        .filter(|line| !line.is_empty())
        .collect();
    let (diff, above) = lines.split_last().unwrap();
    let fetch = above.last().unwrap();
    assert!(fetch.starts_with("git fetch "), "{}", run.stderr);
    let fetch = Command::new("sh")
        .args(["-c", fetch])
        .current_dir(clone.path(""))
        .output()
        .unwrap();
    assert!(fetch.status.success(), "{fetch:?}");
    let diff = diff.strip_prefix("genclient ").unwrap();
    clone.run(&diff.split(' ').collect::<Vec<_>>())
}

#[test]
fn the_commands_in_the_message_work_in_a_shallow_clone() {
    const RETYPED: &str = "field-removed v1 .spec.image: integer";
    const RENAMED: &str = "field-removed v1 .spec.image: string";
    let upstream = upstream();
    for (arguments, expected) in [
        (&["main"][..], RETYPED),
        (&["origin/main"], RETYPED),
        (&["main", "HEAD"], RETYPED),
        (&["HEAD", "main"], "field-removed v1 .spec.picture"),
        (&["v1"], RENAMED),
        (&["main~1"], RENAMED),
        (&["HEAD~1"], RENAMED),
        (&["main..."], RENAMED),
        (&["main...feature"], RENAMED),
        (&["main:config/crd", "config/crd"], RETYPED),
        (&["main", "-p", "tasks", "--strict"], RETYPED),
    ] {
        let clone = clone(&upstream);
        let run = clone.run(&[&["diff"], arguments].concat()).expect(2);
        assert!(
            run.stderr.contains(" is not in this shallow clone\n"),
            "{}",
            run.stderr
        );
        follow(&clone, &run).expect(1).says(&[expected]);
    }
}

#[test]
fn shallow_clone_error_names_the_fetch_command() {
    let clone = clone(&upstream());
    let error = "error: `main` is not in this shallow clone\n";
    clone.run(&["diff", "main"]).expect(2).says(&[error]);
    for (side, fetch, diff) in [
        (
            "main",
            "git fetch --depth=1 origin main",
            "genclient diff FETCH_HEAD",
        ),
        (
            "main...",
            "git fetch --unshallow origin main",
            "genclient diff FETCH_HEAD...",
        ),
        (
            "HEAD~1",
            "git fetch --unshallow origin",
            "genclient diff HEAD~1",
        ),
    ] {
        let help = format!(
            "help: fetch it and compare with it:\n{:9}{fetch}\n{:9}{diff}\n",
            "", ""
        );
        clone.run(&["diff", side]).expect(2).says(&[&help]);
    }
}

#[test]
fn a_clone_of_one_branch_with_history_is_not_shallow() {
    let upstream = upstream();
    let clone = Package::empty();
    let url = format!("file://{}", upstream.path("").display());
    git(
        &clone,
        &[
            "clone",
            "-q",
            "--single-branch",
            "--branch",
            "feature",
            &url,
            ".",
        ],
    );
    let run = clone.run(&["diff", "main"]).expect(2);
    assert!(!run.stderr.contains("shallow"), "{}", run.stderr);
    run.says(&["and not a revision of this repository", "git fetch"]);
}

#[test]
fn without_a_remote_no_fetch_is_suggested() {
    let clone = clone(&upstream());
    git(&clone, &["remote", "remove", "origin"]);
    clone
        .run(&["diff", "main"])
        .expect(2)
        .says(&["and not a revision of this repository"]);
}
