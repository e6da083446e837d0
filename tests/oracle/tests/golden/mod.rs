//! Values of every kind that a golden case serves, made from the kind's own schema: what the schema admits the kind's type
//! reads and writes again without a loss, and the API server stores that unchanged.

mod api_server;
mod exceptions;
mod kinds;
mod losses;
mod values;

use tests::suite::Suite;

pub fn tests(suite: &mut Suite) {
    values::tests(suite);
    api_server::tests(suite);
}
