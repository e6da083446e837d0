//! `Controller::new` with a type that does not implement `Reconciler`.

use genclient_controller::Controller;

struct Greeter;

fn main() {
    let _ = Controller::new(Greeter);
}
