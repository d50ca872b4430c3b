//! Matrix product and the functions of a transformer, on one thread, with the vector instructions that the machine has.

use pulp::{Arch, Simd, WithSimd};

/// Outputs that a panel holds side by side: two registers of AVX2, four of NEON or SSE.
const LANES: usize = 16;
/// Rows that are multiplied at once: with [`LANES`] they fill the registers, and no more.
const ROWS: usize = 4;

/// Matrix in panels of [`LANES`] outputs each, input after input, so that a product reads it from start to end.
pub(crate) struct Panels {
    data: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl Panels {
    /// Packs `rows`, one for each output, of `inputs` numbers each.
    pub(crate) fn of_rows<'a>(
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        inputs: usize,
    ) -> Self {
        let mut panels = Self::zeros(inputs, rows.len());
        let mut rows = rows;
        for panel in panels.data.chunks_exact_mut(inputs.max(1) * LANES) {
            for (lane, row) in rows.by_ref().take(LANES).enumerate() {
                let cells = panel.iter_mut().skip(lane).step_by(LANES);
                cells.zip(row).for_each(|(cell, value)| *cell = *value);
            }
        }
        panels
    }

    /// Packs `columns`, one for each input, of `outputs` numbers each.
    pub(crate) fn of_columns<'a>(
        columns: impl ExactSizeIterator<Item = &'a [f32]>,
        outputs: usize,
    ) -> Self {
        let inputs = columns.len();
        let mut panels = Self::zeros(inputs, outputs);
        for (input, column) in columns.enumerate() {
            let whole = panels.data.chunks_exact_mut(inputs * LANES);
            for (panel, part) in whole.zip(column.chunks(LANES)) {
                let cells = panel.iter_mut().skip(input * LANES);
                cells.zip(part).for_each(|(cell, value)| *cell = *value);
            }
        }
        panels
    }

    fn zeros(inputs: usize, outputs: usize) -> Self {
        Self {
            data: vec![0.0; outputs.div_ceil(LANES) * inputs * LANES],
            inputs,
            outputs,
        }
    }

    pub(crate) const fn outputs(&self) -> usize {
        self.outputs
    }

    /// Returns the product with each row of `rows`, one row of outputs after another.
    pub(crate) fn multiply(&self, rows: &[f32]) -> Vec<f32> {
        let count = rows.len().checked_div(self.inputs).unwrap_or(0);
        let mut out = vec![0.0; count * self.outputs];
        Arch::new().dispatch(Product {
            panels: self,
            rows,
            out: &mut out,
        });
        out
    }
}

struct Product<'a> {
    panels: &'a Panels,
    rows: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match LANES / S::F32_LANES {
            1 => self.run::<S, 1>(simd),
            2 => self.run::<S, 2>(simd),
            4 => self.run::<S, 4>(simd),
            8 => self.run::<S, 8>(simd),
            _ => self.run::<S, LANES>(simd),
        }
    }
}

impl Product<'_> {
    /// `V` registers hold the lanes of a panel.
    #[inline(always)]
    fn run<S: Simd, const V: usize>(self, simd: S) {
        let Panels {
            data,
            inputs,
            outputs,
        } = self.panels;
        if *inputs == 0 || *outputs == 0 {
            return;
        }
        // The numbers of a block of rows that meet the same input lie side by side.
        let mut block = vec![[0.0; ROWS]; *inputs];
        let blocks = self.rows.chunks(inputs * ROWS);
        for (rows, out) in blocks.zip(self.out.chunks_mut(outputs * ROWS)) {
            for (at, row) in rows.chunks_exact(*inputs).enumerate() {
                for (input, value) in block.iter_mut().zip(row) {
                    if let Some(cell) = input.get_mut(at) {
                        *cell = *value;
                    }
                }
            }
            for (at, panel) in data.chunks_exact(inputs * LANES).enumerate() {
                let sums = panel_of_block::<S, V>(simd, panel, &block);
                for (row, sums) in out.chunks_mut(*outputs).zip(sums) {
                    let cells = row.chunks_mut(LANES).nth(at).unwrap_or_default();
                    let mut flat = [0.0; LANES];
                    let (registers, _) = S::as_mut_simd_f32s(&mut flat);
                    registers
                        .iter_mut()
                        .zip(sums)
                        .for_each(|(to, sum)| *to = sum);
                    cells
                        .iter_mut()
                        .zip(flat)
                        .for_each(|(cell, sum)| *cell = sum);
                }
            }
        }
    }
}

