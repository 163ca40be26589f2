package rnn

// A PackOption is an option of [PackPaddedSequence]: [BatchFirst] or [EnforceSorted].
//
//gotorch:options BatchFirst EnforceSorted
type PackOption interface{ packOption() }

// A PackSequenceOption is an option of [PackSequence]: [EnforceSorted].
//
//gotorch:options EnforceSorted
type PackSequenceOption interface{ packSequenceOption() }

// A PadPackedOption is an option of [PadPackedSequence]: [BatchFirst], [PaddingValue]
// or [TotalLength].
//
//gotorch:options BatchFirst PaddingValue TotalLength
type PadPackedOption interface{ padPackedOption() }

// A PadOption is an option of [PadSequence]: [BatchFirst], [PaddingValue] or
// [PaddingSide].
//
//gotorch:options BatchFirst PaddingValue PaddingSide
type PadOption interface{ padOption() }

// An UnpadOption is an option of [UnpadSequence]: [BatchFirst].
//
//gotorch:options BatchFirst
type UnpadOption interface{ unpadOption() }

// BatchFirst says whether padded sequences have shape (N, L, *) instead of (L, N, *). The
// default is false.
type BatchFirst bool

// EnforceSorted says whether the sequences must be sorted by decreasing length. If true, the
// functions check that; if false, they sort the sequences. The default is true.
type EnforceSorted bool

// PaddingValue is the value that pads shorter sequences. The default is 0.
type PaddingValue float64

// TotalLength is the length to pad to. It must be at least the length of the longest sequence,
// which is the default.
type TotalLength int64

// PaddingSide says on which side sequences are padded. The default is
// [PaddingSideRight].
type PaddingSide string

// The values of [PaddingSide].
const (
	PaddingSideRight PaddingSide = "right"
	PaddingSideLeft  PaddingSide = "left"
)
