//! SIGINT at any time during a command: afterwards all of its files exist, or none.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::written::Written;

const INIT: &str = "init --domain example.com --project-name guestbook --genclient-path ";
const CREATE: &str = "create api --group webapp --version v1 --kind Guestbook";

/// How often the command is interrupted, each time a little later.
const TIMES: u32 = 30;

#[test]
fn interrupted_commands_change_every_file_or_none() {
    let (folder, project) = new();
    let before = project.files();
    let start = Instant::now();
    assert!(project.type_in(CREATE).status.success());
    let duration = start.elapsed();
    let after = project.files();
    drop(folder);
    let mut interrupted = 0;
    for step in 0..TIMES {
        let (_folder, project) = new();
        let delay = duration * step / TIMES;
        let is_done = interrupt(&project, delay);
        let found = project.files();
        // The signal may arrive between the last file and the exit of the process.
        let expected = if is_done || found.len() == after.len() {
            &after
        } else {
            &before
        };
        assert_eq!(&found, expected, "after {delay:?}");
        interrupted += u32::from(!is_done);
    }
    assert_ne!(interrupted, 0);
}

/// A new project.
fn new() -> (tempfile::TempDir, Written) {
    let folder = tempfile::tempdir().unwrap();
    let project = Written {
        folder: folder.path().to_owned(),
    };
    let checkout = std::path::Path::new("../..").canonicalize().unwrap();
    let init = project.type_in(&format!("{INIT}{}", checkout.display()));
    assert!(init.status.success());
    (folder, project)
}

/// Runs the command and interrupts it after a delay. Returns true if it succeeded nevertheless.
fn interrupt(project: &Written, delay: Duration) -> bool {
    let mut command = project.command(CREATE);
    let mut running = command.spawn().unwrap();
    thread::sleep(delay);
    let kill = Command::new("kill")
        .args(["-INT", &running.id().to_string()])
        .status();
    // The command may have exited before.
    let _ = kill.unwrap();
    running.wait().unwrap().success()
}
