//! TLS without a process-wide provider.

use crate::ClientError;
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use std::sync::Arc;

/// A configuration for a base address that is, or is not, `https`. The machine's certificates are
/// only read where they are needed.
pub(crate) fn config(https: bool) -> Result<ClientConfig, ClientError> {
    let mut roots = RootCertStore::empty();
    if https {
        let found = rustls_native_certs::load_native_certs();
        let (usable, _) = roots.add_parsable_certificates(found.certs);
        if usable == 0 {
            let why = found
                .errors
                .first()
                .map_or_else(String::new, |e| format!(": {e}"));
            return Err(ClientError::Setup(format!(
                "https needs root certificates, and none were found on this machine; install the \
                 package ca-certificates or set SSL_CERT_FILE{why}"
            )));
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ClientError::Setup(format!("TLS: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
