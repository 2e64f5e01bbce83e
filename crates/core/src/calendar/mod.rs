//! Dates as people live them: time zones, quiet hours, working days, and how they are written.

mod country;
mod hours;
pub mod phrase;

pub(crate) use country::SATURDAY_AND_SUNDAY;
pub use country::{Country, CountryDays, CountryFault};
pub use hours::{Closure, Hours, Opening, QuietHours, opening};
