//! The store: where each operation goes.

use crate::{
    alive, commit,
    connections::Connections,
    fault::fault,
    hints,
    hints::Hint,
    intake, keys, lists, lookup, open,
    open::{OpenError, Options},
    outbox, register,
    run::{Runner, Write},
    work,
};
use async_trait::async_trait;
use jiff::Timestamp;
use liaison_core::{
    id::{BlobId, ConversationId, MessageId, NeedId, TenantId},
    input::StoredInput,
    stakeholder::{Channel, EmailAddress, Stakeholder},
};
use liaison_ports::{
    codec::micros,
    store::{
        Appended, ClaimRequest, Claimed, CommandAppended, Commit, Completion, ConversationFacts,
        ConversationFilter, ConversationRow, ConversationSummary, EventRow, JournalPage, KeyRow,
        MessageRow, NeedRow, NewCommand, NewInput, NewMessage, NewNeed, OutboxItem, OutboxRow,
        Registered, Store, StoreError, Unmatched,
    },
};
use sqlx::{PgConnection, postgres::PgConnectOptions};

/// A [`Store`] in one Postgres database, which any number of them share.
pub struct PostgresStore {
    address: PgConnectOptions,
    channel: hints::Channel,
    most_connections: u32,
    connections: Connections,
    runner: Runner,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address holds a password.
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// Opens the database at `url`, `postgres://user:password@host:port/database`, and brings its
    /// schema up to date. Settings of the connection may follow, as in
    /// `?sslmode=verify-full&application_name=replica-1`.
    pub async fn open(url: &str, options: Options) -> Result<Self, OpenError> {
        let opened = open::open(url, &options).await?;
        let hints = hints::Hints::start(opened.connections.clone(), opened.channel.clone());
        Ok(Self {
            address: opened.address,
            channel: opened.channel,
            most_connections: options.connections,
            runner: Runner::new(opened.connections.clone(), hints),
            connections: opened.connections,
        })
    }

    /// How many writes of this store have been committed since it was opened.
    pub fn commits(&self) -> u64 {
        self.runner.commits()
    }

    /// Calls `told` with what other replicas say they did, until it is dropped. Begins with
    /// [`Hint::Anything`] once it listens. Only hints: none may come.
    pub async fn hear(&self, told: impl Fn(Hint) + Send + Sync) {
        hints::hear(self.address.clone(), &self.channel, told).await;
    }

    /// Says that `owner`, the claimant of this replica, is alive, and ends the claims of replicas
    /// that are not, until it is dropped.
    pub async fn stay_alive(&self, owner: &str, now: impl Fn() -> Timestamp + Send + Sync) {
        alive::stay(&self.connections, &self.runner, owner, now).await;
    }

    /// Says that `owner` works no more, and has given back what it had claimed.
    pub async fn leave(&self, owner: &str) -> Result<(), StoreError> {
        alive::leave(&self.connections, owner).await
    }

