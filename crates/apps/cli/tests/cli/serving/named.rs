//! Two processes, and names of a subject: what another agent attested keeps its name, and a running server answers by the names of now.

use serde_json::json;

use super::dog::{QUESTION, believed, says, sharing};
use super::server::Served;
use crate::place::Place;

/// I4: the claim of another agent is sealed under the name that it attested, and is believed of the subject with all its names; taken
/// back, it is of its own name alone again.
#[test]
fn the_claim_of_another_agent_keeps_its_name() {
    let own = Place::new();
    own.run(["claim", "add", "Fido", "name", "Tom", "--from", "2020"])
        .ok();
    own.run(["claim", "alias", "dog", "Fido"]).ok();
    let place = sharing(false);
    says(&place, "Rex", "user");
    let served = Served::new(&place);
    own.run(["peer", "add", "bob", &served.url]).ok();
    own.run(["peer", "trust", "bob"]).ok();
    let shown = own.json(["ask", "bob", QUESTION]);
    assert_eq!(shown["state"], "stored", "{shown}");
    let belief = believed(&own);
    assert_eq!(belief["status"], "contested");
    assert_eq!(belief["subject"], "Fido");
    let peers = &belief["sides"][1]["claims"][0];
    assert_eq!(peers["saidOf"], "dog");
    let reference = peers["ref"].as_str().unwrap();
    assert_eq!(
        own.json(["claim", "show", reference])["unit"]["subject"],
        "dog"
    );
    // It comes once more, and is the same.
    own.run(["ask", "bob", QUESTION]).ok();
    assert_eq!(believed(&own)["sides"], belief["sides"]);
    own.run(["claim", "alias", "dog", "--none"]).ok();
    assert_eq!(believed(&own)["value"], "Rex");
    assert_eq!(own.json(["believe", "Fido", "name"])["value"], "Tom");
}

/// What a server says of a claim is the belief over all names, from the record on and until it is taken back, without a restart.
#[test]
fn a_running_server_answers_by_the_names_of_now() {
    let place = Place::new();
    let settings = "[[share]]\nto = \"*\"\nlabels = [\"none\"]\nlevel = 0\n[share_claims]\npredicates = [\"name\"]\n\
         [limits]\nno_match_step_ms = 0\n";
    std::fs::write(place.dir().join("exchange.toml"), settings).unwrap();
    says(&place, "Rex", "user");
    place
        .run(["claim", "add", "Fido", "name", "Tom", "--from", "2020"])
        .ok();
    let served = Served::new(&place);
    let mut number = 0;
    let mut is_contested = || {
        number += 1;
        let now = jiff::Timestamp::now().strftime("%FT%TZ").to_string();
        let asked = json!({
            "type": "memory_request", "version": "0.1", "timestamp": now,
            "request_id": format!("0198c0de-0000-4000-8000-{number:012}"),
            "requester": { "agent_id": "ann" }, "query": { "natural": "dog name" },
        });
        let answer = served.post("/mrp/v1/request", &asked.to_string());
        assert!(answer.contains("Rex"), "{answer}");
        answer.contains("contested: other values are claimed")
    };
    assert!(!is_contested());
    place.run(["claim", "alias", "dog", "Fido"]).ok();
    assert!(is_contested());
    place.run(["claim", "alias", "dog", "--none"]).ok();
    assert!(!is_contested());
}
