//! What must be true when a run is over, whatever happened in it.

use super::{exchange::SLOT, mail::WORDS};
use anyhow::{Context, Result, ensure};
use liaison_channels::email::SinkMessage;
use liaison_client::Outcome;
use liaison_core::{
    effect::Effect,
    id::{NeedId, TenantId},
    input::Input,
    journal::{self, Operation},
    need::OutcomeKind,
    transition::{self, Opening},
};
use liaison_ports::store::{Direction, Store};
use liaison_store_sqlite::SqliteStore;
use std::collections::BTreeSet;

/// What was seen from outside.
pub(crate) struct Seen<'a> {
    pub(crate) need: &'a NeedId,
    pub(crate) outcome: &'a Outcome,
    pub(crate) asks: &'a [&'a SinkMessage],
    pub(crate) thanks: &'a [&'a SinkMessage],
    /// How many copies of one message there may be.
    pub(crate) copies_allowed: usize,
}

pub(crate) async fn judge(store: &SqliteStore, tenant: &TenantId, seen: &Seen<'_>) -> Result<()> {
    said_once("the question", seen.asks, seen.copies_allowed)?;
    ensure!(!seen.asks.is_empty(), "the question was never asked");
    said_once("thanks", seen.thanks, seen.copies_allowed)?;

    let outcome = seen.outcome;
    ensure!(
        outcome.kind() == OutcomeKind::Fulfilled,
        "it is {:?}",
        outcome.kind()
    );
    ensure!(outcome.choice(SLOT) == Some("agency"), "it is {outcome:?}");
    ensure!(
        outcome.quote(SLOT) == Some(WORDS),
        "it rests on {:?}",
        outcome.quote(SLOT)
    );

    let needs = store.needs(tenant, None, 10).await?;
    ensure!(needs.len() == 1, "there are {} needs", needs.len());
    let row = needs.into_iter().next().context("no need")?;
    ensure!(row.id == *seen.need, "another need is stored");
    ensure!(
        row.outcome
            .as_ref()
            .is_some_and(|stored| stored.at == outcome.at()),
        "another outcome is stored: {:?}",
        row.outcome
    );
    let unmatched = store.unmatched(tenant, 10).await?;
    ensure!(unmatched.is_empty(), "a reply matched nothing");
    let said = store.transcript(tenant, &row.conversation, 100).await?;
    let replies = said
        .iter()
        .filter(|m| m.direction == Direction::Inbound)
        .count();
    ensure!(replies == 1, "the transcript has {replies} replies");

    let stored = store
        .conversation(tenant, &row.conversation)
        .await?
        .context("there is no conversation")?;
    let (opening, operations) = journal(store, tenant, &row).await?;
    let replayed = journal::replay(opening.clone(), operations.clone())
        .context("the journal cannot be replayed")?;
    ensure!(
        replayed == stored.document,
        "the journal gives {replayed:#?}\nand stored is {:#?}",
        stored.document
    );
    decided_once(opening, &operations)
}

/// One message by its Message-ID, and no more copies of it than are allowed.
fn said_once(what: &str, messages: &[&SinkMessage], copies_allowed: usize) -> Result<()> {
    let ids: BTreeSet<_> = messages.iter().map(|m| m.message_id.clone()).collect();
    let bytes: BTreeSet<_> = messages.iter().map(|m| &m.raw).collect();
    ensure!(
        ids.len() <= 1 && bytes.len() <= 1 && messages.len() <= copies_allowed,
        "{what} came {} times: {ids:?}",
        messages.len()
    );
    ensure!(!ids.contains(&None), "{what} has no Message-ID");
    Ok(())
}

async fn journal(
    store: &SqliteStore,
    tenant: &TenantId,
    row: &liaison_ports::store::NeedRow,
) -> Result<(Opening, Vec<Operation>)> {
    const AT_ONCE: u32 = 100;

    let mut operations = Vec::new();
    loop {
        let page = store
            .journal(tenant, &row.conversation, operations.len() as u64, AT_ONCE)
            .await?
            .context("there is no journal")?;
        let is_last = page.operations.len() < AT_ONCE as usize;
        operations.extend(page.operations.into_iter().map(|row| row.operation));
        if is_last {
            return Ok((page.opening, operations));
        }
    }
}

/// The journal itself holds one outcome, and one reply.
fn decided_once(opening: Opening, operations: &[Operation]) -> Result<()> {
    let mut conversation = transition::open(opening);
    let (mut settled, mut replies) = (0, 0);
    for operation in operations {
        let applied = transition::apply(&mut conversation, operation)?;
        settled += count(&applied.effects, |e| {
            matches!(e, Effect::NeedSettled { .. })
        });
        replies += count(&operation.inputs, |i| {
            matches!(i.input, Input::MessageReceived(_))
        });
    }
    ensure!(settled == 1, "the journal settles {settled} times");
    ensure!(replies == 1, "the journal has {replies} replies");
    Ok(())
}

fn count<T>(list: &[T], is_one: impl Fn(&T) -> bool) -> usize {
    list.iter().filter(|one| is_one(one)).count()
}
