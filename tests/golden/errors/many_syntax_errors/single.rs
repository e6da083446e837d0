pub struct Single {
    #[crd(default = '5m')]
    pub name: String,
}
