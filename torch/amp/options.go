package amp

import "github.com/gotorch/gotorch/torch"

// An AutocastOption is an option of [Autocast]: [Enabled] or [CacheEnabled].
//
//gotorch:options Enabled CacheEnabled
type AutocastOption interface{ autocastOption() }

// A ScalerOption is an option of [NewGradScaler]: [Device], [InitScale], [GrowthFactor],
// [BackoffFactor], [GrowthInterval] or [Enabled].
//
//gotorch:options Device InitScale GrowthFactor BackoffFactor GrowthInterval Enabled
type ScalerOption interface{ scalerOption() }

// An UpdateOption is an option of [GradScaler.Update]: [NewScale] or [NewScaleTensor].
//
//gotorch:options NewScale newScaleTensor
type UpdateOption interface{ updateOption() }

// A FwdOption is an option of [CustomFwd]: [CastInputs].
//
//gotorch:options CastInputs
type FwdOption interface{ fwdOption() }

// Enabled controls whether [Autocast] casts and whether a [GradScaler] scales. Inside an
// Autocast, false disables autocast. The name in Python is enabled. The default is true.
type Enabled bool

// CacheEnabled controls whether casts of weights are cached until the outermost Autocast
// ends, so that a weight that is used twice is cast once; cache_enabled in Python. The
// default is the setting of the enclosing Autocast, or true for the outermost one.
type CacheEnabled bool

// Device is the device of the losses that a [GradScaler] scales; device in Python. The
// default, and the zero Device, is CUDA.
type Device torch.Device

// InitScale is the initial scale; init_scale in Python. The default is 65536.
type InitScale float64

// GrowthFactor is the factor by which the scale is multiplied after [GrowthInterval]
// consecutive steps without an infinity or NaN; growth_factor in Python. The factor must
// be greater than 1. The default is 2.
type GrowthFactor float64

// BackoffFactor is the factor by which the scale is multiplied after a step with an
// infinity or NaN; backoff_factor in Python. The factor must be less than 1. The default
// is 0.5.
type BackoffFactor float64

// GrowthInterval is the number of consecutive good steps after which the scale grows;
// see [GrowthFactor]. growth_interval in Python. The default is 2000.
type GrowthInterval int

// NewScale is the new scale; new_scale in Python.
type NewScale float64

// CastInputs is the dtype to which the floating-point inputs of a custom function's
// forward pass are cast if it is called under autocast. The pass then runs without
// autocast. It is cast_inputs in Python. The default, the zero dtype, is Python's None:
// inputs are not cast.
type CastInputs torch.DType

type newScaleTensor struct{ t *torch.Tensor }

// NewScaleTensor is the new scale as a tensor, which is copied. It must have one element,
// be on the scaler's type of device and not require a gradient. A nil tensor leaves the
// option out. It is new_scale in Python.
func NewScaleTensor(t *torch.Tensor) UpdateOption { return newScaleTensor{t} }
