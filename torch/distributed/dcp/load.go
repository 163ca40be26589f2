package dcp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// Load fills a state from a checkpoint. All ranks of the group call it with their own
// state and the same directory; with a nil group only this process takes part. Python or
// Go may have written the checkpoint, with any number of ranks.
//
// The state says what to load. It has the form that [Save] takes:
//
//   - Tensors and nn.StateDict are filled in place, in their dtype and on their device. A [Shard] is
//     filled with its part, however the checkpoint shards the tensor.
//   - The tensors of a module's StateDict are filled in place. Then the module's LoadStateDict gets
//     this state dict, so load hooks run and extra states are set.
//   - Plain values are replaced in their map or slice and keep their type. A pointer's target is
//     set.
//   - An optimizer loads its state as by LoadStateDict, even if it has no state yet. An
//     *optim.StateDict becomes equal to the saved one. Both also accept a dict that Python wrote
//     with parameter names, which are taken in the order of the parameter groups.
//   - nil is replaced by the value in the checkpoint: a plain value, a new CPU tensor, or a
//     map[string]any or []any of these. A nil map of another type gets that type's entries; it stays
//     nil if the checkpoint has none. An empty map that is not nil loads nothing.
//
// New tensors are owned by the innermost scope or, outside of scopes, by the garbage
// collector. Values of the checkpoint that are not in the state are not read.
//
// Load changes nothing on any rank before all ranks have compared names, shapes and
// dtypes with the checkpoint, checked that every part exists, and read all values that
// are not tensors. If the bytes of a tensor are found to be damaged after that, some
// tensors have been filled; the error says how many. LoadStateDict of modules and
// optimizers runs only after all ranks have all tensors, and plain values change only
// after that. An optimizer is checked beforehand, except for its own load hooks. If it
// has such hooks, load into an *optim.StateDict.
//
// An error on one rank is returned on all ranks as an [*Error] that names the failed
// rank. Without a group Load returns the error itself:
//
//   - a [*torch.FileError]: ErrNotFound for a value that the checkpoint lacks; ErrMismatch for a
//     different shape or kind, for a dtype that cannot be cast, or if the ranks read different
//     checkpoints; and the errors of [ReadMetadata] and of package serialization for damaged files;
//   - a *torch.Error for an invalid argument;
//   - the context's error.
//
// If a rank is gone, the error is a *distributed.Error. Follows
// torch.distributed.checkpoint.load.
func Load(ctx context.Context, g *distributed.ProcessGroup, dir string, state map[string]any,
	opts ...LoadOption,
) error {
	const op = "dcp.Load"
	l := &loader{team: newTeam(op, g), dir: dir, reads: map[*Chunk]*read{}}
	var err error
	caught := torch.Try(func() { err = l.load(ctx, state, opts) })
	err = firstError(caught, err)
	l.close(err != nil)
	return err
}

// loader fills a state.
type loader struct {
	team
	dir             string
	allowPartial    bool
	meta            *Metadata
	reads           map[*Chunk]*read
	newTensors      []*torch.Tensor // tensors made by this load
	values          []any           // values that were read, which may contain tensors
	assignments     []func()        // functions that set the loaded values; they cannot fail
	stateLoads      []func() error  // load the modules, whose tensors are filled, and then the optimizers
	optimizerChecks []func() error  // check that the optimizers will accept the state that was read
	copiedTensors   []*torch.Tensor // new tensors that optimizers have copied
	listGaps        int             // the number of gaps in lists; see growTo
}

// fingerprint identifies the checkpoint, for comparison among ranks.
type fingerprint struct{ Sum [sha256.Size]byte }

func (l *loader) load(ctx context.Context, state map[string]any, opts []LoadOption) error {
	var print fingerprint
	err := func() (err error) {
		if l.allowPartial, err = readLoading(l.op, opts); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if l.meta, print.Sum, err = readMetadata(l.dir); err != nil {
			return err
		}
		var failed error
		caught := torch.Try(func() { failed = l.plan(ctx, state) })
		return firstError(caught, failed)
	}()
	if _, err := exchange(ctx, l.team, print, err, l.compare); err != nil {
		return err
	}
	var filled error
	caught := torch.Try(func() {
		filled = l.fill(ctx)
		for _, check := range l.optimizerChecks {
			filled = firstError(filled, check())
		}
	})
	end := loadEnd{Loads: len(l.stateLoads) > 0}
	end, err = exchange(ctx, l.team, end, firstError(caught, filled), func(all []loadEnd) ([]loadEnd, error) {
		answers := make([]loadEnd, len(all))
		for r := range answers {
			answers[r].Loads = slices.Contains(all, loadEnd{Loads: true})
		}
		return answers, nil
	})
	if err != nil {
		return err
	}
	if end.Loads {
		for _, load := range l.stateLoads {
			if err == nil {
				var failed error
				caught := torch.Try(func() { failed = load() })
				err = firstError(caught, failed)
			}
		}
		if _, err = exchange(ctx, l.team, done{OK: err == nil}, err, func(all []done) ([]done, error) {
			return all, nil
		}); err != nil {
			return err
		}
	}
	for _, set := range l.assignments {
		set()
	}
	return nil
}

