//! Inner.

use std::fmt;

/// Documented
/// over two lines.
#[derive(Debug)]
pub struct Grüße {
    /// The name.
    name: String,
}

impl Grüße {
    pub fn say(
        &self,
        times: usize,
    ) -> fmt::Result {
        println!("{}", self.name);
        Ok(())
    }
}

static WORDS: &[&str] = &[
    "one",
    "two",
];