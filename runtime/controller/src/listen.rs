//! Listening sockets of servers.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

use socket2::{Domain, Socket, Type};

/// Maximum number of connections that wait to be accepted, as in tokio.
const BACKLOG: i32 = 1024;

/// Returns the address of all interfaces, of both families.
#[cfg(any(feature = "flags", feature = "webhook"))]
pub(crate) fn everywhere(port: u16) -> SocketAddr {
    (Ipv6Addr::UNSPECIFIED, port).into()
}

/// Binds a non-blocking listener. `[::]` is every address of both families, as for Go's
/// `net.Listen`, and every IPv4 address on a host without IPv6.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    match bind(address) {
        Err(error) if address.ip() == Ipv6Addr::UNSPECIFIED && is_without_ipv6(&error) => {
            bind((Ipv4Addr::UNSPECIFIED, address.port()).into())
        }
        bound => bound,
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    if address.ip() == Ipv6Addr::UNSPECIFIED {
        socket.set_only_v6(false)?;
    }
    // As the standard library does, so that a program can bind its port again after a restart.
    #[cfg(not(windows))]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Whether the address family is missing (`EAFNOSUPPORT`, which has no kind), or its addresses are.
fn is_without_ipv6(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::AddrInUse | ErrorKind::PermissionDenied
    )
}

#[cfg(all(test, feature = "flags"))]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn unspecified_address_is_that_of_both_families() {
        let listener = listen(everywhere(0)).expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let v4 = TcpStream::connect((Ipv4Addr::LOCALHOST, address.port()));
        assert!(v4.is_ok(), "{v4:?}");
        if address.is_ipv6() {
            let v6 = TcpStream::connect((Ipv6Addr::LOCALHOST, address.port()));
            assert!(v6.is_ok(), "{v6:?}");
        }
        let taken = listen(address).map_err(|error| error.kind());
        assert!(matches!(taken, Err(ErrorKind::AddrInUse)), "{taken:?}");
    }
}
