pub struct Tokén°;
