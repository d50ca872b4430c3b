//! `model.safetensors`, read once from start to end: the digest goes over every byte, and a tensor becomes what the kernel
//! needs while it passes.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use blake3::Hasher;
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use crate::EncoderError;
use crate::kernel::Panels;

pub(crate) const FILE: &str = "model.safetensors";
/// Limit of the file: 4 GiB.
const MAX_BYTES: u64 = 4 << 30;
/// Limit of the file's header, which describes some hundred tensors.
const MAX_HEADER: u64 = 4 << 20;

/// Form of a number in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Single,
    Half,
    Brain,
}

/// Tensors by their names, without the name of the model before them.
pub(crate) struct Weights(HashMap<String, Table>);

/// Matrix in the form that the file has it in: half the bytes for half precision.
pub(crate) struct Table {
    bytes: Vec<u8>,
    number: Number,
    shape: Vec<usize>,
}

impl Weights {
    /// Reads the tensors whose names begin with one of `wanted`, and adds all bytes of the file to `digest`.
    pub(crate) fn read(
        folder: &Path,
        wanted: &[&str],
        digest: &mut Hasher,
    ) -> Result<Self, EncoderError> {
        let unreadable = |source| EncoderError::Unreadable { file: FILE, source };
        let file = File::open(folder.join(FILE)).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        if length > MAX_BYTES {
            return Err(EncoderError::TooLarge {
                file: FILE,
                limit: MAX_BYTES,
            });
        }
        let mut reader = Hashing {
            inner: BufReader::with_capacity(1 << 20, file),
            digest,
        };
        let mut bytes = [0; 8];
        reader.fill(&mut bytes)?;
        let size = u64::from_le_bytes(bytes);
        if size > MAX_HEADER || size > length {
            return Err(EncoderError::malformed(FILE, "its header is too long"));
        }
        let mut text = vec![0; usize::try_from(size).unwrap_or_default()];
        reader.fill(&mut text)?;
        let metadata: Metadata =
            serde_json::from_slice(&text).map_err(|error| EncoderError::malformed(FILE, error))?;
        let data = u64::try_from(metadata.data_len()).unwrap_or(u64::MAX);
        if data.checked_add(8 + size) != Some(length) {
            let fault = "it was cut, or has bytes of no tensor";
            return Err(EncoderError::malformed(FILE, fault));
        }
        let mut tensors = HashMap::new();
        for key in metadata.offset_keys() {
            let Some(info) = metadata.info(&key) else {
                continue;
            };
            let name = ["bert.", "roberta."]
                .iter()
                .find_map(|model| key.strip_prefix(model));
            let name = name.unwrap_or(&key);
            let is_wanted = wanted.iter().any(|start| name.starts_with(start));
            match number(info.dtype).filter(|_| is_wanted) {
                Some(number) => {
                    let table = Table::read(&mut reader, info, number)?;
                    if tensors.insert(name.to_owned(), table).is_some() {
                        return Err(EncoderError::malformed(
                            FILE,
                            format!("{name} is there twice"),
                        ));
                    }
                }
                None => reader.skip(length_of(info))?,
            }
        }
        Ok(Self(tensors))
    }

    /// Takes the tensor, which must have this shape.
    pub(crate) fn table(&mut self, name: &str, shape: &[usize]) -> Result<Table, EncoderError> {
        let found = self.0.remove(name);
        match found {
            Some(table) if table.shape == shape => Ok(table),
            other => Err(EncoderError::Tensor {
                name: name.to_owned(),
                expected: shape.to_vec(),
                found: other.map_or("absent".into(), |table| format!("{:?}", table.shape)),
            }),
        }
    }

    /// Takes the tensor of `length` numbers.
    pub(crate) fn list(&mut self, name: &str, length: usize) -> Result<Vec<f32>, EncoderError> {
        Ok(self.table(name, &[length])?.numbers().collect())
    }

