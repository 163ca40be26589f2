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

// Save writes a tensor to an .npy file, from whatever device it is on; the name gets .npy at
// its end if it has another. The file is there whole or not at all, and has the bytes that
// np.save writes of x.numpy(): a tensor that is contiguous once its dimensions are in the
// other order is written so, in Fortran's order. Graphs are not saved.
//
// A wrong tensor is a *torch.Error: of kind ErrNil or ErrClosed, ErrDType for a dtype that
// NumPy does not have, such as bfloat16, and ErrValue for a tensor that is not dense. The
// system's errors are a *[FileError]. Follows np.save.
func Save(x *torch.Tensor, path string) error {
	const op = "numpy.Save"
	e, err := newEntry(op, "x", x)
	if err != nil {
		return err
	}
	defer e.close()
	return place{format: formatNpy, path: withSuffix(path, ".npy")}.write(e.write)
}

// SaveTo is [Save] to a writer. Several arrays may follow each other; [LoadFrom] reads them
// in turn. It panics with an *torch.Error of kind ErrNil for a nil w.
func SaveTo(w io.Writer, x *torch.Tensor) error {
	const op = "numpy.SaveTo"
	if w == nil {
		panic(torch.NewError(op, torch.ErrNil, "w", "a writer is needed"))
	}
	e, err := newEntry(op, "x", x)
	if err != nil {
		return err
	}
	defer e.close()
	return e.write(w)
}

// Savez writes tensors to an .npz file, sorted by name; the file's name gets .npz at its end
// if it has another. np.load finds each array under its name. Python's positional arguments
// are called arr_0, arr_1 and so on. Names are UTF-8 without a zero byte, or ErrValue.
// Otherwise it is as [Save]. Follows np.savez.
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
			return torch.NewError(op, torch.ErrValue, arg, "no name of an array: expected UTF-8 without a zero byte")
		}
		e, err := newEntry(op, arg, tensors[name])
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return place{format: formatNpz, path: withSuffix(path, ".npz")}.write(func(w io.Writer) error {
		z := zip.NewWriter(w)
		day := time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC) // of all that NumPy writes
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

// write writes a whole file. Errors of tensors come as they are.
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

// entry is a tensor that will be written. Its own handle keeps the memory, whoever closes
// the caller's.
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
			wrong = torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected a dense tensor, got the layout %v", layout))
		case e.descr == "":
			wrong = torch.NewError(op, torch.ErrDType, arg, fmt.Sprintf("NumPy has no dtype %v", dtype))
		case x.Device().Type() == "meta":
			wrong = torch.NewError(op, torch.ErrDevice, arg, "a tensor on meta has no numbers")
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

// write writes header and numbers.
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
		return torch.NewError(e.op, torch.ErrValue, e.arg, "its elements have no memory: the storage was freed, or they are known to be zero; write a Clone")
	}
	if _, err := w.Write(header(e.descr, fortran, e.tensor.Shape())); err != nil {
		return err
	}
	_, err = w.Write(mapped.Memory(t))
	return err
}

// header is what NumPy writes in front of an array's numbers. It leaves room for the first
// number of the shape to grow, and ends at a multiple of 64.
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
