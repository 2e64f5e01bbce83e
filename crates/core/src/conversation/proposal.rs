//! Whom the person named to talk to instead, while nobody has decided on it.

use super::{Conversation, Hold, HoldReason};
use crate::{
    id::{HoldId, MessageId},
    stakeholder::{Delegate, EmailAddress},
};

/// Somebody whom the person named, as the hold over it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal<'a> {
    /// The hold.
    pub hold: &'a HoldId,
    /// In which message they were named.
    pub message: &'a MessageId,
    /// The person's words.
    pub quote: &'a str,
    /// Who it is, when the words give an address.
    pub delegate: Option<&'a Delegate>,
}

/// Why no single proposal is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhichProposal {
    /// There is none.
    #[error("the person has named nobody, or it was decided already")]
    NoneOpen,
    /// None has this hold.
    #[error("no hold of this conversation with this id names somebody else to talk to")]
    NoSuchHold,
    /// There are several, of different people.
    #[error("the person has named several people; say which by the id of its hold")]
    Several {
        /// Their holds, oldest first.
        holds: Vec<HoldId>,
    },
}

impl Conversation {
    /// Whom the person named and nobody has decided on, oldest first.
    pub fn proposals(&self) -> impl Iterator<Item = Proposal<'_>> {
        self.holds.iter().filter_map(proposal)
    }

    /// The proposal that is meant: the one of `hold`; without it, the one for `address`; without
    /// either, the only one. `stood` says which holds count; without it, all.
    ///
    /// Several that name the same address are one; its latest words count.
    pub fn proposal_meant(
        &self,
        hold: Option<&HoldId>,
        address: Option<&EmailAddress>,
        stood: Option<&[HoldId]>,
    ) -> Result<Proposal<'_>, WhichProposal> {
        let counts = |one: &Proposal<'_>| stood.is_none_or(|stood| stood.contains(one.hold));
        let open: Vec<Proposal<'_>> = self.proposals().filter(counts).collect();
        if let Some(hold) = hold {
            let named = open.into_iter().find(|one| one.hold == hold);
            return named.ok_or(WhichProposal::NoSuchHold);
        }
        let is_for = |one: &Proposal<'_>, address: &EmailAddress| {
            one.delegate.is_some_and(|one| one.address.matches(address))
        };
        if let Some(address) = address
            && let Some(named) = open.iter().rfind(|one| is_for(one, address))
        {
            return Ok(*named);
        }
        let latest = *open.last().ok_or(WhichProposal::NoneOpen)?;
        let same = |one: &Proposal<'_>| {
            one.hold == latest.hold
                || latest
                    .delegate
                    .is_some_and(|delegate| is_for(one, &delegate.address))
        };
        if open.iter().all(same) {
            return Ok(latest);
        }
        Err(WhichProposal::Several {
            holds: open.iter().map(|one| one.hold.clone()).collect(),
        })
    }
}

fn proposal(hold: &Hold) -> Option<Proposal<'_>> {
    match &hold.reason {
        HoldReason::NamesAnother {
            message,
            quote,
            delegate,
        } => Some(Proposal {
            hold: &hold.id,
            message,
            quote,
            delegate: delegate.as_ref(),
        }),
        _ => None,
    }
}
