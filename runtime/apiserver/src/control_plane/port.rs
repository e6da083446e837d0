//! Loopback ports that stay ours while their server is away for a moment.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// Below the ports that Linux (32768 and up) and macOS (49152 and up) give to outgoing connections:
/// while the API server restarts, a client that dials it could otherwise be given the very port
/// that it dials, and connect to itself.
const PORTS: Range<u16> = 20_000..32_000;

/// A port that nothing listens on now. Another process may still take it before the caller does.
pub(super) fn free() -> io::Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let size = u32::from(PORTS.end - PORTS.start);
    // Test binaries that run at the same time start at different places.
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
