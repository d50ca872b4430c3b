//! `hear`: a message of a conversation. A question is answered in the way it was asked, an answer is judged like any (R18;
//! docs/format/transports.md §3).

use std::io::{self, IsTerminal, Read};
use std::path::Path;

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::checks::is_suspicious;
use counterfoil_exchange::conversation::{
    MAX_MESSAGE_BYTES, MessageProposal, ProposalBody, ProposalSource, ProposedRequest,
    ProposedResponse, block, render_response,
};
use counterfoil_exchange::documents::{
    Filters, Format, MemoryQuery, Nonce, Preferences, Request, RequestHeader, Response, Text,
};
use counterfoil_exchange::machine::ExchangeState;
use counterfoil_exchange::trust::Records;
use counterfoil_peer::asking::{CONVERSATION, StorePolicy};
use counterfoil_peer::{Answering, Asking, ExchangeQuestion, ExchangeReport, Host, Origin};
use counterfoil_types::json::Value;
use counterfoil_verify::{Form, Verdict, read_file, terminal};
use serde_json::json;

use super::{answer, ask};
use crate::args::HearArgs;
use crate::context::Context;
use crate::exchange::{peers, settings};
use crate::failure::{ErrorKind, Failure};
use crate::output::notice;

/// Waiting time of a question in words, in microseconds.
const PATIENCE_US: u64 = 30_000_000;
/// Speaker of a message without a name.
const SOMEBODY: &str = "somebody";
/// Question recorded for an answer that came unasked.
const UNASKED: &str = "(heard in a conversation)";

pub(crate) async fn run(context: &Context, args: HearArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let settings = settings::read(&context.home)?;
    let proposals = settings.vocabulary.interpret(&read(&args.message)?);
    if proposals.is_empty() {
        return Err(Failure::refused(
            "this is neither a question for memories nor an answer",
            "send a JSON block, `@NAME memory_request: QUESTION`, or `what do you know about …`",
        ));
    }
    let from = args.from.as_deref().unwrap_or(SOMEBODY);
    let from = Text::new(from)
        .map_err(|error| Failure::input(format_args!("--from: {error}"), "shorten it"))?;
    let (host, answering) = answer::open(context).await?;
    let records = peers::records(&context.home, host.store.as_ref()).await?;
    let asking = ask::checking(host.clone(), &settings, false);
    let store_policy = if args.keep {
        StorePolicy::All
    } else {
        StorePolicy::None
    };
    let ear = Ear {
        host,
        answering,
        asking,
        records,
        from,
        store_policy,
    };
    let mut heard = Vec::new();
    for proposal in proposals {
        heard.push(ear.take(proposal).await?);
    }
    tell(context, &heard)
}

