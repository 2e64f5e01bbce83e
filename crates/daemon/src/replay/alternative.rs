//! Reading the policy that decisions are made again under.

use super::Options;
use anyhow::{Context, Result, bail};
use liaison_core::{id::TenantId, policy::PolicyChange, retrospect::Alternative};
use serde_json::{Map, Value};
use std::path::Path;

/// What `--policy` and `--templates` ask for, for one tenant.
pub(super) fn read(options: &Options, tenant: &TenantId) -> Result<Alternative> {
    let policy = options.policy.as_deref().map(|file| policy(file, tenant));
    Ok(Alternative {
        policy: policy.transpose()?,
        templates: options.templates,
    })
}

/// A file is either a policy's settings alone, or a configuration with the tenant's. Either way
/// they are laid over what was recorded: whoever tries one setting means that one.
fn policy(file: &Path, tenant: &TenantId) -> Result<PolicyChange> {
    let name = file.display();
    let settings = settings(file).with_context(|| format!("--policy: {name} cannot be read"))?;
    let settings = match settings.get("tenants") {
        None => settings,
        Some(tenants) => match &tenants[tenant.as_str()]["policy"] {
            Value::Object(policy) => policy.clone(),
            _ => bail!("--policy: {name} is a configuration without tenants.{tenant}.policy"),
        },
    };
    PolicyChange::read(settings)
        .with_context(|| format!("--policy: {name} holds no settings of a policy that can be used"))
}

fn settings(file: &Path) -> Result<Map<String, Value>, config::ConfigError> {
    let file = config::File::from(file)
        .format(config::FileFormat::Toml)
        .required(true);
    config::Config::builder()
        .add_source(file)
        .build()?
        .try_deserialize()
}
