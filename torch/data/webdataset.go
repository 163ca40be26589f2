package data

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// WebDataset is a stream of samples from tar files, which are called shards. It is an
// [IterableDataset]. [SplitByNode] divides the shards among processes; a loader's worker
// k % n reads the k-th shard of its process. A worker reads its shards one after the
// other, without seeking, so that they may come over a network. A WebDataset holds no
// resources between passes and needs no Close. It is safe for use by several goroutines
// if the functions among its options are. Follows webdataset.WebDataset.
type WebDataset struct {
	shards   []string
	settings webSettings
	names    *memberNames
}

// NewWebDataset returns a dataset of the samples in the named shards:
// NewWebDataset([]string{"train-{000..063}.tar"}, Fields{"jpg", "cls"}). [ExpandBraces]
// expands the names. Shards are opened when they are read.
//
// A sample is a group of adjacent files with the same key, see [WebSample]. Directories,
// links and names that begin with "__" are ignored. NewWebDataset returns an error of
// kind ErrValue for unbalanced braces and if there are no names. Invalid options panic.
func NewWebDataset(urls []string, opts ...WebDatasetOption) (*WebDataset, error) {
	d := &WebDataset{settings: readWeb(opts), names: newWebNames()}
	for _, u := range urls {
		names, err := ExpandBraces(u)
		if err != nil {
			return nil, err
		}
		d.shards = append(d.shards, names...)
	}
	if len(d.shards) == 0 {
		return nil, torch.NewError("data.NewWebDataset", torch.ErrValue, "urls", "an empty list")
	}
	return d, nil
}

// Shards returns the names of all shards.
func (d *WebDataset) Shards() []string {
	mustBeMade("data.WebDataset.Shards", d != nil)
	return slices.Clone(d.shards)
}

// String returns a string such as "WebDataset(64 shards: jpg, cls)", with the number of
// shards and the fields.
func (d *WebDataset) String() string {
	if d == nil {
		return "WebDataset(nil)"
	}
	s := fmt.Sprintf("WebDataset(%d shards", len(d.shards))
	if d.settings.fields != nil {
		s += ": " + strings.Join(d.settings.fields, ", ")
	}
	return s + ")"
}

// Samples yields the samples without decoding them. Its errors are *FileErrors that name
// the shard and the file within the shard.
func (d *WebDataset) Samples(w WorkerInfo, yield func(*WebSample) bool) error {
	return d.samples("Samples", w, yield)
}

func (d *WebDataset) samples(method string, w WorkerInfo, yield func(*WebSample) bool) error {
	op := "data.WebDataset." + method
	mustBeMade(op, d != nil)
	if yield == nil {
		panic(torch.NilFunc(op, "yield"))
	}
	found := 0
	take, end := shuffleStream(d.settings.shuffleSettings, yield)
	count := func(s *WebSample) bool {
		found++
		return take(s)
	}
	for _, name := range d.share(w) {
		if err := d.settings.shard(name, d.names, d.handleError, count); err != nil {
			return endOfPass(err)
		}
	}
	end()
	if found == 0 && d.settings.emptyCheck {
		return &FileError{
			Path: d.shards[0], Kind: torch.ErrMismatch,
			Detail: fmt.Sprintf("the share of %v of the %d shards has no samples; are there more workers than shards?",
				w, len(d.shards)),
		}
	}
	return nil
}

// share returns the shards that worker w reads, in the order in which it reads them.
func (d *WebDataset) share(w WorkerInfo) []string {
	var mine, out []string
	for i, name := range d.shards {
		if i%d.settings.world == d.settings.rank && w.Has(i/d.settings.world) {
			mine = append(mine, name)
		}
	}
	shuffled := shuffleSettings{buffer: d.settings.shards, generator: d.settings.generator}
	take, end := shuffleStream(shuffled, func(name string) bool {
		out = append(out, name)
		return true
	})
	for _, name := range mine {
		take(name)
	}
	end()
	return out
}

