//! One whole story, as a transcript of phases and effects.

use crate::world::{World, need};
use liaison_core::{
    conversation::Action, effect::Effect, phase::determine_phase, plan::PlanItem, policy::Policy,
};
use std::fmt::Write;

/// A world, and what is told of it.
struct Tale {
    world: World,
    text: String,
}

impl Tale {
    fn tell(&mut self, what: &str) {
        let at = self.world.now.strftime("%a %-d %b %H:%M");
        writeln!(self.text, "\n{at}  {what}").expect("a string takes all");
        for done in self.world.settle_down() {
            let phase = serde_json::to_value(&done.operation.phase).expect("it is stored");
            let name = phase["phase"].as_str().unwrap_or("?").to_owned();
            writeln!(self.text, "    {name}").expect("a string takes all");
            for effect in &done.applied.effects {
                writeln!(self.text, "        {}", shown(effect)).expect("a string takes all");
            }
        }
        let phase = determine_phase(&self.world.conversation, self.world.now);
        let phase = serde_json::to_string(&phase).expect("it is stored");
        writeln!(self.text, "    rests: {phase}").expect("a string takes all");
        for hold in &self.world.conversation.holds {
            writeln!(self.text, "    held: {}", hold.reason.sentence())
                .expect("a string takes all");
        }
    }

    fn delivered(&mut self) {
        self.world.begin().expect("a message waits");
        self.world.complete(self.world.sent());
        self.tell("the mail server takes it");
    }

    fn at(&mut self, now: &str) {
        self.world.goes_to(now);
    }
}

fn shown(effect: &Effect) -> String {
    match effect {
        Effect::Send(message) => {
            let items: Vec<&str> = message.plan.items.iter().map(item).collect();
            let lines = message.draft.body.trim_end().lines();
            let body: Vec<String> = lines
                .map(|line| format!("\n        | {line}").trim_end().to_owned())
                .collect();
            format!(
                "send {:?} ({}): {}{}",
                message.plan.kind,
                items.join(", "),
                message.draft.subject,
                body.concat()
            )
        }
        Effect::NeedSettled { outcome, .. } => {
            let outcome = serde_json::to_string(outcome).expect("it is stored");
            format!("settled: {outcome}")
        }
        Effect::Event { event, .. } => {
            format!(
                "event: {}",
                serde_json::to_string(event).expect("it is stored")
            )
        }
        Effect::NeedAmended { .. } => "amended".to_owned(),
        Effect::Recall { why, .. } => format!("recall: {why}"),
        Effect::Resend { .. } => "resend".to_owned(),
        Effect::Resolve { sent, .. } => format!("resolve: sent {sent}"),
    }
}

fn item(item: &PlanItem) -> &'static str {
    match item {
        PlanItem::Acknowledge { .. } => "acknowledge",
        PlanItem::Answer { .. } => "answer",
        PlanItem::Withdraw { .. } => "withdraw",
        PlanItem::Brief { .. } => "brief",
        PlanItem::Clarify { .. } => "clarify",
        PlanItem::Confirm { .. } => "confirm",
        PlanItem::Question { asked_on: None, .. } => "question",
        PlanItem::Question { .. } => "reminder",
    }
}

#[test]
fn the_landlord_asks_a_question_of_his_own_and_then_answers() {
    let mut tale = Tale {
        world: World::new("2027-05-03T08:00:00Z", Policy::default()),
        text: String::new(),
    };
    let need = need("inspection", &["arranged_by"], "2027-05-18T08:00:00Z");
    tale.world.register(need);
    tale.tell("a workflow registers the need");
    tale.at("2027-05-03T08:00:30Z");
    tale.tell("the gather window closes");
    tale.delivered();
    tale.at("2027-05-06T08:00:30Z");
    tale.tell("three days pass");
    tale.delivered();
    tale.at("2027-05-06T21:15:00Z");
    tale.world.writes(
        "I contacted the tenant, and he will not be able to attend the inspection. \
         Can I pass by the office to grab the keys?",
    );
    tale.tell("the landlord writes");
    tale.at("2027-05-06T21:16:00Z");
    tale.tell("no more messages follow");
    tale.at("2027-05-07T07:30:00Z");
    tale.world.operator(Action::Answer {
        text: "You can grab the keys at any time until 18:00.".to_owned(),
    });
    tale.tell("an operator answers");
    tale.world.operator(Action::Resume);
    tale.tell("and resumes");
    tale.at("2027-05-07T08:00:00Z");
    tale.tell("the quiet hours end");
    tale.delivered();
    tale.at("2027-05-07T09:00:00Z");
    tale.world.writes("Please arrange it for me.");
    tale.tell("the landlord writes");
    tale.at("2027-05-07T09:01:00Z");
    tale.tell("no more messages follow");
    tale.delivered();
    insta::assert_snapshot!(tale.text.trim_start());
}
