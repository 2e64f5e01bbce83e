//! `file`.

use super::{Candidate, Grounds, KindRules, ReadContext, SpecFault, Value, ValueFault, or_null};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A document or picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileKind {
    /// Media types that are acceptable (`application/pdf`, `image/*`); empty for any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
}

/// Where a file is kept, and what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// The stored bytes.
    pub blob: crate::id::BlobId,
    /// The name that it came with, made safe.
    pub name: String,
    /// What its bytes say it is.
    pub media_type: String,
    /// Its length in bytes.
    pub size: u64,
}

/// More types than this would be a list of everything; leave it empty instead.
const MOST_TYPES: usize = 20;

impl FileKind {
    fn accepts(&self, media_type: &str) -> bool {
        // Parameters (`text/plain; charset=utf-8`) say nothing about the type itself.
        let actual = media_type.split(';').next().unwrap_or_default().trim();
        self.accept.is_empty()
            || self
                .accept
                .iter()
                .any(|wanted| match wanted.strip_suffix("/*") {
                    Some(family) => actual
                        .split_once('/')
                        .is_some_and(|(actual, _)| actual.eq_ignore_ascii_case(family)),
                    None => actual.eq_ignore_ascii_case(wanted),
                })
    }
}

impl KindRules for FileKind {
    fn validate(&self) -> Result<(), SpecFault> {
        if self.accept.len() > MOST_TYPES {
            return Err(SpecFault::new(
                "accept",
                format!("name at most {MOST_TYPES} media types, or none for any file"),
            ));
        }
        for (i, wanted) in self.accept.iter().enumerate() {
            let token = |part: &str| {
                !part.is_empty()
                    && part
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
            };
            let good = wanted.split_once('/').is_some_and(|(family, subtype)| {
                token(family) && (subtype == "*" || token(subtype))
            });
            if !good {
                return Err(SpecFault::new(
                    format!("accept[{i}]"),
                    format!("{wanted:?} is no media type; write application/pdf or image/*"),
                ));
            }
        }
        Ok(())
    }

    fn schema(&self, context: &ReadContext<'_>) -> serde_json::Value {
        let mut names: Vec<&str> = Vec::new();
        for file in context.attachments {
            if self.accepts(&file.media_type) && !names.contains(&file.name.as_str()) {
                names.push(&file.name);
            }
        }
        if names.is_empty() {
            // An empty enum is no valid schema.
            return json!({ "type": "null" });
        }
        or_null(json!({ "type": "string", "enum": names }))
    }

    fn read(
        &self,
        proposed: &serde_json::Value,
        context: &ReadContext<'_>,
    ) -> Result<Option<Value>, ValueFault> {
        match proposed {
            serde_json::Value::Null => Ok(None),
            serde_json::Value::String(name) => context
                .attachments
                .iter()
                .find(|file| file.name == *name)
                .map(|file| Some(Value::File(file.clone())))
                .ok_or_else(|| ValueFault(format!("no attachment is called {name:?}"))),
            _ => Err(ValueFault(
                "a file value is the name of an attachment, or null".to_owned(),
            )),
        }
    }

    fn find(&self, _text: &str, context: &ReadContext<'_>) -> Vec<Candidate> {
        // Files come beside the words, so that their place in the words is empty.
        context
            .attachments
            .iter()
            .filter(|file| self.accepts(&file.media_type))
            .map(|file| Candidate {
                span: 0..0,
                value: Value::File(file.clone()),
            })
            .collect()
    }

    fn must_be_found(&self) -> bool {
        true
    }

    fn grounds(&self) -> Grounds {
        Grounds::Attached
    }

    fn check(&self, value: &Value) -> Result<(), ValueFault> {
        match value {
            Value::File(file) if self.accepts(&file.media_type) => Ok(()),
            Value::File(file) => Err(ValueFault(format!(
                "{} is {}, and only {} is acceptable",
                file.name,
                file.media_type,
                self.accept.join(", ")
            ))),
            other => Err(ValueFault::not_a("file", other)),
        }
    }

    fn show(&self, value: &Value) -> String {
        value.plain()
    }

    fn hint(&self) -> Option<String> {
        if self.accept.is_empty() {
            return None;
        }
        let names: Vec<String> = self.accept.iter().map(|wanted| said(wanted)).collect();
        Some(names.join(" or "))
    }
}

/// A media type as people know it.
fn said(media_type: &str) -> String {
    match media_type.split_once('/') {
        Some(("application", "pdf")) => "a PDF".to_owned(),
        Some(("image", "*")) => "a picture".to_owned(),
        Some(("text", "*")) => "a text file".to_owned(),
        Some((_, subtype)) if subtype != "*" => format!("a {} file", subtype.to_uppercase()),
        _ => format!("a file of type {media_type}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        id::BlobId,
        value::{ReadContext, testing::context},
    };

    fn file(name: &str, media_type: &str) -> FileRef {
        FileRef {
            blob: BlobId::new("b"),
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            size: 1,
        }
    }

    #[test]
    fn only_attachments_of_an_acceptable_type_are_offered_and_found() {
        let kind = FileKind {
            accept: vec!["application/pdf".to_owned(), "image/*".to_owned()],
        };
        kind.validate().unwrap();
        let files = [
            file("a.pdf", "application/pdf"),
            file("b.txt", "text/plain; charset=utf-8"),
            file("c.png", "image/png"),
            file("a.pdf", "application/pdf"),
        ];
        let with = ReadContext {
            attachments: &files,
            ..context()
        };
        assert_eq!(
            kind.schema(&with),
            json!({"anyOf": [{"type": "string", "enum": ["a.pdf", "c.png"]}, {"type": "null"}]})
        );
        assert_eq!(kind.find("", &with).len(), 3);
        let text = kind.read(&json!("b.txt"), &with).unwrap().unwrap();
        assert!(kind.check(&text).is_err());
        assert!(kind.read(&json!("d.pdf"), &with).is_err());
        assert_eq!(kind.schema(&context()), json!({"type": "null"}));
        assert_eq!(kind.hint().unwrap(), "a PDF or a picture");
    }

    #[test]
    fn a_media_type_that_is_none_is_named() {
        let kind = FileKind {
            accept: vec!["application/pdf".to_owned(), "pdf".to_owned()],
        };
        assert_eq!(kind.validate().unwrap_err().field, "accept[1]");
    }
}
