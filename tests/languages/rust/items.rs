//! What is a symbol in Rust, and where it begins and ends. An inner doc comment belongs to the file.
#![allow(dead_code)]

extern crate alloc;
extern crate core as base;

#[cfg(unix)]
#[allow(unused)]
use std::os::unix;
use std::{
    collections::{self, hash_map::{Entry, HashMap as Map}},
    fmt::{Debug, Display as Show},
    io::*,
};
pub use self::shapes::Shape;
use ::core::cmp;
use alloc as heap;

mod elsewhere;

/// A module with a body encloses what is in it.
pub(crate) mod shapes {
    //! Inner.

    pub trait Shape {}

    pub mod deep {
        pub fn area() {}
    }
}

/// Doc comments and attributes belong to the region,
#[derive(Debug, Clone)]
/// in any order.
pub struct Point<'a, T: Debug = u8, const N: usize = 2>
where
    T: Clone,
{
    /// A field.
    #[cfg(feature = "x")]
    pub x: &'a [T; N],
    r#type: Map<String, T>, // behind it
}

// An ordinary comment is not documentation,
struct Pair(pub u8, String);

//// and nor is this, nor the next one.
/***/
struct Unit;

/** A block doc comment. */
#[repr(C)]
union Bits {
    int: u32,
    float: f32,
}

#[doc = "An attribute may hold the documentation."]
pub enum Event {
    /// No data.
    Quit,
    #[deprecated] // gone soon
    Key(u8, char),
    Mouse { x: u16, y: u16 },
    Größe = 4,
}

/// Not attached: a blank line stands between.

type Result<T> = std::result::Result<T, Error>;

pub const LIMIT: usize = 1 << 10;

static mut COUNTER: u32 = 0;

const _: () = assert!(LIMIT > 0);

/// A macro.
#[macro_export]
macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

macro_rules! nothing [ () => () ];

thread_local! {
    static HIDDEN: u8 = 1; // only tokens
}

extern "C" {
    /// Declared elsewhere.
    fn strlen(text: *const i8) -> usize;
    static ERRNO: i32;
}

pub unsafe extern "C" fn callback(code: i32) {}

async fn fetch() -> u8 { 1 }

#[inline]
pub const fn outer<F>(f: F) -> impl Fn(u8) -> u8
where
    F: Fn(u8) -> u8,
{
    /// Items may be local; variables and constants are no symbols.
    fn helper(x: u8) -> u8 {
        x
    }
    struct Local {
        field: u8,
    }
    impl Local {
        fn method(&self) -> u8 { self.field }
    }
    const STEP: u8 = 1;
    let closure = |x| helper(x) + STEP;
    move |x| f(closure(x))
}

fn r#match() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore] // slow
    fn squares() {
        assert_eq!(square!(3), helper(9));
    }
}
