package parallel

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// An Option says how a [NewDistributedDataParallel] works: [BroadcastBuffers], [InitSync],
// [BucketCapMB], [BucketCapMBList], [FindUnusedParameters], [GradientAsBucketView],
// [StaticGraph], [SkipAllReduceUnusedParams], [Ignore].
//
//gotorch:options BroadcastBuffers InitSync BucketCapMB BucketCapMBList FindUnusedParameters
//gotorch:options GradientAsBucketView StaticGraph SkipAllReduceUnusedParams Ignore
type Option interface{ ddpOption() }

// BroadcastBuffers is whether each Forward first takes the buffers, such as the running
// statistics of a BatchNorm, from rank 0. broadcast_buffers in Python. The default is
// true.
type BroadcastBuffers bool

// InitSync is whether the constructor compares parameters over the ranks and takes their
// values from rank 0; without it the program has seen to that. init_sync in Python. The
// default is true.
type InitSync bool

// BucketCapMB is how many mebibytes of gradients are sent at once, so that sending and
// computing overlap. bucket_cap_mb in Python. Without it, 25 after a first bucket of 1.
type BucketCapMB float64

// BucketCapMBList are the mebibytes of the first buckets; the last number holds for all
// after it. It counts in place of [BucketCapMB]. An empty one is None, without which
// [BucketCapMB] counts. bucket_cap_mb_list in Python.
type BucketCapMBList []float64

// FindUnusedParameters looks in each Forward for parameters that have no part in its
// results; they keep the gradient they had if that is so on all ranks. It takes time, and
// without it such parameters are an error. find_unused_parameters in Python. The default
// is false.
type FindUnusedParameters bool

// GradientAsBucketView has gradients be views of the buckets, which saves their memory and
// a copy. Such gradients cannot be detached in place; optimizers do not mind.
// gradient_as_bucket_view in Python. The default is false.
type GradientAsBucketView bool

// StaticGraph says that every iteration uses the same parameters in the same way. Then
// unused ones are looked for once, and checkpoints and several backward passes within one
// are possible. static_graph in Python. The default is false.
type StaticGraph bool

// SkipAllReduceUnusedParams does not send buckets of unused parameters. They have to be the
// same on all ranks in every iteration. It is ErrValue without [FindUnusedParameters] and
// [StaticGraph]: nobody looks for unused parameters then. skip_all_reduce_unused_params in
// Python. The default is false.
type SkipAllReduceUnusedParams bool

// Ignore names parameters and buffers that are neither averaged nor sent, as the module's
// NamedParameters and NamedBuffers have them. A name that the module does not have is
// ErrValue, and so is one of the two names of a tensor.
// _ddp_params_and_buffers_to_ignore in Python.
type Ignore []string

// settings are these options, read.
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
			s.SkipUnusedBuckets = bool(o)
		case Ignore:
			s.ignore = slices.Clone(o)
		default:
			err = torch.BadOption(op, o)
		}
		if err != nil {
			return s, err
		}
	}
	if s.SkipUnusedBuckets && !s.FindUnusedParameters && !s.StaticGraph {
		return s, torch.NewError(op, torch.ErrValue, "SkipAllReduceUnusedParams",
			"nobody looks for unused parameters: give FindUnusedParameters(true) or StaticGraph(true) too")
	}
	return s, nil
}

// mebibytes returns bytes, as Python's int(mb * 1024 * 1024).
func mebibytes(op, name string, mb float64) (int64, error) {
	if n := mb * (1 << 20); n >= 1 && n < math.MaxInt64 {
		return int64(n), nil
	}
	return 0, torch.NewError(op, torch.ErrValue, name, "expected a positive number of mebibytes")
}
