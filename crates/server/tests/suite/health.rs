//! Whether the daemon lives and can work.

use crate::{failing::Failure, harness::Server};
use http::StatusCode;
use liaison_server::Stage;

#[tokio::test]
async fn readiness_follows_the_daemons_stage_and_its_store() {
    let server = Server::new().await;
    let ready = async || server.get("/readyz", "").await.status;
    assert_eq!(ready().await, StatusCode::OK);
    for stage in [Stage::Starting, Stage::Closing] {
        server.readiness.enter(stage);
        assert_eq!(ready().await, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(server.get("/healthz", "").await.status, StatusCode::OK);
    }
    server.readiness.enter(Stage::Serving);
    for failure in [Failure::Unavailable, Failure::Full] {
        server.store.fail(Some(failure));
        assert_eq!(ready().await, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(server.get("/healthz", "").await.status, StatusCode::OK);
    }
    server.store.fail(None);
    assert_eq!(ready().await, StatusCode::OK);
}
