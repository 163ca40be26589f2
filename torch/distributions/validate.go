package distributions

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/capture"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/torch"
)

// checkParameters panics with ErrValue if a parameter does not satisfy its constraint.
func (b *base) checkParameters(op string) {
	for _, p := range b.self.parameters() {
		if p.instead || p.constraint == nil {
			continue
		}
		rule := func() string { return fmt.Sprintf("expected all values to satisfy the constraint %v", p.constraint) }
		demand(op, argument(p.name), p.constraint.Check(p.value), rule, func() string {
			return fmt.Sprintf("expected the tensor of shape %v, of distribution %v, to satisfy the constraint %v, "+
				"but found invalid values:\n%v",
				p.value.Shape(), b.self, p.constraint, p.value)
		})
	}
}

// argument returns the Go name of an argument with the given name in Python. The name of
// an argument that is an option in Go starts with a capital letter.
func argument(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	switch name {
	case "probs", "logits", "covariance_matrix", "precision_matrix", "scale_tril":
		first = strings.ToUpper(first[:1]) + first[1:]
	}
	for rest != "" {
		var word string
		word, rest, _ = strings.Cut(rest, "_")
		first += strings.ToUpper(word[:1]) + word[1:]
	}
	return first
}

// checkSample panics with ErrShape or ErrValue if value cannot be a sample of the distribution.
func (b *base) checkSample(op string, value *torch.Tensor) {
	shape, event := value.Shape(), len(b.event)
	if len(shape) < event || !shape[len(shape)-event:].Equal(b.event) {
		panic(torch.NewError(op, torch.ErrShape, "value",
			fmt.Sprintf("the last dimensions of shape %v must be the event shape %v", shape, b.event)))
	}
	want := append(append(torch.Shape{}, b.batch...), b.event...)
	for i, j := len(shape)-1, len(want)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if shape[i] != 1 && want[j] != 1 && shape[i] != want[j] {
			panic(torch.NewError(op, torch.ErrShape, "value",
				fmt.Sprintf("shape %v does not broadcast with %v, the batch and event shape", shape, want)))
		}
	}
	support := b.self.Support()
	rule := func() string { return fmt.Sprintf("expected all values to be within the support (%v)", support) }
	demand(op, "value", support.Check(value), rule, func() string {
		return fmt.Sprintf("expected the tensor of shape %v to be within the support (%v) of the distribution %v, "+
			"but found invalid values:\n%v",
			shape, support, b.self, value)
	})
}

// demand panics with ErrValue if an element of ok, a Bool tensor, is false. fail returns
// the message. While a step is captured, the check is recorded, and each replay repeats
// it. A replay cannot print the values, so its message is the result of rule.
func demand(op, argument string, ok *torch.Tensor, rule, fail func() string) {
	all := ok.All()
	if recording.Current() == nil {
		if !all.ItemBool() {
			panic(torch.NewError(op, torch.ErrValue, argument, fail()))
		}
		return
	}
	const args = "distributions.demand(ok)"
	why := fmt.Sprintf("%s: argument %s: %s", op, argument, rule())
	h := all.HandleFor(args, 0)
	r := torch.BeginRaw(args, all)
	r.Status(capture.Require(r.Ctx, h, why))
}

func allOf(x *torch.Tensor) bool { return x.All().ItemBool() }

// String formats the distribution as Python does: its parameters, or their shapes if
// they have more than one element.
func (b *base) String() string {
	if b.self == nil {
		return "Distribution(<nil>)"
	}
	var list []string
	for _, p := range b.self.parameters() {
		if !p.hidden && !p.instead {
			list = append(list, p.name+": "+text(p.value))
		}
	}
	return b.name + "(" + strings.Join(list, ", ") + ")"
}

func text(t *torch.Tensor) string {
	switch {
	case t.IsClosed():
		return "closed"
	case t.Numel() != 1:
		return "torch.Size([" + strings.TrimSuffix(strings.Trim(t.Shape().String(), "()"), ",") + "])"
	case t.Dim() > 0:
		return t.String()
	case t.IsFloatingPoint():
		return tensorfmt.PyFloat(t.Item())
	}
	return fmt.Sprint(t.ItemInt())
}

// broadcast expands values, which are tensors or numbers, to tensors of the same shape.
// names are their names in Python. Numbers get the dtype and device of the first tensor,
// or the default dtype. A tensor that already has the shape is returned unchanged; the
// distribution owns new tensors. Follows broadcast_all in torch.distributions.utils.
func (b *base) broadcast(names []string, values ...any) []*torch.Tensor {
	op := b.constructor()
	args := make([]string, len(names))
	for i, name := range names {
		args[i] = argument(name)
	}
	out := make([]*torch.Tensor, len(values))
	shape := torch.Shape{}
	like := []torch.CreateOption{torch.DefaultDType()}
	first := true
	for i, v := range values {
		t, ok := v.(*torch.Tensor)
		if !ok {
			if opt.IsNil(v) {
				panic(torch.NewError(op, torch.ErrNil, args[i], "expected a tensor or a number, got nil"))
			}
			operand.Number(op, args[i], v)
			continue
		}
		t.HandleFor(op+"("+strings.Join(args, ", ")+")", i)
		if first {
			like, first = []torch.CreateOption{t.DType(), t.Device()}, false
		}
		out[i] = t
		if torch.Try(func() { shape = torch.BroadcastShapes(shape, t.Shape()) }) != nil {
			panic(torch.NewError(op, torch.ErrShape, args[i],
				fmt.Sprintf("shape %v does not broadcast with %v, the shape of the parameters before", t.Shape(),
					shape)))
		}
	}
	for i, v := range values {
		isNew := out[i] == nil
		if isNew {
			out[i] = torch.ScalarTensor(v, like...)
		}
		if !out[i].Shape().Equal(shape) {
			out[i], isNew = out[i].Expand(shape...), true
		}
		if isNew {
			b.keep(out[i])
		}
	}
	return out
}