#[inline(always)]
fn panel_of_block<S: Simd, const V: usize>(
    simd: S,
    panel: &[f32],
    block: &[[f32; ROWS]],
) -> [[S::f32s; V]; ROWS] {
    let mut sums = [[simd.splat_f32s(0.0); V]; ROWS];
    let (registers, _) = S::as_simd_f32s(panel);
    for (weights, inputs) in registers.as_chunks::<V>().0.iter().zip(block) {
        for (sums, input) in sums.iter_mut().zip(inputs) {
            let input = simd.splat_f32s(*input);
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum = simd.mul_add_f32s(input, *weight, *sum);
            }
        }
    }
    sums
}

/// Applies the exact form of the Gaussian error linear unit to each number, with an error below 1e-6.
pub(crate) fn gelu(numbers: &mut [f32]) {
    let function = Function::Gelu;
    Arch::new().dispatch(Apply { numbers, function });
}

/// Turns `scores` into shares that sum to 1.
pub(crate) fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score -= most);
    let function = Function::Exponential;
    Arch::new().dispatch(Apply {
        numbers: scores,
        function,
    });
    let scale = 1.0 / sum(scores);
    scores.iter_mut().for_each(|score| *score *= scale);
}

/// Adds up `numbers` in [`LANES`] sums, which the order of floats would otherwise forbid.
pub(crate) fn sum(numbers: &[f32]) -> f32 {
    let (whole, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in whole {
        let pairs = sums.iter_mut().zip(chunk);
        pairs.for_each(|(sum, number)| *sum += number);
    }
    sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

enum Function {
    Gelu,
    Exponential,
}

/// A function of each number. It is written in registers: loops over numbers are not turned into such where a program is
/// optimised for size.
struct Apply<'a> {
    numbers: &'a mut [f32],
    function: Function,
}

impl WithSimd for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.function {
            Function::Gelu => each(simd, self.numbers, gelu_of::<S>),
            Function::Exponential => each(simd, self.numbers, exp::<S>),
        }
    }
}

#[inline(always)]
fn each<S: Simd>(simd: S, numbers: &mut [f32], function: impl Fn(S, S::f32s) -> S::f32s) {
    let (registers, rest) = S::as_mut_simd_f32s(numbers);
    for register in registers {
        *register = function(simd, *register);
    }
    let last = function(simd, simd.partial_load_f32s(rest));
    simd.partial_store_f32s(rest, last);
}

/// Subtracts from the positive part of `x` the share of it that lies beyond its own size in a normal distribution (Abramowitz
/// and Stegun, 7.1.26, to 2e-7).
#[inline(always)]
fn gelu_of<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let of = |number| simd.splat_f32s(number);
    let size = simd.abs_f32s(x);
    let scaled = simd.mul_f32s(size, of(core::f32::consts::FRAC_1_SQRT_2));
    let below = simd.mul_add_f32s(scaled, of(0.327_591_1), of(1.0));
    let place = simd.div_f32s(of(1.0), below);
    let mut value = of(1.061_405_4);
    for factor in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6, 0.0] {
        value = simd.mul_add_f32s(value, place, of(factor));
    }
    let square = simd.mul_f32s(scaled, scaled);
    let density = exp(simd, simd.sub_f32s(of(0.0), square));
    let beyond = simd.mul_f32s(simd.mul_f32s(value, density), of(0.5));
    let positive = simd.max_f32s(of(0.0), x);
    simd.sub_f32s(positive, simd.mul_f32s(size, beyond))
}

