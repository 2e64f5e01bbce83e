//! Dates as people live them: time zones, quiet hours, working days, and how they are written.

mod hours;
pub mod phrase;

pub use hours::{Closure, Hours, Opening, QuietHours, opening};