    /// Takes the tensor of `outputs` rows of `inputs` numbers.
    pub(crate) fn panels(
        &mut self,
        name: &str,
        outputs: usize,
        inputs: usize,
    ) -> Result<Panels, EncoderError> {
        let table = self.table(name, &[outputs, inputs])?;
        let numbers: Vec<f32> = table.numbers().collect();
        Ok(Panels::of_rows(numbers.chunks_exact(inputs), inputs))
    }
}

impl Table {
    fn read(
        reader: &mut Hashing<'_>,
        info: &TensorInfo,
        number: Number,
    ) -> Result<Self, EncoderError> {
        let mut bytes = vec![0; length_of(info)];
        reader.fill(&mut bytes)?;
        let shape = info.shape.clone();
        let table = Self {
            bytes,
            number,
            shape,
        };
        if table.numbers().all(f32::is_finite) {
            return Ok(table);
        }
        Err(EncoderError::malformed(
            FILE,
            "a weight is no finite number",
        ))
    }

    /// Numbers of row `index`; none if there is no such row.
    pub(crate) fn row(&self, index: usize) -> impl Iterator<Item = f32> {
        let width = self.shape.last().copied().unwrap_or_default() * self.number.bytes();
        let bytes = index
            .checked_mul(width)
            .and_then(|start| self.bytes.get(start..start.checked_add(width)?));
        numbers(bytes.unwrap_or_default(), self.number)
    }

    fn numbers(&self) -> impl Iterator<Item = f32> {
        numbers(&self.bytes, self.number)
    }
}

impl Number {
    const fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Half | Self::Brain => 2,
        }
    }
}

fn numbers(bytes: &[u8], number: Number) -> impl Iterator<Item = f32> {
    /// 2 to the power of 112: the difference of the exponents' biases of IEEE 754 binary32 and binary16.
    const BIAS: f32 = f32::from_bits((127 + 112) << 23);
    let (singles, halves) = match number {
        Number::Single => (bytes.as_chunks::<4>().0, &[][..]),
        Number::Half | Number::Brain => (&[][..], bytes.as_chunks::<2>().0),
    };
    let singles = singles.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let halves = halves.iter().map(move |bytes| {
        let bits = u16::from_le_bytes(*bytes);
        if number != Number::Half {
            return f32::from_bits(u32::from(bits) << 16);
        }
        let sign = u32::from(bits & 0x8000) << 16;
        let magnitude = match bits & 0x7fff {
            finite @ ..0x7c00 => f32::from_bits(u32::from(finite) << 13) * BIAS,
            0x7c00 => f32::INFINITY,
            _ => f32::NAN,
        };
        f32::from_bits(magnitude.to_bits() | sign)
    });
    singles.chain(halves)
}

const fn number(dtype: Dtype) -> Option<Number> {
    match dtype {
        Dtype::F32 => Some(Number::Single),
        Dtype::F16 => Some(Number::Half),
        Dtype::BF16 => Some(Number::Brain),
        _ => None,
    }
}

const fn length_of(info: &TensorInfo) -> usize {
    info.data_offsets.1.saturating_sub(info.data_offsets.0)
}

/// Reader that adds what it reads to a digest.
struct Hashing<'a> {
    inner: BufReader<File>,
    digest: &'a mut Hasher,
}

impl Hashing<'_> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EncoderError> {
        let read = self.inner.read_exact(bytes);
        read.map_err(|source| EncoderError::Unreadable { file: FILE, source })?;
        self.digest.update(bytes);
        Ok(())
    }

    fn skip(&mut self, bytes: usize) -> Result<(), EncoderError> {
        let mut left = u64::try_from(bytes).unwrap_or(u64::MAX);
        let mut piece = [0; 1 << 14];
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
            let Some(piece) = piece.get_mut(..most) else {
                break;
            };
            self.fill(piece)?;
            left -= u64::try_from(most).unwrap_or(left);
        }
        Ok(())
    }
}
