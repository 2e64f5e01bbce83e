//! The replies, read by a real model. Not part of a normal run: a model's answers are measured,
//! not asserted.

use crate::replies::{ROWS, as_expected, false_accepts, outcome};
use liaison_core::gate;
use liaison_language::openai::{OpenAi, OpenAiConfig};
use liaison_ports::language::FormFiller;
use secrecy::SecretString;
use std::{env, time::Duration};

/// `LIAISON_TEST_MODEL_URL=http://127.0.0.1:8080/v1 cargo test -p liaison-language real_model --
/// --nocapture`, with `LIAISON_TEST_MODEL` and `LIAISON_TEST_MODEL_KEY` where the endpoint needs
/// them.
#[tokio::test]
async fn a_real_model_is_measured_and_its_answers_have_the_form() {
    let Ok(base_url) = env::var("LIAISON_TEST_MODEL_URL") else {
        eprintln!("SKIPPED a_real_model_is_measured: LIAISON_TEST_MODEL_URL is not set");
        return;
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let name = env::var("LIAISON_TEST_MODEL").unwrap_or_else(|_| "default".to_owned());
    let model = OpenAi::new(OpenAiConfig {
        key: env::var("LIAISON_TEST_MODEL_KEY")
            .ok()
            .map(SecretString::from),
        // A small model on two cores takes seconds for each form.
        request_timeout: Duration::from_secs(300),
        ..OpenAiConfig::new(base_url, name)
    })
    .unwrap();
    let (mut right, mut accepts, mut faults, mut tokens) = (0, 0, 0, 0);
    for row in ROWS {
        let request = row.request();
        let answered = match model.fill(&request).await {
            Ok(answered) => answered,
            Err(fault) => {
                faults += 1;
                println!("FAULT {:?}: {fault}", row.texts);
                continue;
            }
        };
        tokens += answered.usage.prompt_tokens + answered.usage.completion_tokens;
        let judgement = gate::judge(&request, &answered.answer);
        let expected: Vec<String> = row.expected.iter().map(|e| format!("{e:?}")).collect();
        let wrong = false_accepts(row, &judgement);
        accepts += wrong;
        if as_expected(row, &judgement) {
            right += 1;
        } else {
            let mark = if wrong > 0 { "FALSE ACCEPT" } else { "differs" };
            println!(
                "{mark} {:?}: {expected:?}, {:?}",
                row.texts,
                outcome(&judgement)
            );
        }
    }
    println!(
        "{right} of {} replies as expected, {accepts} false accepts, {faults} faults, {tokens} tokens",
        ROWS.len()
    );
    assert!(
        faults < ROWS.len(),
        "no answer had the form that was asked for"
    );
}
