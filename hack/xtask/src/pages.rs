//! Pictures of the documentation, and the book as HTML.

use xshell::{Shell, cmd};

use crate::tools;

/// Arguments of `pages`. Without any, everything is made.
#[derive(clap::Args)]
pub(crate) struct Pages {
    /// Only the book, in target/book
    #[arg(long)]
    book: bool,
    /// Only the pictures: docs/flow.svg and docs/plots
    #[arg(long, conflicts_with = "book")]
    pictures: bool,
}

/// Makes the selected pages.
pub(crate) fn make_pages(sh: &Shell, pages: &Pages) -> anyhow::Result<()> {
    if !pages.book {
        render_flow(sh)?;
        draw_plots(sh)?;
    }
    if !pages.pictures {
        build_book(sh)?;
    }
    Ok(())
}

/// Renders `docs/flow.d2`.
fn render_flow(sh: &Shell) -> anyhow::Result<()> {
    let d2 = tools::install_d2(sh)?;
    let padding = "[top=40,left=20,bottom=20,right=20]";
    let (source, picture) = ("docs/flow.d2", "docs/flow.svg");
    cmd!(
        sh,
        "{d2} --elk-nodeNodeBetweenLayers 20 --elk-padding {padding} {source} {picture}"
    )
    .run()?;
    // Else only its owner can read it.
    Ok(cmd!(sh, "chmod 644 {picture}").run()?)
}

/// Plots tables of docs/speed.md.
fn draw_plots(sh: &Shell) -> anyhow::Result<()> {
    let python = tools::install_matplotlib(sh)?;
    Ok(cmd!(sh, "{python} hack/bench/plots.py")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()?)
}

/// Builds the book with mdBook.
fn build_book(sh: &Shell) -> anyhow::Result<()> {
    tools::MDBOOK.run(sh, &["build", "docs"])
}
