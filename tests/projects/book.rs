//! Rust files of the book, compiled as tests of the guestbook. They are not run, since some need
//! the edits of their pages; `BOOK_CARGO=1` runs them (`cli/projects.rs`).

use std::fs;
use std::path::Path;

/// Writes the Rust files in the pages of the book into a project.
pub fn add_tests(project: &Path) {
    let mut count = 0;
    for entry in fs::read_dir("../../docs/book").unwrap() {
        let page = fs::read_to_string(entry.unwrap().path()).unwrap();
        for block in page.split("\n```rust\n").skip(1) {
            let (code, _) = block.split_once("\n```").unwrap();
            let (path, code) = code.split_once('\n').unwrap();
            let path = path.strip_prefix("// tests/").unwrap();
            let ignored = "#[tokio::test]\n#[ignore = \"compiled only\"]";
            let code = code.replace("#[tokio::test]", ignored);
            fs::write(project.join("tests").join(path), code + "\n").unwrap();
            count += 1;
        }
    }
    assert_ne!(count, 0);
}
