package transforms

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A Transform maps an image to an image. The transforms of this package never return their
// argument; user-defined ones may. Layers of package nn are Transforms too.
type Transform interface {
	Forward(x *torch.Tensor) *torch.Tensor
}

func there(ok bool, name, method string) {
	if !ok {
		panic(torch.NewError("transforms."+name+"."+method, torch.ErrNil, "receiver", "a nil *transforms."+name))
	}
}

func checkTransforms(op string, ts []Transform) []Transform {
	if len(ts) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "transforms", "an empty list"))
	}
	for i, t := range ts {
		if t == nil {
			panic(torch.NewError(op, torch.ErrNil, "transforms", fmt.Sprintf("number %d is nil", i)))
		}
	}
	return append([]Transform(nil), ts...)
}

// forward applies transforms one after the other. It frees each intermediate result after the
// next transform.
func forward(x *torch.Tensor, ts []Transform) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		out := x
		for _, t := range ts {
			out = own.Instead(out, t.Forward(out))
		}
		return out
	})
}

// Compose applies transforms one after the other. Follows torchvision.transforms.Compose.
type Compose struct{ transforms []Transform }

// NewCompose returns a Compose. It panics with ErrValue without transforms and with
// ErrNil for a nil transform.
func NewCompose(transforms ...Transform) *Compose {
	return &Compose{checkTransforms("transforms.NewCompose", transforms)}
}

// Forward applies the transforms to x one after the other, and frees their temporaries. A
// user-defined transform that keeps a tensor for later must call [torch.Disown] on it.
func (c *Compose) Forward(x *torch.Tensor) *torch.Tensor {
	there(c != nil, "Compose", "Forward")
	return forward(x, c.transforms)
}

// Transforms returns the transforms.
func (c *Compose) Transforms() []Transform {
	there(c != nil, "Compose", "Transforms")
	return append([]Transform(nil), c.transforms...)
}

// String returns the transforms as Python prints them, one per line.
func (c *Compose) String() string {
	if c == nil {
		return "Compose(nil)"
	}
	return lines("Compose", c.transforms)
}

// RandomApply applies all of its transforms, or none of them. Follows
// torchvision.transforms.RandomApply.
type RandomApply struct {
	transforms []Transform
	p          float64
}

// NewRandomApply returns a RandomApply, which applies the transforms with probability
// [P], 0.5 by default. It panics as [NewCompose] does, and with ErrValue for an invalid
// P.
func NewRandomApply(transforms []Transform, opts ...ProbabilityOption) *RandomApply {
	const op = "transforms.NewRandomApply"
	p := readP(op, 0.5, opts)
	return &RandomApply{checkTransforms(op, transforms), p}
}

// Forward applies the transforms to x, or returns a view of x.
func (a *RandomApply) Forward(x *torch.Tensor) *torch.Tensor {
	there(a != nil, "RandomApply", "Forward")
	x.HandleFor("transforms.RandomApply(x)", 0)
	if !happens(a.p) {
		return same(x)
	}
	return forward(x, a.transforms)
}

// String returns the transforms as Python prints them, one per line.
func (a *RandomApply) String() string {
	if a == nil {
		return "RandomApply(nil)"
	}
	return lines("RandomApply", a.transforms)
}

// RandomChoice applies one of several transforms, chosen at random. Follows
// torchvision.transforms.v2.RandomChoice.
type RandomChoice struct {
	transforms []Transform
	p          []float64
}

