package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Restored describes the result of a load.
type Restored struct {
	Info
	// Skipped are the errors of newer checkpoints that are damaged, the newest first.
	// Each names its file.
	Skipped []error
	// Unused are the parts of the file that the State does not name, and the random
	// generators of devices that are unavailable.
	Unused []string
}

// Load loads a checkpoint into the parts of a state, and sets the default random
// generators. It loads everything, or returns an error and changes nothing. It verifies
// and reads the whole file first; if a part fails to load, it restores the parts that it
// has already loaded. For this it keeps a copy of every part except the last, which is a
// module if there is one. A copy stays on the device of its original.
//
// The error is a [*torch.FileError], of kind [torch.ErrNotFound] for a part that is
// missing from the file and [torch.ErrMismatch] for a part whose type or shape in the
// file differs. The error of a part's LoadStateDict is wrapped, with the part's name;
// only fs.ErrNotExist is hidden, because it would mean that the checkpoint does not
// exist. Load panics with a *torch.Error for an invalid option.
func Load(path string, state State, opts ...LoadOption) (*Restored, error) {
	const op = "checkpoint.Load"
	withRNG := readLoading(op, opts)
	parts, err := state.parts(op, reservedNames...)
	if err != nil {
		return nil, err
	}
	r, _, err := load(op, path, parts, withRNG)
	return r, err
}

// Resume loads the newest good checkpoint of a directory, as [Load] does, and reports
// newer ones that are damaged: truncated, changed, or not checkpoints. It needs no
// Manager and writes nothing; a program that also saves calls [Manager.Resume].
//
// The error is fs.ErrNotExist if there is no checkpoint, and of kind [torch.ErrFormat] if
// all are damaged. If the newest undamaged checkpoint cannot be loaded for another
// reason, Resume returns that error and does not try an older checkpoint. Examples are a
// checkpoint that does not match the state or that a part refuses, and a file that the
// system cannot read now.
func Resume(dir string, state State, opts ...LoadOption) (*Restored, error) {
	r, _, err := resume("checkpoint.Resume", dir, state, opts)
	return r, err
}

// resume is Resume, but returns the errors of the skipped checkpoints even if it fails.
// Errors name op, the function or method that was called.
func resume(op, dir string, state State, opts []LoadOption) (r *Restored, skipped []error, err error) {
	withRNG := readLoading(op, opts)
	parts, err := state.parts(op, reservedNames...)
	if err != nil {
		return nil, nil, err
	}
	all, err := List(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, info := range slices.Backward(all) {
		r, asked, err := load(op, info.Path, parts, withRNG)
		switch {
		case err == nil:
			r.Number, r.Skipped = info.Number, skipped
			return r, skipped, nil
		// a Manager has removed the file since the directory was listed
		case !asked && errors.Is(err, os.ErrNotExist):
		case !asked && isDamaged(err):
			skipped = append(skipped, err)
		default:
			return nil, skipped, err
		}
	}
	if len(skipped) == 0 {
		e := fileError(dir, nil, "no checkpoint")
		e.Err = os.ErrNotExist
		return nil, nil, e
	}
	e := fileError(dir, torch.ErrFormat, "none of the %d checkpoints can be loaded", len(skipped))
	e.Err = errors.Join(skipped...)
	return nil, skipped, e
}

// load loads a file into parts. asked reports whether the entries of the file were passed
// to the parts. In that case an error may come from a part and not from the file.
func load(op, path string, parts []namedPart, withRNG bool) (r *Restored, asked bool, err error) {
	f, size, err := fileerr.Open(format, path)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }() // the file was only read, so closing it loses no data
	s, err := verify(path, f, size)
	if err != nil {
		return nil, false, err
	}
	r = &Restored{Info: Info{Path: path, Step: s.step, Metrics: s.metrics, Size: size}}
	if stat, err := f.Stat(); err == nil {
		r.Time = stat.ModTime()
	}
	if m := fileNumber(path); m > 0 {
		r.Number = m
	}
	err = withEntries(path, f, size, func(d *serialization.Dict) error {
		generators, err := generatorsOf(op, path, d)
		if err != nil {
			return err
		}
		asked = true
		r.Unused, err = loadEntries(op, path, d, parts, generators, withRNG)
		return err
	})
	if err != nil {
		return nil, asked, err
	}
	return r, asked, nil
}

// withEntries passes the dict in a file to use, and frees the dict's tensors on an error.
func withEntries(path string, from io.ReaderAt, size int64, use func(d *serialization.Dict) error) (err error) {
	torch.Scope(func() {
		var v any
		v, err = serialization.LoadFrom(from, size, serialization.MapLocation(torch.CPU))
		if err != nil {
			err = readError(path, err)
			return
		}
		defer func() { // this also frees tensors that a part has moved to the enclosing scope
			if err != nil {
				serialization.Close(v)
			}
		}()
		d, ok := v.(*serialization.Dict)
		if !ok {
			err = fileerr.At(fileError(path, torch.ErrFormat, "the file holds %s, expected a dict", describe(v)), 0)
			return
		}
		// A file of a few bytes can describe nested lists, each of which refers to the next
		// list twice. Converting such lists would take exponential time.
		if left := size; !isWithin(v, &left) {
			err = fileerr.At(fileError(path, torch.ErrFormat,
				"the dict has more values than the file's %d bytes can hold", size), 0)
			return
		}
		for _, key := range d.Keys() {
			if _, ok := key.(string); !ok {
				err = fileerr.At(fileError(path, torch.ErrFormat, "the key %s of an entry is not a string",
					describe(key)), 0)
				return
			}
		}
		err = use(d)
	})
	return err
}

