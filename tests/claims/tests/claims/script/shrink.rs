//! How a script shrinks: scripts that are a little less, of which the first that still fails is taken.

use counterfoil_claims_tests::request::Cardinality;

use super::{Op, Said, Script, Step};

impl Script {
    /// Scripts that are a little less.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut size = self.steps.len() / 2;
        while size > 0 {
            for at in (0..self.steps.len()).step_by(size) {
                let mut steps = self.steps.clone();
                steps.drain(at..(at + size).min(self.steps.len()));
                all.push(Self { steps, ..*self });
            }
            size /= 2;
        }
        for (at, step) in self.steps.iter().enumerate() {
            for plainer in step.plainer() {
                let mut steps = self.steps.clone();
                steps[at] = plainer;
                all.push(Self { steps, ..*self });
            }
        }
        let mut host = self.host;
        host.has_oracle = false;
        host.registered = None;
        if host != self.host {
            all.push(Self {
                host,
                ..self.clone()
            });
        }
        all
    }
}

impl Step {
    /// The step with a little less said, or one question fewer.
    fn plainer(&self) -> Vec<Self> {
        let less_said = match &self.op {
            Op::State(said) => said.plainer(),
            _ => Vec::new(),
        };
        let with = |said: Said| Self {
            op: Op::State(said),
            ..self.clone()
        };
        let mut all: Vec<Self> = less_said.into_iter().map(with).collect();
        for at in 0..self.asks.len() {
            let mut step = self.clone();
            step.asks.remove(at);
            all.push(step);
        }
        all
    }
}

impl Said {
    fn plainer(&self) -> Vec<Self> {
        let less: [&dyn Fn(&mut Self); 7] = [
            &|said| said.valid = None,
            &|said| said.cardinality = Cardinality::Unknown,
            &|said| said.extracted = false,
            &|said| {
                said.supersedes
                    .truncate(said.supersedes.len().saturating_sub(1))
            },
            &|said| said.anchors.truncate(said.anchors.len().saturating_sub(1)),
            &|said| {
                said.derived_from
                    .truncate(said.derived_from.len().saturating_sub(1))
            },
            &|said| said.key = None,
        ];
        let mut all = Vec::new();
        for take in less {
            let mut said = self.clone();
            take(&mut said);
            if said != *self {
                all.push(said);
            }
        }
        all
    }
}
