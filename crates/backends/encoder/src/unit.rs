//! Unit length of vectors.

/// Divides the vector by its length; returns false if it has no direction or a number that is not finite.
pub(crate) fn to_unit_length(vector: &mut [f32]) -> bool {
    let length = vector
        .iter()
        .map(|number| number * number)
        .sum::<f32>()
        .sqrt();
    vector.iter_mut().for_each(|number| *number /= length);
    length > 0.0 && length.is_finite()
}
