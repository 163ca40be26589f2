package amp

import "github.com/gotorch/gotorch/torch"

// An AutocastOption is an argument of [Autocast]: [Enabled] or [CacheEnabled].
//
//gotorch:options Enabled CacheEnabled
type AutocastOption interface{ autocastOption() }

// A ScalerOption is an argument of [NewGradScaler]: [Device], [InitScale], [GrowthFactor],
// [BackoffFactor], [GrowthInterval] or [Enabled].
//
//gotorch:options Device InitScale GrowthFactor BackoffFactor GrowthInterval Enabled
type ScalerOption interface{ scalerOption() }

// An UpdateOption is an argument of [GradScaler.Update]: [NewScale] or [NewScaleTensor].
//
//gotorch:options NewScale newScaleTensor
type UpdateOption interface{ updateOption() }

// A FwdOption is an argument of [CustomFwd]: [CastInputs].
//
//gotorch:options CastInputs
type FwdOption interface{ fwdOption() }

// Enabled says whether [Autocast] casts in its function, where false turns an
// autocast around it off, and whether a [GradScaler] scales; enabled in Python. The
// default is true.
type Enabled bool

// CacheEnabled says whether casts of weights are kept until the outermost autocast
// ends, so that a weight that is used twice is cast once; cache_enabled in Python. The
// default is that of the autocast around it, and true for the outermost.
type CacheEnabled bool

// Device is the device of the losses that a [GradScaler] scales; device in Python. The default,
// and the zero Device, is CUDA.
type Device torch.Device

// InitScale is the scale to begin with; init_scale in Python. The default is 65536.
type InitScale float64

// GrowthFactor is what the scale is multiplied by after [GrowthInterval] steps in a row
// without an infinity or NaN; growth_factor in Python. The default is 2; it has to be
// above 1.
type GrowthFactor float64

// BackoffFactor is what the scale is multiplied by after a step with an infinity or NaN;
// backoff_factor in Python. The default is 0.5; it has to be below 1.
type BackoffFactor float64

// GrowthInterval is the number of steps of [GrowthFactor]; growth_interval in Python. The
// default is 2000.
type GrowthInterval int64

// NewScale is the scale from now on; new_scale in Python.
type NewScale float64

// CastInputs has a custom function's forward get its floating-point inputs in this dtype
// and run without autocast, where it is called under autocast; cast_inputs in Python. The
// zero dtype is Python's None, the default: they come as they are.
type CastInputs torch.DType

type newScaleTensor struct{ t *torch.Tensor }

// NewScaleTensor is the scale from now on, a tensor of one element that is on the type of
// device of the scaler and requires no gradient, which is copied; nil is none. It is
// new_scale in Python.
func NewScaleTensor(t *torch.Tensor) UpdateOption { return newScaleTensor{t} }
