package numpy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

// Save writes a tensor, from any device, to an .npy file. It appends .npy to the path if
// it has a different ending. It replaces the file atomically. The bytes are the same as
// np.save writes for x.numpy(): a tensor that is contiguous with reversed dimensions is
// written in Fortran order. Graphs are not saved.
//
// An invalid tensor gives a *torch.Error: ErrNil or ErrClosed, ErrDType for a dtype that
// NumPy does not have, such as bfloat16, and ErrValue for a tensor that is not dense. A
// system error is returned as a [*torch.FileError]. Follows np.save.
func Save(x *torch.Tensor, path string) error {
	const op = "numpy.Save"
	e, err := newEntry(op, "x", x)
	if err != nil {
		return err
	}
	defer e.close()
	return place{format: formatNpy, path: withSuffix(path, ".npy")}.write(e.write)
}

// SaveTo is [Save] to a writer. Several arrays may be written to one writer; [LoadFrom]
// reads them in the same order. A nil w causes ErrNil.
func SaveTo(w io.Writer, x *torch.Tensor) error {
	const op = "numpy.SaveTo"
	if w == nil {
		return torch.NewError(op, torch.ErrNil, "w", "a nil writer")
	}
	e, err := newEntry(op, "x", x)
	if err != nil {
		return err
	}
	defer e.close()
	return e.write(w)
}

// Savez writes tensors to an .npz file, sorted by name. It appends .npz to the path if it
// has a different ending. np.load finds each array under its name. For positional
// arguments, Python's names are arr_0, arr_1 and so on. A name that is not UTF-8 or
// contains a zero byte causes ErrValue. Otherwise Savez is like [Save]. Follows np.savez.
func Savez(tensors map[string]*torch.Tensor, path string) error {
	return savez("numpy.Savez", tensors, path, zip.Store)
}

// SavezCompressed is [Savez] with compressed arrays. Follows np.savez_compressed.
func SavezCompressed(tensors map[string]*torch.Tensor, path string) error {
	return savez("numpy.SavezCompressed", tensors, path, zip.Deflate)
}

func savez(op string, tensors map[string]*torch.Tensor, path string, method uint16) error {
	const longest = 1<<16 - 1 - len(".npy")
	names := slices.Sorted(maps.Keys(tensors))
	entries := make([]*entry, 0, len(names))
	defer func() {
		for _, e := range entries {
			e.close()
		}
	}()
	for _, name := range names {
		arg := fmt.Sprintf("tensors[%.80q]", name)
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) || len(name) > longest {
			return torch.NewError(op, torch.ErrValue, arg,
				"expected a name in UTF-8 without a zero byte")
		}
		e, err := newEntry(op, arg, tensors[name])
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return place{format: formatNpz, path: withSuffix(path, ".npz")}.write(func(w io.Writer) error {
		z := zip.NewWriter(w)
		// NumPy gives all files in an archive this date
		day := time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)
		for i, e := range entries {
			f, err := z.CreateHeader(&zip.FileHeader{Name: names[i] + ".npy", Method: method, Modified: day})
			if err != nil {
				return err
			}
			if err := e.write(f); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

func withSuffix(path, suffix string) string {
	if strings.HasSuffix(path, suffix) {
		return path
	}
	return path + suffix
}

// write writes a whole file with the function write. An error about a tensor is returned
// unchanged.
func (p place) write(write func(w io.Writer) error) error {
	var wrong error
	err := wholefile.Write(p.path, func(w io.Writer) error {
		err := write(w)
		if _, ok := err.(*torch.Error); ok { //nolint:errorlint // from an entry, not from below
			wrong = err
		}
		return err
	})
	if err != nil && wrong == nil {
		return p.caused(nil, "cannot be written", err)
	}
	return wrong
}

// entry is a tensor to write. It has its own handle, so that the caller may close the
// tensor.
type entry struct {
	op, arg string
	tensor  *torch.Tensor // detached
	descr   string
}

func newEntry(op, arg string, x *torch.Tensor) (*entry, error) {
	if err := operand.Element(op, arg, x); err != nil {
		return nil, err
	}
	e := &entry{op: op, arg: arg}
	var wrong error
	err := torch.Try(func() {
		layout, dtype := x.Layout(), x.DType()
		e.descr = descrOf(dtype)
		switch {
		case layout != torch.Strided || x.IsNested():
			wrong = torch.NewError(op, torch.ErrValue, arg,
				fmt.Sprintf("expected a dense tensor, got layout %v", layout))
		case e.descr == "":
			wrong = torch.NewError(op, torch.ErrDType, arg, fmt.Sprintf("NumPy has no dtype %v", dtype))
		case x.Device().Type() == "meta":
			wrong = torch.NewError(op, torch.ErrDevice, arg, "a meta tensor has no elements")
		default:
			e.tensor = x.Detach()
		}
	})
	if err == nil {
		err = wrong
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (e *entry) close() { _ = e.tensor.Close() } // never fails

func (e *entry) write(w io.Writer) error {
	fortran := false
	t, err := mapped.Try(func() *torch.Tensor {
		return torch.Tidy(func() *torch.Tensor {
			x := e.tensor.To(torch.CPU).ResolveConj().ResolveNeg()
			if fortran = !x.IsContiguous() && backwards(x).IsContiguous(); fortran {
				return backwards(x)
			}
			return x.Contiguous()
		})
	})
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }() // never fails
	if t.NBytes() > 0 && t.DataPtr() == 0 {
		return torch.NewError(e.op, torch.ErrValue, e.arg,
			"has no memory: its storage was freed, or its elements are known to be zero; write a Clone")
	}
	if _, err := w.Write(header(e.descr, fortran, e.tensor.Shape())); err != nil {
		return err
	}
	_, err = w.Write(mapped.Memory(t))
	return err
}

// header returns NumPy's header for an array. As in NumPy, the header leaves room for the
// first size to grow, and its length is a multiple of 64.
func header(descr string, fortran bool, shape torch.Shape) []byte {
	const growth, align, front = 21, 64, 10
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00\x00\x00{'descr': '" + descr + "', 'fortran_order': ")
	if fortran {
		b.WriteString("True, 'shape': (")
	} else {
		b.WriteString("False, 'shape': (")
	}
	for i, d := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(d, 10))
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteString("), }")
	if n := len(shape); n > 0 {
		grows := shape[0]
		if fortran {
			grows = shape[n-1]
		}
		b.WriteString(strings.Repeat(" ", growth-len(strconv.FormatInt(grows, 10))))
	}
	b.WriteString(strings.Repeat(" ", align-(b.Len()+1)%align))
	b.WriteByte('\n')
	out := b.Bytes()
	binary.LittleEndian.PutUint16(out[front-2:], uint16(len(out)-front))
	return out
}
