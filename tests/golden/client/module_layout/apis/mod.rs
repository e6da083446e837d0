//! Modules as rustc finds them: `mod.rs`, a file next to its folder, `#[path]`, inline modules,
//! re-exports of private modules, and a folder in mixed case, which client-gen lower-cases.

#[allow(non_snake_case, reason = "the name of a folder")]
pub mod MixedCase;
pub mod beside;
#[path = "elsewhere/types.rs"]
pub mod moved;

pub mod inline {
    #[path = "v1.rs"]
    pub mod v1;

    #[path = "../elsewhere"]
    pub mod folder {
        pub mod v1;
    }
}

mod private;
pub use private::v1::Hidden as Shown;
pub use private::*;