/// The message, of at most 64 KiB.
fn read(path: &Path) -> Result<String, Failure> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let limit = u64::try_from(MAX_MESSAGE_BYTES)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
        bytes
    } else {
        read_file("message", path, MAX_MESSAGE_BYTES)
            .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?
    };
    if bytes.len() > MAX_MESSAGE_BYTES {
        return Err(Failure::input(
            "the message has more than 64 KiB",
            "send it over HTTP or in a folder",
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::input("the message is no UTF-8 text", "save it as UTF-8"))
}

/// Listener to a conversation: it answers questions and judges answers.
struct Ear {
    host: Host,
    answering: Answering,
    asking: Asking,
    records: Records,
    from: Text<128>,
    store_policy: StorePolicy,
}

/// Result of a proposal.
enum Taken {
    /// A question was answered with this text.
    Answered {
        heard: ProposalSource,
        question: String,
        text: String,
    },
    /// A refused question: the word of the problem, and its detail.
    Refused {
        heard: ProposalSource,
        question: String,
        problem: &'static str,
        detail: String,
    },
    /// An answer was judged.
    Judged {
        heard: ProposalSource,
        report: Box<ExchangeReport>,
        shown: Value,
    },
}

impl Ear {
    async fn take(&self, proposal: MessageProposal) -> Result<Taken, Failure> {
        let heard = proposal.source;
        match proposal.body {
            ProposalBody::Request(request) => self.answer(heard, &request).await,
            ProposalBody::Question(question) => self.answer(heard, &self.request(&question)?).await,
            ProposalBody::Response(response) => self.judge(heard, response).await,
            ProposalBody::Answer(answer) => self.judge(heard, self.draft(&answer)?).await,
        }
    }

    /// Builds an anonymous document of a question in words.
    fn request(&self, question: &ProposedRequest) -> Result<Request, Failure> {
        let mut nonce = [0; 16];
        let drawn = self.host.entropy.fill(&mut nonce);
        drawn.map_err(|error| Failure::place(error, "try again"))?;
        let now = self.host.timer.now().wall_us;
        let header = RequestHeader {
            request_id: self.asking.draw()?,
            nonce: Some(Nonce::from_bytes(nonce)),
            timestamp: instant(now)?,
            expires: instant(now.saturating_add(PATIENCE_US))?,
        };
        let parts = question.request_parts(header, self.from.clone());
        Request::anonymous(parts).map_err(|_| Failure::bug("a question that is no document"))
    }

    /// An answer in words as an unsigned draft.
    fn draft(&self, answer: &ProposedResponse) -> Result<Response, Failure> {
        let (id, now) = (self.asking.draw()?, self.host.timer.now().wall_us);
        let draft = answer.to_draft(&id, &self.from, instant(now)?);
        draft.map_err(|error| Failure::input(error, "ask for it over HTTP or in a folder"))
    }

    /// Answers in the way that was chosen: a document with a document, words with words where they are enough.
    async fn answer(&self, heard: ProposalSource, request: &Request) -> Result<Taken, Failure> {
        let question = request.parts().query.natural.to_string();
        if is_suspicious(&question) {
            notice("the question holds characters that hide or reorder text");
        }
        let answered = match self
            .answering
            .answer(request.bytes(), Origin::Conversation)
            .await
        {
            Ok(answered) => answered,
            Err(refusal) => {
                let (problem, detail) = (refusal.word(), refusal.to_string());
                return Ok(Taken::Refused {
                    heard,
                    question,
                    problem,
                    detail,
                });
            }
        };
        let response = Response::parse(&answered)
            .map_err(|_| Failure::bug("an answer that is no document"))?;
        let to: String = self
            .from
            .as_str()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join("-");
        let said = match heard {
            ProposalSource::Document => None,
            _ => render_response(&to, &response),
        };
        let text = said.or_else(|| block(&answered)).ok_or_else(|| {
            Failure::refused(
                "the answer has more than 64 KiB",
                "ask over HTTP, in a folder, or for fewer memories",
            )
        })?;
        Ok(Taken::Answered {
            heard,
            question,
            text,
        })
    }

    async fn judge(&self, heard: ProposalSource, response: Response) -> Result<Taken, Failure> {
        let natural = Text::new(UNASKED).map_err(|_| Failure::bug("no question"))?;
        let query = MemoryQuery {
            natural,
            domain: None,
            keywords: vec![],
            time_range: None,
            filters: Filters::default(),
        };
        let most = u8::try_from(response.parts().results.len()).unwrap_or(u8::MAX);
        let question = ExchangeQuestion {
            query,
            format: Format::Attestation,
            max_results: most.clamp(Preferences::default().max_results, 100),
            cursor: None,
            peer: None,
            address: CONVERSATION.to_owned(),
            timeout_us: PATIENCE_US,
            store_policy: self.store_policy,
        };
        let report = Box::new(self.asking.hear(question, response).await?);
        let begun = self
            .host
            .store
            .exchange(&report.id)
            .await?
            .map(|stored| stored.begun);
        let shown = ask::document(&report, begun.as_ref(), &self.records);
        Ok(Taken::Judged {
            heard,
            report,
            shown,
        })
    }
}

fn instant(micros: u64) -> Result<Timestamp, Failure> {
    Timestamp::from_micros(micros).map_err(|_| Failure::place("the clock shows no time", "set it"))
}

/// Shows all of it, and ends as the worst of it went.
fn tell(context: &Context, heard: &[Taken]) -> Result<(), Failure> {
    let document = json!({ "heard": heard.iter().map(Taken::document).collect::<Vec<_>>() });
    let is_watched = context.out.form() == Form::Human && io::stdout().is_terminal();
    context.out.answer(&document, |out| {
        for (number, taken) in heard.iter().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            match taken {
                Taken::Answered { text, .. } if is_watched => {
                    for line in text.lines() {
                        writeln!(out, "{}", terminal::plain(line, MAX_MESSAGE_BYTES))?;
                    }
                }
                Taken::Answered { text, .. } => out.write_all(text.as_bytes())?,
                Taken::Refused { .. } => {}
                Taken::Judged { report, shown, .. } => ask::human(out, report, shown)?,
            }
        }
        Ok(())
    })?;
    for taken in heard {
        match taken {
            Taken::Refused {
                problem, detail, ..
            } => {
                return Err(Failure::new(
                    ErrorKind::Refused,
                    format!("the question is refused ({problem}): {detail}"),
                ));
            }
            Taken::Judged { report, .. } if report.state == ExchangeState::Rejected => {
                return Err(Failure::NotApproved(Verdict::Rejected));
            }
            _ => {}
        }
    }
    Ok(())
}

impl Taken {
    fn document(&self) -> Value {
        match self {
            Self::Answered {
                heard,
                question,
                text,
            } => {
                json!({ "heardAs": heard.name(), "question": question, "answer": text })
            }
            Self::Refused {
                heard,
                question,
                problem,
                detail,
            } => {
                json!({ "heardAs": heard.name(), "question": question, "problem": problem, "detail": detail })
            }
            Self::Judged { heard, shown, .. } => {
                json!({ "heardAs": heard.name(), "exchange": shown })
            }
        }
    }
}
