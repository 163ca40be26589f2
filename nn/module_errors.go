package nn

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// addModuleToPanic adds the module and the shapes of its inputs to a *torch.Error on its
// way up. It turns a nil layer's runtime error into a *torch.Error. It does nothing if
// *done is true: the call has returned, or the call of an embedding struct adds its own name.
// It must be deferred directly, since recover works only there.
func addModuleToPanic(m Module, done *bool, in ...*torch.Tensor) {
	if *done {
		return
	}
	switch p := recover().(type) {
	case nil:
	case *torch.Error:
		m.ModuleBase().addToError(p, in)
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

// addToError puts the name of b before the path in e. If the path is empty, b is the
// innermost module, and addToError also describes it: "mlp.0 (Linear, weight (3, 4),
// bias (3,), input (2, 5))".
func (b *Base) addToError(e *torch.Error, in []*torch.Tensor) {
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

// inputShapes returns "input (2, 3)", or "inputs (2, 3), (4,)" for several.
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
