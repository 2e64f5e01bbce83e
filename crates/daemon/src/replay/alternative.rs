//! Reading the policy that decisions are made again under.

use super::Options;
use anyhow::{Context, Result};
use liaison_core::{id::TenantId, policy::Policy, retrospect::Alternative};
use std::path::Path;

/// What `--policy` and `--templates` ask for, for one tenant.
pub(super) fn read(options: &Options, tenant: &TenantId) -> Result<Alternative> {
    let policy = options.policy.as_deref().map(|file| policy(file, tenant));
    Ok(Alternative {
        policy: policy.transpose()?,
        templates: options.templates,
    })
}

/// A file is either a policy's settings alone, or a configuration with the tenant's.
fn policy(file: &Path, tenant: &TenantId) -> Result<Policy> {
    let read = || -> Result<Policy, config::ConfigError> {
        let file = config::File::from(file)
            .format(config::FileFormat::Toml)
            .required(true);
        let settings = config::Config::builder().add_source(file).build()?;
        if settings.get_table("tenants").is_ok() {
            return settings.get(&format!("tenants.{tenant}.policy"));
        }
        settings.try_deserialize()
    };
    read().with_context(|| {
        format!(
            "--policy: {} holds neither a policy's settings nor a configuration with a policy of \
             tenant {tenant}",
            file.display()
        )
    })
}
