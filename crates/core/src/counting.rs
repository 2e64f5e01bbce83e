//! Numbers of things, as sentences say them.

use std::fmt::Display;

/// So many things: with `one` behind the number 1, and with `several` behind any other.
pub fn counted(number: impl TryInto<u64>, one: impl Display, several: impl Display) -> String {
    // No machine counts further.
    match number.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {one}"),
        number => format!("{number} {several}"),
    }
}

/// How often: `once`, `3 times`.
pub fn times(number: u32) -> String {
    match number {
        1 => "once".to_owned(),
        number => format!("{number} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_no_several_things() {
        let holds = |number: u32| counted(number, "hold stands", "holds stand");
        assert_eq!(holds(0), "0 holds stand");
        assert_eq!(holds(1), "1 hold stands");
        assert_eq!(holds(2), "2 holds stand");
        assert_eq!((times(1), times(2)), ("once".into(), "2 times".into()));
    }
}
