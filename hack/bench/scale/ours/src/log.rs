//! Log of reconciles. A line is in the file when the call that writes it returns, so that a killed
//! replica loses none.
//!
//! ```text
//! begin NUMBER TIME NAMESPACE/NAME VERSION-OF-FOO VERSION-OF-CONFIGMAP
//! done NUMBER TIME
//! dropped NUMBER TIME     TIME is when the reconcile last ran
//! failed TIME NAMESPACE/NAME ERROR
//! ```

use std::fmt::Arguments;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use genclient::cache::ObjectName;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

/// A reconcile notes at these intervals that it runs.
const STEP: Duration = Duration::from_millis(10);

/// Returns the nanoseconds since 1970: the programs have no other clock in common.
pub fn now() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos()
}

pub struct ReconcileLog {
    file: Mutex<File>,
    count: AtomicU64,
}

impl ReconcileLog {
    /// Appends to a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self {
            file: Mutex::new(file),
            count: AtomicU64::new(0),
        })
    }

    /// Logs the begin of a reconcile that read these versions.
    pub fn begin(&self, name: &ObjectName, [object, map]: [&str; 2]) -> Logged<'_> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let begun = now();
        self.write(format_args!(
            "begin {number} {begun} {name} {object} {map}\n"
        ));
        Logged {
            log: self,
            number,
            last: begun,
            is_done: false,
        }
    }

    pub fn fail(&self, name: &ObjectName, error: &impl std::fmt::Display) {
        self.write(format_args!("failed {} {name} {error}\n", now()));
    }

    fn write(&self, line: Arguments<'_>) {
        // One write, so that a line is whole if the process is killed.
        if let Err(error) = self.file.lock().write_all(line.to_string().as_bytes()) {
            eprintln!("cannot write the log of reconciles: {error}");
        }
    }
}

/// A reconcile whose end is logged when this is dropped.
pub struct Logged<'a> {
    log: &'a ReconcileLog,
    number: u64,
    last: u128,
    is_done: bool,
}

impl Logged<'_> {
    /// Waits, as if for responses of other services.
    pub async fn work(mut self, duration: Duration) {
        let end = Instant::now() + duration;
        loop {
            let now_or_next = (Instant::now() + STEP).min(end);
            sleep_until(now_or_next).await;
            self.last = now();
            if now_or_next == end {
                break;
            }
        }
        self.is_done = true;
    }
}

impl Drop for Logged<'_> {
    fn drop(&mut self) {
        let (number, last) = (self.number, self.last);
        let how = if self.is_done { "done" } else { "dropped" };
        self.log.write(format_args!("{how} {number} {last}\n"));
    }
}
