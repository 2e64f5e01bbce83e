//! Identifiers, and the deterministic source of new ones.
//!
//! An id is the text of a UUIDv7 (RFC 9562, section 5.7). New ids are drawn from an operation's
//! [`Entropy`], which is journalled: a replayed operation makes the same ids again.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the id as it is written; an id is opaque text to everyone who holds one.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

text_ids! {
    /// An organisation on this daemon.
    TenantId;
    /// The one conversation with one stakeholder.
    ConversationId;
    /// A need that a workflow registered.
    NeedId;
    /// A message, received or sent. For one of ours it is also the id of its outbox row.
    MessageId;
    /// A hold.
    HoldId;
    /// A standing instruction to the writers of one conversation.
    GuidanceId;
    /// A stored attachment.
    BlobId;
    /// Something the next message owes the stakeholder.
    ReplyItemId;
}

/// Sixteen bytes of randomness that an operation was given from outside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Entropy(pub [u8; 16]);

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Serialize for Entropy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Entropy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = [0; 16];
        if text.len() != 32 || !text.is_ascii() {
            return Err(serde::de::Error::custom("entropy is 32 hexadecimal digits"));
        }
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16)
                .map_err(serde::de::Error::custom)?;
        }
        Ok(Self(bytes))
    }
}

/// Draws ids from an instant and an [`Entropy`]; the n-th id is always the same for the same two.
#[derive(Debug)]
pub struct Ids {
    at: Timestamp,
    entropy: Entropy,
    drawn: u32,
}

impl Ids {
    /// A source whose ids carry `at` (milliseconds, as UUIDv7 does).
    pub fn new(at: Timestamp, entropy: Entropy) -> Self {
        Self {
            at,
            entropy,
            drawn: 0,
        }
    }

    /// The instant of the operation that draws.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// The next id, as text.
    pub fn draw(&mut self) -> String {
        let random = self.random(b"id");
        let millis = self.at.as_millisecond().max(0).to_be_bytes();
        let mut bytes = [0_u8; 16];
        bytes[..6].copy_from_slice(&millis[2..]);
        bytes[6..].copy_from_slice(&random[..10]);
        bytes[6] = (bytes[6] & 0x0f) | 0x70;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        let text = hex(&bytes);
        format!(
            "{}-{}-{}-{}-{}",
            &text[..8],
            &text[8..12],
            &text[12..16],
            &text[16..20],
            &text[20..]
        )
    }

    /// The next unguessable token: 26 characters of Crockford's base 32 in lower case, 128 bits,
    /// safe in the local part of a mail address whatever a server does to its case.
    pub fn draw_token(&mut self) -> String {
        const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        let random = self.random(b"token");
        let mut bits = u128::from_be_bytes(random[..16].try_into().expect("a digest has 32 bytes"));
        let mut token = [0_u8; 26];
        for place in token.iter_mut().rev() {
            *place = ALPHABET[(bits & 31) as usize];
            bits >>= 5;
        }
        token.iter().map(|byte| char::from(*byte)).collect()
    }

    fn random(&mut self, purpose: &[u8]) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.entropy.0);
        hash.update(self.drawn.to_be_bytes());
        hash.update(purpose);
        self.drawn += 1;
        hash.finalize().into()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_entropy_draws_the_same_ids_and_never_one_twice() {
        let draw = || {
            let mut ids = Ids::new(Timestamp::UNIX_EPOCH, Entropy([7; 16]));
            [ids.draw(), ids.draw(), ids.draw_token()]
        };
        let [first, second, token] = draw();
        assert_eq!([first.clone(), second.clone(), token.clone()], draw());
        assert_ne!(first, second);
        assert_eq!(token.len(), 26);
        assert_eq!(&first[14..15], "7", "the version digit of a UUIDv7");
    }

    #[test]
    fn entropy_survives_its_journal_form() {
        let entropy = Entropy([0xab; 16]);
        let text = serde_json::to_string(&entropy).expect("serialises");
        assert_eq!(
            serde_json::from_str::<Entropy>(&text).expect("reads"),
            entropy
        );
        assert!(serde_json::from_str::<Entropy>("\"é\"").is_err());
    }
}