// handleError passes an error to the Handler option. It returns the error that ends the
// pass, or nil to continue.
func (d *WebDataset) handleError(err error) error {
	switch {
	case d.settings.handler == nil:
		return err
	case d.settings.handler(err):
		return nil
	}
	return errStopWalk
}

// endOfPass returns the error of a pass that ended with err. errStopWalk is not an error of
// the pass, so it becomes nil.
func endOfPass(err error) error {
	if errors.Is(err, errStopWalk) {
		return nil
	}
	return err
}

// Iterate implements [IterableDataset]. Its errors are *FileErrors that name shard, sample
// and field, and are first passed to the [Handler]. A *FileError wraps the error of
// [MapSample].
func (d *WebDataset) Iterate(w WorkerInfo, yield func(Example) bool) error {
	if yield == nil {
		panic(torch.NilFunc("data.WebDataset.Iterate", "yield"))
	}
	var stopped error
	err := d.samples("Iterate", w, func(s *WebSample) bool {
		e, err := d.example(s)
		if err != nil {
			stopped = d.handleError(err)
			return stopped == nil
		}
		return yield(e)
	})
	if stopped != nil {
		return endOfPass(stopped)
	}
	return err
}

// example makes an example from a sample. On an error it frees the tensors that it has
// made.
func (d *WebDataset) example(s *WebSample) (e Example, err error) {
	wrong := func(err error) error {
		return &FileError{Path: s.Shard, Kind: torch.ErrFormat, Detail: "sample " + plain.Quote(s.Key), Err: err}
	}
	switch {
	case d.settings.mapSample != nil:
		if e, err = d.settings.mapSample(s); err != nil {
			return Example{}, wrong(err)
		}
		return e, nil
	case d.settings.fields == nil:
		return Example{Value: s}, nil
	}
	tensors := torch.TidyAll(func() []*torch.Tensor {
		var ts []*torch.Tensor
		for i, names := range d.settings.fields {
			var t *torch.Tensor
			if t, err = d.field(s, names); err != nil {
				return nil
			}
			if i == 0 && d.settings.transform != nil {
				t = d.settings.transform.Forward(t)
			}
			ts = append(ts, t)
		}
		return ts
	})
	if err != nil {
		return Example{}, wrong(err)
	}
	return exampleOf(tensors), nil
}

// field decodes a field of a sample. names is a list separated by semicolons; field decodes
// the first of these that the sample has.
func (d *WebDataset) field(s *WebSample, names string) (*torch.Tensor, error) {
	for _, ext := range strings.Split(names, ";") {
		b, ok := s.Field(ext)
		if !ok {
			continue
		}
		t, err := d.decode(kindOf(ext), b)
		if err == nil && t == nil {
			err = errors.New("the decoder returned no tensor")
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", plain.Quote(ext), err)
		}
		return t, nil
	}
	return nil, fmt.Errorf("there is no field %q; the fields are %s", names, plain.List(s.exts()))
}

// kindOf returns the last part of a field's extension, which selects the field's decoder.
func kindOf(ext string) string { return ext[strings.LastIndexByte(ext, '.')+1:] }

func (d *WebDataset) decode(kind string, b []byte) (*torch.Tensor, error) {
	if fn := d.settings.decoders[kind]; fn != nil {
		return fn(b)
	}
	switch kind {
	case "cls", "cls2", "class", "count", "index", "inx", "id":
		text := strings.TrimSpace(string(b[:min(len(b), 1<<10)]))
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || len(b) > 1<<10 {
			return nil, fmt.Errorf("%s is not an int64", plain.Quote(text))
		}
		return torch.FromSliceWith([]int64{n}, torch.Shape{}, torch.CPU), nil
	case "npy":
		return numpyArray(b)
	}
	if slices.Contains(ImageExtensions(), "."+kind) {
		return d.settings.images.image(b, "image")
	}
	return torch.FromSliceWith(b, torch.Shape{int64(len(b))}, torch.CPU), nil
}
