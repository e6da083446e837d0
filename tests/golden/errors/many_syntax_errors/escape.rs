pub struct Escape {
    #[crd(pattern = "^\d+$")]
    pub name: String,
}
