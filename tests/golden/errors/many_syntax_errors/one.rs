pub struct;
