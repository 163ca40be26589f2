package opt

import "github.com/gotorch/gotorch/torch"

// Options for the parameters of a layer, and options of embeddings.

// Bias says whether a layer has a bias.
type Bias bool

// Device is the device of the parameters.
type Device torch.Device

// DType is the dtype of the parameters, or the dtype to which an input is converted.
type DType torch.DType

// PaddingIdx is the index of the embedding's row that is not trained.
type PaddingIdx int64

// MaxNorm is the largest norm that an embedding's row may have when it is used.
type MaxNorm float64

// NormType is the exponent of the norm that MaxNorm limits.
type NormType float64

// ScaleGradByFreq says whether the gradient of a row is divided by the number of times
// that the input contains its index.
type ScaleGradByFreq bool

// Sparse says whether the gradient is sparse.
type Sparse bool

// NumClasses is the number of classes.
type NumClasses int64
