//! Tests of the program `genclient` and of the projects that it writes, in one binary.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod cli;
mod projects;

use std::ffi::OsString;
use std::path::Path;

/// The search path with the toolchain's programs first. rustup's proxies would look up the
/// toolchain on each call, which takes longer than formatting a file.
fn toolchain() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let cargo = Path::new(env!("CARGO"));
    let folders = [cargo.parent().unwrap().to_owned()].into_iter();
    std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap()
}
