//! API keys: made once, shown once, stored as hashes, asked for with every request.

use crate::{digest::sha256_hex, fault::Fault, state::App};
use axum::extract::FromRequestParts;
use http::{header, request::Parts};
use jiff::Timestamp;
use liaison_core::id::{Entropy, Ids, TenantId};
use liaison_ports::store::{KeyRow, Scope};
use std::sync::Arc;

/// What every API key begins with, so that scanners for leaked secrets can find one.
pub const KEY_PREFIX: &str = "lia_";

/// Makes a key of 128 random bits: the secret text, to be shown once, and the row to be stored.
pub fn mint_key(
    entropy: Entropy,
    tenant: TenantId,
    name: impl Into<String>,
    scope: Scope,
    at: Timestamp,
) -> (String, KeyRow) {
    let mut ids = Ids::new(at, entropy);
    // The id and the secret are separate draws from a one-way function: the id gives nothing away.
    let secret = format!("{KEY_PREFIX}{}", ids.draw_token());
    let row = KeyRow {
        id: ids.draw(),
        tenant,
        name: name.into(),
        scope,
        hash: hash_key(&secret),
        created_at: at,
        revoked_at: None,
    };
    (secret, row)
}

/// The form in which a key is stored and looked up: its SHA-256 in hexadecimal. The lookup compares
/// hashes, so its timing says nothing about the key.
pub fn hash_key(key: &str) -> String {
    sha256_hex(key)
}

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) tenant: TenantId,
    pub(crate) key_name: String,
    scope: Scope,
}

/// A key that may register needs and read them.
pub(crate) struct CallerKey(pub(crate) Caller);

/// A key that may do everything.
pub(crate) struct OperatorKey(pub(crate) Caller);

/// A key that may hand in mail.
pub(crate) struct InboundKey(pub(crate) Caller);

impl FromRequestParts<Arc<App>> for CallerKey {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Fault> {
        let caller = authenticate(parts, app).await?;
        match caller.scope {
            Scope::Caller | Scope::Operator => Ok(Self(caller)),
            Scope::Inbound => Err(Fault::forbidden("caller or operator")),
        }
    }
}

impl FromRequestParts<Arc<App>> for OperatorKey {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Fault> {
        let caller = authenticate(parts, app).await?;
        match caller.scope {
            Scope::Operator => Ok(Self(caller)),
            Scope::Caller | Scope::Inbound => Err(Fault::forbidden("operator")),
        }
    }
}

impl FromRequestParts<Arc<App>> for InboundKey {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Fault> {
        let caller = authenticate(parts, app).await?;
        match caller.scope {
            Scope::Inbound | Scope::Operator => Ok(Self(caller)),
            Scope::Caller => Err(Fault::forbidden("inbound or operator")),
        }
    }
}

async fn authenticate(parts: &Parts, app: &App) -> Result<Caller, Fault> {
    let header = parts
        .headers
        .get(header::AUTHORIZATION)
        .ok_or_else(|| Fault::unauthorized(false))?;
    let key = header
        .to_str()
        .ok()
        .and_then(bearer)
        .filter(|key| well_formed(key))
        .ok_or_else(|| Fault::unauthorized(true))?;
    match app.outside.store.key_by_hash(&hash_key(key)).await? {
        Some(row) if row.revoked_at.is_none() => Ok(Caller {
            tenant: row.tenant,
            key_name: row.name,
            scope: row.scope,
        }),
        _ => Err(Fault::unauthorized(true)),
    }
}

/// The token of a `Bearer` header; the scheme's case does not matter (RFC 9110, section 11.1).
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whether it could be a key at all, so that the store is not asked about anything else.
fn well_formed(key: &str) -> bool {
    key.strip_prefix(KEY_PREFIX).is_some_and(|secret| {
        (26..=64).contains(&secret.len()) && secret.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mint(entropy: u8) -> (String, KeyRow) {
        mint_key(
            Entropy([entropy; 16]),
            TenantId::new("acme"),
            "workflow",
            Scope::Caller,
            Timestamp::UNIX_EPOCH,
        )
    }

    #[test]
    fn a_minted_key_is_well_formed_and_only_its_hash_is_in_the_row() {
        let (secret, row) = mint(1);
        assert!(well_formed(&secret), "{secret}");
        assert_eq!(row.hash, hash_key(&secret));
        assert!(!format!("{row:?}").contains(&secret));
        assert!(!format!("{row:?}").contains(&secret[KEY_PREFIX.len()..]));
        assert_ne!(secret, mint(2).0);
    }

    #[test]
    fn only_a_bearer_header_holds_a_key() {
        assert_eq!(bearer("Bearer lia_x"), Some("lia_x"));
        assert_eq!(bearer("bearer  lia_x "), Some("lia_x"));
        assert_eq!(bearer("Basic lia_x"), None);
        assert_eq!(bearer("lia_x"), None);
    }
}
