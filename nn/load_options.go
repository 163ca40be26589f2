package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoadOption is an option of [Base.LoadStateDict] and [LoadFrom]: [Strict], [Assign];
// [Rename], [RenameFunc], [Transpose], [Concat], [Split] and [Ignore], which make of the
// names and tensors of others those of the module; [AllowMissing]; [DType] and [Device],
// to which tensors are converted first: floating-point and complex ones, and all. With
// [Assign] that is what the module gets.
//
// Options that name several tensors take patterns: "*" is one part of a name between
// dots, "**" any number of them. All are of the source's names but where it says
// otherwise.
type LoadOption interface{ opt.StateLoadCall }

// Strict says whether both sides must have the same names. The default is true;
// for [Base.SetSubmodule] it is false.
type Strict = opt.Strict

// Assign says whether the module takes the tensors of the state dict in place of
// their values: nothing is copied, and dtype, device and layout are those of the
// state dict. The module and the state dict share the memory then, and each of
// them can be closed. Parameters keep their identity and lose their gradients; those
// that were on the meta device are closed and have others in their place, so make
// the optimizer afterwards. The default is false.
type Assign = opt.Assign

// Rename are pairs of patterns: what a tensor is called in the source, and in the module.
// The stars of the second stand for what those of the first did, in order. The first pair
// that matches counts, and a name that matches none stays.
//
//	nn.Rename{{"bert.encoder.layer.*.attention.**", "layers.*.attn.**"}, {"bert.**", "**"}}
//
// The default, and nil, is none.
type Rename = opt.Rename

// RenameFunc is called with each name, after [Rename], and returns what the module calls
// the tensor, or "" for one that is to be left out. The default, and nil, is none.
type RenameFunc = opt.RenameFunc

// Transpose are patterns of tensors whose last two dimensions are exchanged, such as the
// weights of GPT-2's Conv1D: nn.Transpose{"h.*.attn.c_attn.weight"}. It is done before
// anything is joined or cut. A pattern that matches no name is an error, unless [Strict] is
// false: a square weight that was not turned would show in the results alone. The default,
// and nil, is none.
type Transpose = opt.Transpose

// Concat joins tensors of the source to one of the module, as the weights of queries, keys
// and values to in_proj_weight. The default, and nil, is none.
type Concat = opt.Concat

// ConcatRule is a rule of [Concat]: From are patterns whose tensors, in this order, are
// joined along Dim to the tensor that the module calls To.
type ConcatRule = opt.ConcatRule

// Split cuts tensors of the source into equal parts, each a tensor of the module. The
// default, and nil, is none.
type Split = opt.Split

// SplitRule is a rule of [Split]: the tensors of the pattern From are cut along Dim into
// as many parts as To has names, which are the module's.
type SplitRule = opt.SplitRule

// Ignore are patterns of tensors that are not wanted. They are not read, and not unknown.
// The default, and nil, is none.
type Ignore = opt.Ignore

// AllowMissing are patterns of the module's names that the source need not have, such as
// those of a new head. The default, and nil, is none.
type AllowMissing = opt.AllowMissing

// loadSettings is a list of LoadOptions, read.
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
	allowed        []*pattern
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
			s.allowed = newPatterns(op, "AllowMissing", o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	return s
}

// changes reports whether there is anything to do with names or tensors.
func (s *loadSettings) changes() bool {
	return s.device != 0 || s.dtype != 0 || s.renameFunc != nil || len(s.rename)+len(s.transpose)+len(s.concat)+len(s.split)+len(s.ignore) > 0
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
			panic(torch.NewError(op, torch.ErrValue, "Concat", fmt.Sprintf("%q has no names to be made of", rule.To)))
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
			panic(torch.NewError(op, torch.ErrValue, "Split", fmt.Sprintf("%q has no names for its parts", rule.From)))
		}
		for _, to := range rule.To {
			_, t := newPatternPair(op, "Split", rule.From, to)
			s.to = append(s.to, t)
		}
		list[i] = s
	}
	return list
}
