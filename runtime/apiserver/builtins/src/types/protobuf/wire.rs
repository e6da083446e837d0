//! Reader of the protobuf wire format.

/// Error of [`decode_protobuf`](super::decode_protobuf): the bytes are not a valid message, or have
/// an unknown type or a value that cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProtobufError(String);

impl ProtobufError {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Value of a field on the wire. The field's Go type decides what the value means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wire<'a> {
    Integer(u64),
    Double(u64),
    Float(u32),
    Bytes(&'a [u8]),
}

impl<'a> Wire<'a> {
    pub(super) fn bytes(self) -> Result<&'a [u8], ProtobufError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => Err(wrong_type_error()),
        }
    }

    pub(super) fn into_text(self) -> Result<String, ProtobufError> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    pub(super) fn integer(self) -> Result<i64, ProtobufError> {
        match self {
            Self::Integer(bits) => Ok(bits.cast_signed()),
            _ => Err(wrong_type_error()),
        }
    }

    pub(super) fn float(self) -> Result<f64, ProtobufError> {
        match self {
            Self::Double(bits) => Ok(f64::from_bits(bits)),
            Self::Float(bits) => Ok(f32::from_bits(bits).into()),
            _ => Err(wrong_type_error()),
        }
    }
}

fn wrong_type_error() -> ProtobufError {
    ProtobufError::new("proto: wrong wireType")
}

/// Reader of the fields of one message, or of the items of a packed list.
pub(super) struct WireReader<'a>(&'a [u8]);

impl<'a> WireReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number and the value of the next field, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Wire<'a>)>, ProtobufError> {
        if self.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let wire = match tag & 7 {
            0 => Wire::Integer(self.varint()?),
            1 => Wire::Double(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| unexpected_end())?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Float(u32::from_le_bytes(self.array()?)),
            _ => return Err(ProtobufError::new("proto: illegal wireType")),
        };
        Ok(Some((tag >> 3, wire)))
    }

    /// Reads the next number of a packed list.
    pub(super) fn integer(&mut self) -> Result<i64, ProtobufError> {
        self.varint().map(u64::cast_signed)
    }

    fn varint(&mut self) -> Result<u64, ProtobufError> {
        let mut bits = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            bits |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(bits);
            }
        }
        Err(ProtobufError::new("proto: integer overflow"))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtobufError> {
        self.take(N)?.try_into().map_err(|_| unexpected_end())
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], ProtobufError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(unexpected_end)?;
        self.0 = rest;
        Ok(taken)
    }
}

fn unexpected_end() -> ProtobufError {
    ProtobufError::new("unexpected EOF")
}
