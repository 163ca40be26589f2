package torchtest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// In each function of the package that has options, each option is tested alone, after a
// different value of the same option, and next to a nil option.
func TestOptionRows(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values := optiontest.Values
	reported := func(check func(tb testing.TB) bool) optiontest.Outcome {
		r := &recorder{TB: t}
		check(r)
		return optiontest.Outcome{"report": strings.Join(r.errors, "\n")}
	}
	torch.Scope(func() {
		want := torch.FromSlice([]float32{100, 1, float32(math.NaN())})
		got := torch.FromSlice([]float64{100.5, 1.2, math.NaN()})
		// loose returns the options of a call: opts after a tolerance and
		// CheckDType(false), because want and got differ in dtype. With these, each
		// option in opts changes the report.
		loose := func(opts []torchtest.CloseOption) []torchtest.CloseOption {
			return append([]torchtest.CloseOption{torchtest.CheckDType(false), torchtest.RTol(0.01)}, opts...)
		}
		near := []optiontest.Pair{
			values(torchtest.RTol(0), torchtest.RTol(0.5)),
			values(torchtest.ATol(0), torchtest.ATol(1)),
			values(torchtest.OfLargest(true), torchtest.OfLargest(false)),
			values(torchtest.EqualNaN(true), torchtest.EqualNaN(false)),
			values(torchtest.CheckDType(true), torchtest.CheckDType(false)),
			values(torchtest.Tolerance{}, torchtest.Tolerance{RTol: 0.5, EqualNaN: true}),
		}
		// With a step of 0.1, finite differences are inexact for the first two
		// derivatives of the fourth power. So the tolerances change the report.
		power := func(in ...*torch.Tensor) *torch.Tensor { return in[0].PowScalar(4) }
		x := []*torch.Tensor{leaf([]float64{1, 2})}
		off := func(opts []torchtest.GradCheckOption) []torchtest.GradCheckOption {
			return append([]torchtest.GradCheckOption{torchtest.Eps(0.1)}, opts...)
		}
		steps := []optiontest.Pair{
			values(torchtest.Eps(0.1), torchtest.Eps(1e-6)),
			values(torchtest.RTol(0), torchtest.RTol(1)),
			values(torchtest.ATol(0), torchtest.ATol(1)),
		}
		optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
			"AllClose": optiontest.For(func(opts ...torchtest.CloseOption) optiontest.Outcome {
				return reported(func(tb testing.TB) bool { return torchtest.AllClose(tb, want, got, loose(opts)...) })
			}, near...),
			"Difference": optiontest.For(func(opts ...torchtest.CloseOption) optiontest.Outcome {
				return optiontest.Outcome{"report": torchtest.Difference(want, got, loose(opts)...)}
			}, near...),
			"Golden": optiontest.For(func(opts ...torchtest.CloseOption) optiontest.Outcome {
				return reported(func(tb testing.TB) bool {
					all := map[string]*torch.Tensor{"x": got}
					return torchtest.Golden(tb, "testdata/options.json", all, loose(opts)...)
				})
			}, near...),
			"GradCheck": optiontest.For(func(opts ...torchtest.GradCheckOption) optiontest.Outcome {
				return reported(func(tb testing.TB) bool { return torchtest.GradCheck(tb, power, x, off(opts)...) })
			}, steps...),
			"GradCheckAll": optiontest.For(func(opts ...torchtest.GradCheckOption) optiontest.Outcome {
				all := func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{power(in...)} }
				return reported(func(tb testing.TB) bool { return torchtest.GradCheckAll(tb, all, x, off(opts)...) })
			}, steps...),
			"GradGradCheck": optiontest.For(func(opts ...torchtest.GradCheckOption) optiontest.Outcome {
				return reported(func(tb testing.TB) bool { return torchtest.GradGradCheck(tb, power, x, off(opts)...) })
			}, steps...),
		})
	})
}