// generatorsOf returns the states of the random generators that a file contains.
func generatorsOf(op, path string, d *serialization.Dict) (*rng, error) {
	state, _ := d.Get(keyRNG)
	devices, _ := d.Get(keyCUDARNG)
	generators, err := readRNG(state, devices)
	if err != nil {
		return nil, partFailure(op, path, keyRNG, err)
	}
	if err := generators.check(); err != nil {
		return nil, fileError(path, torch.ErrFormat, "part %.100q: %v", keyRNG, err)
	}
	return generators, nil
}

// loadEntries loads the entries of a file into the parts and, if withRNG is true, sets the
// random generators. It returns the names of the entries that no part used.
func loadEntries(op, path string, d *serialization.Dict, parts []namedPart, generators *rng,
	withRNG bool,
) (unused []string, err error) {
	unused, err = loadNamed(op, path, d, parts)
	if err != nil {
		return nil, err
	}
	if withRNG {
		if err := generators.set(); err != nil {
			return nil, partFailure(op, path, keyRNG, err)
		}
		unused = append(generators.left, unused...)
	}
	return slices.DeleteFunc(unused, func(name string) bool { return slices.Contains(reservedNames, name) }), nil
}

// loadNamed loads the entries of a file into the parts. It returns the names of the entries
// that no part used.
func loadNamed(op, path string, d *serialization.Dict, parts []namedPart) (left []string, err error) {
	values := map[string]any{}
	for _, p := range parts {
		v, ok := d.Get(p.name)
		if !ok {
			return nil, fileError(path, torch.ErrNotFound, "there is no part %.100q; the parts are %s", p.name,
				names(d))
		}
		values[p.name] = v
	}
	fail := func(name string, err error) error { return partFailure(op, path, name, err) }
	if err := loadAll(parts, values, fail); err != nil {
		return nil, err
	}
	for _, key := range d.Keys() {
		name := key.(string)
		if _, taken := values[name]; !taken {
			left = append(left, name)
		}
	}
	return left, nil
}

// loadAll loads the parts in the order of their ranks. If a part fails to load, loadAll
// restores the parts that it has already loaded.
func loadAll(parts []namedPart, values map[string]any, fail func(name string, err error) error) error {
	order := slices.Clone(parts)
	slices.SortStableFunc(order, func(a, b namedPart) int { return cmp.Compare(a.rank(), b.rank()) })
	var undos []func() error
	for i, p := range order {
		var back func() error
		var err error
		tried := torch.Try(func() {
			if i < len(order)-1 {
				back, err = undoOf(p)
			}
			if err == nil {
				err = p.load(values[p.name])
			}
		})
		if tried != nil {
			err = tried
		}
		if err != nil {
			err = fail(p.name, err)
			for i, back := range slices.Backward(undos) {
				if e := back(); e != nil {
					err = errors.Join(err, fail(order[i].name, e))
				}
			}
			return err
		}
		undos = append(undos, back)
	}
	return nil
}

// partFailure returns the error of a part that does not accept its entry.
func partFailure(op, path, name string, err error) error {
	var pe *plainError
	if errors.As(err, &pe) {
		return fileError(path, pe.kind, "part %.100q: %s", name, pe.text)
	}
	return &partError{fmt.Sprintf("%s: %s: part %.100q: ", op, path, name), err}
}

func names(d *serialization.Dict) string {
	var all []any
	for key := range d.All() {
		all = append(all, key)
	}
	s := serialization.Repr(all)
	if len(s) > 400 {
		s = s[:400] + "…"
	}
	return s
}

// bytesOfValue is the number of bytes that isWithin counts as one value.
const bytesOfValue = 8

// isWithin reports whether v contains at most *left values, including nested ones. It
// subtracts their number from *left.
func isWithin(v any, left *int64) bool {
	if *left--; *left < 0 {
		return false
	}
	ok := true
	switch v := v.(type) {
	case *serialization.Dict:
		v.Each(func(key, value any) bool {
			ok = isWithin(key, left) && isWithin(value, left)
			return ok
		})
	case *serialization.Set:
		return isWithin(v.Items, left)
	case []byte: // loading copies them each time that they occur
		*left -= int64(len(v)) / bytesOfValue
		return *left >= 0
	default:
		items, _ := list(v)
		for _, item := range items {
			if !isWithin(item, left) {
				return false
			}
		}
	}
	return ok
}
