//! Asks a landlord who will arrange an inspection, and waits for the answer.
//!
//! ```text
//! LIAISON_URL=http://127.0.0.1:7700 LIAISON_KEY=lia_... \
//!     cargo run -p liaison-client --example inspection -- owner@example.com
//! ```

use liaison_client::{Client, Stakeholder, Wait};
use std::{env, error::Error};

#[expect(clippy::print_stdout, reason = "the example prints what it gets")]
#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::var("LIAISON_URL").map_err(|_| "set LIAISON_URL to the daemon's address")?;
    let key = env::var("LIAISON_KEY").map_err(|_| "set LIAISON_KEY to an API key")?;
    let landlord = env::args()
        .nth(1)
        .ok_or("give the landlord's mail address")?;

    let client = Client::new(&url, key)?;
    let need = client
        .need("Decide who will arrange the inspection")
        .stakeholder(Stakeholder::email(landlord).zone("Europe/Paris"))
        .choice(
            "arranged_by",
            "Would you prefer to arrange the inspection yourself, or have us arrange it for you?",
            [
                ("landlord", "arrange the inspection yourself"),
                ("agency", "have us arrange it for you"),
            ],
        )
        .deadline_in(Wait::days(15))
        .register()
        .await?;
    println!("registered need {}; waiting for its outcome", need.id());

    let outcome = need.outcome().await?;
    println!("{}", serde_json::to_string_pretty(&outcome)?);
    match (outcome.choice("arranged_by"), outcome.quote("arranged_by")) {
        (Some(who), Some(words)) => println!("arranged by the {who}, who wrote: {words}"),
        (Some(who), None) => println!("arranged by the {who}, as an operator says"),
        (None, _) => println!("not decided: {}", outcome.kind().name()),
    }
    Ok(())
}
