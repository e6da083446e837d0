//! Tests with values of each golden kind, generated from its schema: its type reads and writes them
//! without loss, and the API server stores them unchanged.

mod api_server;
mod exceptions;
mod kinds;
mod losses;
mod values;

use e2e::suite::Suite;

pub fn tests(suite: &mut Suite) {
    values::tests(suite);
    api_server::tests(suite);
}
