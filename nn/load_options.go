package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoadOption is an option of [Base.LoadStateDict] and [LoadFrom].
//
//   - [Strict] and [Assign] work as in Python's load_state_dict.
//   - [Rename], [RenameFunc], [Transpose], [Concat], [Split] and [Ignore] adapt the
//     names and tensors of a file to the module.
//   - [AllowMissing] lists names that may be missing.
//   - [DType] converts floating-point and complex tensors before loading, and
//     [Device] moves all tensors. With [Assign], the module gets the converted tensors.
//
// Options that select tensors take patterns: "*" matches one part of a name between dots,
// "**" any number of parts. Patterns match the source's names unless stated otherwise.
type LoadOption interface{ opt.StateLoadCall }

// Strict says whether the module and the source must have the same names. The default
// is true; for [Base.SetSubmodule] it is false.
type Strict = opt.Strict

// Assign says whether the module takes over the tensors of the state dict instead of
// copying their values. The module's tensors get the dtype, device and layout of the
// state dict's tensors. The module and the state dict then share memory, and either can
// be closed. Parameters keep their identity and lose their gradients. Parameters on the
// meta device are closed and replaced, so make the optimizer afterwards. The default is
// false.
type Assign = opt.Assign

// Rename is a list of pairs of patterns: the name in the source and the name in the
// module. The stars of the second pattern stand for the parts that the stars of the first
// matched, in order. The first pair that matches applies. Names that match no pair do not
// change.
//
//	nn.Rename{{"bert.encoder.layer.*.attention.**", "layers.*.attn.**"}, {"bert.**", "**"}}
//
// The default is nil, which renames nothing.
type Rename = opt.Rename

// RenameFunc is called with each name of the source, after [Rename] was applied to it.
// It returns the module's name for the tensor, or "" to leave it out. The default is
// nil.
type RenameFunc = opt.RenameFunc

// Transpose lists patterns of tensors whose last two dimensions are exchanged, such
// as the weights of GPT-2's Conv1D: nn.Transpose{"h.*.attn.c_attn.weight"}. It
// applies before [Concat] and [Split]. A pattern that matches no name is an error
// unless [Strict] is false: no other check would catch a square weight that was not
// transposed. The default is nil.
type Transpose = opt.Transpose

// Concat joins several tensors of the source into one of the module, such as query,
// key and value weights into in_proj_weight. The default is nil.
type Concat = opt.Concat

// ConcatRule is a rule of [Concat]. The tensors that match the patterns From are
// joined in this order along Dim into the module's tensor To.
type ConcatRule = opt.ConcatRule

// Split cuts tensors of the source into equal parts, each a tensor of the module. The
// default is nil.
type Split = opt.Split

// SplitRule is a rule of [Split]. Each tensor that matches the pattern From is cut
// along Dim into the module's tensors To.
type SplitRule = opt.SplitRule

// Ignore lists patterns of tensors to skip. They are not read and do not count as
// unexpected. The default is nil.
type Ignore = opt.Ignore

// AllowMissing lists patterns of the module's names that the source may lack, such as the
// names of a new head. The default is nil.
type AllowMissing = opt.AllowMissing

// loadSettings holds parsed LoadOptions.
type loadSettings struct {
	strict, assign bool
	device         torch.Device
	dtype          torch.DType
	rename         []renaming
	renameFunc     func(string) string
	transpose      []*pattern
	concat         []concatenation
	split          []splitting
	ignore         []*pattern
	allowMissing   []*pattern
}

type renaming struct{ from, to *pattern }

type concatenation struct {
	to   *pattern
	from []*pattern
	dim  int64
}

type splitting struct {
	from *pattern
	to   []*pattern
	dim  int64
}

func readLoad(op string, opts []LoadOption) loadSettings {
	s := loadSettings{strict: true}
	for _, o := range opts {
		switch o := o.(type) {
		case Strict:
			s.strict = bool(o)
		case Assign:
			s.assign = bool(o)
		case Device:
			s.device = torch.Device(o)
		case DType:
			s.dtype = torch.DType(o)
		case Rename:
			s.rename = readRename(op, o)
		case RenameFunc:
			s.renameFunc = o
		case Transpose:
			s.transpose = newPatterns(op, "Transpose", o)
		case Concat:
			s.concat = readConcat(op, o)
		case Split:
			s.split = readSplit(op, o)
		case Ignore:
			s.ignore = newPatterns(op, "Ignore", o)
		case AllowMissing:
			s.allowMissing = newPatterns(op, "AllowMissing", o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	return s
}

// changesNames reports whether the options change names or tensors of the source.
func (s *loadSettings) changesNames() bool {
	return s.device != 0 || s.dtype != 0 || s.renameFunc != nil ||
		len(s.rename)+len(s.transpose)+len(s.concat)+len(s.split)+len(s.ignore) > 0
}

func readRename(op string, o Rename) []renaming {
	list := make([]renaming, len(o))
	for i, pair := range o {
		list[i].from, list[i].to = newPatternPair(op, "Rename", pair[0], pair[1])
	}
	return list
}

func readConcat(op string, o Concat) []concatenation {
	list := make([]concatenation, len(o))
	for i, rule := range o {
		c := concatenation{dim: rule.Dim}
		if len(rule.From) == 0 {
			panic(torch.NewError(op, torch.ErrValue, "Concat", fmt.Sprintf("%q has an empty From list", rule.To)))
		}
		for _, from := range rule.From {
			var f *pattern
			f, c.to = newPatternPair(op, "Concat", from, rule.To)
			c.from = append(c.from, f)
		}
		list[i] = c
	}
	return list
}

func readSplit(op string, o Split) []splitting {
	list := make([]splitting, len(o))
	for i, rule := range o {
		s := splitting{dim: rule.Dim, from: newPattern(op, "Split", rule.From)}
		if len(rule.To) == 0 {
			panic(torch.NewError(op, torch.ErrValue, "Split", fmt.Sprintf("%q has an empty To list", rule.From)))
		}
		for _, to := range rule.To {
			_, t := newPatternPair(op, "Split", rule.From, to)
			s.to = append(s.to, t)
		}
		list[i] = s
	}
	return list
}
