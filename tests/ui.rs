//! What the compiler tells a user whose attribute is wrong.
