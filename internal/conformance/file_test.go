package conformance_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// A record describes a tensor in a file. record/store.py writes it.
type record struct {
	DType     string  `json:"dtype"`
	Shape     []int64 `json:"shape"`
	Stride    []int64 `json:"stride"`
	Offset    int64   `json:"offset"`
	Storage   int     `json:"storage"`
	Conj      bool    `json:"conj"`
	Neg       bool    `json:"neg"`
	Grad      bool    `json:"grad"`
	Sparse    []int   `json:"sparse"` // the records of the indices and values of a COO tensor
	Coalesced bool    `json:"coalesced"`
}

// A file contains the recorded cases of one member of a database, such as a module or an
// operator.
type file struct {
	Torch    string            `json:"torch"`
	CPU      string            `json:"cpu"`
	Storages [][2]int64        `json:"storages"` // the offset in blob and the number of bytes of each storage
	Tensors  []record          `json:"tensors"`
	Cases    []json.RawMessage `json:"cases"`
	blob     []byte
}

func readFile(path string) (*file, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := bufio.NewReader(z)
	head, err := r.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := new(file)
	if err := json.Unmarshal(head, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.blob, err = io.ReadAll(r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// decode decodes a case. It keeps numbers as text, because 1.0 must not become an
// integer.
func decode(raw json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
}

var dtypes = func() map[string]torch.DType {
	byName := map[string]torch.DType{}
	for _, d := range []torch.DType{
		torch.Uint8, torch.Int8, torch.Int16, torch.Int32, torch.Int64, torch.Uint16, torch.Uint32, torch.Uint64,
		torch.Bool,
		torch.Float16, torch.BFloat16, torch.Float32, torch.Float64, torch.Complex32, torch.Complex64, torch.Complex128,
		torch.Float8E5M2, torch.Float8E4M3FN, torch.Float8E5M2FN, torch.Float8E4M3FNU,
	} {
		byName[d.String()] = d
	}
	return byName
}()

// storage returns a new tensor with the recorded bytes of storage i, or nil if the
// storage is empty.
func (f *file) storage(i int) *torch.Tensor {
	at := f.Storages[i]
	if at[1] == 0 {
		return nil
	}
	return torch.FromSlice(f.blob[at[0] : at[0]+at[1]])
}

// tensor creates tensor i.
func (f *file) tensor(i int) *torch.Tensor {
	r := f.Tensors[i]
	if r.Sparse != nil {
		return f.sparse(r)
	}
	return f.view(i, f.storage(r.Storage))
}

// view creates tensor i as a view of memory, the tensor's storage.
func (f *file) view(i int, memory *torch.Tensor) *torch.Tensor {
	r := f.Tensors[i]
	d, ok := dtypes[r.DType]
	if !ok {
		panic("conformance: no dtype " + r.DType)
	}
	var t *torch.Tensor
	if memory == nil {
		t = aten.EmptyStrided(r.Shape, r.Stride, d, torch.Strided, nil, nil)
	} else {
		t = memory.ViewDType(d).AsStrided(r.Shape, r.Stride, r.Offset)
	}
	if r.Conj {
		t = aten.UnderConj(t)
	}
	if r.Neg {
		t = aten.UnderNegView(t)
	}
	return t
}

func (f *file) sparse(r record) *torch.Tensor {
	t := torch.SparseCOOTensor(f.tensor(r.Sparse[0]), f.tensor(r.Sparse[1]), r.Shape)
	return aten.UnderCoalesced_(t, r.Coalesced)
}
