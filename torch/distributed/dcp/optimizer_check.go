package dcp

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Optimizers load their state last, when a mismatch can no longer be reported before anything
// changes. So everything that does not depend on the tensors' values is checked earlier, in the
// same way as in LoadStateDict.

// requiredSettings are the settings that LoadStateDict requires if they are one or two numbers.
var requiredSettings = []string{
	"lr", "betas", "eps", "weight_decay", "momentum", "dampening", "alpha", "rho", "lr_decay",
	"initial_accumulator_value", "lambd", "t0",
	"momentum_decay", "etas", "step_sizes", "beta2_decay", "d", "tolerance_grad", "tolerance_change",
}

// scalarStates are the states that consist of one number for each parameter.
var scalarStates = []string{"step", "eta", "mu", "mu_product"}

// checkDict returns an error if an optimizer would reject dict, which numberedDict made.
func checkDict(o optim.Optimizer, dict pyvalue.Dict) error {
	groups, saved := o.ParamGroups(), dict[1].Value.([]any)
	if len(saved) != len(groups) {
		return fmt.Errorf("the checkpoint has %d parameter groups, but the state has %d", len(saved),
			len(groups))
	}
	params := map[int]*torch.Tensor{}
	for i, g := range groups {
		of := saved[i].(pyvalue.Dict)
		if g == nil {
			return fmt.Errorf("group %d of the optimizer is nil", i)
		}
		var have []int
		listed := false
		settings := map[string]any{}
		for _, e := range of {
			if name := e.Key.(string); name == keyParams {
				have, listed = e.Value.([]int)
			} else {
				settings[name] = e.Value
			}
		}
		switch {
		case !listed:
			return fmt.Errorf("group %d: expected a list of parameter numbers", i)
		case len(have) != len(g.Params):
			return fmt.Errorf("group %d has %d parameters in the checkpoint, but %d in the state", i, len(have),
				len(g.Params))
		}
		for j, n := range have {
			if params[n] != nil {
				return fmt.Errorf("group %d has parameter %d, which is in an earlier group or twice in this one", i, n)
			}
			params[n] = g.Params[j]
		}
		if err := checkSettings(g, settings); err != nil {
			return fmt.Errorf("group %d: %w", i, err)
		}
	}
	own := innermost(o)
	for _, e := range dict[0].Value.(pyvalue.Dict) {
		n := e.Key.(int)
		if params[n] == nil {
			return fmt.Errorf("the checkpoint has state for parameter %d, which is in no group", n)
		}
		of, ok := e.Value.(pyvalue.Dict)
		if !ok {
			return fmt.Errorf("the checkpoint's state of parameter %d is a %s, expected a dict", n, kindOf(e.Value))
		}
		for _, v := range of {
			if err := checkState(own, params, n, v.Key.(string), v.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSettings checks the settings of a group. It calls Set with the setting and an option that is
// always rejected. Set then changes nothing, but reports an invalid setting.
func checkSettings(g *optim.ParamGroup, settings map[string]any) error {
	for _, name := range requiredSettings {
		now, has := g.Get(name)
		_, there := settings[name]
		if !has || there {
			continue
		}
		switch now.(type) {
		case float64, [2]float64:
			return fmt.Errorf("the checkpoint has no setting %.100q", name)
		}
	}
	for name, v := range settings {
		now, has := g.Get(name)
		if !has || isTensor(v) {
			continue
		}
		v = setting(v, now)
		if reflect.DeepEqual(v, now) {
			continue
		}
		err := torch.Try(func() { g.Set(option{name, v}, nil) })
		var te *torch.Error
		if errors.As(err, &te) && !errors.Is(err, torch.ErrNil) {
			return fmt.Errorf("the setting %.100q: %s", name, te.Message)
		}
	}
	return nil
}

func isTensor(v any) bool {
	_, ok := v.(*torch.Tensor)
	return ok
}

// option is an optim.Option for a setting with any name and value.
type option struct {
	name  string
	value any
}

// Setting implements optim.Option.
func (o option) Setting() (name string, value any) { return o.name, o.value }

// checkState checks a state of parameter n.
func checkState(o optim.Optimizer, params map[int]*torch.Tensor, n int, name string, v any) error {
	of, isLBFGS := o.(*optim.LBFGS)
	switch {
	case isLBFGS:
		return checkLBFGS(of, params[n], n, name, v)
	case !isFromOptim(o) || v == nil: // only the states of package optim's own optimizers are known here
		return nil
	case !hasState(o, params[n], name):
		return fmt.Errorf("the checkpoint has a state %.100q for parameter %d, which %s does not have", name, n,
			reflect.TypeOf(o).Elem().Name())
	}
	t, ok := v.(*torch.Tensor)
	if !ok {
		if _, number := pyvalue.Float(v); number && name == "step" {
			return nil
		}
		return fmt.Errorf("%.100q of parameter %d is a %s in the checkpoint", name, n, kindOf(v))
	}
	if slices.Contains(scalarStates, name) {
		if t.Numel() != 1 || !t.DType().IsFloatingPoint() || t.DType().Size() < 2 {
			return fmt.Errorf("%.100q of parameter %d is %s in the checkpoint, expected a number", name, n,
				describe(t.DType(), t.Shape()))
		}
		return nil
	}
	p := params[n]
	shape := p.Shape()
	if d := len(shape); d >= 2 {
		switch _, factored := o.(*optim.Adafactor); {
		case factored && name == "row_var":
			shape[d-1] = 1
		case factored && name == "col_var":
			shape[d-2] = 1
		}
	}
	if !t.Shape().Equal(shape) || t.DType().IsComplex() && !p.DType().IsComplex() {
		return fmt.Errorf("%.100q of parameter %d is %s in the checkpoint, but %s in the state",
			name, n, describe(t.DType(), t.Shape()), describe(p.DType(), shape))
	}
	return nil
}

// isFromOptim reports whether an optimizer's type is defined in package optim, whose states are
// known here.
func isFromOptim(o optim.Optimizer) bool {
	t := reflect.TypeOf(o)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == reflect.TypeFor[optim.Base]().PkgPath()
}

// hasState reports whether an optimizer has a state called name. It tries to set the
// state to a closed tensor. That always fails; if the name is unknown, the error is a
// different one.
func hasState(o optim.Optimizer, p *torch.Tensor, name string) bool {
	s, ok := o.(interface {
		SetState(p *torch.Tensor, name string, t *torch.Tensor) *torch.Tensor
	})
	if !ok {
		return true
	}
	closed := torch.Empty(torch.Shape{0}, torch.CPU)
	_ = closed.Close()
	return !errors.Is(torch.Try(func() { s.SetState(p, name, closed) }), torch.ErrValue)
}

// checkLBFGS checks the state of LBFGS. The state consists of vectors over all
// parameters, which are stored as the state of the first parameter.
func checkLBFGS(o *optim.LBFGS, p *torch.Tensor, at int, name string, v any) error {
	params := o.ParamGroups()[0].Params
	if p != params[0] {
		return fmt.Errorf("the checkpoint has state for parameter %d; LBFGS keeps all state with the first", at)
	}
	elements := int64(0)
	for _, p := range params {
		elements += p.Numel()
		if p.DType().IsComplex() {
			elements += p.Numel()
		}
	}
	vector := func(v any) error {
		t, ok := v.(*torch.Tensor)
		if ok && !t.DType().IsComplex() && t.Shape().Equal(torch.Shape{elements}) {
			return nil
		}
		what := kindOf(v)
		if ok {
			what = describe(t.DType(), t.Shape())
		}
		return fmt.Errorf("%.100q is %s in the checkpoint, but %d numbers in the state", name, what, elements)
	}
	switch name {
	case "d", "prev_flat_grad":
		return vector(v)
	case "old_dirs", "old_stps":
		items, _ := pyvalue.Items(v)
		for _, item := range items {
			if err := vector(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// innermost returns the optimizer that o wraps, for example in a ZeroRedundancyOptimizer, or o
// itself.
func innermost(o optim.Optimizer) optim.Optimizer {
	for {
		v := reflect.ValueOf(o)
		if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
			return o
		}
		f, has := v.Elem().Type().FieldByName("Optimizer")
		if !has || !f.Anonymous || f.Type != reflect.TypeFor[optim.Optimizer]() {
			return o
		}
		in, ok := v.Elem().FieldByIndex(f.Index).Interface().(optim.Optimizer)
		if !ok {
			return o
		}
		o = in
	}
}

// checkNumbers returns an error for numbers in an optimizer's state, such as a step count, that are
// negative or not finite.
func checkNumbers(o optim.Optimizer, dict pyvalue.Dict) error {
	own := innermost(o)
	if _, isLBFGS := own.(*optim.LBFGS); isLBFGS || !isFromOptim(own) {
		return nil
	}
	for _, e := range dict[0].Value.(pyvalue.Dict) {
		for _, v := range e.Value.(pyvalue.Dict) {
			t, ok := v.Value.(*torch.Tensor)
			if name := v.Key.(string); ok && slices.Contains(scalarStates, name) {
				if x := t.Item(); !(x >= 0) || math.IsInf(x, 1) {
					return fmt.Errorf("%.100q of parameter %d is %v; expected a non-negative number", name, e.Key, x)
				}
			}
		}
	}
	return nil
}
