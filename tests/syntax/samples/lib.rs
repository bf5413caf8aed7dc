//! Crate docs.
use std::fmt::{self, Display};

const LIMIT: usize = 10;
static NAME: &str = "x";

/// A point.
#[derive(Debug, Clone)]
#[serde(
    default,
)]
pub struct Point<T> {
    pub x: T,
    y: T,
}

pub enum Shape {
    Circle(f32),
    Square { side: f32 },
}

type Pair = (i32, i32);

pub trait Area: Display {
    const N: usize;
    fn area(&self) -> f32;
    fn twice(&self) -> f32 {
        self.area() * 2.0
    }
}

impl<T> Point<T>
where
    T: Copy,
{
    pub fn new(x: T, y: T) -> Self {
        Self { x, y }
    }
}

impl<T: Display> fmt::Display for Point<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn inner() {}
        write!(f, "{}", self.x)
    }
}

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

extern "C" {
    fn abs(x: i32) -> i32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {
        let f = |x| x + 1;
        assert_eq!(1, 1);
    }
}
