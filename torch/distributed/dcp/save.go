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
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Save writes a state to a directory, which it creates if needed. All ranks of the group
// call it with their own state and the same directory, which all of them can access. With
// a nil group only this process takes part. Python's dcp.load can read the checkpoint,
// with any number of ranks.
//
// The state may contain
//
//   - tensors, [Shard] and []Shard;
//   - numbers, strings, bools, nil, and pointers to plain values;
//   - slices and arrays (lists and tuples), maps and dicts of these;
//   - modules, nn.StateDict, optimizers and *optim.StateDict;
//   - anything else that package serialization can save.
//
// If several ranks have a tensor under the same name, it must be equal on all of them and
// is written once. If they have any other value under the same name, the value of the
// lowest rank is written. A name may exist on only some of the ranks. The shards under
// one name make up one tensor.
//
// Save is atomic: the directory contains either the whole new checkpoint or the previous
// one, if any, even if a process is killed; see [Overwrite]. Each rank writes a new file.
// Once all files are on disk, the first rank writes .metadata. CPU tensors are not
// copied, so do not write to them during Save. Tensors on other devices are copied to the
// CPU one at a time.
//
// An error on one rank is returned on all ranks as an [*Error] that names the failed
// rank. Without a group Save returns the error itself:
//
//   - a [*torch.FileError] about a file: of kind ErrMismatch if ranks have different tensors, parts
//     that do not make up a tensor, or different directories; fs.ErrExist for an existing
//     checkpoint that must not be overwritten;
//   - a *torch.Error for a value that cannot be saved, or for an invalid option;
//   - the context's error.
//
// If a rank is gone, the error is a *distributed.Error. Follows
// torch.distributed.checkpoint.save.
func Save(ctx context.Context, g *distributed.ProcessGroup, state map[string]any, dir string,
	opts ...SaveOption,
) error {
	return save(ctx, g, state, dir, wholefile.WriteDurable, opts)
}

// fileWriter writes a file atomically and syncs it to disk.
type fileWriter func(path string, write func(w io.Writer) error) error

// save is Save with a given function to write files.
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
	sources   []any // for each item, its *torch.Tensor or *serialization.Archive
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
		caught := torch.Try(func() { err = s.plan(state) }) // panics for a module or an optimizer that was closed
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
	// If a rank is gone, the outcome is unknown: the checkpoint may be complete, so the file must
	// stay.
	known := local != nil || s.g == nil || errors.As(err, new(*Error))
	if err != nil && known && s.file != "" && !s.isKept() {
		_ = os.Remove(s.file)
	}
	return err
}

// plan lists everything that this rank could write.
func (s *saver) plan(state map[string]any) error {
	flat, err := flatten(s.op, state, false)
	if err != nil {
		return err
	}
	for i := range flat.leaves {
		l := &flat.leaves[i]
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

// namedError adds the value's name to an error that another package returned.
func namedError(op, name string, err error) error {
	var te *torch.Error
	if errors.As(err, &te) && te.Op != op {
		return torch.NewError(op, te.Kind, "state "+quoteName(name), strings.TrimPrefix(te.Message, "argument "))
	}
	return err
}

// tensor adds a tensor to the plan or, if size is given, a part of a tensor.
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
		return bad(torch.ErrType, "the tensor has layout "+t.Layout().String()+"; only strided tensors can be saved")
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
		return bad(torch.ErrShape, "the shard has more elements than a tensor can have")
	}
	s.items = append(s.items, p)
	s.sources = append(s.sources, t)
	return nil
}

// plan describes what a rank could write, whether it forbids overwriting, and the
// directory that was passed to it.
type plan struct {
	Items  []planItem
	Keep   bool
	Folder folderName
}

// folderName is the absolute name of a directory, with and without symbolic links.
type folderName struct{ Given, Real string }

func folderNameOf(dir string) folderName {
	given, err := filepath.Abs(dir)
	if err != nil { // the working directory does not exist
		given = filepath.Clean(dir)
	}
	// The directory may not exist yet, but one of its parents does.
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

// checkOneFolder returns an error if the ranks have different directories. Otherwise each
// directory would contain a part of the checkpoint.
func checkOneFolder(plans []plan, global func(r int) int) error {
	one := plans[0].Folder
	for r, p := range plans {
		if p.Folder.Given != one.Given && p.Folder.Real != one.Real {
			return fileError(one.Given, "", torch.ErrMismatch,
				"rank %d saves to %s, but rank %d to %s; give all ranks "+
					"one folder", global(0), plain.Message(one.Given), global(r), plain.Message(p.Folder.Given))
		}
	}
	return nil
}

// decide chooses the rank that writes each value. It runs on the coordinator.
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
	if text := o.problem(len(s.items)); text != "" {
		return w, fileError(s.dir, "", torch.ErrMismatch, "rank %d cannot write what rank %d wants: %s",
			s.g.GlobalRank(s.rank), s.g.GlobalRank(coordinator), text)
	}
	// Each rank makes the directory, because the ranks may have different disks.
	if err := wholefile.MakeFolder(s.dir); err != nil {
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
			if t.StorageBytes() != t.NBytes() { // a view: save only its own elements
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

// finish writes .metadata after all ranks have written their files. It runs on the coordinator.
func (s *saver) finish(ctx context.Context, all []positions) ([]done, error) {
	meta, err := s.draft.putPositions(s.dir, all)
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
	removeOld(s.dir, meta) // the new checkpoint is complete, even if old files cannot be removed
	return s.repeat(done{OK: true}), nil
}

// isKept reports whether .metadata lists this rank's file despite an error. This happens
// if the directory could not be synced after the rename.
func (s *saver) isKept() bool {
	text, err := files.Read(filepath.Join(s.dir, metadataName), math.MaxInt64)
	return err == nil && bytes.Contains(text, []byte(filepath.Base(s.file)))
}
