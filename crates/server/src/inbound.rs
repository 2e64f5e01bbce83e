//! Mail that is handed in by a mail server's pipe or a provider's raw route.

use crate::{
    auth::InboundKey,
    body::{self, media_type},
    fault::Fault,
    state::App,
};
use axum::{
    Json,
    extract::{Request, State},
};
use http::StatusCode;
use liaison_api::{TakenAs, TakenView};
use liaison_ports::inbound::{IntakeFault, Taken, Undecodable};
use std::sync::Arc;

/// The most bytes of a message: what large providers let through at all.
const MOST_MESSAGE: usize = 25_000_000;

/// `POST /v1/inbound/email`: a message as it came over the wire. The answer is 202 once it is
/// stored, whatever it is; only then may the sender forget it.
pub(crate) async fn email(
    State(app): State<Arc<App>>,
    InboundKey(caller): InboundKey,
    request: Request,
) -> Result<(StatusCode, Json<TakenView>), Fault> {
    let (parts, body) = request.into_parts();
    match media_type(&parts.headers).as_deref() {
        None | Some("message/rfc822" | "application/octet-stream") => {}
        Some(_) => return Err(Fault::wrong_type("message/rfc822")),
    }
    // Before the body is read: so many bodies are in memory, and no more.
    let _place = app
        .inbound
        .acquire()
        .await
        .expect("the semaphore is never closed");
    let raw: Arc<[u8]> = body::read(&parts.headers, body, MOST_MESSAGE)
        .await?
        .as_ref()
        .into();
    if raw.is_empty() {
        return Err(Fault::bad_request(
            "The body is empty; send the message as it came.",
        ));
    }
    let received_at = app.now();
    let decoding = tokio::task::spawn_blocking({
        let (app, tenant, raw) = (app.clone(), caller.tenant.clone(), raw.clone());
        move || app.outside.decoder.decode(&tenant, &raw, received_at)
    });
    // A message that makes the decoder panic is no reason to lose it.
    let decoded = decoding
        .await
        .unwrap_or_else(|_| Err(Undecodable("the decoder failed at it".to_owned())));
    let intake = &app.outside.intake;
    let taken = match decoded {
        Ok(message) => intake.take(message).await,
        Err(Undecodable(why)) => {
            intake
                .file_undecodable(&caller.tenant, &raw, &why, received_at)
                .await
        }
    };
    let taken = taken.map_err(|IntakeFault(error)| Fault::from(error))?;
    if matches!(taken, Taken::Matched(_)) {
        app.outside.changes.inputs_arrived();
    }
    let taken = match taken {
        Taken::Matched(_) => TakenAs::Matched,
        Taken::Duplicate => TakenAs::Duplicate,
        Taken::Unmatched => TakenAs::Unmatched,
    };
    Ok((StatusCode::ACCEPTED, Json(TakenView { taken })))
}
