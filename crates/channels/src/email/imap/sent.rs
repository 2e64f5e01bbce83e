//! The folder in which a provider keeps copies of what was sent.

use super::{
    ImapConfig, Settings,
    session::{Fault, Session},
};
use crate::email::net::ConfigFault;

/// Looks for messages in a folder of sent copies.
pub(in crate::email) struct SentFolder(Settings);

impl SentFolder {
    pub(in crate::email) fn new(config: ImapConfig) -> Result<Self, ConfigFault> {
        Settings::new(config).map(Self)
    }

    /// Whether the folder holds the message with this Message-ID (with its angle brackets).
    ///
    /// A copy is proof; its absence is none, because providers file copies late, and some only
    /// those of messages sent from their own pages. So not being able to look is the same.
    pub(in crate::email) async fn holds(&self, message_id: &str) -> bool {
        match self.look(message_id).await {
            Ok(found) => found,
            Err(fault) => {
                tracing::warn!(
                    host = %self.0.endpoint.host,
                    error = %fault,
                    "the folder of sent copies could not be searched"
                );
                false
            }
        }
    }

    async fn look(&self, message_id: &str) -> Result<bool, Fault> {
        let mut session = Session::open(&self.0).await?;
        let found = session.has_message(message_id).await;
        session.close().await;
        found
    }
}
