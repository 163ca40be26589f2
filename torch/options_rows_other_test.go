package torch_test

import (
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

func convertRows() map[string]optionRow {
	x := torch.Ones(torch.Shape{1, 2, 3, 4})
	return map[string]optionRow{
		"Tensor.To": row((*torch.Tensor).To, x).with(typing...).with(layouts...).with(formats...).
			with(torch.NonBlocking(true), torch.NonBlocking(false), torch.Copy(true), torch.Copy(false)),
		"Tensor.Clone":        row((*torch.Tensor).Clone, x).with(formats...),
		"Tensor.Contiguous":   row((*torch.Tensor).Contiguous, x).with(formats...),
		"Tensor.IsContiguous": row((*torch.Tensor).IsContiguous, x).with(formats...),
		"Tensor.Copy_": row((*torch.Tensor).Copy_, x,
			torch.Zeros(torch.Shape{1, 2, 3, 4})).with(torch.NonBlocking(true), torch.NonBlocking(false)),
	}
}

func isComputeDType[O any](o O) bool {
	_, is := any(o).(torch.ComputeDType)
	return is
}

// kernels returns the kernels of graphs, and why a graph is not as asked for.
func kernels(reports ...torch.GraphReport) (shown []any) {
	for _, r := range reports {
		shown = append(shown, r.Reason)
		for _, n := range r.Nodes {
			shown = append(shown, n.Kernel)
		}
	}
	return shown
}

// gradRows returns rows of backward passes and captures. A backward pass shows the gradients, and
// whether they can be differentiated again.
func gradRows() map[string]optionRow {
	captured := torch.Ones(torch.Shape{2})
	weight := torch.Randn(torch.Shape{8, 8})
	layer := func(x *torch.Tensor) (results []*torch.Tensor) {
		torch.NoGrad(func() { results = []*torch.Tensor{x.MatMul(weight)} })
		return results
	}
	two, three := torch.FromSlice([]float32{2}, 1), torch.FromSlice([]float32{3}, 1)
	graph := []any{torch.RetainGraph(true), torch.RetainGraph(false), torch.CreateGraph(true), torch.CreateGraph(false)}
	a := torch.FromSliceWith([]float32{5}, nil, torch.RequiresGrad(true))
	b := torch.FromSliceWith([]float32{7}, nil, torch.RequiresGrad(true))
	after := func(y *torch.Tensor, leaves ...*torch.Tensor) (shown []any) {
		for _, l := range leaves {
			if g := l.Grad(); g != nil {
				shown = append(shown, g.String(), g.RequiresGrad())
				_ = g.Close()
			}
		}
		shown = append(shown, torch.Try(func() { y.Backward() }) == nil)
		a.SetGrad(nil)
		b.SetGrad(nil)
		return shown
	}
	return map[string]optionRow{
		"Tensor.Backward": row(func(opts ...torch.BackwardOption) []any {
			y := a.Mul(a).Mul(b)
			y.Backward(opts...)
			return after(y, a, b)
		}).with(graph...).with(torch.Gradient(two), torch.Gradient(three), torch.Inputs{a}, torch.Inputs{b}),
		"Capture": row(func(opts ...torch.CaptureOption) []any {
			if slices.ContainsFunc(opts, isComputeDType[torch.CaptureOption]) {
				x := torch.Randn(torch.Shape{1, 8})
				g := torch.Capture(func() []*torch.Tensor { return layer(x) },
					append([]torch.CaptureOption{torch.Optimize(true), torch.Inputs{x}}, opts...)...)
				defer g.Close()
				return kernels(g.Report())
			}
			runs := 0
			g := torch.Capture(func() []*torch.Tensor { runs++; return []*torch.Tensor{captured.Neg()} }, opts...)
			defer g.Close()
			fed := torch.Try(func() { g.Feed(torch.Ones(torch.Shape{2})) }) == nil
			own := g.Replay()[0] == g.Results()[0]
			torch.Scope(func() { g.Replay() })
			return []any{runs, fed, own, torch.Try(func() { g.Report() }) == nil}
		}).with(torch.NumWarmupIters(2), torch.NumWarmupIters(0), torch.Inputs{captured}, torch.Inputs{},
			torch.CloneResults(true), torch.CloneResults(false), torch.AuditEvery(1), torch.AuditEvery(6),
			torch.Optimize(true), torch.Optimize(false), torch.ComputeDType(torch.Float32),
			torch.ComputeDType(torch.BFloat16)),
		"CaptureByShape": row(func(opts ...torch.GraphsOption) []any {
			if slices.ContainsFunc(opts, isComputeDType[torch.GraphsOption]) {
				s := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor { return layer(in[0]) },
					append([]torch.GraphsOption{torch.Optimize(true)}, opts...)...)
				defer s.Close()
				for range 3 {
					s.Call(torch.Randn(torch.Shape{1, 8}))
				}
				return kernels(s.Report()...)
			}
			runs := 0
			s := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
				runs++
				return []*torch.Tensor{in[0].Neg()}
			}, opts...)
			defer s.Close()
			var lens []any
			for n := range int64(3) {
				for range 5 {
					s.Call(torch.Ones(torch.Shape{n + 1}))
					lens = append(lens, s.Len())
				}
			}
			return append(lens, runs, torch.Try(func() { s.Report() }) == nil)
		}).with(torch.NumWarmupIters(0), torch.NumWarmupIters(2), torch.MaxGraphs(1), torch.MaxGraphs(2),
			torch.AuditEvery(1), torch.AuditEvery(6), torch.Optimize(true), torch.Optimize(false),
			torch.ComputeDType(torch.Float32), torch.ComputeDType(torch.BFloat16)),
		"Backward": row(func(opts ...torch.BackwardAllOption) []any {
			y := a.Mul(a).Mul(b)
			torch.Backward([]*torch.Tensor{y}, opts...)
			return after(y, a, b)
		}).with(graph...).with(torch.GradTensors{two}, torch.GradTensors{three}, torch.Inputs{a}, torch.Inputs{b}),
		"Grad": row(func(opts ...torch.GradOption) []any { // y does not depend on b
			var y *torch.Tensor
			var shown []any
			for _, inputs := range [][]*torch.Tensor{{a, b}, {a}} {
				y = a.Mul(a)
				err := torch.Try(func() {
					for _, g := range torch.Grad([]*torch.Tensor{y}, inputs, opts...) {
						if g != nil {
							shown = append(shown, g.String(), g.RequiresGrad())
						}
					}
				})
				if err != nil && strings.Contains(err.Error(), "argument opts") {
					panic(err)
				}
				shown = append(shown, err)
			}
			return append(shown, after(y)...)
		}).with(graph...).with(torch.GradOutputs{two}, torch.GradOutputs{three},
			torch.AllowUnused(true), torch.AllowUnused(false), torch.MaterializeGrads(true),
			torch.MaterializeGrads(false)),
	}
}

