package amp_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/cuda"
)

// Each option is tried alone, after the same option with a different value, and together
// with a nil option.
func TestAmpOptions(t *testing.T) {
	four := torch.Full(torch.Shape{1}, 4.0)
	defer four.Close()
	devices := optiontest.Values(amp.Device(torch.CPU), amp.Device(torch.CUDA)) // CUDA is not enabled
	if cuda.IsAvailable() {
		devices = devices.Hides("state", "scalers of all devices are enabled")
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Autocast": optiontest.For(func(opts ...amp.AutocastOption) optiontest.Outcome {
			var o optiontest.Outcome
			amp.Autocast(torch.CPU, 0, func() {
				o = optiontest.Outcome{
					"enabled": fmt.Sprint(amp.IsAutocastEnabled(torch.CPU), product()),
					"cache":   fmt.Sprint(amp.IsAutocastCacheEnabled()),
				}
			}, opts...)
			return o
		}, optiontest.Values(amp.Enabled(true), amp.Enabled(false)).Hides("cache", "it is asked for apart"),
			optiontest.Values(amp.CacheEnabled(true), amp.CacheEnabled(false)).Hides("enabled",
				"it is asked for apart")),
		"NewGradScaler": optiontest.For(func(opts ...amp.ScalerOption) optiontest.Outcome {
			s := amp.NewGradScaler(append([]amp.ScalerOption{amp.Device(torch.CPU)}, opts...)...)
			return optiontest.Outcome{"state": fmt.Sprint(s.StateDict(), s.IsEnabled())}
		}, devices, optiontest.Values(amp.InitScale(0), amp.InitScale(4)),
			optiontest.Values(amp.GrowthFactor(3), amp.GrowthFactor(4)),
			optiontest.Values(amp.BackoffFactor(0), amp.BackoffFactor(0.25)),
			optiontest.Values(amp.GrowthInterval(0), amp.GrowthInterval(7)),
			optiontest.Values(amp.Enabled(true), amp.Enabled(false)), optiontest.Refused(amp.GrowthFactor(1)),
			optiontest.Refused(amp.BackoffFactor(1))),
		"GradScaler.Update": optiontest.For(func(opts ...amp.UpdateOption) optiontest.Outcome {
			var scale float64
			torch.Scope(func() {
				s := amp.NewGradScaler(amp.Device(torch.CPU))
				defer s.Close()
				p := weight()
				o := optim.NewSGD([]*torch.Tensor{p})
				defer o.Close()
				s.Scale(p.Sum()).Backward()
				s.Step(o)
				s.Update(opts...)
				scale = s.GetScale()
			})
			return optiontest.Outcome{"scale": fmt.Sprint(scale)}
		}, optiontest.Values(amp.NewScale(0), amp.NewScale(2)),
			optiontest.Values(amp.NewScaleTensor(four), amp.NewScaleTensor(nil))),
		"CustomFwd": optiontest.For(func(opts ...amp.FwdOption) optiontest.Outcome {
			var got torch.DType
			fwd := amp.CustomFwd(torch.CPU, func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				got = in[0].DType()
				return nil
			}, opts...)
			torch.Scope(func() {
				amp.Autocast(torch.CPU, 0, func() { fwd(new(torch.Context), torch.Ones(torch.Shape{1})) })
			})
			return optiontest.Outcome{"input": got.String()}
		}, optiontest.Values(amp.CastInputs(0), amp.CastInputs(torch.Float16))),
	})
}

func TestOtherOptionsDoNotCompile(t *testing.T) {
	scope := compilefail.Scope{
		Imports: []string{
			"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/amp",
			"github.com/gotorch/gotorch/torch/data",
		},
		Decls: `
var scaler *amp.GradScaler

func fn() {}

func pass(ctx *torch.Context, ts ...*torch.Tensor) []*torch.Tensor { return nil }
`,
	}
	scope.Accepts(t,
		`amp.Autocast(torch.CPU, 0, fn, amp.Enabled(true), amp.CacheEnabled(false))`,
		`amp.NewGradScaler(amp.Device(torch.CPU), amp.Enabled(true), amp.InitScale(2), `+
			`amp.GrowthFactor(2), amp.BackoffFactor(0.5), amp.GrowthInterval(1))`,
		`scaler.Update(amp.NewScale(2), amp.NewScaleTensor(nil))`,
		`amp.CustomFwd(torch.CPU, pass, amp.CastInputs(torch.Float16))`,
	)
	scope.Rejects(t,
		`amp.Autocast(torch.CPU, 0, fn, amp.InitScale(2))`,
		`amp.Autocast(torch.CPU, 0, fn, torch.Float16)`,
		`amp.NewGradScaler(amp.Device(torch.CPU), amp.CacheEnabled(true))`,
		`amp.NewGradScaler(amp.Device(torch.CPU), data.BatchSize(1))`,
		`scaler.Update(amp.GrowthFactor(2))`,
		`amp.CustomFwd(torch.CPU, pass, torch.Float16)`,
	)
}
