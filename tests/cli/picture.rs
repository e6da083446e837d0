//! `docs/mistake.svg`, a picture of a mistake and its fix in a terminal.

use std::path::Path;

use super::package::Package;

#[test]
fn picture_of_a_mistake_is_up_to_date() {
    let package = Package::new();
    package.write("pkg/apis/mod.rs", include_str!("picture/shop.rs"));
    let update = ["update", "--color", "always"];
    let refused = package.run(&update).expect(2);
    package.edit("pkg/apis/mod.rs", "min_replicas <=", "minReplicas <=");
    let written = package.run(&update).expect(0);
    let session = format!(
        "$ genclient update\n{}$ sed -i 's/min_replicas <=/minReplicas <=/' pkg/apis/mod.rs\n\
         $ genclient update\n{}",
        refused.stderr, written.stderr
    );
    let expected = anstyle_svg::Term::new().render_svg(&session);
    let picture = Path::new("../../docs/mistake.svg");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(picture, &expected).unwrap();
    }
    let found = std::fs::read_to_string(picture).unwrap_or_default();
    assert!(
        found == expected,
        "docs/mistake.svg shows another output than:\n{session}\nrun cargo xtask bless"
    );
}
