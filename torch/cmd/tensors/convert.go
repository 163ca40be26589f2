package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torch/serialization"
)

// conversion holds the flags of convert.
type conversion struct {
	out    string
	shared string
	shard  int64
}

func (v *conversion) flags(f *flag.FlagSet) {
	f.StringVar(&v.out, "o", "", "the `file` to write: .safetensors, .pt, .pth, .npy or .npz, or a folder with -shard")
	f.StringVar(&v.shared, "shared", "", "how to write tensors that share memory in a format without shared memory: "+
		"`copy` writes each of them, one writes only one (safetensors only)")
	f.Int64Var(&v.shard, "shard", 0,
		"write a set of safetensors files to the folder, each of at most this many `bytes`")
}

// check refuses flags that are wrong for any input file.
func (v *conversion) check() error {
	ext := strings.ToLower(filepath.Ext(v.out))
	known := slices.Contains([]string{".safetensors", ".pt", ".pth", ".npy", ".npz"}, ext)
	switch {
	case v.out == "":
		return errors.New("convert: -o is missing")
	case v.shared != "" && v.shared != "copy" && v.shared != "one":
		return fmt.Errorf("convert: -shared must be copy or one, got %q", v.shared)
	case v.shared != "" && (ext == ".pt" || ext == ".pth") && v.shard == 0:
		return fmt.Errorf("convert: -shared is not needed for %s, which preserves shared memory", ext)
	case v.shared == "one" && ext != ".safetensors" && v.shard == 0:
		return errors.New("convert: -shared one is only for safetensors")
	case v.shard < 0:
		return fmt.Errorf("convert: -shard must be a positive number of bytes, got %d", v.shard)
	case v.shard == 0 && !known:
		return fmt.Errorf(
			"convert: the file name %q has an unknown extension: expected .safetensors, .pt, .pth, .npy or .npz", v.out)
	}
	return nil
}

func (c *command) convert(path string) error {
	return c.with(path, func(f file) error {
		if err := c.other(path); err != nil {
			return err
		}
		entries, err := c.found(path, f)
		if err != nil {
			return err
		}
		if ext := strings.ToLower(filepath.Ext(c.out)); c.shard == 0 && (ext == ".pt" || ext == ".pth") {
			return c.toPt(path, f, entries)
		}
		tensors := map[string]*torch.Tensor{}
		shares, copied := false, int64(0)
		for i := range entries {
			e := &entries[i]
			if e.Error != "" {
				return errors.New(e.Error)
			}
			t, err := f.tensor(e.asked)
			if err != nil {
				return err
			}
			if e.Shares != "" {
				shares = true
				if copied += e.Bytes; c.shared != "one" && copied > c.mostCopied(path) {
					return fmt.Errorf("%s: tensors that share memory have %d bytes together if each is written, more "+
						"than %d times the file", path, copied, timesCopied)
				}
				if c.shared == "copy" {
					t = t.Clone()
				}
			}
			tensors[e.Name] = t
		}
		if pt, ok := f.(*ptFile); ok {
			c.leftOut(path, pt)
		}
		if err := c.write(path, f, tensors); err != nil {
			if shares && c.shared == "" && errors.Is(err, torch.ErrValue) {
				return fmt.Errorf("%s: %w; use -shared copy or -shared one", path, err)
			}
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

// timesCopied limits how many bytes convert writes for tensors that share memory, in a format
// without shared memory: this number times the size of the file, plus mostAgain. Otherwise a small
// file with many views of one storage could fill any memory and disk.
const timesCopied = 4

func (c *command) mostCopied(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return mostAgain
	}
	return mostAgain + timesCopied*info.Size()
}

// leftOut prints a warning if f has values other than tensors, because the new file
// will not contain them.
func (c *command) leftOut(path string, f *ptFile) {
	n := 0
	for _, note := range f.notes() {
		if _, ok := c.wants(note.key); ok {
			n++
		}
	}
	switch {
	case f.program():
		c.report(fmt.Errorf("%s: not converted: the program and %s other than tensors", path, count(n, "value")))
	case n > 0:
		c.report(fmt.Errorf("%s: not converted: %s other than tensors", path, count(n, "value")))
	}
}

// other returns an error if the output would overwrite the input.
func (c *command) other(path string) error {
	in, err := os.Stat(path)
	if err != nil { // standard input
		return nil //nolint:nilerr // it cannot be written over
	}
	folder := filepath.Dir(path)
	if in.IsDir() {
		folder = path
	}
	same := func(a, b string) bool {
		x, errX := os.Stat(a)
		y, errY := os.Stat(b)
		return errX == nil && errY == nil && os.SameFile(x, y)
	}
	isSet := in.IsDir() || filepath.Ext(path) == ".json"
	if same(path, c.out) || c.shard > 0 && same(folder, c.out) ||
		c.shard == 0 && isSet && same(folder, filepath.Dir(c.out)) {
		return fmt.Errorf("%s: -o %s would overwrite the input", path, c.out)
	}
	if info, err := os.Stat(c.out); c.shard == 0 && err == nil && info.IsDir() {
		return &fs.PathError{Op: "write", Path: c.out, Err: errors.New("is a folder")}
	}
	return nil
}

func (c *command) write(path string, f file, tensors map[string]*torch.Tensor) error {
	metadata := safetensors.Metadata{"format": "pt"}
	if s, ok := f.(*safetensorsFile); ok && s.Metadata() != nil {
		metadata = s.Metadata()
	}
	if c.shard > 0 {
		return safetensors.SaveSharded(tensors, c.out, safetensors.MaxShardSize(c.shard), metadata,
			safetensors.RemoveDuplicates(c.shared == "one"), safetensors.ForceContiguous(true))
	}
	switch strings.ToLower(filepath.Ext(c.out)) {
	case ".safetensors":
		return safetensors.SaveFile(tensors, c.out, metadata, safetensors.RemoveDuplicates(c.shared == "one"),
			safetensors.ForceContiguous(true))
	case ".npz":
		return numpy.Savez(tensors, c.out)
	}
	if len(tensors) != 1 {
		return fmt.Errorf("an .npy file holds one array, but there are %d: select one with -match, or write .npz",
			len(tensors))
	}
	for _, t := range tensors {
		return numpy.Save(t, c.out)
	}
	return nil
}

// toPt writes PyTorch's format. It writes a state dict in the file's order, or an entire
// .pt file's value unchanged. Tensors that shared memory still share it.
func (c *command) toPt(path string, f file, entries []entry) error {
	pt, ok := f.(*ptFile)
	if ok && pt.program() {
		c.leftOut(path, pt)
	} else if ok && c.match == nil && c.key == "" {
		v, err := pt.load()
		if err != nil {
			return err
		}
		return serialization.Save(v, c.out)
	}
	d := serialization.NewOrderedDict()
	for i := range entries {
		if entries[i].Error != "" {
			return errors.New(entries[i].Error)
		}
		t, err := f.tensor(entries[i].asked)
		if err != nil {
			return err
		}
		d.Set(entries[i].Name, t)
	}
	if err := serialization.Save(d, c.out); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
