//! Reading of text files of limited size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a file in bytes, 256 MiB, as for `genclient`.
const MAX_FILE_SIZE: u64 = 256 << 20;

/// Reads a file. It may be a pipe, such as `/dev/fd/63`.
///
/// # Errors
///
/// The file cannot be read, is not UTF-8, or is larger than 256 MiB: `/dev/zero` has no end.
pub fn read_text_file(path: &Path) -> io::Result<String> {
    read_at_most(path, MAX_FILE_SIZE)
}

fn read_at_most(path: &Path, limit: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let mebibytes = limit >> 20;
        return Err(io::Error::other(format!(
            "it is larger than {mebibytes} MiB"
        )));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn files_without_end_are_refused() {
        let read = |path| read_at_most(Path::new(path), 1 << 20).map_err(|error| error.to_string());
        assert_eq!(read("/dev/zero").unwrap_err(), "it is larger than 1 MiB");
        assert_eq!(read("/dev/null").unwrap(), "");
    }
}
