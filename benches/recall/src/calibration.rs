//! Curve of the confidence, fitted on other conversations than those that it is measured on.

use counterfoil_selector::metrics::calibration_error;

use crate::quality::{Judged, Measured};

/// Odds of nothing, and those of a unit of each feature.
type Curve = [f64; 3];

/// Steps of Newton's method; the fit no longer moves after about six.
const STEPS: usize = 12;

/// Calibration error of the first memories, each conversation by the curve that fits the first ten memories of the others.
#[must_use]
pub fn left_out(measured: &[&Measured]) -> Option<f64> {
    let mut outcomes = Vec::new();
    for (at, here) in measured.iter().enumerate() {
        let others = measured
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at);
        let others: Vec<Judged> = others.flat_map(|(_, it)| it.judged.clone()).collect();
        let curve = fit(&others);
        let firsts = here.judged.iter().filter(|it| it.is_first);
        outcomes.extend(firsts.map(|it| (likelihood(curve, it), it.is_right)));
    }
    calibration_error(&outcomes)
}

/// Logistic regression by Newton's method, with a slight pull of the curve to 0, so that it is found for any data.
fn fit(judged: &[Judged]) -> Curve {
    let mut curve = [0.0; 3];
    for _ in 0..STEPS {
        let mut gradient = curve.map(|it| -0.01 * it);
        let mut hessian = [[0.01, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.0, 0.01]];
        for it in judged {
            let features = with_one(it);
            let likelihood = likelihood(curve, it);
            let missed = f64::from(u8::from(it.is_right)) - likelihood;
            let weight = likelihood * (1.0 - likelihood);
            for ((gradient, row), left) in gradient.iter_mut().zip(&mut hessian).zip(features) {
                *gradient += missed * left;
                for (cell, right) in row.iter_mut().zip(features) {
                    *cell += weight * left * right;
                }
            }
        }
        for (value, step) in curve.iter_mut().zip(solved(hessian, gradient)) {
            *value += step;
        }
    }
    curve
}

fn likelihood(curve: Curve, judged: &Judged) -> f64 {
    let odds: f64 = curve
        .iter()
        .zip(with_one(judged))
        .map(|(one, other)| one * other)
        .sum();
    1.0 / (1.0 + (-odds).exp())
}

fn with_one(judged: &Judged) -> Curve {
    let [share, lead] = judged.features;
    [1.0, share, lead]
}

/// The solution of three linear equations, by Cramer's rule.
fn solved(matrix: [Curve; 3], right: Curve) -> Curve {
    let whole = determinant(matrix);
    let mut solution = [0.0; 3];
    for (at, value) in solution.iter_mut().enumerate() {
        let mut replaced = matrix;
        for (row, right) in replaced.iter_mut().zip(right) {
            if let Some(cell) = row.get_mut(at) {
                *cell = right;
            }
        }
        *value = determinant(replaced) / whole;
    }
    solution
}

fn determinant([[a, b, c], [d, e, f], [g, h, i]]: [Curve; 3]) -> f64 {
    a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of draws by a known curve the fit finds that curve.
    #[test]
    fn a_curve_is_found_again() {
        let known = [-2.0, 1.5, 3.0];
        let mut judged = Vec::new();
        for place in 0_u32..20_000 {
            let fraction = |by: f64| (f64::from(place) * by).fract();
            let mut it = Judged {
                is_first: true,
                features: [fraction(0.618_034), fraction(0.414_214) - 0.2],
                is_right: false,
            };
            it.is_right = fraction(0.732_051) < likelihood(known, &it);
            judged.push(it);
        }
        for (found, known) in fit(&judged).iter().zip(known) {
            assert!((found - known).abs() < 0.15, "{found} is not {known}");
        }
        let all_right = vec![
            Judged {
                is_right: true,
                ..judged[0]
            };
            5
        ];
        assert!(fit(&all_right).iter().all(|it| it.is_finite()));
    }
}
