package parallel

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// An Option configures [NewDistributedDataParallel]: [BroadcastBuffers], [InitSync],
// [BucketCapMB], [BucketCapMBList], [FindUnusedParameters], [GradientAsBucketView],
// [StaticGraph], [SkipAllReduceUnusedParams] or [Ignore].
//
//gotorch:options BroadcastBuffers InitSync BucketCapMB BucketCapMBList FindUnusedParameters
//gotorch:options GradientAsBucketView StaticGraph SkipAllReduceUnusedParams Ignore
type Option interface{ ddpOption() }

// BroadcastBuffers controls whether each Forward first copies the buffers from rank 0, such as the
// running statistics of a BatchNorm. It is broadcast_buffers in Python. The default is true.
type BroadcastBuffers bool

// InitSync controls whether the constructor compares parameters on all ranks and copies their
// values from rank 0. If it is false, the program must do so. It is init_sync in Python. The
// default is true.
type InitSync bool

// BucketCapMB is the size of a gradient bucket in mebibytes. A full bucket is sent while
// the gradients of other buckets are computed. It is bucket_cap_mb in Python. The default
// is 1 for the first bucket and 25 for the others.
type BucketCapMB float64

// BucketCapMBList holds the sizes of the first buckets in mebibytes; the last size
// applies to all further buckets. It replaces [BucketCapMB]. With an empty list, which is
// None in Python, BucketCapMB applies. It is bucket_cap_mb_list in Python.
type BucketCapMBList []float64

// FindUnusedParameters says whether each Forward searches for parameters that its results
// do not depend on. A parameter that is unused on all ranks then keeps its gradient. The
// search takes time. Without it, unused parameters are an error. The option is
// find_unused_parameters in Python. The default is false.
type FindUnusedParameters bool

// GradientAsBucketView says whether gradients are views of the buckets, which saves
// memory and a copy. Such gradients cannot be detached in place; no optimizer does so. It
// is gradient_as_bucket_view in Python. The default is false.
type GradientAsBucketView bool

// StaticGraph says whether every iteration uses the same parameters in the same way. If
// so, unused parameters are searched for only once, and activation checkpointing and
// reentrant backward passes are allowed. The first pass must be outside of NoSync. It is
// static_graph in Python. The default is false.
type StaticGraph bool

// SkipAllReduceUnusedParams says whether a bucket is not sent if all of its parameters
// are unused. The same parameters must then be unused on all ranks in every iteration.
// The option needs [FindUnusedParameters] or [StaticGraph]; without them the constructor
// returns ErrValue. It is skip_all_reduce_unused_params in Python. The default is false.
type SkipAllReduceUnusedParams bool

// Ignore names the parameters and buffers that are neither averaged nor copied. The names
// are those in the module's NamedParameters and NamedBuffers. For an unknown name, or
// only one of two names of a tensor, the constructor returns ErrValue. It is
// _ddp_params_and_buffers_to_ignore in Python.
type Ignore []string

// settings holds the values of the options.
type settings struct {
	distributed.ReducerConfig
	buffers bool
	ignore  []string
}

func readOptions(op string, opts []Option) (s settings, err error) {
	s.buffers = true
	s.Op = op
	for _, o := range opts {
		switch o := o.(type) {
		case BroadcastBuffers:
			s.buffers = bool(o)
		case InitSync:
			s.NoSync = !bool(o)
		case BucketCapMB:
			s.BucketCap, err = mebibytes(op, "BucketCapMB", float64(o))
		case BucketCapMBList:
			s.BucketCaps = nil
			for _, mb := range o {
				n, wrong := mebibytes(op, "BucketCapMBList", mb)
				if wrong != nil {
					err = wrong
				}
				s.BucketCaps = append(s.BucketCaps, n)
			}
		case FindUnusedParameters:
			s.FindUnusedParameters = bool(o)
		case GradientAsBucketView:
			s.GradientAsBucketView = bool(o)
		case StaticGraph:
			s.StaticGraph = bool(o)
		case SkipAllReduceUnusedParams:
			s.SkipAllReduceUnusedParams = bool(o)
		case Ignore:
			s.ignore = slices.Clone(o)
		default:
			err = torch.BadOption(op, o)
		}
		if err != nil {
			return s, err
		}
	}
	if s.SkipAllReduceUnusedParams && !s.FindUnusedParameters && !s.StaticGraph {
		return s, torch.NewError(op, torch.ErrValue, "SkipAllReduceUnusedParams",
			"needs the search for unused parameters; set FindUnusedParameters(true) or StaticGraph(true) too")
	}
	return s, nil
}

// mebibytes converts mebibytes to bytes, as Python's int(mb * 1024 * 1024).
func mebibytes(op, name string, mb float64) (int64, error) {
	if n := mb * (1 << 20); n >= 1 && n < math.MaxInt64 {
		return int64(n), nil
	}
	return 0, torch.NewError(op, torch.ErrValue, name, "expected a positive number of mebibytes")
}
