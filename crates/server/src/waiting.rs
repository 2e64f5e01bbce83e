//! Waiting for an outcome, and noting that somebody waits.

use crate::{fault::Fault, needs, state::App};
use jiff::{SignedDuration, tz::TimeZone};
use liaison_core::{id::TenantId, input::Input, policy::Wait};
use liaison_ports::store::{Appended, NeedRow, NewInput};
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

/// Notes, at most once a day, that the need's caller still waits. A registration counts as a day's
/// word. Failing to note it fails nothing: the caller will ask again.
pub(crate) async fn note_caller(app: &App, row: &NeedRow) {
    let now = app.now();
    if Wait::days(1).after(row.registered_at) > now {
        return;
    }
    let day = TimeZone::UTC.to_datetime(now).date();
    if !app.first_today(&row.id, day) {
        return;
    }
    let input = NewInput {
        conversation: row.conversation.clone(),
        dedupe_key: format!("seen:{}:{day}", row.id),
        at: now,
        input: Input::CallerSeen {
            need: row.id.clone(),
        },
    };
    match app.outside.store.append_inputs(vec![input]).await {
        Ok(appended) => {
            if matches!(appended.first(), Some(Appended::At(_))) {
                app.outside.changes.inputs_arrived();
            }
        }
        Err(error) => {
            tracing::warn!(need = %row.id, %error, "could not note that a caller still waits");
        }
    }
}
