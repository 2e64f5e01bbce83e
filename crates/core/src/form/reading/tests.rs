use super::*;
use crate::{
    form::{Answer, Tone, Words, schema},
    id::BlobId,
    slot::SlotKey,
    value::{Boolean, Choice, ChoiceOption, DateKind, FileKind, FileRef, Kind, Number, Text},
};
use jiff::civil::datetime;
use rstest::rstest;

fn request() -> ReadRequest {
    let option = |value: &str| ChoiceOption {
        value: value.to_owned(),
        label: None,
        synonyms: Vec::new(),
    };
    let kinds = [
        Kind::Choice(Choice {
            options: vec![option("landlord"), option("agency")],
        }),
        Kind::Boolean(Boolean::default()),
        Kind::Date(DateKind::default()),
        Kind::Number(Number::default()),
        Kind::Text(Text::default()),
        Kind::File(FileKind::default()),
    ];
    ReadRequest {
        words: vec![Words {
            message: None,
            written_at: datetime(2027, 5, 3, 10, 0, 0, 0),
            subject: String::new(),
            text: "The agency, on 5 May".to_owned(),
            attachments: vec![FileRef {
                blob: BlobId::new("b"),
                name: "plan.pdf".to_owned(),
                media_type: "application/pdf".to_owned(),
                size: 1,
            }],
        }],
        slots: kinds
            .into_iter()
            .enumerate()
            .map(|(i, kind)| SlotQuestion {
                form: format!("s{}", i + 1),
                key: SlotKey {
                    subject: "x".to_owned(),
                    name: format!("n{i}"),
                },
                kind,
                question: String::new(),
                asked: true,
                current: None,
                self_checks: vec!["Is it?".to_owned(); i % 3],
                confirming: None,
            })
            .collect(),
        facts: Vec::new(),
        day_first: None,
    }
}

fn reading(request: &ReadRequest) -> Reading {
    let mut slots: Vec<_> = request
        .slots
        .iter()
        .map(|slot| SlotForm::silent(slot.self_checks.len()))
        .collect();
    slots[0] = SlotForm {
        says: "The agency.".to_owned(),
        quote: "The agency".to_owned(),
        clear_value_present: true,
        answer: Answer::Value,
        value: json!("agency"),
        ..slots[0].clone()
    };
    slots[2].self_checks = vec![true, false];
    Reading {
        message: MessageForm {
            tone: Tone::Friendly,
            ..MessageForm::default()
        },
        slots,
    }
}

#[test]
fn the_schema_keeps_its_bytes_and_so_its_order() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema(&request())).unwrap());
}

#[test]
fn the_schema_stays_in_the_subset_that_is_strict_everywhere() {
    fn check(schema: &Value) {
        let Value::Object(object) = schema else {
            return;
        };
        for banned in [
            "format",
            "allOf",
            "nullable",
            "minimum",
            "maximum",
            "maxLength",
            "pattern",
        ] {
            assert!(!object.contains_key(banned), "{banned}");
        }
        if object.get("type") == Some(&json!("object")) {
            let names: Vec<_> = object["properties"].as_object().unwrap().keys().collect();
            assert_eq!(object["required"], json!(names));
            assert_eq!(object["additionalProperties"], json!(false));
        }
        for part in object.values() {
            match part {
                Value::Array(parts) => parts.iter().for_each(check),
                Value::Object(parts) => {
                    check(part);
                    parts.values().for_each(check);
                }
                _ => {}
            }
        }
    }
    let schema = schema(&request());
    assert_eq!(schema["type"], "object");
    check(&schema);
}

#[test]
fn the_fields_of_a_form_stand_in_the_order_of_its_struct() {
    let request = request();
    let schema = schema(&request);
    let order =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let json = to_json(&request, &reading(&request));
    assert_eq!(order(&schema["properties"]), order(&json));
    for form in order(&json) {
        assert_eq!(
            order(&schema["properties"][&form]["properties"]),
            order(&json[&form]),
            "{form}"
        );
    }
}

#[test]
fn a_reading_comes_back_as_it_was_written() {
    let request = request();
    let reading = reading(&request);
    let json = to_json(&request, &reading).to_string();
    assert_eq!(parse_reading(&request, &json), Ok(reading.clone()));
    for fenced in [
        format!("```json\n{json}\n```"),
        format!("\n ```\n{json}```  "),
        format!("  {json}\n"),
    ] {
        assert_eq!(parse_reading(&request, &fenced), Ok(reading.clone()));
    }
}

#[test]
fn self_checks_may_also_be_a_list_of_the_right_length() {
    let request = request();
    let mut json = to_json(&request, &reading(&request));
    json["s3"]["self_checks"] = json!([true, false]);
    assert!(parse_reading(&request, &json.to_string()).is_ok());
    json["s3"]["self_checks"] = json!([true]);
    assert!(parse_reading(&request, &json.to_string()).is_err());
}

#[rstest]
#[case("/s1", None, "s1")]
#[case("/message", None, "message")]
#[case("/s1/value", None, "s1")]
#[case("/s1/quote", None, "s1")]
#[case("/s1/self_checks", None, "s1")]
#[case("/message/tone", None, "message")]
#[case("/s9", Some(json!({})), "s9")]
#[case("/s1/confidence", Some(json!(0.9)), "confidence")]
#[case("/message/mood", Some(json!("")), "mood")]
#[case("/s1/answer", Some(json!("maybe")), "s1")]
#[case("/s1/quote", Some(json!(null)), "s1")]
#[case("/s1/clear_value_present", Some(json!("true")), "s1")]
#[case("/s1/value", Some(json!(["agency"])), "s1")]
#[case("/s1/value", Some(json!({"value": "agency"})), "s1")]
#[case("/s3/self_checks", Some(json!({"c1": true})), "c2")]
#[case("/s3/self_checks", Some(json!({"c1": true, "c2": true, "c3": true})), "c3")]
#[case("/s3/self_checks", Some(json!({"c1": true, "c2": "yes"})), "s3.self_checks")]
#[case("/s1/says", Some(json!("x".repeat(2_001))), "s1.says")]
#[case("/s1/quote", Some(json!("x".repeat(20_001))), "s1.quote")]
#[case("/message/away_until", Some(json!("x".repeat(41))), "message.away_until")]
fn a_form_that_is_not_as_asked_is_a_fault_with_its_place(
    #[case] place: &str,
    #[case] value: Option<Value>,
    #[case] named: &str,
) {
    let request = request();
    let mut json = to_json(&request, &reading(&request));
    let (parent, field) = place.rsplit_once('/').unwrap();
    let object = json.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => {
            object.insert(field.to_owned(), value);
        }
        None => {
            object.shift_remove(field).unwrap();
        }
    }
    let fault = parse_reading(&request, &json.to_string()).unwrap_err();
    assert!(fault.0.contains(named), "{fault}");
}

#[rstest]
#[case("")]
#[case("null")]
#[case("[]")]
#[case("I cannot help with that.")]
#[case("{\"message\":")]
#[case("Here it is: {}")]
#[case("```json")]
#[case("``````")]
fn what_is_no_form_at_all_is_a_fault(#[case] answer: &str) {
    assert!(parse_reading(&request(), answer).is_err());
}

#[test]
fn an_answer_without_end_is_a_fault() {
    let answer = format!("{{\"message\":\"{}\"}}", "x".repeat(LONGEST_ANSWER));
    assert!(parse_reading(&request(), &answer).is_err());
    // Nesting must not overflow the stack either.
    assert!(parse_reading(&request(), &"[".repeat(LONGEST_ANSWER)).is_err());
}
