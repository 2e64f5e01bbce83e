//! What the engine and the API are given for the world outside.

use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    form::{ReadRequest, Reading},
    id::{NeedId, TenantId},
};
use liaison_ports::{
    inbound::{InboundMessage, MailDecoder, Undecodable},
    language::{Answered, FormFiller, ModelFault},
};
use liaison_server::Changes;
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

/// A reader that cannot be reached as often as it is told.
pub(super) struct Moody {
    pub(super) reader: Arc<dyn FormFiller>,
    pub(super) failures: AtomicU32,
}

#[async_trait]
impl FormFiller for Moody {
    async fn fill(&self, request: &ReadRequest) -> Result<Answered<Reading>, ModelFault> {
        let fails = self
            .failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        match fails {
            Ok(_) => Err(ModelFault::Unavailable(
                "the model does not answer".to_owned(),
            )),
            Err(_) => self.reader.fill(request).await,
        }
    }
}

/// The player looks by itself; nobody has to be told.
pub(super) struct Untold;

#[async_trait]
impl Changes for Untold {
    async fn changed(&self, _need: &NeedId, _until: Timestamp) {}

    fn inputs_arrived(&self) {}
}

/// Mail in a scenario is text, and reaches the engine decoded.
pub(super) struct NoRawMail;

impl MailDecoder for NoRawMail {
    fn decode(
        &self,
        _tenant: &TenantId,
        _raw: &[u8],
        _received_at: Timestamp,
    ) -> Result<InboundMessage, Undecodable> {
        Err(Undecodable("a scenario has no raw mail".to_owned()))
    }
}
