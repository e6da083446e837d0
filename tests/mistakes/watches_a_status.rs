//! A watch of the status of a kind.

use genclient_controller::Watch;

struct LighthouseStatus;

fn main() {
    let _ = Watch::<LighthouseStatus>::new();
}
