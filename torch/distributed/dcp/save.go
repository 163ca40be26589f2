package dcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Save writes a state to a folder, which it creates if needed. All ranks of the group
// call it with their own state and the same folder, which all of them can access; with a
// nil group only this process takes part. Python's dcp.load reads it, with any number of
// ranks.
//
// The values of a state are
//
//   - tensors, [Shard] and []Shard;
//   - numbers, strings, bools, nil, and pointers to plain values;
//   - slices and arrays (lists and tuples), maps and dicts of these;
//   - modules, nn.StateDict, optimizers and *optim.StateDict;
//   - anything else that package serialization saves.
//
// A tensor that several ranks have under one name must be equal on all of them and is
// written once; of other values the lowest rank's is written. A name may exist on some
// ranks only. Shards of one name make up a tensor.
//
// However Save ends, the folder has the whole new checkpoint or none of it, and an
// existing checkpoint stays until then; see [Overwrite]. Each rank writes a new file, and
// once all are on disk, the first rank writes .metadata. Do not write to CPU tensors
// during Save, because they are not copied; tensors on devices are copied one at a time.
//
// An error on one rank is returned on all of them as an [*Error] that names the rank.
// Without a group it is the error itself:
//
//   - a [*torch.FileError] about a file; of kind ErrMismatch if ranks have different
//     tensors, parts that do not make one up, or different folders; fs.ErrExist for an
//     existing checkpoint that must not be overwritten;
//   - a *torch.Error for a value that cannot be saved, or an option;
//   - the context's error.
//
// If a rank is gone it is a *distributed.Error. Follows
// torch.distributed.checkpoint.save.
func Save(ctx context.Context, g *distributed.ProcessGroup, state map[string]any, dir string,
	opts ...SaveOption,
) error {
	return save(ctx, g, state, dir, wholefile.WriteDurable, opts)
}

// fileWriter writes a file atomically and syncs it to disk.
type fileWriter func(path string, write func(w io.Writer) error) error

// save is Save with the function that writes files.
func save(ctx context.Context, g *distributed.ProcessGroup, state map[string]any, dir string, with fileWriter,
	opts []SaveOption,
) error {
	const op = "dcp.Save"
	s := &saver{team: newTeam(op, g), dir: dir, writeFile: with}
	defer s.close()
	var err error
	if caught := torch.Try(func() { torch.Scope(func() { err = s.save(ctx, state, opts) }) }); caught != nil {
		return caught
	}
	return err
}

type saver struct {
	team
	writeFile fileWriter
	overwrite bool
	dir       string
	items     []planItem
	sources   []any // of each item: its *torch.Tensor, or a *serialization.Archive
	draft     *draft
	file      string // the file written by this rank
}

func (s *saver) close() {
	for _, v := range s.sources {
		if a, ok := v.(*serialization.Archive); ok {
			_ = a.Close()
		}
	}
}

func (s *saver) save(ctx context.Context, state map[string]any, opts []SaveOption) error {
	var err error
	if s.overwrite, err = readSaving(s.op, opts); err == nil {
		caught := torch.Try(func() { err = s.plan(state) }) // of a module or an optimizer that was closed
		err = firstError(caught, err)
	}
	o, err := exchange(ctx, s.team, plan{s.items, !s.overwrite, folderNameOf(s.dir)}, err,
		func(all []plan) ([]writeOrder, error) {
			return s.decide(all)
		})
	if err != nil {
		return err
	}
	wrote, local := s.write(ctx, o)
	_, err = exchange(ctx, s.team, wrote, local, func(all []positions) ([]done, error) { return s.finish(ctx, all) })
	// If a rank is gone the outcome is unknown: there may be a checkpoint.
	known := local != nil || s.g == nil || errors.As(err, new(*Error))
	if err != nil && known && s.file != "" && !s.isKept() {
		_ = os.Remove(s.file)
	}
	return err
}

// plan inspects everything that this rank has.
func (s *saver) plan(state map[string]any) error {
	leaves, err := flatten(s.op, state, false)
	if err != nil {
		return err
	}
	for i := range leaves {
		l := &leaves[i]
		switch v := l.value.(type) {
		case *torch.Tensor:
			err = s.tensor(l, v, nil, nil)
		case []Shard:
			for _, p := range v {
				if err == nil {
					err = s.tensor(l, p.Tensor, p.Offsets, p.Size)
				}
			}
		default:
			var a *serialization.Archive
			if a, err = serialization.NewArchive(v); err == nil {
				s.items = append(s.items, planItem{Name: l.name, Path: l.path})
				s.sources = append(s.sources, a)
			}
		}
		if err != nil {
			return namedError(s.op, l.name, err)
		}
	}
	return nil
}

// namedError adds the value's name to an error of another package.
func namedError(op, name string, err error) error {
	var te *torch.Error
	if errors.As(err, &te) && te.Op != op {
		return torch.NewError(op, te.Kind, "state "+quoteName(name), strings.TrimPrefix(te.Message, "argument "))
	}
	return err
}

