pub struct Escape {
    #[crd(pattern = r"^\d+$")]
    pub name: String,
}
