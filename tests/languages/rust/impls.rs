//! Members belong to the type of their `impl`, whatever stands around its name.

use std::fmt;

/// A trait declares methods, constants and types, with or without defaults.
pub trait Encode<T>: fmt::Debug + Send
where
    T: Copy,
{
    /// An associated type.
    type Output: Default;
    const SIZE: usize;
    const NAME: &'static str = "encode";

    /// Required.
    fn encode(&self, value: T) -> Self::Output;

    /// Provided.
    #[must_use]
    fn encode_twice(&self, value: T) -> (Self::Output, Self::Output) {
        (self.encode(value), self.encode(value))
    }
}

pub struct Buffer<T> {
    data: Vec<T>,
}

impl<T> Buffer<T> {
    pub const EMPTY: usize = 0;

    /// A constructor is a method like any other.
    pub fn new() -> Self {
        Self { data: Vec::new() }
    }

    fn grow(&mut self) {
        fn next(size: usize) -> usize { size * 2 }
        self.data.reserve(next(self.data.len()));
    }
}

#[cfg(feature = "encode")]
impl<T: Copy + fmt::Debug + Send> Encode<T> for Buffer<T> {
    type Output = Vec<u8>;
    const SIZE: usize = 8;

    fn encode(&self, value: T) -> Vec<u8> {
        let bytes = Vec::<u8>::with_capacity(Self::SIZE);
        bytes.iter().map(|b| b + 1).collect::<Vec<_>>()
    }
}

unsafe impl<T> Send for Buffer<T> {}

impl<'a, T> IntoIterator for &'a Buffer<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter { self.data.iter() }
}

impl fmt::Display for crate::shapes::Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.name()) }
}

impl dyn Encode<u8> + Send {
    fn erased(&self) {}
}

impl From<Buffer<u8>> for Box<dyn Fn(u8) -> u8> {
    fn from(buffer: Buffer<u8>) -> Self { Box::new(move |x| buffer.data[0] + x) }
}

impl<T: ?Sized> Named for T {
    fn name(&self) -> String { String::from("?") }
}

impl Named for [u8] {
    fn name(&self) -> String { String::new() }
}

impl Named for (u8, u16) {
    fn name(&self) -> String { String::new() }
}

impl Named for u8 {
    fn name(&self) -> String {
        match Event::from(*self) {
            Event::Mouse { x, .. } => format!("{x}"),
            Event::Key(code, _) => (code as Code).to_string(),
            Event::Quit => <u8 as Named>::name(&0),
        }
    }
}
