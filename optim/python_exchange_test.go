package optim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// exchange is a test case that make_exchange.py wrote.
type exchange struct {
	Dict struct {
		State       map[string]map[string]any
		ParamGroups []map[string]any `json:"param_groups"`
	}
	Middle, End []map[string]any
}

// exchangers are the optimizers of make_exchange.py, by name.
var exchangers = map[string]func(ps []*torch.Tensor) optim.Optimizer{
	"SGD":  func(ps []*torch.Tensor) optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9)) },
	"Adam": func(ps []*torch.Tensor) optim.Optimizer { return optim.NewAdam(ps, optim.LR(0.1), optim.AMSGrad(true)) },
	"RMSprop": func(ps []*torch.Tensor) optim.Optimizer {
		return optim.NewRMSprop(ps, optim.LR(0.1), optim.Momentum(0.5), optim.Centered(true))
	},
	"Adagrad": func(ps []*torch.Tensor) optim.Optimizer {
		return optim.NewAdagrad(ps, optim.LR(0.1), optim.LRDecay(0.1))
	},
	"Adadelta":   func(ps []*torch.Tensor) optim.Optimizer { return optim.NewAdadelta(ps, optim.LR(0.5)) },
	"ASGD":       func(ps []*torch.Tensor) optim.Optimizer { return optim.NewASGD(ps, optim.LR(0.1), optim.T0(2.5)) },
	"AdamW":      func(ps []*torch.Tensor) optim.Optimizer { return optim.NewAdamW(ps, optim.LR(0.1)) },
	"Adamax":     func(ps []*torch.Tensor) optim.Optimizer { return optim.NewAdamax(ps, optim.LR(0.1)) },
	"NAdam":      func(ps []*torch.Tensor) optim.Optimizer { return optim.NewNAdam(ps, optim.LR(0.1)) },
	"RAdam":      func(ps []*torch.Tensor) optim.Optimizer { return optim.NewRAdam(ps, optim.LR(0.1)) },
	"Rprop":      func(ps []*torch.Tensor) optim.Optimizer { return optim.NewRprop(ps, optim.LR(0.1)) },
	"SparseAdam": func(ps []*torch.Tensor) optim.Optimizer { return optim.NewSparseAdam(ps, optim.LR(0.1)) },
	"Adafactor":  func(ps []*torch.Tensor) optim.Optimizer { return optim.NewAdafactor(ps, optim.LR(0.1)) },
	"Muon":       func(ps []*torch.Tensor) optim.Optimizer { return optim.NewMuon(ps, optim.LR(0.1)) },
	"LBFGS": func(ps []*torch.Tensor) optim.Optimizer {
		return optim.NewLBFGS(ps, optim.LR(0.5), optim.MaxIter(3))
	},
	"LBFGS/wolfe": func(ps []*torch.Tensor) optim.Optimizer {
		return optim.NewLBFGS(ps, optim.MaxIter(2), optim.LineSearchFnStrongWolfe)
	},
}

func exchangeStep(name string, ps []*torch.Tensor, o optim.Optimizer) {
	closure := func() *torch.Tensor {
		o.ZeroGrad()
		loss := torch.Zeros(torch.Shape{})
		for _, p := range ps {
			loss = loss.Add(p.PowScalar(4).Sum().MulScalar(0.02).Add(p.SubScalar(1).PowScalar(2).Sum()))
		}
		loss.Backward()
		return loss
	}
	torch.Scope(func() {
		if l, ok := o.(*optim.LBFGS); ok {
			l.StepClosure(closure)
			return
		}
		closure()
		if name == "SparseAdam" {
			for _, p := range ps {
				p.SetGrad(p.Grad().ToSparse(torch.DenseDim(1)))
			}
		}
		o.Step()
	})
}

// decode converts a value of Python's dict to its type in Go.
func decode(v any) any {
	switch v := v.(type) {
	case map[string]any:
		values, dtype := v["tensor"].([]any), torch.Float32
		if v["dtype"] == "float64" {
			dtype = torch.Float64
		}
		data := make([]float64, len(values))
		for i, e := range values {
			data[i] = e.(float64)
		}
		shape := torch.Shape{}
		for _, n := range v["shape"].([]any) {
			shape = append(shape, int64(n.(float64)))
		}
		return torch.FromSliceWith(data, shape, dtype)
	case []any:
		if len(v) > 0 {
			if _, ok := v[0].(map[string]any); ok || v[0] == nil {
				ts := make([]*torch.Tensor, 0, len(v))
				for _, e := range v {
					if t, ok := decode(e).(*torch.Tensor); ok {
						ts = append(ts, t)
					}
				}
				return ts
			}
		}
	}
	return v
}

// setting converts a setting to its type in Go. JSON does not distinguish tuples from lists.
func setting(name string, v any) any {
	all, ok := v.([]any)
	switch f, whole := v.(float64); {
	case whole && slices.Contains([]string{"max_iter", "max_eval", "history_size", "ns_steps"}, name):
		return int64(f)
	case !ok:
		return v
	case name == "eps":
		return [2]any{all[0], all[1]}
	case len(all) == 3:
		return [3]float64{all[0].(float64), all[1].(float64), all[2].(float64)}
	}
	return [2]float64{all[0].(float64), all[1].(float64)}
}

