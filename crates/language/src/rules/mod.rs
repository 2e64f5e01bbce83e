//! Deterministic English: a reader and a writer that need nothing and never fail.
//!
//! The reader knows what people usually answer, and prefers silence to a guess: what it does not
//! recognise stays open, and a person looks at it. It cannot answer a slot's self-checks, so that a
//! slot that has some is never filled by it.

mod concern;
mod cues;
mod free;
mod mention;
mod message;
mod scan;
mod slot;
mod topic;
mod until;

use async_trait::async_trait;
use liaison_core::{
    form::{ReadRequest, Reading},
    gate::draft::DraftFault,
    plan::{Draft, MessagePlan, template},
};
use liaison_ports::language::{Answered, FormFiller, ModelFault, Usage, Writer};

/// Fills forms by rules for English.
#[derive(Clone, Copy, Debug, Default)]
pub struct RulesReader;

impl RulesReader {
    /// Fills the forms of `request`.
    pub fn read(&self, request: &ReadRequest) -> Reading {
        let sentences = scan::sentences(request);
        let slots = slot::forms(request, &sentences);
        let message = message::form(request, &sentences, &slots);
        Reading { message, slots }
    }
}

#[async_trait]
impl FormFiller for RulesReader {
    async fn fill(&self, request: &ReadRequest) -> Result<Answered<Reading>, ModelFault> {
        Ok(Answered {
            answer: self.read(request),
            usage: Usage::default(),
        })
    }
}

/// Words plans with the core's templates.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateWriter;

#[async_trait]
impl Writer for TemplateWriter {
    async fn write(
        &self,
        plan: &MessagePlan,
        // A template has no second wording; the faults are those of somebody else's draft.
        _faults: &[DraftFault],
    ) -> Result<Answered<Draft>, ModelFault> {
        Ok(Answered {
            answer: template::render(plan),
            usage: Usage::default(),
        })
    }
}
