//! Forward pass of BERT and XLM-RoBERTa: the tokens of all texts in one matrix, attention within each text.

use std::slice::ChunksExact;

use crate::EncoderError;
use crate::config::{Config, Pooling};
use crate::kernel::{Panels, gelu, softmax, sum};
use crate::tokenizer::Tokens;
use crate::unit::to_unit_length;
use crate::weights::{Table, Weights};

pub(crate) struct Model {
    config: Config,
    words: Table,
    positions: Table,
    /// Rows of the first and of the second text of a pair.
    segments: [Vec<f32>; 2],
    norm: Norm,
    layers: Vec<Layer>,
}

/// Layers that make a score of a first token's row, with a hyperbolic tangent between them.
pub(crate) struct Head {
    dense: Linear,
    out: Linear,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

struct Linear {
    weights: Panels,
    bias: Vec<f32>,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Model {
    pub(crate) fn new(config: Config, weights: &mut Weights) -> Result<Self, EncoderError> {
        let hidden = config.hidden;
        let embeddings = |name: &str| format!("embeddings.{name}_embeddings.weight");
        let types = weights.table(&embeddings("token_type"), &[config.types, hidden])?;
        Ok(Self {
            words: weights.table(&embeddings("word"), &[config.words, hidden])?,
            positions: weights.table(&embeddings("position"), &[config.positions, hidden])?,
            segments: [0, 1].map(|row| types.row(row).collect()),
            norm: Norm::new("embeddings.LayerNorm", &config, weights)?,
            layers: (0..config.layers)
                .map(|index| Layer::new(index, &config, weights))
                .collect::<Result<_, _>>()?,
            config,
        })
    }

    /// Vectors of unit length of `texts`, each of which has a token, all below `Config::words`.
    pub(crate) fn embed(
        &self,
        texts: &[Tokens],
        pooling: Pooling,
    ) -> Result<Vec<Vec<f32>>, EncoderError> {
        let rows = self.run(texts);
        let mut vectors = Vec::with_capacity(texts.len());
        for mut own in self.split(&rows, texts) {
            let mut vector = own.next().ok_or(EncoderError::DamagedWeights)?.to_vec();
            if pooling == Pooling::Mean {
                // The mean has the direction of the sum.
                for row in own {
                    add(&mut vector, row);
                }
            }
            if !to_unit_length(&mut vector) {
                return Err(EncoderError::DamagedWeights);
            }
            vectors.push(vector);
        }
        Ok(vectors)
    }

    /// Scores of `pairs`, each of which has a token, all below `Config::words`.
    pub(crate) fn score(&self, pairs: &[Tokens], head: &Head) -> Result<Vec<f32>, EncoderError> {
        let rows = self.run(pairs);
        let first = self.split(&rows, pairs).filter_map(|mut own| own.next());
        let first: Vec<f32> = first.flatten().copied().collect();
        let mut bent = head.dense.apply(&first);
        bent.iter_mut().for_each(|number| *number = number.tanh());
        let scores = head.out.apply(&bent);
        match scores.len() == pairs.len() && scores.iter().all(|score| score.is_finite()) {
            true => Ok(scores),
            false => Err(EncoderError::DamagedWeights),
        }
    }

    /// Rows of all tokens behind the last layer.
    fn run(&self, texts: &[Tokens]) -> Vec<f32> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        let mut rows = self.embeddings(texts);
        for layer in &self.layers {
            rows = layer.apply(rows, &lengths, self.config.heads);
        }
        rows
    }

    /// Rows of each text.
    fn split<'r>(
        &self,
        mut rows: &'r [f32],
        texts: &[Tokens],
    ) -> impl Iterator<Item = ChunksExact<'r, f32>> {
        let hidden = self.config.hidden;
        texts.iter().map(move |text| {
            let own = rows.split_at_checked(text.ids.len() * hidden);
            let (own, rest) = own.unwrap_or_default();
            rows = rest;
            own.chunks_exact(hidden)
        })
    }

    fn embeddings(&self, texts: &[Tokens]) -> Vec<f32> {
        let tokens: usize = texts.iter().map(|text| text.ids.len()).sum();
        let mut rows = Vec::with_capacity(tokens * self.config.hidden);
        let [first, second] = &self.segments;
        for text in texts {
            for (place, token) in text.ids.iter().enumerate() {
                let word = self
                    .words
                    .row(usize::try_from(*token).unwrap_or(usize::MAX));
                let position = self.positions.row(self.config.first_position + place);
                let segment = match place < text.second {
                    true => first,
                    false => second,
                };
                let other = position.zip(segment);
                rows.extend(
                    word.zip(other)
                        .map(|(word, (position, segment))| word + position + segment),
                );
            }
        }
        self.norm.apply(&mut rows);
        rows
    }
}

impl Head {
    /// Takes the layers of these names.
    pub(crate) fn new(
        [dense, out]: [&str; 2],
        hidden: usize,
        weights: &mut Weights,
    ) -> Result<Self, EncoderError> {
        Ok(Self {
            dense: Linear::new(dense, hidden, hidden, weights)?,
            out: Linear::new(out, 1, hidden, weights)?,
        })
    }
}

