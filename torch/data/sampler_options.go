package data

// These are the options of the functions that make samplers.
type (
	// A RandomSamplerOption is an argument of [NewRandomSampler] that Python takes by
	// keyword: [Replacement], [NumSamples] or [Generator].
	//
	//gotorch:options Replacement NumSamples GeneratorOption
	RandomSamplerOption interface{ randomSamplerOption() }
	// A SubsetSamplerOption is an argument of [NewSubsetRandomSampler] that Python takes
	// by keyword: [Generator].
	//
	//gotorch:options GeneratorOption
	SubsetSamplerOption interface{ subsetSamplerOption() }
	// A WeightedSamplerOption is an argument of [NewWeightedRandomSampler] that Python
	// takes by keyword: [Replacement] or [Generator].
	//
	//gotorch:options Replacement GeneratorOption
	WeightedSamplerOption interface{ weightedSamplerOption() }
)

// Replacement controls whether an index may be drawn twice; replacement in Python. The
// default is false for NewRandomSampler and true for NewWeightedRandomSampler.
type Replacement bool

// NumSamples is the number of indices in an epoch; num_samples in Python. The default is
// the number of examples; a number below 1 panics with ErrValue.
type NumSamples int

// SamplerOption is the type of [WithSampler].
type SamplerOption struct{ sampler Sampler }

// WithSampler sets the examples that a loader reads and their order; sampler in Python.
// The default, and nil, reads all examples in order, or with [Shuffle] in a random order.
// Combining WithSampler with Shuffle panics with ErrValue.
func WithSampler(s Sampler) SamplerOption { return SamplerOption{s} }

// BatchSamplerOption is the type of [WithBatchSampler].
type BatchSamplerOption struct{ sampler BatchSampler }

// WithBatchSampler sets the examples in each batch of a loader; batch_sampler in Python.
// The default, and nil, makes batches of [BatchSize]. Combining it with a BatchSize other
// than 1, [Shuffle], [DropLast] or [WithSampler] panics with ErrValue.
func WithBatchSampler(s BatchSampler) BatchSamplerOption { return BatchSamplerOption{s} }