// loadEnd is exchanged when the ranks have filled all tensors. A rank sends whether it has
// modules or optimizers to load, and receives whether any rank has.
type loadEnd struct{ Loads bool }

// compare checks that all ranks have read the same .metadata.
func (l *loader) compare(all []fingerprint) ([]done, error) {
	for r, p := range all {
		if p != all[coordinator] {
			return nil, fileError(filepath.Join(l.dir, metadataName), "", torch.ErrMismatch,
				"rank %d reads a different checkpoint from rank %d",
				l.g.GlobalRank(r), l.g.GlobalRank(coordinator))
		}
	}
	return l.repeat(done{OK: true}), nil
}

func (l *loader) close(failed bool) {
	if failed {
		for _, t := range l.newTensors {
			_ = t.Close()
		}
		for _, v := range l.values {
			closeValue(v)
		}
		return
	}
	for _, t := range l.copiedTensors {
		_ = t.Close()
	}
}

// plan determines what to read for a state. It also checks everything that does not depend on the
// bytes of tensors.
func (l *loader) plan(ctx context.Context, state map[string]any) error {
	flat, err := flatten(l.op, state, true)
	if err != nil {
		return err
	}
	for _, m := range flat.modules {
		l.stateLoads = append(l.stateLoads, func() error {
			// A type's own StateDict may leave out names, such as those of a frozen base model.
			if err := m.module.LoadStateDict(m.state, nn.AllowMissing{"**"}); err != nil {
				return namedError(l.op, m.name, err)
			}
			return nil
		})
	}
	for i := range flat.leaves {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.leaf(&flat.leaves[i]); err != nil {
			return err
		}
	}
	return l.checkFiles()
}

// errorAbout returns an error about a value of the checkpoint.
func (l *loader) errorAbout(name string, kind error, text string, args ...any) error {
	return fileError(filepath.Join(l.dir, metadataName), name, kind, text, args...)
}

func (l *loader) leaf(f *leaf) error {
	switch v := f.value.(type) {
	case nil:
		return l.loadAny(f)
	case optim.Optimizer:
		return l.optimizer(f, v)
	case *optim.StateDict:
		return l.optimizerDict(f, v)
	case *torch.Tensor:
		return l.tensor(f, []Shard{{Tensor: v}}, false)
	case []Shard:
		return l.tensor(f, v, true)
	}
	item, err := l.find(f.name)
	if item == nil || err != nil {
		return err
	}
	if item.IsTensor() {
		return l.errorAbout(f.name, torch.ErrMismatch, "the checkpoint has %s, but the state has a %T",
			describe(item.DType, item.Shape), f.value)
	}
	if f.set == nil {
		return torch.NewError(l.op, torch.ErrType, "state "+quoteName(f.name),
			fmt.Sprintf("a value in a %T cannot be set; put it into a map", f.value))
	}
	v, err := l.value(item)
	if err == nil {
		if v, err = convert(v, f.like, mostValues(item)); err != nil {
			return l.errorAbout(f.name, torch.ErrMismatch, "%v", err)
		}
		l.assignments = append(l.assignments, func() { f.set(v) })
	}
	return err
}

// mostValues returns the largest number of values that the bytes of items can explain.
func mostValues(items ...*Item) int64 {
	n := int64(len(items))
	for _, item := range items {
		if !item.IsTensor() {
			n += item.Chunks[0].Length
		}
	}
	return n
}

// find returns an item. If the item is missing and AllowPartialLoad is set, it returns nil without
// an error.
func (l *loader) find(name string) (*Item, error) {
	item := l.meta.Get(name)
	if item == nil && !l.allowPartial {
		return nil, l.errorAbout(name, torch.ErrNotFound, "the checkpoint has no such value")
	}
	return item, nil
}

