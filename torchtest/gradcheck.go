package torchtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/torch"
)

// GradCheck compares the derivatives that autograd computes for fn with finite
// differences, for every input that requires a gradient. It returns whether they agree.
// In PyTorch: torch.autograd.gradcheck.
//
// Inputs that require a gradient must be float64 leaves. GradCheck modifies them in place
// and restores them. fn must return the same result for the same inputs. The check fails
// if no input requires a gradient. GradCheck panics with torch.ErrValue for a negative
// option, and with torch.ErrNil if fn or an option is nil.
func GradCheck(t testing.TB, fn func(in ...*torch.Tensor) *torch.Tensor, inputs []*torch.Tensor,
	opts ...GradCheckOption,
) bool {
	t.Helper()
	if fn == nil {
		panic(torch.NilFunc("torchtest.GradCheck", "fn"))
	}
	tol := readGradTolerance("GradCheck", opts)
	return report(t, "derivatives are wrong", func() string { return checkGradients(tol, single(fn), inputs) })
}

// GradCheckAll is [GradCheck] for functions with several results.
func GradCheckAll(t testing.TB, fn func(in []*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor,
	opts ...GradCheckOption,
) bool {
	t.Helper()
	if fn == nil {
		panic(torch.NilFunc("torchtest.GradCheckAll", "fn"))
	}
	tol := readGradTolerance("GradCheckAll", opts)
	return report(t, "derivatives are wrong", func() string { return checkGradients(tol, fn, inputs) })
}

// GradGradCheck checks second derivatives: it applies [GradCheck] to the gradients of fn,
// as functions of the inputs and of the output gradients. The output gradients are random
// with a fixed seed. The options are the same as for GradCheck. In PyTorch:
// torch.autograd.gradgradcheck.
func GradGradCheck(t testing.TB, fn func(in ...*torch.Tensor) *torch.Tensor, inputs []*torch.Tensor,
	opts ...GradCheckOption,
) bool {
	t.Helper()
	if fn == nil {
		panic(torch.NilFunc("torchtest.GradGradCheck", "fn"))
	}
	tol := readGradTolerance("GradGradCheck", opts)
	return report(t, "second derivatives are wrong", func() string { return checkSecond(tol, single(fn), inputs) })
}

func single(fn func(...*torch.Tensor) *torch.Tensor) func([]*torch.Tensor) []*torch.Tensor {
	return func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{fn(in...)} }
}

// report runs a check in a scope and reports its result or panic.
func report(t testing.TB, headline string, check func() string) bool {
	t.Helper()
	var problem string
	err := torch.Try(func() {
		torch.Scope(func() { torch.EnableGrad(func() { problem = check() }) })
	})
	if err != nil {
		problem = err.Error()
	}
	if problem != "" {
		t.Errorf("%s: %s", headline, problem)
	}
	return problem == ""
}

// jacobian[i][k][o][j] is the derivative of element j of output o with respect
// to element k of input i.
type jacobian [][][][]float64

