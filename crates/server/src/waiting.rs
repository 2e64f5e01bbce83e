//! Waiting for an outcome, and noting that somebody waits.

use crate::{fault::Fault, needs, state::App};
use jiff::SignedDuration;
use liaison_core::{
    id::TenantId,
    input::Input,
    policy::{Policy, Wait},
};
use liaison_ports::store::{Appended, NeedRow, NewInput, StoreError};
use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};

/// Another process may commit without our hearing of it, so the store is read this often.
const REREAD: Duration = Duration::from_secs(1);

/// Waits until the need has its outcome, `wait` is over or the daemon is about to end; gives the
/// need as it is then.
pub(crate) async fn for_outcome(
    app: &App,
    tenant: &TenantId,
    row: NeedRow,
    wait: Duration,
) -> Result<NeedRow, Fault> {
    let Ok(_place) = app.waiting.try_acquire() else {
        return Err(Fault::busy());
    };
    let id = row.id;
    let mut end = pin!(tokio::time::sleep(wait));
    let mut closing = pin!(app.outside.readiness.closing());
    loop {
        let until = app
            .now()
            .saturating_add(SignedDuration::from_secs(1))
            .unwrap_or(jiff::Timestamp::MAX);
        let mut changed = pin!(app.outside.changes.changed(&id, until));
        // Polled once before the store is read, so that no commit falls between the two.
        let early = poll_fn(|context| Poll::Ready(changed.as_mut().poll(context).is_ready())).await;
        let row = needs::find(app, tenant, &id).await?;
        if row.outcome.is_some() {
            return Ok(row);
        }
        tokio::select! {
            () = &mut end => return Ok(row),
            () = &mut closing => return Ok(row),
            // Where word comes at once, without a change, the reading must not spin.
            () = &mut changed, if !early => {}
            () = tokio::time::sleep(REREAD) => {}
        }
    }
}

/// Notes, at most once in a while, that the need's caller still waits. A registration counts as a
/// word. Failing to note it fails nothing: the caller will ask again.
pub(crate) async fn note_caller(app: &App, tenant: &TenantId, row: &NeedRow) {
    let now = app.now();
    let every = note_every(&(app.outside.policies)(tenant));
    if every.after(row.registered_at) > now {
        return;
    }
    let stretch = now.as_second().div_euclid(every.as_seconds());
    if !app.first_in(stretch, &row.id) {
        return;
    }
    if let Err(error) = note(app, row, &format!("{}:{stretch}", every.as_seconds())).await {
        tracing::warn!(need = %row.id, %error, "could not note that a caller still waits");
    }
}

/// Notes that the caller has said so itself; once a minute is enough.
pub(crate) async fn note_word(app: &App, row: &NeedRow) -> Result<(), StoreError> {
    let minute = app.now().as_second().div_euclid(60);
    note(app, row, &format!("said:{minute}")).await
}

async fn note(app: &App, row: &NeedRow, once: &str) -> Result<(), StoreError> {
    let input = NewInput {
        conversation: row.conversation.clone(),
        dedupe_key: format!("seen:{}:{once}", row.id),
        at: app.now(),
        input: Input::CallerSeen {
            need: row.id.clone(),
        },
    };
    let appended = app.outside.store.append_inputs(vec![input]).await?;
    if matches!(appended.first(), Some(Appended::At(_))) {
        app.outside.changes.inputs_arrived();
    }
    Ok(())
}

/// How often word of a caller is worth noting: often enough that one who asks all the time is never
/// probed, and that asking answers a probe in time; once a day where that does.
fn note_every(policy: &Policy) -> Wait {
    let day = Wait::days(1).as_seconds();
    let half = |wait: Wait| (wait.as_seconds() / 2).clamp(LEAST_NOTE_EVERY, day);
    let seconds = match policy.probe_caller_after {
        Some(after) => half(after).min(half(policy.probe_answer_within)),
        None => day,
    };
    Wait::seconds(u32::try_from(seconds).unwrap_or(LEAST_NOTE_EVERY as u32))
}

/// Noting it more often would only fill the journal.
const LEAST_NOTE_EVERY: i64 = 60;