// tensor plans to read a tensor, or several parts of it.
func (l *loader) tensor(f *leaf, parts []Shard, sharded bool) error {
	item, err := l.find(f.name)
	if item == nil || err != nil {
		return err
	}
	for _, p := range parts {
		t := p.Tensor
		arg := "state " + quoteName(f.name)
		switch {
		case t == nil:
			return torch.NewError(l.op, torch.ErrNil, arg, "a nil *Tensor")
		case t.IsClosed():
			return torch.NewError(l.op, torch.ErrClosed, arg, "the tensor is closed")
		case t.Layout() != torch.Strided || t.IsMeta() || t.DType().IsQuantized():
			return torch.NewError(l.op, torch.ErrType, arg,
				"expected a strided tensor that has values and is not quantized")
		case overlaps(t):
			return torch.NewError(l.op, torch.ErrValue, arg,
				"a tensor with overlapping elements cannot be filled; use Contiguous to copy it")
		case !item.IsTensor():
			return l.errorAbout(f.name, torch.ErrMismatch, "the checkpoint's value is not a tensor")
		}
		size := p.Size
		b := box{p.Offsets, t.Shape()}
		if !sharded {
			size, b.at = t.Shape(), make([]int64, t.Dim())
		} else if text := b.problem(size); text != "" {
			return torch.NewError(l.op, torch.ErrShape, arg, text)
		}
		if !item.Shape.Equal(size) {
			return l.errorAbout(f.name, torch.ErrMismatch, "the shape is %v in the checkpoint, but %v in the state",
				item.Shape, size)
		}
		if item.DType != t.DType() && !torch.CanCast(item.DType, t.DType()) {
			return l.errorAbout(f.name, torch.ErrMismatch,
				"the dtype is %v in the checkpoint, which cannot be cast to the state's %v", item.DType, t.DType())
		}
		if err := l.addRegion(item, b, t); err != nil {
			return err
		}
	}
	return nil
}

// overlaps reports whether elements of a tensor share memory, as in the result of Expand.
func overlaps(t *torch.Tensor) bool {
	shape, strides := t.Shape(), t.Stride()
	for d := range shape {
		if strides[d] == 0 && shape[d] > 1 {
			return shape.Numel() > 0
		}
	}
	return false
}

// read is a chunk to read, and the tensors into which its parts are copied.
type read struct {
	place
	targets []target
}

// target is a part of a chunk, and its position in a tensor.
type target struct {
	tensor   *torch.Tensor
	from, at []int64 // offsets in the chunk, and offsets in the tensor
	size     []int64
}

// addRegion plans to read the part b of an item into t: it finds the chunks that the part overlaps.
func (l *loader) addRegion(item *Item, b box, t *torch.Tensor) error {
	if item.Layout != torch.Strided {
		return l.errorAbout(item.Name, torch.ErrUnsupported, "the checkpoint's tensor is not strided")
	}
	missing := numElements(b.size)
	if missing == 0 {
		return nil
	}
	for i := range item.Chunks {
		c := &item.Chunks[i]
		both, ok := intersection(b, box{c.Offsets, c.Size})
		if !ok {
			continue
		}
		missing -= numElements(both.size)
		r := l.reads[c]
		if r == nil {
			r = &read{place: place{item, c}}
			l.reads[c] = r
		}
		to := target{tensor: t, from: slices.Clone(both.at), at: both.at, size: both.size}
		for d := range both.at {
			to.from[d] -= c.Offsets[d]
			to.at[d] -= b.at[d]
		}
		r.targets = append(r.targets, to)
	}
	if missing > 0 {
		return l.errorAbout(item.Name, torch.ErrNotFound,
			"the checkpoint lacks %d elements of the part of size %v at offset %v",
			missing, torch.Shape(b.size), torch.Shape(b.at))
	}
	return nil
}

// newTensor returns a new tensor for an item, and plans to fill it.
func (l *loader) newTensor(item *Item) (*torch.Tensor, error) {
	t := torch.Empty(item.Shape, item.DType, torch.CPU)
	l.newTensors = append(l.newTensors, t)
	return t, l.addRegion(item, box{make([]int64, len(item.Shape)), item.Shape}, t)
}

// withProgress adds to an error how many tensor parts were filled before the error.
func (l *loader) withProgress(err error, filled, all int) error {
	var fe *torch.FileError
	if filled > 0 && errors.As(err, &fe) {
		fe.Detail += fmt.Sprintf(" (%d of %d parts of tensors have been filled)", filled, all)
		return err
	}
	return err
}