    /// Waits for what is under way and closes the connections. Every later operation is refused.
    pub async fn close(&self) {
        self.connections.close(self.most_connections).await;
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn register_need(&self, need: NewNeed) -> Result<Registered, StoreError> {
        self.runner.run(register::Registering::of(need)?).await
    }

    async fn home(
        &self,
        tenant: &TenantId,
        stakeholder: &Stakeholder,
    ) -> Result<Option<ConversationId>, StoreError> {
        register::find_home(&self.connections, tenant, stakeholder).await
    }

    async fn append_inputs(&self, inputs: Vec<NewInput>) -> Result<Vec<Appended>, StoreError> {
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        self.runner.run(intake::Appending::of(inputs)?).await
    }

    async fn append_command(&self, command: NewCommand) -> Result<CommandAppended, StoreError> {
        self.runner.run(intake::Commanding::of(command)?).await
    }

    async fn command_before(
        &self,
        tenant: &TenantId,
        prefix: &str,
    ) -> Result<Option<String>, StoreError> {
        intake::key_that_begins(&self.connections, tenant.as_str(), prefix).await
    }

    async fn lift_quarantine(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.runner
            .run(work::Lifting::of(tenant, conversation, at))
            .await
    }

    async fn conversation_facts(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationFacts>, StoreError> {
        lists::conversation_facts(&self.connections, tenant, conversation).await
    }

    async fn unmatched_message(
        &self,
        tenant: &TenantId,
        message: &MessageId,
    ) -> Result<Option<Unmatched>, StoreError> {
        lists::unmatched_message(&self.connections, tenant, message).await
    }

    async fn receive(&self, message: NewMessage) -> Result<Appended, StoreError> {
        self.runner.run(intake::Receiving::of(message)?).await
    }

    async fn file_unmatched(&self, message: Unmatched) -> Result<Appended, StoreError> {
        self.runner.run(intake::Filing(message)).await
    }

    async fn claim_due(&self, claim: ClaimRequest) -> Result<Vec<Claimed>, StoreError> {
        if !work::any_due(&self.connections, &claim).await? {
            return Ok(Vec::new());
        }
        let claimed = self.runner.run(work::Claiming(claim)).await?;
        claimed
            .into_iter()
            .map(|text| text.read(work::CLAIM))
            .collect()
    }

    async fn pending_inputs(
        &self,
        conversation: &ConversationId,
        after: i64,
    ) -> Result<Vec<StoredInput>, StoreError> {
        work::pending_inputs(&self.connections, conversation, after).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        self.runner.run(commit::Committing::of(commit)?).await
    }

    async fn release(
        &self,
        conversation: &ConversationId,
        fence: i64,
        wake_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.runner
            .run(work::Releasing::of(conversation, fence, wake_at))
            .await
    }

    async fn quarantine(
        &self,
        conversation: &ConversationId,
        fence: i64,
        error: &str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.runner
            .run(work::Quarantining::of(conversation, fence, error, at))
            .await
    }

    async fn outbox_claim(&self, claim: ClaimRequest) -> Result<Vec<OutboxItem>, StoreError> {
        let mut due = outbox::look(&self.connections, &claim).await?;
        if due.dead_dispatchers {
            let now = claim.now;
            self.runner
                .run(outbox::BuryingDeadDispatchers { now })
                .await?;
            due = outbox::look(&self.connections, &claim).await?;
        }
        match due.messages {
            true => self.runner.run(outbox::Claiming(claim)).await,
            false => Ok(Vec::new()),
        }
    }

    async fn outbox_begin(
        &self,
        message: &MessageId,
        owner: &str,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError> {
        self.runner
            .run(outbox::Beginning::of(message, owner, lease_until))
            .await
    }

    async fn outbox_complete(&self, completions: Vec<Completion>) -> Result<(), StoreError> {
        if completions.is_empty() {
            return Ok(());
        }
        self.runner.run(outbox::Completing(completions)).await
    }

    async fn outbox_next(&self) -> Result<Option<Timestamp>, StoreError> {
        outbox::next(&self.connections).await
    }

    async fn by_token(
        &self,
        tenant: &TenantId,
        token: &str,
    ) -> Result<Option<ConversationId>, StoreError> {
        lookup::by_token(&self.connections, tenant, token).await
    }

    async fn by_transport_id(
        &self,
        tenant: &TenantId,
        ids: &[String],
    ) -> Result<Option<(ConversationId, MessageId)>, StoreError> {
        lookup::by_transport_id(&self.connections, tenant, ids).await
    }

    async fn by_address(
        &self,
        tenant: &TenantId,
        channel: Channel,
        address: &EmailAddress,
        open_only: bool,
    ) -> Result<Vec<ConversationId>, StoreError> {
        lookup::by_address(&self.connections, tenant, channel, address, open_only).await
    }

    async fn registered_before(
        &self,
        tenant: &TenantId,
        idempotency_key: &str,
        request_hash: &str,
    ) -> Result<Option<Registered>, StoreError> {
        register::with_key(&self.connections, tenant, idempotency_key, request_hash).await
    }

    async fn need(&self, tenant: &TenantId, need: &NeedId) -> Result<Option<NeedRow>, StoreError> {
        lists::need(&self.connections, tenant, need).await
    }

    async fn needs(
        &self,
        tenant: &TenantId,
        before: Option<NeedId>,
        limit: u32,
    ) -> Result<Vec<NeedRow>, StoreError> {
        lists::needs(&self.connections, tenant, before.as_ref(), limit).await
    }

    async fn events(
        &self,
        tenant: &TenantId,
        need: &NeedId,
        after: i64,
    ) -> Result<Vec<EventRow>, StoreError> {
        lists::events(&self.connections, tenant, need, after).await
    }

    async fn conversation(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
    ) -> Result<Option<ConversationRow>, StoreError> {
        lists::conversation(&self.connections, tenant, conversation).await
    }

    async fn conversations(
        &self,
        tenant: &TenantId,
        filter: ConversationFilter,
    ) -> Result<Vec<ConversationSummary>, StoreError> {
        lists::conversations(&self.connections, tenant, filter).await
    }

    async fn conversation_ids(
        &self,
        tenant: &TenantId,
        after: Option<&ConversationId>,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError> {
        lists::conversation_ids(&self.connections, tenant, after, limit).await
    }

    async fn transcript(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        limit: u32,
    ) -> Result<Vec<MessageRow>, StoreError> {
        lists::transcript(&self.connections, tenant, conversation, limit).await
    }

    async fn journal(
        &self,
        tenant: &TenantId,
        conversation: &ConversationId,
        from: u64,
        limit: u32,
    ) -> Result<Option<JournalPage>, StoreError> {
        lists::journal(&self.connections, tenant, conversation, from, limit).await
    }

    async fn unmatched(&self, tenant: &TenantId, limit: u32) -> Result<Vec<Unmatched>, StoreError> {
        lists::unmatched(&self.connections, tenant, limit).await
    }

    async fn outbox(&self, tenant: &TenantId, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        outbox::list(&self.connections, tenant, limit).await
    }

    async fn blob(&self, tenant: &TenantId, blob: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        lists::blob(&self.connections, tenant, blob).await
    }

    async fn add_key(&self, key: KeyRow) -> Result<(), StoreError> {
        self.runner.run(keys::Adding(key)).await
    }

    async fn key_by_hash(&self, hash: &str) -> Result<Option<KeyRow>, StoreError> {
        keys::by_hash(&self.connections, hash).await
    }

    async fn revoke_key(
        &self,
        tenant: &TenantId,
        id: &str,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.runner
            .run(keys::Revoking {
                tenant: tenant.as_str().to_owned(),
                id: id.to_owned(),
                at: micros(at),
            })
            .await
    }

    async fn keys(&self, tenant: &TenantId) -> Result<Vec<KeyRow>, StoreError> {
        keys::of_tenant(&self.connections, tenant).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.runner.run(Checking).await
    }
}

/// Whether writing works.
struct Checking;

const CHECK: &str = "check the store";

#[async_trait]
impl Write for Checking {
    const OPERATION: &'static str = CHECK;
    const ALONE: bool = true;
    type Answer = ();

    async fn run(
        &self,
        connection: &mut PgConnection,
        _perhaps_done: bool,
    ) -> Result<(), StoreError> {
        sqlx::query("UPDATE health SET checks = checks + 1")
            .execute(connection)
            .await
            .map(drop)
            .map_err(fault(CHECK))
    }

    fn hints(&self, _answer: &()) -> Vec<Hint> {
        Vec::new()
    }
}