func checkGradients(tol gradTolerance, fn func([]*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor) string {
	moving := differentiable(inputs)
	if len(moving) == 0 {
		return "no input requires a gradient"
	}
	for _, in := range moving {
		if in.DType() != torch.Float64 || !in.IsLeaf() {
			return fmt.Sprintf("an input of dtype %v (leaf: %v) requires a gradient; finite differences need float64 "+
				"leaves", in.DType(), in.IsLeaf())
		}
	}
	analytic, problem := analyticJacobian(fn, inputs, moving)
	if problem != "" {
		return problem
	}
	numeric := make(jacobian, len(moving))
	for i, in := range moving {
		numeric[i] = numericColumns(tol.eps, fn, inputs, in)
	}
	return compareJacobians(tol, analytic, numeric)
}

func differentiable(inputs []*torch.Tensor) []*torch.Tensor {
	var ds []*torch.Tensor
	for _, in := range inputs {
		if in != nil && in.RequiresGrad() {
			ds = append(ds, in)
		}
	}
	return ds
}

func analyticJacobian(fn func([]*torch.Tensor) []*torch.Tensor, inputs, moving []*torch.Tensor) (jacobian, string) {
	outputs := fn(inputs)
	if len(outputs) == 0 {
		return nil, "fn returned no output"
	}
	j := make(jacobian, len(moving))
	for i, in := range moving {
		j[i] = make([][][]float64, in.Numel())
		for k := range j[i] {
			j[i][k] = make([][]float64, len(outputs))
			for o, out := range outputs {
				j[i][k][o] = make([]float64, out.Numel())
			}
		}
	}
	for o, out := range outputs {
		if out.DType() != torch.Float64 {
			return nil, fmt.Sprintf("output %d has dtype %v; finite differences need float64", o, out.DType())
		}
		if !out.RequiresGrad() {
			continue // autograd says that the derivative of out is zero
		}
		for e := range out.Numel() {
			torch.Scope(func() {
				one := make([]float64, out.Numel())
				one[e] = 1
				above := torch.FromSliceWith(one, out.Shape(), out.Device())
				grads := torch.Grad([]*torch.Tensor{out}, moving, torch.GradOutputs{above}, torch.RetainGraph(true),
					torch.AllowUnused(true))
				for i, g := range grads {
					if g == nil {
						continue
					}
					for k, v := range g.Float64s() {
						j[i][k][o][e] = v
					}
				}
			})
		}
	}
	return j, ""
}

// numericColumns changes each element of one input and measures how the outputs change.
func numericColumns(eps float64, fn func([]*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor,
	in *torch.Tensor,
) [][][]float64 {
	at := in.Float64s()
	put := func() { torch.NoGrad(func() { in.CopyFrom(at) }) }
	values := func() (out [][]float64) {
		put()
		torch.Scope(func() {
			for _, t := range fn(inputs) {
				out = append(out, t.Float64s())
			}
		})
		return out
	}
	columns := make([][][]float64, len(at))
	for k, x := range at {
		func() {
			defer func() {
				at[k] = x
				put()
			}()
			at[k] = x + eps
			column := values()
			at[k] = x - eps
			for o, below := range values() {
				for e, v := range below {
					column[o][e] = (column[o][e] - v) / (2 * eps)
				}
			}
			columns[k] = column
		}()
	}
	return columns
}

func compareJacobians(tol gradTolerance, analytic, numeric jacobian) string {
	const shown = 5
	var lines []string
	bad := 0
	for i := range analytic {
		for k := range analytic[i] {
			for out := range analytic[i][k] {
				for e, a := range analytic[i][k][out] {
					n := numeric[i][k][out][e]
					if math.Abs(a-n) <= tol.atol+tol.rtol*math.Abs(n) {
						continue
					}
					if bad++; bad <= shown {
						lines = append(lines, fmt.Sprintf("\n\td output %d [%d] / d input %d [%d]: autograd %.8g, "+
							"finite differences %.8g", out, e, i, k, a, n))
					}
				}
			}
		}
	}
	if bad == 0 {
		return ""
	}
	return fmt.Sprintf("%d entries of the Jacobian%s", bad, strings.Join(lines, ""))
}

func checkSecond(tol gradTolerance, fn func([]*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor) string {
	moving := differentiable(inputs)
	if len(moving) == 0 {
		return "no input requires a gradient"
	}
	random := rand.New(rand.NewPCG(0, 1))
	all := append([]*torch.Tensor(nil), inputs...)
	outputs := fn(inputs)
	if len(outputs) == 0 {
		return "fn returned no output"
	}
	for o, out := range outputs {
		if out.DType() != torch.Float64 {
			return fmt.Sprintf("output %d has dtype %v; finite differences need float64", o, out.DType())
		}
		above := make([]float64, out.Numel())
		for i := range above {
			above[i] = random.NormFloat64()
		}
		all = append(all, torch.FromSliceWith(above, out.Shape(), out.Device(), torch.RequiresGrad(true)))
	}
	first := func(in []*torch.Tensor) []*torch.Tensor {
		xs, above := in[:len(inputs)], in[len(inputs):]
		grads := torch.Grad(fn(xs), differentiable(xs), torch.GradOutputs(above), torch.CreateGraph(true),
			torch.AllowUnused(true))
		used := grads[:0]
		for _, g := range grads {
			if g != nil {
				used = append(used, g)
			}
		}
		return used
	}
	if len(first(all)) == 0 {
		return "no output depends on an input"
	}
	return checkGradients(tol, first, all)
}