// tensor plans a tensor or, if size is given, a part of one.
func (s *saver) tensor(l *leaf, t *torch.Tensor, offsets, size torch.Shape) error {
	bad := func(kind error, text string) error {
		return torch.NewError(s.op, kind, "state "+quoteName(l.name), text)
	}
	switch {
	case t == nil:
		return bad(torch.ErrNil, "a nil *Tensor")
	case t.IsClosed():
		return bad(torch.ErrClosed, "the tensor is closed")
	case t.Layout() != torch.Strided:
		return bad(torch.ErrType, "a tensor of layout "+t.Layout().String()+"; only strided ones can be saved")
	case t.IsMeta():
		return bad(torch.ErrDevice, "a tensor on the meta device has no values")
	case t.DType().IsQuantized():
		return bad(torch.ErrDType, "a quantized tensor cannot be saved")
	}
	p := planItem{
		Name: l.name, Path: l.path, DType: t.DType(), RequiresGrad: t.RequiresGrad(), Part: t.Shape(),
		Size: t.Shape(), At: make([]int64, t.Dim()),
	}
	if offsets != nil || size != nil {
		p.At, p.Size = offsets, size
		if text := p.box().problem(p.Size); text != "" {
			return bad(torch.ErrShape, text)
		}
	}
	if numElements(p.Size) < 0 {
		return bad(torch.ErrShape, "a shard with more elements than a tensor can have")
	}
	s.items = append(s.items, p)
	s.sources = append(s.sources, t)
	return nil
}

// plan is what a rank could write, whether it forbids overwriting, and the folder that it
// was given.
type plan struct {
	Items  []planItem
	Keep   bool
	Folder folderName
}

// folderName is a folder by its absolute name, and by its name without symbolic links.
type folderName struct{ Given, Real string }

func folderNameOf(dir string) folderName {
	given, err := filepath.Abs(dir)
	if err != nil { // there is no working directory
		given = filepath.Clean(dir)
	}
	// The folder may not exist yet, but a parent does.
	above, rest := given, ""
	for {
		if found, err := filepath.EvalSymlinks(above); err == nil {
			return folderName{given, filepath.Join(found, rest)}
		}
		if filepath.Dir(above) == above {
			return folderName{given, given}
		}
		above, rest = filepath.Dir(above), filepath.Join(filepath.Base(above), rest)
	}
}

// checkOneFolder returns an error if the folders differ: each would have a part of the
// checkpoint.
func checkOneFolder(plans []plan, global func(r int) int) error {
	one := plans[0].Folder
	for r, p := range plans {
		if p.Folder.Given != one.Given && p.Folder.Real != one.Real {
			return fileError(one.Given, "", torch.ErrMismatch,
				"rank %d saves to %s, but rank %d to %s; give all ranks "+
					"one folder", global(0), one.Given, global(r), p.Folder.Given)
		}
	}
	return nil
}

// decide runs on the coordinator: it decides who writes what.
func (s *saver) decide(plans []plan) ([]writeOrder, error) {
	all := make([][]planItem, len(plans))
	overwrite := true
	for r, p := range plans {
		all[r] = p.Items
		overwrite = overwrite && !p.Keep
	}
	global := func(r int) int { return r }
	if s.g != nil {
		global = s.g.GlobalRank
	}
	if err := checkOneFolder(plans, global); err != nil {
		return nil, err
	}
	if err := wholefile.MakeFolder(s.dir); err != nil {
		return nil, systemError(s.dir, err)
	}
	_, err := os.Lstat(filepath.Join(s.dir, metadataName))
	switch {
	case err == nil && !overwrite:
		return nil, systemError(filepath.Join(s.dir, metadataName),
			&fs.PathError{Op: "dcp.Save", Path: s.dir, Err: fs.ErrExist})
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, systemError(filepath.Join(s.dir, metadataName), err)
	}
	files, err := newNames(s.dir, s.size)
	if err != nil {
		return nil, err
	}
	s.draft, err = newDraft(s.dir, all, files, global)
	if err != nil {
		return nil, err
	}
	return s.draft.orders, nil
}

func (s *saver) write(ctx context.Context, o writeOrder) (positions, error) {
	var w positions
	if len(o.Items) == 0 {
		return w, nil
	}
	if err := wholefile.MakeFolder(s.dir); err != nil { // if ranks do not share a disk
		return w, systemError(s.dir, err)
	}
	path := filepath.Join(s.dir, o.File)
	err := s.writeFile(path, func(to io.Writer) error {
		c := &counter{w: to}
		for _, i := range o.Items {
			if err := ctx.Err(); err != nil {
				return err
			}
			start := c.n
			if err := s.item(c, s.sources[i]); err != nil {
				return namedError(s.op, s.items[i].Name, err)
			}
			w.Starts, w.Lengths = append(w.Starts, start), append(w.Lengths, c.n-start)
		}
		return nil
	})
	if _, there := os.Lstat(path); there == nil {
		s.file = path
	}
	return w, systemError(path, err)
}

// item writes one value in torch.save's format.
func (s *saver) item(w io.Writer, from any) error {
	if a, ok := from.(*serialization.Archive); ok {
		_, err := a.WriteTo(w)
		return err
	}
	var err error
	caught := torch.Try(func() {
		torch.Scope(func() {
			t := from.(*torch.Tensor).Detach().To(torch.CPU)
			if t.StorageBytes() != t.NBytes() { // a view: save only its own bytes
				torch.NoGrad(func() { t = t.Clone() })
			}
			err = serialization.SaveTo(w, t)
		})
	})
	return firstError(caught, err)
}

type counter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// finish runs on the coordinator: it writes .metadata once all ranks have written.
func (s *saver) finish(ctx context.Context, all []positions) ([]done, error) {
	meta, err := s.draft.putPositions(all)
	if err != nil {
		return nil, err
	}
	text, err := meta.encode(s.dir)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path := filepath.Join(s.dir, metadataName)
	err = s.writeFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return nil, systemError(path, err)
	}
	removeOld(s.dir, meta) // the new checkpoint is complete, whatever is left of the old one
	return s.repeat(done{OK: true}), nil
}

// isKept reports whether .metadata lists this rank's file despite an error: the folder
// could not be synced after the rename.
func (s *saver) isKept() bool {
	text, err := files.Read(filepath.Join(s.dir, metadataName), math.MaxInt64)
	return err == nil && bytes.Contains(text, []byte(filepath.Base(s.file)))
}
