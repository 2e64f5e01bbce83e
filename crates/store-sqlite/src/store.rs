//! The store: where each operation goes.

use crate::{
    commit,
    fault::fault,
    intake, keys, lists, lookup, open,
    open::{OpenError, Options},
    outbox,
    readers::Readers,
    register, work,
    writer::Writer,
};
use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    input::StoredInput,
    stakeholder::{Channel, EmailAddress, Stakeholder},
};
use liaison_ports::{
    encoded::EncodedInput,
    store::{
        Appended, ClaimRequest, Claimed, CommandAppended, Commit, Completion, ConversationFacts,
        ConversationFilter, ConversationRow, ConversationSummary, EventRow, JournalPage, KeyRow,
        MessageRow, NeedRow, NewCommand, NewInput, NewMessage, NewNeed, OutboxItem, OutboxRow,
        Registered, Store, StoreError, Unmatched,
    },
};
use std::path::Path;

/// A [`Store`] in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    writer: Writer,
    readers: Readers,
}

impl SqliteStore {
    /// Opens the file at `path`, makes it if there is none, and brings its schema up to date.
    pub async fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, OpenError> {
        let opened = open::open(path.as_ref(), &options).await?;
        Ok(Self {
            writer: Writer::start(opened.writing),
            readers: opened.reading,
        })
    }