impl Layer {
    fn new(index: usize, config: &Config, weights: &mut Weights) -> Result<Self, EncoderError> {
        let (hidden, inner) = (config.hidden, config.inner);
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let mut linear = |part, outputs, inputs| Linear::new(&name(part), outputs, inputs, weights);
        Ok(Self {
            query: linear("attention.self.query", hidden, hidden)?,
            key: linear("attention.self.key", hidden, hidden)?,
            value: linear("attention.self.value", hidden, hidden)?,
            attended: linear("attention.output.dense", hidden, hidden)?,
            wide: linear("intermediate.dense", inner, hidden)?,
            narrow: linear("output.dense", hidden, inner)?,
            attended_norm: Norm::new(&name("attention.output.LayerNorm"), config, weights)?,
            norm: Norm::new(&name("output.LayerNorm"), config, weights)?,
        })
    }

    fn apply(&self, mut rows: Vec<f32>, lengths: &[usize], heads: usize) -> Vec<f32> {
        let queries = self.query.apply(&rows);
        let (keys, values) = (self.key.apply(&rows), self.value.apply(&rows));
        let hidden = self.norm.bias.len();
        let mut mixed = Vec::with_capacity(rows.len());
        let mut start = 0;
        for length in lengths {
            let end = start + length * hidden;
            let own = |rows: &'_ [f32]| rows.get(start..end).unwrap_or_default().to_vec();
            mixed.extend(attention(
                &own(&queries),
                &own(&keys),
                &own(&values),
                hidden,
                heads,
            ));
            start = end;
        }
        add(&mut rows, &self.attended.apply(&mixed));
        self.attended_norm.apply(&mut rows);
        let mut wide = self.wide.apply(&rows);
        gelu(&mut wide);
        add(&mut rows, &self.narrow.apply(&wide));
        self.norm.apply(&mut rows);
        rows
    }
}

/// Mixes the values of one text, each head by itself.
fn attention(
    queries: &[f32],
    keys: &[f32],
    values: &[f32],
    hidden: usize,
    heads: usize,
) -> Vec<f32> {
    let mut mixed = vec![0.0; queries.len()];
    let width = hidden / heads;
    let scale = 1.0 / float(width).sqrt();
    for head in 0..heads {
        let part = |rows: &'_ [f32]| -> Vec<f32> {
            let rows = rows.chunks_exact(hidden);
            rows.flat_map(|row| row.iter().skip(head * width).take(width))
                .copied()
                .collect()
        };
        let mut own = part(queries);
        own.iter_mut().for_each(|number| *number *= scale);
        let (keys, values) = (part(keys), part(values));
        let keys = Panels::of_rows(keys.chunks_exact(width), width);
        let mut shares = keys.multiply(&own);
        shares
            .chunks_exact_mut(keys.outputs().max(1))
            .for_each(softmax);
        let found = Panels::of_columns(values.chunks_exact(width), width).multiply(&shares);
        for (to, from) in mixed
            .chunks_exact_mut(hidden)
            .zip(found.chunks_exact(width))
        {
            let cells = to.iter_mut().skip(head * width);
            cells.zip(from).for_each(|(cell, number)| *cell = *number);
        }
    }
    mixed
}

impl Linear {
    fn new(
        name: &str,
        outputs: usize,
        inputs: usize,
        weights: &mut Weights,
    ) -> Result<Self, EncoderError> {
        Ok(Self {
            weights: weights.panels(&format!("{name}.weight"), outputs, inputs)?,
            bias: weights.list(&format!("{name}.bias"), outputs)?,
        })
    }

    fn apply(&self, rows: &[f32]) -> Vec<f32> {
        let mut out = self.weights.multiply(rows);
        for row in out.chunks_exact_mut(self.bias.len().max(1)) {
            add(row, &self.bias);
        }
        out
    }
}

impl Norm {
    fn new(name: &str, config: &Config, weights: &mut Weights) -> Result<Self, EncoderError> {
        Ok(Self {
            weight: weights.list(&format!("{name}.weight"), config.hidden)?,
            bias: weights.list(&format!("{name}.bias"), config.hidden)?,
            epsilon: config.epsilon,
        })
    }

    fn apply(&self, rows: &mut [f32]) {
        let count = float(self.weight.len());
        for row in rows.chunks_exact_mut(self.weight.len().max(1)) {
            let mean = sum(row) / count;
            row.iter_mut().for_each(|number| *number -= mean);
            let squares: Vec<f32> = row.iter().map(|number| number * number).collect();
            let scale = 1.0 / (sum(&squares) / count + self.epsilon).sqrt();
            let own = self.weight.iter().zip(&self.bias);
            for (number, (weight, bias)) in row.iter_mut().zip(own) {
                *number = *number * scale * weight + bias;
            }
        }
    }
}

fn add(to: &mut [f32], numbers: &[f32]) {
    to.iter_mut()
        .zip(numbers)
        .for_each(|(to, number)| *to += number);
}

/// A size of the configuration, all of which are below 65,536.
fn float(size: usize) -> f32 {
    f32::from(u16::try_from(size).unwrap_or(u16::MAX))
}
