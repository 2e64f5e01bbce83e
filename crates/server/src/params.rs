//! What stands in a request's path, query and headers.

use crate::fault::Fault;
use axum::{
    RequestPartsExt,
    extract::{FromRequestParts, Path, Query},
};
use http::{HeaderMap, request::Parts};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use std::time::Duration;

/// The id in a path. Whatever cannot be an id of ours is not looked up.
pub(crate) struct PathId(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Fault> {
        let Path(id) = parts
            .extract::<Path<String>>()
            .await
            .map_err(|_| Fault::not_found("such thing"))?;
        // Ids have 36 characters; the bound only keeps nonsense from the store.
        if id.len() > 64 || !id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return Err(Fault::not_found("such thing"));
        }
        Ok(Self(id))
    }
}

/// The parameters of a query.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Fault> {
        let Query(params) = Query::try_from_uri(&parts.uri).map_err(|rejection| {
            let text = rejection.body_text();
            let reason = text
                .rsplit_once("query string: ")
                .map_or("", |(_, reason)| reason);
            // The parser's own words for a number that is none are about digits and integers.
            let reason = reason
                .replace("invalid digit found in string", NO_NUMBER)
                .replace("cannot parse integer from empty string", NO_NUMBER)
                .replace("number too large to fit in target type", "it is too large");
            Fault::bad_request(format!("The query is wrong: {reason}"))
        })?;
        Ok(Self(params))
    }
}

const NO_NUMBER: &str = "write a whole number";

/// A page's size: 50 unless said otherwise, 1 to 200, so that no answer grows without bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageSize(pub(crate) u32);

impl Default for PageSize {
    fn default() -> Self {
        Self(50)
    }
}

impl<'de> Deserialize<'de> for PageSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let size = u32::deserialize(deserializer)?;
        if (1..=200).contains(&size) {
            Ok(Self(size))
        } else {
            Err(serde::de::Error::custom("a limit is between 1 and 200"))
        }
    }
}

/// The id of a thing that was listed, from which a page goes on: a UUID, as all our ids are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UuidText(pub(crate) String);

impl<'de> Deserialize<'de> for UuidText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let fits = text.len() == 36
            && text.bytes().enumerate().all(|(place, byte)| match place {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            });
        if fits {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(serde::de::Error::custom(
                "this is no id; use that of the last one of the page before",
            ))
        }
    }
}

/// A place in a list, from which a page goes on: that of the last one of the page before, or 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) i64);

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let place = i64::deserialize(deserializer)?;
        if place >= 0 {
            Ok(Self(place))
        } else {
            Err(serde::de::Error::custom(
                "a place is 0 or more; use the `seq` of the last one of the page before",
            ))
        }
    }
}

/// How long to wait for an outcome: a whole number and `s` or `m`, cut to the longest wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WaitFor(pub(crate) Duration);

impl<'de> Deserialize<'de> for WaitFor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let unit = match text.chars().last() {
            Some('s') => 1,
            Some('m') => 60,
            _ => 0,
        };
        let count = text
            .strip_suffix(['s', 'm'])
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|digits| digits.parse::<u64>().ok())
            .ok_or_else(|| {
                serde::de::Error::custom("wait is a whole number and s or m, like 60s or 2m")
            })?;
        let seconds = count
            .saturating_mul(unit)
            .min(liaison_api::LONGEST_WAIT_SECONDS);
        Ok(Self(Duration::from_secs(seconds)))
    }
}

/// The `Idempotency-Key`, if there is one: 1 to 200 visible ASCII characters.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Fault> {
    let Some(value) = headers.get(liaison_api::IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    match value.to_str() {
        Ok(key) if (1..=200).contains(&key.trim().len()) => Ok(Some(key.trim().to_owned())),
        _ => Err(Fault::bad_request(
            "An Idempotency-Key has 1 to 200 visible ASCII characters.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_number_that_is_none_is_asked_for_in_plain_words() {
        #[derive(Debug, Deserialize)]
        struct Page {
            limit: Option<PageSize>,
        }

        for (query, expected) in [
            ("limit=ten", "write a whole number"),
            ("limit=", "write a whole number"),
            ("limit=99999999999", "it is too large"),
            ("limit=0", "a limit is between 1 and 200"),
        ] {
            let request = http::Request::builder().uri(format!("/v1/needs?{query}"));
            let (mut parts, ()) = request.body(()).expect("a request").into_parts();
            let fault = Params::<Page>::from_request_parts(&mut parts, &()).await;
            let fault = fault.map(|page| page.0.limit).expect_err("it is refused");
            assert!(format!("{fault:?}").contains(expected), "{fault:?}");
        }
    }

    #[test]
    fn a_wait_has_a_unit_and_a_bound() {
        let read = |text: &str| {
            serde_json::from_value::<WaitFor>(text.into())
                .ok()
                .map(|wait| wait.0.as_secs())
        };
        assert_eq!(read("0s"), Some(0));
        assert_eq!(read("60s"), Some(60));
        assert_eq!(read("1m"), Some(60));
        assert_eq!(read("3m"), Some(120));
        assert_eq!(read("99999999999999999999s"), None);
        for wrong in ["60", "s", "-1s", "+1s", "1h", "1.5s", "", "é"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
