package nn_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Each option of each constructor and method has its effect alone. If an option is
// given twice, the last one counts. A nil option is an error. Every function and option
// has a row.
func TestOptions(t *testing.T) {
	scoped(t, func() {
		p := new(holder)
		p.Init(p)
		defer p.Close()
		rows := map[string]optiontest.Row{}
		for _, part := range []map[string]optiontest.Row{
			windowRows(p), poolRows(p), visionRows(p), tensorRows(p),
			plainRows(p), activationRows(p), normRows(p), tableRows(p), lossRows(p), criterionRows(p), callRows(p),
			recurrentRows(p), attentionRows(p), transformerRows(p), moduleRows(),
		} {
			maps.Copy(rows, part)
		}
		for name, row := range addedRows {
			rows[name] = row(p)
		}
		optiontest.Read(t, ".", "../internal/opt", "../torch").Run(t, rows)
	})
}

// The aspects of a module that an option may change.
const (
	printed  = "printed" // its String
	behavior = "does"    // its name in the parent, its state, results and gradients
)

// Reasons why an option does not change the printed form.
const (
	notInRepr    = "Python's repr does not say it"
	nameOfParent = "the name is the parent's"
)

// rowOf returns the row of a constructor. It adds a Registration to the options,
// because all constructors take one.
func rowOf[O any](p *holder, in func() []*torch.Tensor, make func(opts ...O) nn.Module,
	pairs ...optiontest.Pair,
) optiontest.Row {
	pairs = append(pairs, optiontest.Values(p.As("a"), p.As("b")).Hides(printed, nameOfParent))
	return optiontest.For(func(opts ...O) optiontest.Outcome {
		torch.ManualSeed(3)
		m := make(opts...)
		defer func() { _ = m.ModuleBase().Close() }()
		return optiontest.Outcome{printed: m.String(), behavior: describeBehavior(p, m, in)}
	}, pairs...)
}

// describeBehavior describes everything about a module except its printed form.
func describeBehavior(p *holder, m nn.Module, in func() []*torch.Tensor) string {
	var s strings.Builder
	for _, c := range p.Children() {
		if c.Module == m {
			fmt.Fprintln(&s, "registered as", c.Name)
		}
	}
	torch.Scope(func() {
		state := func(when string) {
			for _, n := range m.StateDict() {
				writeTensor(&s, when+" "+n.Name, n.Tensor)
			}
		}
		state("new")
		if in == nil {
			return
		}
		// If the computation is not possible on the parameters' device, the error is part of the
		// result.
		err := torch.Try(func() {
			for _, training := range []bool{true, false} {
				if m.ModuleBase().Eval(); training {
					m.ModuleBase().Train()
				}
				torch.ManualSeed(4)
				x := fitInputs(m, in())
				torch.ManualSeed(5)
				outs := runModule(m, x)
				for _, y := range outs {
					writeTensor(&s, "result", y)
				}
				for _, y := range x {
					writeTensor(&s, "input", y)
				}
				if y := outs[0]; y.RequiresGrad() {
					y.Mul(y).Sum().Backward()
				}
				for _, n := range m.ModuleBase().NamedParameters() {
					writeTensor(&s, "gradient of "+n.Name, n.Tensor.Grad())
				}
				m.ModuleBase().ZeroGrad()
				state("used")
			}
		})
		if err != nil {
			fmt.Fprintln(&s, err)
		}
	})
	return s.String()
}

// fitInputs moves inputs to the parameters' device and converts them to their dtype.
func fitInputs(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
	if ps := m.ModuleBase().Parameters(); len(ps) > 0 {
		for i, x := range in {
			if x.IsFloatingPoint() {
				x = x.To(ps[0].DType())
			}
			in[i] = x.To(ps[0].Device())
		}
	}
	return in
}

func writeTensor(s *strings.Builder, what string, x *torch.Tensor) {
	if x == nil {
		fmt.Fprintln(s, what, "nil")
		return
	}
	fmt.Fprintln(s, what, x.Shape(), x.DType(), x.Device(), x.Layout(), x.RequiresGrad())
	if x.Device() != torch.Meta {
		fmt.Fprintln(s, x.Detach().ToDense().Float64s())
	}
}

// runModule calls the module's Forward with the inputs that its signature needs.
func runModule(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
	switch m := m.(type) {
	case nn.Layer:
		return []*torch.Tensor{m.Forward(in[0])}
	case interface {
		Forward(input, target *torch.Tensor) *torch.Tensor
	}:
		return []*torch.Tensor{m.Forward(in[0], in[1])}
	case *nn.EmbeddingBag:
		return []*torch.Tensor{m.Forward(in[0], in[1])}
	}
	if out := run(m, in); out != nil {
		return out
	}
	return sequenceResults(m, in)
}

// places returns values of the options for the device and the dtype of parameters.
func places() []optiontest.Pair {
	return []optiontest.Pair{
		optiontest.Values(nn.Device(torch.Meta), nn.Device(torch.CPU)).Hides(printed, notInRepr),
		optiontest.Values(nn.Device(torch.Device(0)), nn.Device(torch.Meta)).Hides(printed, notInRepr),
		optiontest.Values(nn.DType(torch.Float64), nn.DType(torch.Float32)).Hides(printed, notInRepr),
		optiontest.Values(nn.DType(torch.DType(0)), nn.DType(torch.Float64)).Hides(printed, notInRepr),
	}
}

// joinPairs returns a new list: the pairs in more, followed by the pairs in list.
func joinPairs(list []optiontest.Pair, more ...optiontest.Pair) []optiontest.Pair {
	return append(more, list...)
}

// prepend returns a new list: the first list of options, followed by the second.
func prepend[O any](before []O, opts []O) []O {
	return append(before[:len(before):len(before)], opts...)
}
