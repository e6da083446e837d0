//! Watch of a status type, which is not a kind.

use genclient_controller::Watch;

struct LighthouseStatus;

fn main() {
    let _ = Watch::<LighthouseStatus>::new();
}
