/* a comment */
pub struct Comment;
