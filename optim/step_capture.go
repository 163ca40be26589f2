package optim

import (
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// mustNotCapture panics if a graph is being recorded and the optimizer counts its steps on the CPU,
// because each replay would use the recorded count. Follows
// Optimizer._cuda_graph_capture_health_check.
func (b *Base) mustNotCapture(op string) {
	if !cuda.IsCurrentStreamCapturing() {
		return
	}
	for _, g := range b.groups {
		if e := g.settings.find("capturable"); e != nil && e.v != true {
			panic(torch.NewError(op, torch.ErrRuntime, "capturable",
				"is false, so all replays of the graph that is being recorded would use the same step count: call "+
					"Step after the replay"))
		}
	}
}

// replayFeeder returns a function that a graph calls before each replay. The function copies the
// settings, which schedulers change, to the captured tensors.
func (b *Base) replayFeeder(op string, g *ParamGroup, recorded native.Recorded) func() {
	groups, how, keeps := len(b.groups), g.stepArgs, extraStateOf(&g.stepSettings)
	params, state := slices.Clone(g.native.Params), slices.Clone(g.native.State)
	hooks := b.stepHooks()
	return func() {
		b.mustBeOpen("Step")
		if !slices.EqualFunc(hooks, b.stepHooks(), slices.Equal) {
			panic(&torch.Error{
				Op: op, Kind: torch.ErrValue,
				Message: "the optimizer has different hooks than when its step was captured, and a replay would not " +
					"run them; capture the step again",
			})
		}
		if len(b.groups) == groups {
			g.prepare(op)
		}
		if len(b.groups) != groups || !slices.Equal(params, g.native.Params) || !slices.Equal(state, g.native.State) ||
			how.Foreach != g.tristate("foreach") || how.Fused != g.tristate("fused") {
			panic(&torch.Error{
				Op: op, Kind: torch.ErrValue,
				Message: "the optimizer's groups, parameters, state or implementation have changed since its step " +
					"was captured; capture the step again",
			})
		}
		b.readSettings(g)
		if extraStateOf(&g.stepSettings) != keeps {
			panic(&torch.Error{
				Op: op, Kind: torch.ErrValue,
				Message: "the optimizer's settings need different state (momentum, amsgrad, centered) than when its " +
					"step was captured; capture the step again",
			})
		}
		recorded.Feed(&g.stepSettings)
	}
}

// stepHooks returns the hooks that a step runs.
func (b *Base) stepHooks() [][]*Hook {
	return [][]*Hook{globalPre.all(), b.hooks.pre.all(), b.hooks.post.all(), globalPost.all()}
}

// extraState lists the kinds of state that an optimizer has only with some settings.
type extraState struct{ momentum, amsgrad, centered bool }

func extraStateOf(s *native.Settings) extraState {
	return extraState{s.Momentum != 0, s.Amsgrad, s.Centered}
}
