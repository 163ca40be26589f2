package parallel

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/internal/embedded"
	"github.com/gotorch/gotorch/internal/script"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

const opSync = "parallel.ConvertSyncBatchNorm" // the name of the function in errors

// ConvertSyncBatchNorm makes every BatchNorm1d, 2d and 3d in a module, or the module itself,
// normalize with the statistics of all ranks of a group in training. This trains better with small
// batches. The module's layers, parameters, buffers and names stay the same. It corresponds to
// nn.SyncBatchNorm.convert_sync_batchnorm, and for one layer to nn.SyncBatchNorm:
//
//	bn := nn.NewBatchNorm2d(64)
//	parallel.ConvertSyncBatchNorm(bn, group)
//
// Unlike Python's, it also works on the CPU. All ranks must run the same layers in the
// same order, in backward passes too. Their batches may differ in size, and one may be
// empty. Forward and Backward wait for all ranks. On failure they panic with the cause, a
// *distributed.Error. A wait ends with the context of
// [DistributedDataParallel.SetContext] of the enclosing module or, without one, at the
// group's Timeout. In evaluation mode nothing is exchanged. Second derivatives are not
// supported.
//
// It panics with ErrNil for a nil module or group, and with ErrValue for a group without this
// process and for a batch normalization within a script of torch/jit. Follows
// torch.nn.SyncBatchNorm.
func ConvertSyncBatchNorm(m nn.Module, g *distributed.ProcessGroup) {
	const op = "parallel.ConvertSyncBatchNorm"
	if g == nil {
		panic(torch.NewError(op, torch.ErrNil, "g", "a nil group"))
	}
	if g.Rank() < 0 {
		panic(notMemberError(op))
	}
	all := nn.Modules(m)
	for _, l := range all {
		script.RefuseBatchNorm(op, "m", l)
	}
	for _, l := range all {
		base := batchNorm(l)
		switch {
		case base == nil:
		case g.Size() == 1:
			base.NormalizeBy(nil)
		default:
			base.NormalizeBy(&syncNormalizer{g: g, ctx: context.Background()})
		}
	}
}

// batchNorm returns the NormBase of a batch normalization, or of the one that a module embeds, and
// nil for other modules.
func batchNorm(m nn.Module) *nn.NormBase {
	if l, ok := embedded.Find[*nn.BatchNorm1d](m); ok {
		return &l.NormBase
	}
	if l, ok := embedded.Find[*nn.BatchNorm2d](m); ok {
		return &l.NormBase
	}
	if l, ok := embedded.Find[*nn.BatchNorm3d](m); ok {
		return &l.NormBase
	}
	return nil
}

// hasConverted reports whether a module has a converted layer.
func hasConverted(m nn.Module) bool {
	return slices.ContainsFunc(nn.Modules(m), func(m nn.Module) bool {
		l := batchNorm(m)
		return l != nil && l.NormalizedBy() != nil
	})
}

func notMemberError(op string) *torch.Error {
	return torch.NewError(op, torch.ErrValue, "g", "this process is not a member of the group")
}

// passContext passes the context to the module's converted layers.
func (d *DistributedDataParallel) passContext() {
	if d.ctx == nil {
		return
	}
	for _, m := range nn.Modules(d.Module) {
		if l := batchNorm(m); l != nil {
			if s, is := l.NormalizedBy().(*syncNormalizer); is {
				s.setContext(d.ctx)
			}
		}
	}
}

// syncNormalizer normalizes with the statistics of all ranks.
type syncNormalizer struct {
	g *distributed.ProcessGroup

	mu  sync.Mutex
	ctx context.Context // Forward and Backward have no argument for it
}

func (s *syncNormalizer) setContext(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx = ctx
}

func (s *syncNormalizer) context() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ctx
}

// NormalizeBatch normalizes a batch. The layer calls it in training mode.
func (s *syncNormalizer) NormalizeBatch(x, runningMean, runningVar, weight, bias *torch.Tensor,
	momentum, eps float64,
) *torch.Tensor {
	if c := x.Size(1); runningMean != nil && runningMean.Numel() != c || weight != nil && weight.Numel() != c {
		panic(torch.NewError(opSync, torch.ErrShape, "input",
			fmt.Sprintf("expected as many channels as the layer has, got size %v", x.Shape())))
	}
	var stats moments
	torch.NoGrad(func() {
		stats = s.gatherMoments(x)
		stats.updateRunning(runningMean, runningVar, momentum)
	})
	defer stats.close()
	channels := torch.Shape{x.Size(1)}
	if weight == nil {
		weight = torch.Ones(channels, stats.mean.DType(), x.Device())
	}
	if bias == nil {
		bias = torch.Zeros(channels, stats.mean.DType(), x.Device())
	}
	return s.newFunction(&stats, eps).Apply(x, weight, bias)[0]
}

// moments are the statistics of a batch: the number of values per channel, and the mean and
// variance of each channel. The tensors are in no scope.
type moments struct {
	n              float64
	mean, variance *torch.Tensor
}

func (m *moments) close() {
	_ = m.mean.Close()
	_ = m.variance.Close()
}

// reducedDims returns the dimensions to reduce: all but the channels.
func reducedDims(x *torch.Tensor) torch.Dims {
	dims := torch.Dims{0}
	for d := int64(2); d < x.Dim(); d++ {
		dims = append(dims, d)
	}
	return dims
}