// NewRandomChoice returns a RandomChoice. It panics as [NewCompose] does, and with ErrValue
// unless [Ps] has one number for each transform, no negative number, and a positive sum.
func NewRandomChoice(transforms []Transform, opts ...ChoiceOption) *RandomChoice {
	const op = "transforms.NewRandomChoice"
	p := append([]float64(nil), common.Read(op, opts, Ps(nil))...)
	c := &RandomChoice{transforms: checkTransforms(op, transforms)}
	n := len(transforms)
	if p == nil {
		for range n {
			p = append(p, 1)
		}
	}
	if len(p) != n {
		panic(torch.NewError(op, torch.ErrValue, "Ps",
			fmt.Sprintf("expected %d numbers, one for each transform, got %d", n, len(p))))
	}
	sum := 0.0
	for _, v := range p {
		if !(v >= 0) {
			panic(torch.NewError(op, torch.ErrValue, "Ps", fmt.Sprintf("expected numbers of 0 or more, got %v", v)))
		}
		sum += v
	}
	if !(sum > 0) || sum > 1e300 {
		panic(torch.NewError(op, torch.ErrValue, "Ps",
			fmt.Sprintf("expected numbers with a positive sum, got %v", sum)))
	}
	for _, v := range p {
		c.p = append(c.p, v/sum)
	}
	return c
}

// Forward applies one of the transforms to x.
func (c *RandomChoice) Forward(x *torch.Tensor) *torch.Tensor {
	there(c != nil, "RandomChoice", "Forward")
	x.HandleFor("transforms.RandomChoice(x)", 0)
	var i int64
	torch.Scope(func() {
		i = torch.FromSliceWith(c.p, nil, torch.DefaultDType(), torch.CPU).Multinomial(1).ItemInt()
	})
	return forward(x, c.transforms[i:i+1])
}

// String returns the transforms and the probabilities as Python prints them.
func (c *RandomChoice) String() string {
	if c == nil {
		return "RandomChoice(nil)"
	}
	return repr("RandomChoice", inline(c.transforms), "p=["+pyFloats(c.p...)+"]")
}

// RandomOrder applies transforms in a random order. Follows
// torchvision.transforms.v2.RandomOrder.
type RandomOrder struct{ transforms []Transform }

// NewRandomOrder returns a RandomOrder. It panics as [NewCompose] does.
func NewRandomOrder(transforms ...Transform) *RandomOrder {
	return &RandomOrder{checkTransforms("transforms.NewRandomOrder", transforms)}
}

// Forward applies the transforms to x.
func (r *RandomOrder) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomOrder", "Forward")
	x.HandleFor("transforms.RandomOrder(x)", 0)
	ts := make([]Transform, len(r.transforms))
	for i, k := range order(len(ts)) {
		ts[i] = r.transforms[k]
	}
	return forward(x, ts)
}

// String returns the transforms as Python prints them.
func (r *RandomOrder) String() string {
	if r == nil {
		return "RandomOrder(nil)"
	}
	return repr("RandomOrder", inline(r.transforms))
}

// Lambda applies a user-defined function to images. Follows torchvision.transforms.Lambda.
type Lambda struct {
	f func(*torch.Tensor) *torch.Tensor
}

// NewLambda returns a Lambda. It panics with ErrNil for a nil function.
func NewLambda(lambd func(x *torch.Tensor) *torch.Tensor) *Lambda {
	if lambd == nil {
		panic(torch.NilFunc("transforms.NewLambda", "lambd"))
	}
	return &Lambda{lambd}
}

// Forward applies the function to x, and frees its temporaries.
func (l *Lambda) Forward(x *torch.Tensor) *torch.Tensor {
	there(l != nil, "Lambda", "Forward")
	return torch.Tidy(func() *torch.Tensor { return l.f(x) })
}

// String returns "Lambda()".
func (*Lambda) String() string { return "Lambda()" }

// Identity leaves images unchanged. Follows torchvision.transforms.v2.Identity.
type Identity struct{}

// NewIdentity returns an Identity.
func NewIdentity() *Identity { return new(Identity) }

// Forward returns a view of x.
func (*Identity) Forward(x *torch.Tensor) *torch.Tensor {
	x.HandleFor("transforms.Identity(x)", 0)
	return same(x)
}

// String returns "Identity()".
func (*Identity) String() string { return "Identity()" }

// readP reads the options of a transform whose only option is P. p is the default.
func readP(op string, p float64, opts []ProbabilityOption) float64 {
	return checkP(op, float64(common.Read(op, opts, P(p))))
}