func signalRows() map[string]optionRow {
	x, w := torch.Rand(torch.Shape{64}), torch.HannWindow(8)
	frames := x.STFT(8)
	frames = frames.Mul(torch.RandLike(frames.Real()))
	frame := []any{
		torch.HopLength(1), torch.HopLength(2), torch.WinLength(4), torch.WinLength(8), torch.Window(w),
		torch.Window(nil),
		torch.Normalized(true), torch.Normalized(false),
	}
	return map[string]optionRow{
		"Tensor.STFT": row((*torch.Tensor).STFT, x, int64(8)).with(frame...).with(torch.Center(false),
			torch.Center(true),
			torch.PadModeConstant, torch.PadModeReflect, torch.Onesided(false), torch.Onesided(true)),
		"Tensor.ISTFT": row((*torch.Tensor).ISTFT, frames, int64(8)).with(frame...).with(torch.Center(false),
			torch.Center(true),
			torch.Onesided(false), torch.Onesided(true), torch.Length(9), torch.Length(16), torch.ReturnComplex(true),
			torch.ReturnComplex(false)),
	}
}

func sparseRows() map[string]optionRow {
	return map[string]optionRow{
		"Tensor.ToSparse": row(func(x *torch.Tensor,
			opts ...torch.ToSparseOption,
		) (torch.Layout, int64, *torch.Tensor) {
			var buf [4]torch.ToSparseOption
			s := x.ToSparse(append(append(buf[:0], torch.SparseBSR, torch.BlockSize{2, 2}), opts...)...)
			return s.Layout(), s.DenseDim(), s.Values()
		}, torch.Ones(torch.Shape{4, 4, 2})).with(torch.SparseBSC, torch.SparseBSR, torch.BlockSize{4, 1},
			torch.BlockSize{2, 1},
			torch.DenseDim(0), torch.DenseDim(1)),
	}
}

// settingRows returns rows of print options and of process-wide settings.
func settingRows() map[string]optionRow {
	x := torch.Rand(torch.Shape{20, 4})
	printing := []any{
		torch.Precision(0), torch.Precision(2), torch.Threshold(0), torch.Threshold(99), torch.EdgeItems(0),
		torch.EdgeItems(2),
		torch.LineWidth(20), torch.LineWidth(70), torch.SciMode(true), torch.SciMode(false),
		torch.PrintProfileShort, torch.PrintProfileFull,
	}
	return map[string]optionRow{
		"Tensor.StringWith": row((*torch.Tensor).StringWith, x).with(printing...),
		"SetPrintOptions": row(func(opts ...torch.PrintOption) string {
			defer torch.SetPrintOptions(torch.PrintProfileDefault)
			torch.SetPrintOptions(opts...)
			return x.String()
		}).with(printing...),
		"UseDeterministicAlgorithms": row(func(opts ...torch.DeterminismOption) bool {
			defer torch.UseDeterministicAlgorithms(false)
			torch.UseDeterministicAlgorithms(true, opts...)
			return torch.IsDeterministicAlgorithmsWarnOnlyEnabled()
		}).with(torch.WarnOnly(true), torch.WarnOnly(false)),
		"SetDetectAnomaly": row(func(opts ...torch.AnomalyOption) bool {
			defer torch.SetDetectAnomaly(true, opts...)()
			return torch.Try(func() {
				torch.Scope(func() { torch.Full(nil, -1.5, torch.RequiresGrad(true)).Sqrt().Backward() }) // NaN
			}) != nil
		}).with(torch.CheckNaN(false), torch.CheckNaN(true)),
	}
}