// statsDType returns the dtype of the statistics: float64 if x is float64, and float32 otherwise.
func statsDType(x *torch.Tensor) torch.DType {
	if d := x.DType(); d == torch.Float64 {
		return d
	}
	return torch.Float32
}

// alongChannels reshapes a vector with one number per channel so that it broadcasts along the
// channels of x.
func alongChannels(t, x *torch.Tensor) *torch.Tensor {
	shape := make([]int64, x.Dim())
	for i := range shape {
		shape[i] = 1
	}
	shape[1] = x.Size(1)
	return t.View(shape...)
}

// gatherMoments combines the count, the mean and the sum of squared deviations of all
// ranks. This loses no digits even if the means are far from zero.
func (s *syncNormalizer) gatherMoments(x *torch.Tensor) (all moments) {
	torch.Scope(func() {
		c := x.Size(1)
		own := torch.Zeros(torch.Shape{1, 2*c + 1}, torch.Float64, x.Device())
		if n := x.Numel() / max(c, 1); n > 0 {
			y := x.To(statsDType(x))
			mean := y.Mean(reducedDims(x))
			off := y.Sub(alongChannels(mean, x)).Square_().Sum(reducedDims(x))
			number := torch.Full(torch.Shape{1}, float64(n), torch.Float64, x.Device())
			own.Copy_(torch.Cat([]*torch.Tensor{mean.To(torch.Float64), off.To(torch.Float64), number}).View(1, -1))
		}
		ranks := torch.Empty(torch.Shape{int64(s.g.Size()), 2*c + 1}, torch.Float64, x.Device())
		if err := s.g.AllGatherIntoTensor(s.context(), ranks, own); err != nil {
			panic(torch.WrapError(opSync, err))
		}
		means, offs, ns := ranks.Narrow(1, 0, c), ranks.Narrow(1, c, c), ranks.Narrow(1, 2*c, 1)
		all.n = ns.Sum().Item()
		if all.n == 0 {
			panic(torch.NewError(opSync, torch.ErrValue, "input", "expected values on at least one rank, got none"))
		}
		mean := means.Mul(ns).Sum(torch.Dim(0)).DivScalar_(all.n)
		variance := offs.Add(means.Sub(mean).Square_().Mul_(ns)).Sum(torch.Dim(0)).DivScalar_(all.n)
		all.mean, all.variance = torch.Disown(mean.To(statsDType(x))), torch.Disown(variance.To(statsDType(x)))
	})
	return all
}

// updateRunning updates the running statistics, with the unbiased variance.
func (m *moments) updateRunning(mean, variance *torch.Tensor, momentum float64) {
	torch.Scope(func() {
		if mean != nil {
			mean.MulScalar_(1 - momentum).Add_(m.mean.MulScalar(momentum).To(mean.DType()))
		}
		if variance != nil {
			sample := m.variance.MulScalar(momentum * m.n / max(m.n-1, 1))
			variance.MulScalar_(1 - momentum).Add_(sample.To(variance.DType()))
		}
	})
}

// newFunction returns the function that normalizes x. The gradient of x uses sums over
// all ranks. The gradients of weight and bias are computed from this rank's batch only,
// as DistributedDataParallel expects.
func (s *syncNormalizer) newFunction(stats *moments, eps float64) *torch.Function {
	n := stats.n
	return &torch.Function{
		Name: "SyncBatchNorm",
		Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
			x, weight, bias := in[0], in[1], in[2]
			invstd := stats.variance.AddScalar(eps).Rsqrt_()
			mean := stats.mean.Clone()
			ctx.Save(x, weight, mean, invstd)
			y := x.To(statsDType(x)).Sub(alongChannels(mean, x))
			y.Mul_(alongChannels(invstd.Mul(weight.To(invstd.DType())), x))
			return []*torch.Tensor{y.Add_(alongChannels(bias.To(y.DType()), x)).To(x.DType())}
		},
		Backward: func(ctx *torch.Context, grads ...*torch.Tensor) []*torch.Tensor {
			if torch.IsGradEnabled() {
				panic(torch.NewError(opSync, torch.ErrNotImplemented, "input",
					"second derivatives through the statistics of several ranks are not supported"))
			}
			saved := ctx.Saved()
			x, weight, mean, invstd := saved[0], saved[1], saved[2], saved[3]
			dy := grads[0].To(statsDType(x))
			off := x.To(statsDType(x)).Sub(alongChannels(mean, x))
			c := x.Size(1)
			sums := torch.Cat([]*torch.Tensor{dy.Sum(reducedDims(x)), dy.Mul(off).Sum(reducedDims(x))})
			dWeight := sums.Narrow(0, c, c).Mul(invstd).To(weight.DType())
			dBias := sums.Narrow(0, 0, c).To(weight.DType(), torch.Copy(true))
			if err := s.g.AllReduce(s.context(), sums); err != nil {
				panic(torch.WrapError(opSync, err))
			}
			sums.DivScalar_(n)
			meanDy, meanOff := sums.Narrow(0, 0, c), sums.Narrow(0, c, c)
			dx := dy.Sub(alongChannels(meanDy, x)).Sub_(off.Mul_(alongChannels(meanOff.Mul(invstd).Mul_(invstd), x)))
			dx.Mul_(alongChannels(invstd.Mul(weight.To(invstd.DType())), x))
			return []*torch.Tensor{dx.To(x.DType()), dWeight, dBias}
		},
	}
}
