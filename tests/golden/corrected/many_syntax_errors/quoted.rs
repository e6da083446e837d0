pub struct Quoted {
    #[crd(pattern = "^\"\\d+\"$")]
    pub name: String,
}