// stateDict converts Python's dict to a StateDict.
func (e *exchange) stateDict() *optim.StateDict {
	sd := &optim.StateDict{State: map[int]map[string]*torch.Tensor{}, Values: map[int]map[string]any{}}
	for number, state := range e.Dict.State {
		n, _ := strconv.Atoi(number)
		for name, v := range state {
			switch v := decode(v).(type) {
			case *torch.Tensor:
				if sd.State[n] == nil {
					sd.State[n] = map[string]*torch.Tensor{}
				}
				sd.State[n][name] = v
			default:
				if f, ok := v.(float64); ok && (name == "n_iter" || name == "func_evals" || name == "step") {
					v = int64(f)
				}
				if sd.Values[n] == nil {
					sd.Values[n] = map[string]any{}
				}
				sd.Values[n][name] = v
			}
		}
	}
	for _, g := range e.Dict.ParamGroups {
		out := optim.GroupState{Settings: map[string]any{}}
		for name, v := range g {
			if name != "params" {
				out.Settings[name] = setting(name, v)
				continue
			}
			for _, p := range v.([]any) {
				out.Params = append(out.Params, int(p.(float64)))
			}
		}
		sd.ParamGroups = append(sd.ParamGroups, out)
	}
	return sd
}

// encode converts a value to the form that make_exchange.py writes.
func encode(v any) any {
	switch v := v.(type) {
	case *torch.Tensor:
		return map[string]any{
			"tensor": v.Double().Reshape(-1).Float64s(), "shape": append([]int64{}, v.Shape()...),
			"dtype": fmt.Sprint(v.DType()),
		}
	case []*torch.Tensor:
		all := []any{}
		for _, t := range v {
			all = append(all, encode(t))
		}
		return all
	}
	return v
}

func encodeDict(sd *optim.StateDict) map[string]any {
	state, groups := map[string]map[string]any{}, []map[string]any{}
	put := func(n int, name string, v any) {
		key := strconv.Itoa(n)
		if state[key] == nil {
			state[key] = map[string]any{}
		}
		state[key][name] = encode(v)
	}
	for n, m := range sd.State {
		for name, t := range m {
			put(n, name, t)
		}
	}
	for n, m := range sd.Values {
		for name, v := range m {
			put(n, name, v)
		}
	}
	for _, g := range sd.ParamGroups {
		out := map[string]any{"params": g.Params}
		for name, v := range g.Settings {
			out[name] = v
		}
		groups = append(groups, out)
	}
	return map[string]any{"state": state, "param_groups": groups}
}

// Training continues from Python's state dict. After the same steps, the new state dict equals
// Python's.
func TestExchangeWithPython(t *testing.T) {
	var cases map[string]*exchange
	load(t, "exchange.json", &cases)
	require.Len(t, exchangers, len(cases))
	ours := map[string]any{}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				params := func(from []map[string]any) (ps []*torch.Tensor) {
					for _, v := range from {
						ps = append(ps, decode(v).(*torch.Tensor).RequiresGrad_())
					}
					return ps
				}
				start := []*torch.Tensor{
					torch.FromSliceWith([]float32{1, -2, 0.5, 3, -1.5, 0.25}, torch.Shape{3, 2},
						torch.RequiresGrad(true)),
					torch.FromSliceWith([]float32{2, 1, -1, 0.5}, torch.Shape{2, 2}, torch.RequiresGrad(true)),
				}
				own := exchangers[name](start)
				defer own.Close()
				for range 3 {
					exchangeStep(name, start, own)
				}
				mine := encodeDict(own.StateDict())
				ours[name] = mine
				text, err := json.Marshal(mine)
				require.NoError(t, err)
				var again exchange
				require.NoError(t, json.Unmarshal(text, &again.Dict))
				for n, state := range c.Dict.State {
					delete(state, "al") // "al" is scratch space of LBFGS, which gotorch does not save
					require.Len(t, again.Dict.State[n], len(state))
					for k, v := range state {
						same(t, v, again.Dict.State[n][k], n+" "+k)
					}
				}
				for i, g := range c.Dict.ParamGroups {
					assert.Equal(t, g, again.Dict.ParamGroups[i])
				}

				ps := params(c.Middle)
				o := exchangers[name](ps)
				defer o.Close()
				require.NoError(t, o.LoadStateDict(c.stateDict()))
				assert.Equal(t, own.String(), o.String())
				for range 3 {
					exchangeStep(name, ps, o)
				}
				for i, end := range params(c.End) {
					assert.InDeltaSlice(t, end.Double().Reshape(-1).Float64s(), ps[i].Double().Reshape(-1).Float64s(),
						1e-6)
				}
				again.Dict.ParamGroups[0]["lr"] = -1.0
				assert.Error(t, o.LoadStateDict(again.stateDict()))
			})
		})
	}
	if file := os.Getenv("GOTORCH_EXCHANGE"); file != "" {
		text, err := json.Marshal(ours)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
}

// same checks that two values of dicts are equal. Numbers may differ in the last bits.
func same(t *testing.T, want, got any, name string) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		require.True(t, ok, name)
		assert.Equal(t, w["shape"], g["shape"], name)
		assert.Equal(t, w["dtype"], g["dtype"], name)
		same(t, w["tensor"], g["tensor"], name)
	case []any:
		g, ok := got.([]any)
		require.True(t, ok, name)
		require.Len(t, g, len(w), name)
		for i := range w {
			same(t, w[i], g[i], name)
		}
	case float64:
		g, ok := got.(float64)
		require.True(t, ok, name)
		assert.InDelta(t, w, g, 1e-5*max(1, w), name)
	default:
		assert.Equal(t, want, got, name)
	}
}
