//! `memory.json` of the MCP reference server: a line for each entity with its observations, and for each relation.
//!
//! Each observation and each relation becomes a memory in words. They have no time of their own: they are dated by the file.
//! An entity without observations has nothing to remember but its name.

use std::io::BufRead;

use counterfoil_types::json::{Map, Value};

use super::elements::text;
use super::lines::{Lines, broken_off, object};
use super::{At, Dated, Refused, Sink, Turn};
use crate::error::Error;

pub(super) fn read(
    reader: impl BufRead,
    file: &Dated<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let mut lines = Lines::new(reader);
    while let Some((number, line)) = lines.next_line().map_err(broken_off)? {
        let Some(members) = object(line) else {
            continue;
        };
        match members.and_then(|members| sentences(file, members)) {
            Ok(turns) => {
                for turn in turns {
                    let flaw = turn.flaw();
                    let at = At::Line(number);
                    sink(flaw.map_or(Ok((at.clone(), turn)), |why| Err(Refused::new(at, why))))?;
                }
            }
            Err(why) => sink(Err(Refused::new(At::Line(number), why)))?,
        }
    }
    Ok(())
}

/// The memories of one line.
fn sentences(file: &Dated<'_>, mut members: Map) -> Result<Vec<Turn>, String> {
    let mut needed = |name: &str| {
        text(&mut members, name)?.ok_or_else(|| format!("`{name}` is missing; add it as a string"))
    };
    match needed("type")?.as_str() {
        "entity" => {
            let (name, kind) = (needed("name")?, needed("entityType")?);
            let Some(Value::Array(observations)) = members.remove("observations") else {
                return Err("`observations` is no array".to_owned());
            };
            let said = (0_u64..).zip(observations).map(|(position, observation)| {
                let observation = observation.as_str().ok_or("an observation is no string")?;
                let extra = Map::from_iter([
                    ("entity".into(), name.clone().into()),
                    ("entityType".into(), kind.clone().into()),
                ]);
                Ok(Turn {
                    conversation: file.name.to_owned(),
                    session: Some(name.clone()),
                    id: format!("{name}: {observation}"),
                    position,
                    text: format!("{name}: {observation}"),
                    extra,
                    ..file.undated_turn()
                })
            });
            said.collect()
        }
        "relation" => {
            let (from, relation, to) = (needed("from")?, needed("relationType")?, needed("to")?);
            let sentence = format!("{from} {} {to}", relation.replace('_', " "));
            Ok(vec![Turn {
                conversation: file.name.to_owned(),
                id: format!("{from} {relation} {to}"),
                text: sentence,
                extra: Map::from_iter([
                    ("from".into(), from.into()),
                    ("relationType".into(), relation.into()),
                    ("to".into(), to.into()),
                ]),
                ..file.undated_turn()
            }])
        }
        other => Err(format!("{other:?} is neither `entity` nor `relation`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tests::{dated, turns_of};

    #[test]
    fn observations_and_relations_are_memories_in_words() {
        let file = r#"{"type":"entity","name":"Kit","entityType":"person","observations":["bakes on Sundays","likes rye"]}
{"type":"relation","from":"Kit","to":"Stowe Mill","relationType":"buys_from"}
{"type":"entity","name":"Mill","entityType":"place","observations":[]}
{"type":"entity","name":"Bob","entityType":"person","observations":[7]}
{"type":"note"}
"#;
        let (turns, refused) = turns_of(|sink| read(file.as_bytes(), &dated(), sink));
        let texts: Vec<_> = turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Kit: bakes on Sundays",
                "Kit: likes rye",
                "Kit buys from Stowe Mill"
            ]
        );
        assert_eq!(
            (turns[1].position, turns[1].extra["entityType"].as_str()),
            (1, Some("person"))
        );
        assert_eq!(
            refused,
            [
                "line 4: an observation is no string",
                "line 5: \"note\" is neither `entity` nor `relation`"
            ]
        );
    }
}
