//! What a signature leaves out: bodies, comments, and initialisers of several lines.

use std::sync::LazyLock;

pub static TABLE: &[(&str, u8)] = &[
    ("one", 1), // the first
    ("two", 2),
];

static LAZY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    vec![1, 2]
});

static SHORT: LazyLock<Vec<u8>> = LazyLock::new(|| vec![1]);

const COMPUTED: usize = {
    const fn inner() -> usize { 3 }
    inner() * 2
};

const TEXT: &str = "über
zwei Zeilen";

#[derive(Debug)]
pub enum Value {
    /// A variant over several lines.
    Object {
        // not documentation
        name: String,

        #[cfg(test)]
        depth: usize,
    },
    Array(
        Vec<Value>,
    ),
    Null = {
        1
    },
}

pub trait Visitor {
    fn visit(
        &mut self,
        value: &Value, // the left one
        depth: usize,
    ) -> Result<(), Box<dyn std::error::Error>>;

    fn leave(&mut self) { /* nothing */ }
}

impl<V> Visitor for Vec<V>
where
    V: Visitor,
{
    #![allow(unused)]

    fn visit(&mut self, value: &Value, depth: usize) -> Result<(), Box<dyn std::error::Error>>
    where
        V: Clone, // so that it can be
    {
        for each in self {
            each.visit(value, depth)?;
        }
        Ok(())
    }

    generated! { methods }
}

pub fn generic<
    'a,
    T: Into<String>,
    const N: usize,
>(
    values: [T; { N }],
    visit: impl FnMut(&'a str) -> bool + 'a,
) -> impl Iterator<Item = String>
{
    values.into_iter().map(Into::into)
}

macro_rules! generated {
    ($($name:ident),*) => {
        $(fn $name() {})*
    };
}

generated!(one, two);

fn one_line() { println!("{{"); } fn another() { println!("}}"); }

unsafe extern "C" {
    pub safe fn länge(text: *const u8) -> usize;
    safe fn plain();
}
