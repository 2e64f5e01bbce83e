//! From SQLite's errors to the store's.

pub(crate) use liaison_ports::codec::corrupt;
use liaison_ports::store::StoreError;
use std::error::Error;

/// Primary result codes, from <https://www.sqlite.org/rescode.html>.
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CONSTRAINT: i32 = 19;
const NOT_A_DATABASE: i32 = 26;

/// What an error of the driver means for the operation that met it.
pub(crate) fn fault(operation: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |error| meaning(operation, primary_code(&error), error)
}

/// What an error of the driver means for one of several operations that met it together.
pub(crate) fn shared_fault(
    operation: &'static str,
    error: &std::sync::Arc<sqlx::Error>,
) -> StoreError {
    meaning(operation, primary_code(error), std::sync::Arc::clone(error))
}

fn meaning(
    operation: &'static str,
    code: Option<i32>,
    error: impl Error + Send + Sync + 'static,
) -> StoreError {
    match code {
        Some(FULL) => StoreError::Full { operation },
        Some(CORRUPT | CONSTRAINT | NOT_A_DATABASE) => corrupt(operation, error.to_string()),
        _ => StoreError::Unavailable {
            operation,
            source: Box::new(error),
        },
    }
}

/// The result code without its extension, which is in the higher bytes.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let extended: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(extended & 0xff)
}
