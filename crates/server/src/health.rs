//! Whether the daemon lives, and whether it can work.

use crate::{
    fault::Fault,
    state::{App, Stage},
};
use axum::{Json, extract::State};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// A store that takes longer than this to answer a trivial question cannot be worked with.
const STORE_ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// `GET /healthz`: the process lives.
pub(crate) async fn alive() -> Json<Value> {
    Json(json!({"alive": true}))
}

/// `GET /readyz`: the daemon can take requests, and its store can be read and written.
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Result<Json<Value>, Fault> {
    match app.outside.readiness.stage() {
        Stage::Starting => return Err(Fault::not_ready("The daemon is starting.")),
        Stage::Closing => return Err(Fault::not_ready("The daemon is about to end.")),
        Stage::Serving => {}
    }
    match tokio::time::timeout(STORE_ANSWERS_WITHIN, app.outside.store.check()).await {
        Ok(checked) => checked?,
        Err(_) => return Err(Fault::not_ready("The store does not answer in time.")),
    }
    Ok(Json(json!({"ready": true})))
}
