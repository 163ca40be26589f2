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

// conversion is how a file is written.
type conversion struct {
	out    string
	shared string
	shard  int64
}

func (v *conversion) flags(f *flag.FlagSet) {
	f.StringVar(&v.out, "o", "", "the `file` to write: .safetensors, .pt, .pth, .npy or .npz, or a folder with -shard")
	f.StringVar(&v.shared, "shared", "", "what becomes of tensors that share memory in a format that cannot say so: `copy` writes each, one writes one of them (safetensors only)")
	f.Int64Var(&v.shard, "shard", 0, "write a set of safetensors files of at most so many `bytes` to the folder")
}

// check refuses what cannot be done with any file.
func (v *conversion) check() error {
	ext := strings.ToLower(filepath.Ext(v.out))
	known := slices.Contains([]string{".safetensors", ".pt", ".pth", ".npy", ".npz"}, ext)
	switch {
	case v.out == "":
		return errors.New("convert: -o is missing")
	case v.shared != "" && v.shared != "copy" && v.shared != "one":
		return fmt.Errorf("convert: -shared is copy or one, got %q", v.shared)
	case v.shared != "" && (ext == ".pt" || ext == ".pth") && v.shard == 0:
		return fmt.Errorf("convert: -shared is for formats that cannot say what shares memory, and %s can", ext)
	case v.shared == "one" && ext != ".safetensors" && v.shard == 0:
		return errors.New("convert: -shared one is for safetensors")
	case v.shard < 0:
		return fmt.Errorf("convert: -shard is a number of bytes, got %d", v.shard)
	case v.shard == 0 && !known:
		return fmt.Errorf("convert: the name %q says no format: expected .safetensors, .pt, .pth, .npy or .npz", v.out)
	}
	return nil
}

// convert writes a file in another format.
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
		shares := false
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
				return fmt.Errorf("%s: %w; or give -shared copy or -shared one", path, err)
			}
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

// leftOut says that a file has values that the new one will not have.
func (c *command) leftOut(path string, f *ptFile) {
	n := 0
	for _, note := range f.notes() {
		if _, ok := c.wants(note.key); ok {
			n++
		}
	}
	switch {
	case f.program():
		c.report(fmt.Errorf("%s: left out: the program, and %s beside tensors", path, count(n, "value")))
	case n > 0:
		c.report(fmt.Errorf("%s: left out: %s beside tensors", path, count(n, "value")))
	}
}

// other refuses to write over what is read.
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
	if same(path, c.out) || c.shard > 0 && same(folder, c.out) || c.shard == 0 && isSet && same(folder, filepath.Dir(c.out)) {
		return fmt.Errorf("%s: -o %s would write over what is read", path, c.out)
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
		return safetensors.SaveFile(tensors, c.out, metadata, safetensors.RemoveDuplicates(c.shared == "one"), safetensors.ForceContiguous(true))
	case ".npz":
		return numpy.Savez(tensors, c.out)
	}
	if len(tensors) != 1 {
		return fmt.Errorf("an .npy file has one array, there are %d: -match picks one, .npz takes all", len(tensors))
	}
	for _, t := range tensors {
		return numpy.Save(t, c.out)
	}
	return nil
}

// toPt writes PyTorch's format: a state dict in the file's order, or, if all of a .pt file
// was asked for, its value as it is. Tensors that share memory go on doing so.
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
