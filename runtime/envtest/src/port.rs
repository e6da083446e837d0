//! Choice of a loopback port on which a server can listen again after a restart.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// Range of ports for the servers. It lies below the ephemeral ports of Linux (from 32768) and
/// macOS (from 49152). An ephemeral port could become the local port of a client that dials the API
/// server during its restart. The client would then connect to itself.
const PORTS: Range<u16> = 20_000..32_000;

/// Returns a port on which no process listens. Another process may take it before the caller does.
pub(crate) fn find_free_port() -> io::Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let size = u32::from(PORTS.end - PORTS.start);
    // Concurrent test binaries start their search at different ports.
    let start = process::id().wrapping_mul(97);
    for _ in 0..size {
        let offset = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % size;
        let Ok(offset) = u16::try_from(offset) else {
            continue;
        };
        let port = PORTS.start + offset;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AddrNotAvailable,
        format!("every port in {PORTS:?} is taken"),
    ))
}
