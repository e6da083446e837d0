//! A type that is no reconciler.

use genclient_controller::Controller;

struct Greeter;

fn main() {
    let _ = Controller::new(Greeter);
}
