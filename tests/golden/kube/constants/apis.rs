//! Constants and const functions in attributes of kube, schemars and validator.

pub mod v1 {
    use std::sync::LazyLock;

    use kube::{CustomResource, KubeSchema};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::super::limits::{self, WORD};

    const LEAST: usize = 1;
    const OFFSET: i32 = -3;
    const NAME: &str = concat!("^", "[a-z", 0, "-9]+$");
    const TITLE: &str = "A grid";
    const NO_GAPS: &str = "self.all(x, x != '')";
    static CODE: LazyLock<String> = LazyLock::new(|| String::from("^[A-Z]{3}$"));

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, KubeSchema)]
    #[kube(
        group = "constants.example.com",
        version = "v1",
        kind = "Grid",
        namespaced
    )]
    #[schemars(title = TITLE)]
    pub struct GridSpec {
        #[schemars(length(min = LEAST, max = limits::MOST - 1), pattern(NAME))]
        pub name: String,
        /// The bounds limit the estimated cost of the rule.
        #[schemars(length(max = GridSpec::ROWS), inner(length(max = limits::MOST as usize)))]
        #[x_kube(validation = Rule::new(NO_GAPS).message("there is a gap"))]
        pub rows: Vec<String>,
        #[schemars(range(min = OFFSET, max = u8::MAX))]
        pub offset: i32,
        #[schemars(regex(pattern = *CODE))]
        pub code: String,
        #[validate(regex(path = WORD.as_str()))]
        pub word: String,
        #[schemars(extend("maxLength" = limits::MOST, "enum" = [TITLE, "none"]))]
        pub shape: String,
        pub cell: Cell,
        pub corners: [u8; Cell::CORNERS],
    }

    impl GridSpec {
        const ROWS: usize = 8;
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Cell {
        Full {
            #[cfg_attr(all(), schemars(range(max = most())))]
            weight: u32,
        },
        #[schemars(description = TITLE)]
        Grid {},
    }

    impl Cell {
        const CORNERS: usize = sides();
    }

    const fn sides() -> usize {
        4
    }

    const fn most() -> u32 {
        limits::MOST * 2
    }
}
