package nn

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// blame writes the module into a *torch.Error on its way up, with the shapes of
// what it was called with. It is deferred itself, since recover works nowhere else.
func blame(b *Base, returned *bool, in ...*torch.Tensor) {
	if *returned {
		return
	}
	p := recover()
	if e, ok := p.(*torch.Error); ok {
		b.blame(e, in)
	}
	if p != nil {
		panic(p)
	}
}

// blameLayer is blame that makes an error of what comes of a nil layer.
func blameLayer(m Module, returned *bool, in ...*torch.Tensor) {
	if *returned {
		return
	}
	switch p := recover().(type) {
	case nil:
	case *torch.Error:
		m.ModuleBase().blame(p, in)
		panic(p)
	case runtime.Error:
		if opt.IsNil(m) {
			panic(torch.NewError("Forward", torch.ErrNil, "receiver", fmt.Sprintf("a nil *nn.%s", goName(m))))
		}
		panic(p)
	default:
		panic(p)
	}
}

// blame makes the path in e longer by this module, and begins it with what the
// module is: "mlp.0 (Linear, weight (3, 4), bias (3,), input (2, 5))".
func (b *Base) blame(e *torch.Error, in []*torch.Tensor) {
	switch {
	case b.self == nil:
	case e.Layer == "":
		about := append(b.parameterShapes(), inputShapes(in)...)
		if b.name != "" {
			about = append([]string{b.TypeName()}, about...)
			e.Layer = b.name
		} else {
			e.Layer = b.TypeName()
		}
		if len(about) > 0 {
			e.Layer += " (" + strings.Join(about, ", ") + ")"
		}
	case b.name != "":
		e.Layer = b.name + "." + e.Layer
	}
}

func (b *Base) parameterShapes() []string {
	var list []string
	for _, e := range b.params {
		if *e.slot != nil {
			list = append(list, e.name+" "+shapeOf(*e.slot))
		}
	}
	return list
}

// inputShapes says "input (2, 3)", or "inputs (2, 3), (4,)" of several.
func inputShapes(in []*torch.Tensor) []string {
	shapes := make([]string, len(in))
	for i, t := range in {
		shapes[i] = shapeOf(t)
	}
	switch len(in) {
	case 0:
		return nil
	case 1:
		return []string{"input " + shapes[0]}
	}
	return []string{"inputs " + strings.Join(shapes, ", ")}
}

func shapeOf(t *torch.Tensor) string {
	switch {
	case t == nil:
		return "nil"
	case t.IsClosed():
		return "closed"
	}
	return t.Shape().String()
}
