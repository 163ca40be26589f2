package nn

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// Checks that run before the module changes.

func (l *loader) mustHaveNoProblems() {
	if len(l.problems) == 0 {
		return
	}
	kind := slices.IndexFunc(problemKinds, func(k error) bool { return slices.Contains(l.problemKinds, k) })
	problems := l.problems
	if n := len(problems) - mostListed; n > 0 {
		problems = append(slices.Clone(problems[:mostListed]), fmt.Sprintf("and %d more problems", n))
	}
	text := plain.Text(strings.Join(problems, "; "))
	if l.path != "" {
		text = l.path + ": " + text
	}
	panic(&torch.Error{Op: l.op, Kind: problemKinds[kind], Message: text})
}

// problemKinds lists the kinds of problems by priority. The Kind of the error is the
// first kind in this list that a problem has.
var problemKinds = []error{torch.ErrValue, torch.ErrNil, torch.ErrClosed, torch.ErrShape, torch.ErrDType}

// mostListed is the number of names, and of problems, that an error or a report lists. A file may
// have any number of names of any length.
const mostListed = 100

// listed returns a text with the first names of a list, each shortened and escaped.
func listed(names []string) string {
	short := make([]string, 0, min(len(names), mostListed)+1)
	for _, name := range names[:min(len(names), mostListed)] {
		short = append(short, plain.Short(name))
	}
	if n := len(names) - mostListed; n > 0 {
		short = append(short, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(short, ", ")
}

func (l *loader) addProblem(kind error, format string, args ...any) {
	l.problemKinds = append(l.problemKinds, kind)
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

func (l *loader) reportNames(keys IncompatibleKeys) {
	if len(keys.MissingKeys) > 0 {
		l.addProblem(torch.ErrValue, "missing names: [%s]", listed(keys.MissingKeys))
	}
	if len(keys.UnexpectedKeys) > 0 {
		l.addProblem(torch.ErrValue, "unknown names: [%s]", listed(keys.UnexpectedKeys))
	}
}

// reportDuplicates finds names that occur twice in a state dict, because only one of their
// tensors could be loaded.
func (l *loader) reportDuplicates(sd StateDict) {
	if len(l.source) == len(sd) {
		return
	}
	seen := make(map[string]int, len(sd))
	for _, n := range sd {
		if seen[n.Name]++; seen[n.Name] == 2 {
			l.addProblem(torch.ErrValue, "%s occurs twice", plain.Quote(n.Name))
		}
	}
}

// reportUnused reports patterns that match nothing if there are other problems, which
// the patterns may explain. It also reports them if a Transpose pattern is unused,
// because no other check would find that.
func (l *loader) reportUnused() {
	if len(l.report.Unused) > 0 && (len(l.problems) > 0 || l.unusedTranspose && l.settings.strict) {
		l.addProblem(torch.ErrValue, "patterns that match no name of the source: [%s]",
			strings.Join(l.report.Unused, ", "))
	}
}

func (l *loader) matchTensors() {
	var sizes []string
	for _, n := range l.targets {
		t, ok := l.source[n.name]
		switch {
		case !ok:
		case t.IsClosed():
			is, kind := explainUnusable(t)
			l.addProblem(kind, "the tensor for %s is %s", n.name, is)
		case n.tensor.IsClosed():
			l.addProblem(torch.ErrClosed, "%s of this module is closed", n.name)
		case n.tensor.Dim() == 0 && t.Shape().Equal(torch.Shape{1}) && l.addScalar(n, t):
		case !t.Shape().Equal(n.tensor.Shape()):
			l.report.Mismatched = append(l.report.Mismatched, Mismatch{n.name, n.tensor.Shape(), t.Shape()})
			sizes = append(sizes, fmt.Sprintf("%s has shape %v in the module and %v in the state dict%s", n.name,
				n.tensor.Shape(), t.Shape(), l.explainShape(n, t)))
		default:
			l.addTransfer(n, t)
		}
	}
	for _, x := range l.extraStates {
		if t, ok := l.source[x.name]; ok && t.IsClosed() {
			is, kind := explainUnusable(t)
			l.addProblem(kind, "the tensor for %s is %s", x.name, is)
		}
	}
	if len(sizes) > 0 {
		l.addProblem(torch.ErrShape, "sizes differ: %s", strings.Join(sizes, ", "))
	}
}

// explainUnusable says why a tensor cannot be read.
func explainUnusable(t *torch.Tensor) (is string, kind error) {
	if t == nil {
		return "nil", torch.ErrNil
	}
	return "closed", torch.ErrClosed
}

// explainShape returns a note for the error that t and own, a tensor of the module, have
// different shapes. The note gives the names of t in the source if they differ from the
// name of own, and a hint if t is only transposed.
func (l *loader) explainShape(own stateTensor, t *torch.Tensor) string {
	var notes []string
	from := l.report.sources[own.name]
	if len(from) != 1 || from[0] != own.name {
		notes = from
	}
	if s := t.Shape(); len(s) == 2 && own.tensor.Shape().Equal(torch.Shape{s[1], s[0]}) {
		notes = append(slices.Clone(notes), "transposed: use nn.Transpose")
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + listed(notes) + ")"
}

// addTransfer plans the copy of t to own, a tensor of the module, or records why
// libtorch could not make the copy. libtorch itself would report this only halfway
// through the load.
func (l *loader) addTransfer(own stateTensor, t *torch.Tensor) {
	switch to := own.tensor; {
	case l.settings.assign:
		l.addAssignment(own, t)
	case t.Device() == torch.Meta && to.Device() != torch.Meta && l.lazy[t] == nil:
		l.addProblem(torch.ErrValue, "the tensor for %s is on the meta device and has no values", own.name)
	case t.Layout() != to.Layout():
		l.addProblem(torch.ErrValue, "the tensor for %s has layout %v, expected %v as in the module", own.name,
			t.Layout(), to.Layout())
	case operand.Overlaps(to):
		l.addProblem(torch.ErrValue, "%s of this module is an expanded tensor, whose elements share memory: use Clone",
			own.name)
	case to.IsInference() && !torch.IsInferenceMode():
		l.addProblem(torch.ErrValue,
			"%s of this module was made in inference mode, so it cannot be written to outside of it: use Clone",
			own.name)
	case l.casts.refuses(to.DType(), t.DType()):
		l.addProblem(torch.ErrDType, "the tensor for %s has dtype %v, which libtorch cannot convert to %v", own.name,
			t.DType(), to.DType())
	default:
		l.copies = append(l.copies, transfer{own, t})
	}
}

// addAssignment is addTransfer with [Assign], where the module takes over t instead of
// copying it.
func (l *loader) addAssignment(own stateTensor, t *torch.Tensor) {
	d := t.DType()
	switch to := own.tensor; {
	case to.RequiresGrad() && !d.IsFloatingPoint() && !d.IsComplex():
		l.addProblem(torch.ErrValue, "the tensor for %s has dtype %v, which has no gradients", own.name, d)
	case t.Layout() != to.Layout():
		l.addProblem(torch.ErrValue, "the tensor for %s has layout %v, expected %v as in the module", own.name,
			t.Layout(), to.Layout())
	case d.IsQuantized() != to.IsQuantized():
		l.addProblem(torch.ErrDType, "the tensor for %s has dtype %v, which cannot replace a tensor of dtype %v",
			own.name, d, to.DType())
	default:
		l.copies = append(l.copies, transfer{own, t})
	}
}

// castCache records for pairs of dtypes, to and from, whether a conversion was tried
// and failed.
type castCache map[[2]torch.DType]bool

// refuses reports whether libtorch cannot copy elements from one dtype to the other.
// libtorch itself refuses only during the copy, when a file may be half read.
func (c *castCache) refuses(to, from torch.DType) bool {
	switch {
	case to == from:
		return false
	case from.IsQuantized() || to.IsQuantized():
		return from != torch.Float32 // libtorch quantizes float32 during a copy
	}
	bad, known := (*c)[[2]torch.DType{to, from}]
	if !known {
		err := torch.Try(func() {
			torch.Scope(func() {
				// one returns a tensor of one element. It views zero bytes as the
				// dtype, because no function of libtorch fills tensors of every dtype.
				one := func(d torch.DType) *torch.Tensor {
					return torch.Zeros(torch.Shape{d.Size()}, torch.Uint8, torch.CPU).ViewDType(d)
				}
				one(to).Copy_(one(from))
			})
		})
		if errors.Is(err, torch.ErrOutOfMemory) {
			panic(err)
		}
		bad = err != nil
		if *c == nil {
			*c = castCache{}
		}
		(*c)[[2]torch.DType{to, from}] = bad
	}
	return bad
}
