//! The store: where each operation goes.

use crate::{
    commit,
    fault::fault,
    intake, keys, lists, lookup, open,
    open::{OpenError, Options},
    outbox, register, work,
    writer::Writer,
};
use async_trait::async_trait;
use futures::future::BoxFuture;
use jiff::Timestamp;
use liaison_core::{
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    input::StoredInput,
    stakeholder::{Channel, EmailAddress, Stakeholder},
};
use liaison_ports::store::{
    Appended, ClaimRequest, Claimed, CommandAppended, Commit, Completion, ConversationFacts,
    ConversationFilter, ConversationRow, ConversationSummary, EventRow, JournalPage, KeyRow,
    MessageRow, NeedRow, NewCommand, NewInput, NewMessage, NewNeed, OutboxItem, OutboxRow,
    Registered, Store, StoreError, Unmatched,
};
use sqlx::{SqliteConnection, SqlitePool};
use std::path::Path;

/// A [`Store`] in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    writer: Writer,
    readers: SqlitePool,
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
        self.write(work::END_CLAIMS, move |connection| {
            Box::pin(work::end_claims(connection, now))
        })
        .await
    }

    pub(crate) async fn write<T, F>(
        &self,
        operation: &'static str,
        body: F,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Result<T, StoreError>>
            + Send
            + 'static,
    {
        self.writer.run(operation, body).await
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn register_need(&self, need: NewNeed) -> Result<Registered, StoreError> {
        let registering = register::Registering::prepare(need)?;
        self.write(register::REGISTER, |connection| {
            Box::pin(async move { registering.run(connection).await })
        })
        .await
    }

    async fn home(
        &self,
        tenant: &TenantId,
        stakeholder: &Stakeholder,
    ) -> Result<Option<ConversationId>, StoreError> {
        let home = register::home(&self.readers, tenant, stakeholder).await?;
        Ok(home.map(ConversationId::new))
    }

    async fn append_inputs(&self, inputs: Vec<NewInput>) -> Result<Vec<Appended>, StoreError> {
        let inputs = intake::encode(intake::APPEND, inputs)?;
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        self.write(intake::APPEND, |connection| {
            Box::pin(async move {
                let mut appended = Vec::with_capacity(inputs.len());
                for input in &inputs {
                    appended.push(intake::append(connection, intake::APPEND, input).await?);
                }
                Ok(appended)
            })
        })
        .await
    }

    async fn append_command(&self, command: NewCommand) -> Result<CommandAppended, StoreError> {
        let commanding = intake::Commanding::prepare(command)?;
        self.write(intake::COMMAND, |connection| {
            Box::pin(async move { commanding.run(connection).await })
        })
        .await
    }

    async fn command_before(
        &self,
        tenant: &TenantId,
        prefix: &str,
    ) -> Result<Option<String>, StoreError> {
        intake::key_that_begins(&self.readers, tenant.as_str(), prefix).await
    }

    async fn lift_quarantine(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let tenant = tenant.clone();
        let conversation = conversation.clone();
        self.write(work::LIFT, move |connection| {
            Box::pin(
                async move { work::lift_quarantine(connection, &tenant, &conversation, at).await },
            )
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
        self.write(intake::RECEIVE, |connection| {
            Box::pin(async move { receiving.run(connection).await })
        })
        .await
    }

    async fn file_unmatched(&self, message: Unmatched) -> Result<Appended, StoreError> {
        self.write(intake::FILE, |connection| {
            Box::pin(async move { intake::file_unmatched(connection, &message).await })
        })
        .await
    }

    async fn claim_due(&self, claim: ClaimRequest) -> Result<Vec<Claimed>, StoreError> {
        if !work::any_due(&self.readers, &claim).await? {
            return Ok(Vec::new());
        }
        let rows = self
            .write(work::CLAIM, |connection| {
                Box::pin(async move { work::claim(connection, &claim).await })
            })
            .await?;
        rows.into_iter().map(work::ClaimedRow::read).collect()
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
        self.write(commit::COMMIT, |connection| {
            Box::pin(async move { prepared.run(connection).await })
        })
        .await
    }

    async fn release(
        &self,
        conversation: &ConversationId,
        fence: i64,
        wake_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let conversation = conversation.clone();
        self.write(work::RELEASE, move |connection| {
            Box::pin(async move { work::release(connection, &conversation, fence, wake_at).await })
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
        let conversation = conversation.clone();
        let error = error.to_owned();
        self.write(work::QUARANTINE, move |connection| {
            Box::pin(
                async move { work::quarantine(connection, &conversation, fence, &error, at).await },
            )
        })
        .await
    }

    async fn outbox_claim(&self, claim: ClaimRequest) -> Result<Vec<OutboxItem>, StoreError> {
        if !outbox::any_due(&self.readers, &claim).await? {
            return Ok(Vec::new());
        }
        self.write(outbox::CLAIM, |connection| {
            Box::pin(async move { outbox::claim(connection, &claim).await })
        })
        .await
    }

    async fn outbox_begin(
        &self,
        message: &MessageId,
        owner: &str,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError> {
        let message = message.clone();
        let owner = owner.to_owned();
        self.write(outbox::BEGIN, move |connection| {
            Box::pin(async move { outbox::begin(connection, &message, &owner, lease_until).await })
        })
        .await
    }

    async fn outbox_complete(&self, completions: Vec<Completion>) -> Result<(), StoreError> {
        if completions.is_empty() {
            return Ok(());
        }
        self.write(outbox::COMPLETE, |connection| {
            Box::pin(async move {
                for completion in &completions {
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
        self.write(keys::ADD, |connection| {
            Box::pin(async move { keys::add(connection, &key).await })
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
        let tenant = tenant.clone();
        let id = id.to_owned();
        self.write(keys::REVOKE, move |connection| {
            Box::pin(async move { keys::revoke(connection, &tenant, &id, at).await })
        })
        .await
    }

    async fn keys(&self, tenant: &TenantId) -> Result<Vec<KeyRow>, StoreError> {
        keys::of_tenant(&self.readers, tenant).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        const CHECK: &str = "check the store";
        self.write(CHECK, |connection| {
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
            .fetch_one(&self.readers)
            .await
            .map(drop)
            .map_err(fault(CHECK))
    }
}
