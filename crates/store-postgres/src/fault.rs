//! From Postgres's errors to the store's, and what an error says about what to do next.

pub(crate) use liaison_ports::codec::corrupt;
use liaison_ports::store::StoreError;

/// What an error of the driver means for the operation that met it. Codes are from
/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
pub(crate) fn fault(operation: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |error| {
        let code = code(&error);
        match code.as_deref() {
            // Disk full.
            Some("53100") => StoreError::Full { operation },
            // A constraint that stands in the way, and a damaged file.
            Some(code) if code.starts_with("23") || code.starts_with("XX0") => {
                corrupt(operation, error.to_string())
            }
            _ => StoreError::Unavailable {
                operation,
                source: Box::new(error),
            },
        }
    }
}

/// What to do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Nothing: it would be the same again.
    None,
    /// The transaction lost against another one, and was undone: it can be tried again.
    Again,
    /// The connection is lost, or leads to a server that cannot write: another one may do better.
    AnotherConnection,
}

/// What to do about `error`.
pub(crate) fn remedy(error: &StoreError) -> Remedy {
    let StoreError::Unavailable { source, .. } = error else {
        return Remedy::None;
    };
    match source.downcast_ref::<sqlx::Error>() {
        Some(sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_)) => {
            Remedy::AnotherConnection
        }
        Some(error) => match code(error).as_deref() {
            // Serialization failure, deadlock.
            Some("40001" | "40P01") => Remedy::Again,
            // Read-only: a standby, or a primary that has become one.
            Some("25006") => Remedy::AnotherConnection,
            // A statement prepared before the schema changed.
            Some("0A000" | "26000") => Remedy::AnotherConnection,
            // Ended from outside: for idling in a transaction, by an administrator, by a crash; and
            // what else becomes of connections.
            Some(code) if code == "25P03" || code.starts_with("57P0") || code.starts_with("08") => {
                Remedy::AnotherConnection
            }
            _ => Remedy::None,
        },
        None => Remedy::None,
    }
}

fn code(error: &sqlx::Error) -> Option<String> {
    Some(error.as_database_error()?.code()?.into_owned())
}
