package distributed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// waited is the name of a collective without what says that nobody waits for it: the others
// may.
func waited(name string) string { return strings.TrimSuffix(name, "Async") }

// newCall makes the call of a collective. check looks at the arguments of this rank, and
// adds to the text what all ranks have to agree in. The error is what is wrong with them.
func (g *ProcessGroup) newCall(name string, what native.Op, outs, ins []*torch.Tensor, check func(c *call) error) (*call, error) {
	c := &call{Call: native.Call{Op: what}, op: "distributed.ProcessGroup." + name, outs: outs, ins: ins, text: waited(name)}
	if g == nil || g.rank < 0 {
		return c, nil // which is said later
	}
	var err error
	if panicked := torch.Try(func() { err = check(c) }); panicked != nil {
		return c, panicked // a tensor that was closed meanwhile
	}
	if err == nil {
		err = torch.Try(func() {
			switch what {
			case native.AllGatherInto, native.ReduceScatterTensor:
				c.viewFlat()
			}
			c.viewReal()
		})
	}
	return c, err
}

// add completes what the ranks have to agree in.
func (c *call) add(format string, args ...any) { c.text += " " + fmt.Sprintf(format, args...) }

// viewReal has complex numbers sent as pairs, which Gloo knows nothing of.
func (c *call) viewReal() {
	c.view(func(t *torch.Tensor) *torch.Tensor {
		if !t.DType().IsComplex() {
			return nil
		}
		return t.ViewAsReal()
	})
}

// viewFlat has the tensors sent as they lie in memory, whatever their shapes.
func (c *call) viewFlat() {
	c.view(func(t *torch.Tensor) *torch.Tensor { return t.View(-1) })
}

// view puts views in the place of tensors, where fn makes one.
func (c *call) view(fn func(t *torch.Tensor) *torch.Tensor) {
	c.outs, c.ins = slices.Clone(c.outs), slices.Clone(c.ins)
	for _, list := range [][]*torch.Tensor{c.outs, c.ins} {
		for i, t := range list {
			torch.Scope(func() {
				if v := fn(t.Detach()); v != nil {
					list[i] = torch.Disown(v)
					c.views = append(c.views, list[i])
				}
			})
		}
	}
}

// free closes what the call made for itself.
func (c *call) free() {
	for _, v := range c.views {
		_ = v.Close()
	}
	c.views = nil
}

// now begins a collective and waits for it. refused is what is wrong with this rank's
// arguments.
func (g *ProcessGroup) now(ctx context.Context, c *call, refused error) error {
	f, err := g.later(ctx, c, refused)
	if err != nil {
		return err
	}
	return f.wait(ctx)
}

// async is now without waiting.
func (g *ProcessGroup) async(ctx context.Context, c *call, refused error) (*Work, error) {
	f, err := g.later(ctx, c, refused)
	if err != nil {
		return nil, err
	}
	return newWork(f.wait, f.isDone), nil
}

// later begins a collective. The others are told if this rank refuses.
func (g *ProcessGroup) later(ctx context.Context, c *call, refused error) (*flight, error) {
	defer c.free()
	if err := g.ready(c.op); err != nil {
		return nil, err
	}
	g.order.Lock()
	defer g.order.Unlock()
	if g.checked {
		if err := g.agree(ctx, c, refused); err != nil {
			return nil, err
		}
	}
	if refused != nil {
		return nil, refused
	}
	return g.begin(ctx, c)
}
