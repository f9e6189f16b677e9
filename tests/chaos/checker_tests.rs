//! That the checker can fail.