    /// How many durable commits there have been since it was opened.
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// Finishes the writes that wait and closes the file. Every later operation is refused.
    ///
    /// A store that is dropped instead also finishes them, in the background; what was answered is
    /// durable either way.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// Ends every claim there is. For the start of a process that alone works on the file: what is
    /// claimed then was claimed by one that has ended. A message that it was handing over becomes
    /// one of unknown fate with the next claim.
    pub async fn end_foreign_claims(&self, now: Timestamp) -> Result<(), StoreError> {
        self.writer
            .run(work::END_CLAIMS, now, |connection, now| {
                Box::pin(work::end_claims(connection, *now))
            })
            .await
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn register_need(&self, need: NewNeed) -> Result<Registered, StoreError> {
        let registering = register::Registering::prepare(need)?;
        self.writer
            .run(register::REGISTER, registering, |connection, it| {
                Box::pin(it.run(connection))
            })
            .await
    }

    async fn home(
        &self,
        tenant: &TenantId,
        stakeholder: &Stakeholder,
    ) -> Result<Option<ConversationId>, StoreError> {
        let mut reader = self
            .readers
            .one()
            .await
            .map_err(fault(register::REGISTER))?;
        let home = register::home(&mut reader, tenant, stakeholder).await?;
        Ok(home.map(ConversationId::new))
    }

    async fn append_inputs(&self, inputs: Vec<NewInput>) -> Result<Vec<Appended>, StoreError> {
        let inputs = EncodedInput::all(intake::APPEND, inputs)?;
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        self.writer
            .run(intake::APPEND, inputs, |connection, inputs| {
                Box::pin(intake::append_all(connection, inputs))
            })
            .await
    }

    async fn append_command(&self, command: NewCommand) -> Result<CommandAppended, StoreError> {
        let commanding = intake::Commanding::prepare(command)?;
        self.writer
            .run(intake::COMMAND, commanding, |connection, it| {
                Box::pin(it.run(connection))
            })
            .await
    }

    async fn command_before(
        &self,
        tenant: &TenantId,
        prefix: &str,
    ) -> Result<Option<String>, StoreError> {
        let mut reader = self.readers.one().await.map_err(fault(intake::COMMAND))?;
        intake::key_that_begins(&mut reader, tenant.as_str(), prefix).await
    }

    async fn lift_quarantine(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let data = (tenant.clone(), conversation.clone(), at);
        self.writer
            .run(work::LIFT, data, |connection, (tenant, id, at)| {
                Box::pin(work::lift_quarantine(connection, tenant, id, *at))
            })
            .await
    }

    async fn conversation_facts(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationFacts>, StoreError> {
        lists::conversation_facts(&self.readers, tenant, conversation).await
    }

    async fn unmatched_message(
        &self,
        tenant: &TenantId,
        message: &MessageId,
    ) -> Result<Option<Unmatched>, StoreError> {
        lists::unmatched_message(&self.readers, tenant, message).await
    }

    async fn receive(&self, message: NewMessage) -> Result<Appended, StoreError> {
        let receiving = intake::Receiving::prepare(message)?;
        self.writer
            .run(intake::RECEIVE, receiving, |connection, it| {
                Box::pin(it.run(connection))
            })
            .await
    }

    async fn file_unmatched(&self, message: Unmatched) -> Result<Appended, StoreError> {
        self.writer
            .run(intake::FILE, message, |connection, message| {
                Box::pin(intake::file_unmatched(connection, message))
            })
            .await
    }

    async fn claim_due(&self, claim: ClaimRequest) -> Result<Vec<Claimed>, StoreError> {
        if !work::any_due(&self.readers, &claim).await? {
            return Ok(Vec::new());
        }
        let rows = self
            .writer
            .run(work::CLAIM, claim, |connection, claim| {
                Box::pin(work::claim(connection, claim))
            })
            .await?;
        rows.into_iter()
            .map(|text| text.read(work::CLAIM))
            .collect()
    }

    async fn pending_inputs(
        &self,
        conversation: &ConversationId,
        after: i64,
    ) -> Result<Vec<StoredInput>, StoreError> {
        work::pending_inputs(&self.readers, conversation, after).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        let prepared = commit::Committing::prepare(commit)?;
        self.writer
            .run(commit::COMMIT, prepared, |connection, it| {
                Box::pin(it.run(connection))
            })
            .await
    }

    async fn release(
        &self,
        conversation: &ConversationId,
        fence: i64,
        wake_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let data = (conversation.clone(), fence, wake_at);
        self.writer
            .run(work::RELEASE, data, |connection, (id, fence, wake_at)| {
                Box::pin(work::release(connection, id, *fence, *wake_at))
            })
            .await
    }

    async fn quarantine(
        &self,
        conversation: &ConversationId,
        fence: i64,
        error: &str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let data = (conversation.clone(), fence, error.to_owned(), at);
        self.writer
            .run(
                work::QUARANTINE,
                data,
                |connection, (id, fence, error, at)| {
                    Box::pin(work::quarantine(connection, id, *fence, error, *at))
                },
            )
            .await
    }

    async fn outbox_claim(&self, claim: ClaimRequest) -> Result<Vec<OutboxItem>, StoreError> {
        if !outbox::any_due(&self.readers, &claim).await? {
            return Ok(Vec::new());
        }
        self.writer
            .run(outbox::CLAIM, claim, |connection, claim| {
                Box::pin(outbox::claim(connection, claim))
            })
            .await
    }

    async fn outbox_begin(
        &self,
        message: &MessageId,
        owner: &str,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError> {
        let data = (message.clone(), owner.to_owned(), lease_until);
        self.writer
            .run(
                outbox::BEGIN,
                data,
                |connection, (message, owner, until)| {
                    Box::pin(outbox::begin(connection, message, owner, *until))
                },
            )
            .await
    }

    async fn outbox_complete(&self, completions: Vec<Completion>) -> Result<(), StoreError> {
        if completions.is_empty() {
            return Ok(());
        }
        self.writer
            .run(outbox::COMPLETE, completions, |connection, completions| {
                Box::pin(async move {
                    for completion in completions {
                        outbox::complete(connection, completion).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    async fn outbox_next(&self) -> Result<Option<Timestamp>, StoreError> {
        outbox::next(&self.readers).await
    }

    async fn by_token(
        &self,
        tenant: &TenantId,
        token: &str,
    ) -> Result<Option<ConversationId>, StoreError> {
        lookup::by_token(&self.readers, tenant, token).await
    }

    async fn by_transport_id(
        &self,
        tenant: &TenantId,
        ids: &[String],
    ) -> Result<Option<(ConversationId, MessageId)>, StoreError> {
        lookup::by_transport_id(&self.readers, tenant, ids).await
    }

    async fn by_address(
        &self,
        tenant: &TenantId,
        channel: Channel,
        address: &EmailAddress,
        open_only: bool,
    ) -> Result<Vec<ConversationId>, StoreError> {
        lookup::by_address(&self.readers, tenant, channel, address, open_only).await
    }

    async fn registered_before(
        &self,
        tenant: &TenantId,
        idempotency_key: &str,
        request_hash: &str,
    ) -> Result<Option<Registered>, StoreError> {
        register::with_key(&self.readers, tenant, idempotency_key, request_hash).await
    }

    async fn need(&self, tenant: &TenantId, need: &NeedId) -> Result<Option<NeedRow>, StoreError> {
        lists::need(&self.readers, tenant, need).await
    }

    async fn needs(
        &self,
        tenant: &TenantId,
        before: Option<NeedId>,
        limit: u32,
    ) -> Result<Vec<NeedRow>, StoreError> {
        lists::needs(&self.readers, tenant, before.as_ref(), limit).await
    }

    async fn events(
        &self,
        tenant: &TenantId,
        need: &NeedId,
        after: i64,
    ) -> Result<Vec<EventRow>, StoreError> {
        lists::events(&self.readers, tenant, need, after).await
    }

    async fn conversation(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationRow>, StoreError> {
        lists::conversation(&self.readers, tenant, conversation).await
    }

    async fn conversations(
        &self,
        tenant: &TenantId,
        filter: ConversationFilter,
    ) -> Result<Vec<ConversationSummary>, StoreError> {
        lists::conversations(&self.readers, tenant, filter).await
    }

    async fn conversation_ids(
        &self,
        tenant: &TenantId,
        after: Option<&ConversationId>,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError> {
        lists::conversation_ids(&self.readers, tenant, after, limit).await
    }

    async fn transcript(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        limit: u32,
    ) -> Result<Vec<MessageRow>, StoreError> {
        lists::transcript(&self.readers, tenant, conversation, limit).await
    }

    async fn journal(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        from: u64,
        limit: u32,
    ) -> Result<Option<JournalPage>, StoreError> {
        lists::journal(&self.readers, tenant, conversation, from, limit).await
    }

    async fn unmatched(&self, tenant: &TenantId, limit: u32) -> Result<Vec<Unmatched>, StoreError> {
        lists::unmatched(&self.readers, tenant, limit).await
    }

    async fn outbox(&self, tenant: &TenantId, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        outbox::list(&self.readers, tenant, limit).await
    }

    async fn blob(&self, tenant: &TenantId, blob: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        lists::blob(&self.readers, tenant, blob).await
    }

    async fn add_key(&self, key: KeyRow) -> Result<(), StoreError> {
        self.writer
            .run(keys::ADD, key, |connection, key| {
                Box::pin(keys::add(connection, key))
            })
            .await
    }

    async fn key_by_hash(&self, hash: &str) -> Result<Option<KeyRow>, StoreError> {
        keys::by_hash(&self.readers, hash).await
    }

    async fn revoke_key(
        &self,
        tenant: &TenantId,
        id: &str,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let data = (tenant.clone(), id.to_owned(), at);
        self.writer
            .run(keys::REVOKE, data, |connection, (tenant, id, at)| {
                Box::pin(keys::revoke(connection, tenant, id, *at))
            })
            .await
    }

    async fn keys(&self, tenant: &TenantId) -> Result<Vec<KeyRow>, StoreError> {
        keys::of_tenant(&self.readers, tenant).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        const CHECK: &str = "check the store";
        self.writer
            .run(CHECK, (), |connection, ()| {
                Box::pin(async move {
                    sqlx::query("UPDATE health SET checks = checks + 1")
                        .execute(connection)
                        .await
                        .map(drop)
                        .map_err(fault(CHECK))
                })
            })
            .await?;
        sqlx::query("SELECT checks FROM health")
            .fetch_one(&mut *self.readers.one().await.map_err(fault(CHECK))?)
            .await
            .map(drop)
            .map_err(fault(CHECK))
    }
}
