package datasets

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// Collate joins the samples of a batch: the Value of the result is a []tv.Sample. Use it as the
// [data.CollateFn] of a loader, because the samples of a batch have different sizes. It panics with
// ErrType for an example of another dataset. Follows the function collate_fn of torchvision's
// reference scripts.
func Collate(examples []data.Example) data.Example {
	list := make([]tv.Sample, len(examples))
	for i, e := range examples {
		s, ok := e.Value.(tv.Sample)
		if !ok {
			panic(torch.NewError("datasets.Collate", torch.ErrType, "examples",
				fmt.Sprintf("example %d: expected a transforms.Sample in Value, got %T", i, e.Value)))
		}
		list[i] = s
	}
	return data.Example{Value: list}
}

// get returns a sample that read returns, after the transform. It frees all other tensors.
func (c *config) get(read func() (tv.Sample, error)) (s tv.Sample, err error) {
	torch.TidyAll(func() []*torch.Tensor {
		if s, err = read(); err != nil {
			return nil
		}
		if c.transform != nil {
			s = c.transform.Forward(s)
		}
		return tensorsOf(s)
	})
	if err != nil {
		return tv.Sample{}, err
	}
	return s, nil
}

func tensorsOf(s tv.Sample) []*torch.Tensor {
	list := []*torch.Tensor{s.Image, s.Boxes.Tensor, s.Mask.Tensor, s.KeyPoints.Tensor, s.Labels}
	for _, t := range s.Extra {
		list = append(list, t)
	}
	return slices.DeleteFunc(list, func(t *torch.Tensor) bool { return t == nil })
}

// mustBeIndex panics with ErrNil if the receiver was not made by its constructor, and with ErrIndex
// unless 0 <= i < n.
func mustBeIndex(op string, made bool, n, i int) {
	mustBeMade(op, made)
	if i < 0 || i >= n {
		panic(torch.NewError(op, torch.ErrIndex, "i", fmt.Sprintf("%d is out of range for %d examples", i, n)))
	}
}

func mustBeMade(op string, made bool) {
	if !made {
		name, _, _ := strings.Cut(strings.TrimPrefix(op, "datasets."), ".")
		panic(torch.NewError(op, torch.ErrNil, "receiver",
			"a nil *datasets."+name+", or a zero value; use its constructor"))
	}
}

// orPanic returns an example, or panics with the error.
func orPanic(op string, s tv.Sample, err error) data.Example {
	if err != nil {
		panic(torch.WrapError(op, err))
	}
	return data.Example{Value: s}
}

// isName reports whether name is the name of a file in a folder, not of another folder.
func isName(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, "/\\\x00") && name != "."
}

// fileError returns an error about the contents of a file.
func fileError(format, path string, kind error, detail string, args ...any) *torch.FileError {
	return &torch.FileError{Format: format, Path: path, Offset: -1, Kind: kind, Detail: fmt.Sprintf(detail, args...)}
}

// quoted returns text from a file for an error.
func quoted(text string) string { return plain.Quote(text) }

// describe returns what Python prints for a dataset.
func describe(name string, n int, root string, transform tv.Transform) string {
	s := fmt.Sprintf("Dataset %s\n    Number of datapoints: %d\n    Root location: %s", name, n, root)
	if transform != nil {
		const head = "Transforms: "
		s += "\n    " + head + strings.ReplaceAll(fmt.Sprint(transform), "\n", "\n"+strings.Repeat(" ", len(head)+4))
	}
	return s
}