/// Exponential function to 3e-7 of its value: a polynomial of the remainder, and the power of two put into the exponent.
#[inline(always)]
fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    /// Pushes the integer part of a number into its lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    let of = |number| simd.splat_f32s(number);
    let x = simd.max_f32s(of(-87.0), simd.min_f32s(of(88.0), x));
    let shifted = simd.mul_add_f32s(x, of(core::f32::consts::LOG2_E), of(SHIFT));
    let power = simd.sub_f32s(shifted, of(SHIFT));
    let rest = simd.mul_add_f32s(power, of(-0.693_359_4), x);
    let rest = simd.mul_add_f32s(power, of(2.121_944_4e-4), rest);
    let mut value = of(1.987_569_1e-4);
    for factor in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        5e-1,
        1.0,
        1.0,
    ] {
        value = simd.mul_add_f32s(value, rest, of(factor));
    }
    let bits = simd.transmute_u32s_f32s(shifted);
    let exponent = simd.wrapping_dyn_shl_u32s(bits, simd.splat_u32s(23));
    let exponent = simd.add_u32s(exponent, simd.splat_u32s(0x3f80_0000));
    simd.mul_f32s(value, simd.transmute_f32s_u32s(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes on both sides of a panel's and a block's.
    #[test]
    fn a_product_is_that_of_the_definition() {
        for (rows, inputs, outputs) in [(1, 1, 1), (3, 5, 15), (4, 16, 16), (9, 33, 50)] {
            let number = |at: usize| (f32::from(u16::try_from(at * 7 % 23).unwrap()) - 11.0) / 8.0;
            let left: Vec<f32> = (0..rows * inputs).map(number).collect();
            let right: Vec<f32> = (0..outputs * inputs).map(|at| number(at + 3)).collect();
            let mut expected = Vec::new();
            for row in left.chunks(inputs) {
                for column in right.chunks(inputs) {
                    expected.push(row.iter().zip(column).map(|(a, b)| a * b).sum::<f32>());
                }
            }
            let panels = Panels::of_rows(right.chunks(inputs), inputs);
            let turned: Vec<Vec<f32>> = (0..inputs)
                .map(|input| right.iter().skip(input).step_by(inputs).copied().collect())
                .collect();
            let same = Panels::of_columns(turned.iter().map(Vec::as_slice), outputs);
            for panels in [panels, same] {
                let product = panels.multiply(&left);
                assert_eq!(product.len(), expected.len());
                for (found, expected) in product.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-4, "{rows} {inputs} {outputs}");
                }
            }
        }
    }

    #[test]
    fn functions_are_those_of_the_library_within_their_error() {
        let steps = || (-900..900_i16).map(|step| f32::from(step) / 10.0);
        let mut found: Vec<f32> = steps().collect();
        let function = Function::Exponential;
        Arch::new().dispatch(Apply {
            numbers: &mut found,
            function,
        });
        for (x, found) in steps().zip(found) {
            let expected = x.clamp(-87.0, 88.0).exp();
            assert!((found - expected).abs() <= expected * 3e-7, "{x}");
        }
        // Seven numbers fill no register.
        let mut found = [-40.0, -2.0, -0.5, 0.0, 0.5, 2.0, 40.0];
        gelu(&mut found);
        let expected = [
            0.0,
            -0.045_500_3,
            -0.154_268_8,
            0.0,
            0.345_731_2,
            1.954_499_7,
            40.0,
        ];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        let mut scores = [f32::MAX, f32::MAX, f32::MIN];
        softmax(&mut scores);
        assert_eq!(scores.map(|score| score.max(1e-30)), [0.5, 0.5, 1e-30]);
    }
}
