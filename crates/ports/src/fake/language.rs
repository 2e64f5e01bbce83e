//! A reader that says what it was told to say, and a writer that uses the templates.

use crate::language::{Answered, FormFiller, ModelFault, Usage, Writer};
use async_trait::async_trait;
use liaison_core::{
    form::{ReadRequest, Reading},
    gate::draft::DraftFault,
    plan::{Draft, MessagePlan, template},
};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

type Answer = Result<Reading, ModelFault>;

type Rule = Box<dyn FnMut(&ReadRequest) -> Answer + Send>;

/// A [`FormFiller`] that gives prepared answers, in order, and keeps what it was asked.
pub struct ScriptedFiller {
    state: Mutex<Script>,
}

#[derive(Default)]
struct Script {
    answers: VecDeque<Answer>,
    otherwise: Option<Rule>,
    asked: Vec<ReadRequest>,
}

impl ScriptedFiller {
    /// A filler with these answers. When they are used up it says that it is unavailable.
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            state: Mutex::new(Script {
                answers: answers.into_iter().collect(),
                ..Script::default()
            }),
        }
    }

    /// A filler that answers each request with what `answer` says of it.
    pub fn answering(answer: impl FnMut(&ReadRequest) -> Answer + Send + 'static) -> Self {
        Self {
            state: Mutex::new(Script {
                otherwise: Some(Box::new(answer)),
                ..Script::default()
            }),
        }
    }

    /// Adds an answer, to be given before any rule of [`ScriptedFiller::answering`] applies.
    pub fn push(&self, answer: Answer) {
        self.script().answers.push_back(answer);
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<ReadRequest> {
        self.script().asked.clone()
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl FormFiller for ScriptedFiller {
    async fn fill(&self, request: &ReadRequest) -> Result<Answered<Reading>, ModelFault> {
        let mut script = self.script();
        script.asked.push(request.clone());
        let answer = match script.answers.pop_front() {
            Some(answer) => answer?,
            None => match &mut script.otherwise {
                Some(rule) => rule(request)?,
                None => {
                    return Err(ModelFault::Unavailable(
                        "the script has no further answer".to_owned(),
                    ));
                }
            },
        };
        Ok(Answered {
            answer,
            usage: Usage {
                model: "scripted".to_owned(),
                prompt_tokens: 0,
                completion_tokens: 0,
                requests: 1,
            },
        })
    }
}

/// A [`Writer`] that words every plan by its template.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateWriter;

#[async_trait]
impl Writer for TemplateWriter {
    async fn write(
        &self,
        plan: &MessagePlan,
        _faults: &[DraftFault],
    ) -> Result<Answered<Draft>, ModelFault> {
        Ok(Answered {
            answer: template::render(plan),
            usage: Usage::default(),
        })
    }
}
