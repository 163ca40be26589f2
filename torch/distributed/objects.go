package distributed

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// mostObject is the limit on the size of a value, since memory is allocated for the size
// that another rank announces.
const mostObject = 4 << 30

// An ObjectOption configures how values are encoded: [Encoding].
//
//gotorch:options Encoding
type ObjectOption interface{ objectOption() }

// Encoding is the encoding of Go values. Python ranks use pickle, so they cannot take
// part in these functions.
type Encoding string

// The encodings. The default is EncodingGob.
const (
	EncodingGob  Encoding = "gob"
	EncodingJSON Encoding = "json"
)

func encoding(op string, opts []ObjectOption) (Encoding, error) {
	e := EncodingGob
	for _, o := range opts {
		switch o := o.(type) {
		case Encoding:
			e = o
		default:
			return e, torch.BadOption(op, o)
		}
	}
	if e != EncodingGob && e != EncodingJSON {
		return e, wrong(op, torch.ErrValue, "Encoding",
			"expected distributed.EncodingGob or distributed.EncodingJSON, got %.80q", string(e))
	}
	return e, nil
}

func (e Encoding) encode(op, arg string, v any) ([]byte, error) {
	var b bytes.Buffer
	var err error
	if e == EncodingJSON {
		err = json.NewEncoder(&b).Encode(v)
	} else {
		err = gobEncoded(&b, v)
	}
	if err != nil {
		return nil, wrong(op, torch.ErrValue, arg, "%v", err)
	}
	if b.Len() > mostObject {
		return nil, wrong(op, torch.ErrValue, arg, "it has %d bytes in %s, expected at most %d; send tensors instead",
			b.Len(), string(e), int64(mostObject))
	}
	return b.Bytes(), nil
}

// gobEncoded returns panics of gob as errors, such as those of nil pointers and of the
// value's own methods, because the other ranks must be told.
func gobEncoded(b *bytes.Buffer, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return gob.NewEncoder(b).Encode(v)
}

func (e Encoding) decode(op, arg string, b []byte, into any) (err error) {
	defer func() {
		if p := recover(); p != nil { // in a method of the value
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil {
			err = wrong(op, torch.ErrType, arg, "the value cannot be decoded: %v", err)
		}
	}()
	if e == EncodingJSON {
		return json.Unmarshal(b, into)
	}
	return gob.NewDecoder(bytes.NewReader(b)).Decode(into)
}

// slot returns an error for a target that cannot be decoded into.
func slot(op, arg string, into any, kind reflect.Kind) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || kind != 0 && v.Elem().Kind() != kind {
		want := "a pointer"
		if kind == reflect.Slice {
			want = "a pointer to a slice"
		}
		return wrong(op, torch.ErrType, arg, "expected %s, got %T", want, into)
	}
	return nil
}

// decodeAll fills a slice with all values.
func (e Encoding) decodeAll(op, arg string, all [][]byte, into any) error {
	slice := reflect.ValueOf(into).Elem()
	values := reflect.MakeSlice(slice.Type(), len(all), len(all))
	for i, b := range all {
		if err := e.decode(op, fmt.Sprintf("%s[%d]", arg, i), b, values.Index(i).Addr().Interface()); err != nil {
			return err
		}
	}
	slice.Set(values)
	return nil
}

// AllGatherObject collects the values of all ranks, in order, in the slice that into
// points to, on all ranks. Follows all_gather_object.
func (g *ProcessGroup) AllGatherObject(ctx context.Context, value, into any, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.AllGatherObject"
	e, err := encoding(op, opts)
	err = first(err, slot(op, "into", into, reflect.Slice))
	all, err := g.gatherBytes(ctx, op, e, value, err)
	if err != nil {
		return err
	}
	return e.decodeAll(op, "into", all, into)
}

// GatherObject is [ProcessGroup.AllGatherObject] for rank dst only; into must be nil on
// other ranks. Follows gather_object.
func (g *ProcessGroup) GatherObject(ctx context.Context, value, into any, dst int, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.GatherObject"
	e, err := encoding(op, opts)
	if g != nil && err == nil {
		if _, err = g.member(op, "dst", dst); err == nil && dst == g.me {
			err = slot(op, "into", into, reflect.Slice)
		}
	}
	all, err := g.gatherBytes(ctx, op, e, value, err)
	if err != nil || dst != g.me {
		return err
	}
	return e.decodeAll(op, "into", all, into)
}

// refusedSize is announced by a rank that has nothing to send.
const refusedSize = -1

// gatherBytes returns the encoded values of all ranks. If a rank refuses, the other ranks get an
// error.
func (g *ProcessGroup) gatherBytes(ctx context.Context, op string, e Encoding, value any,
	refused error,
) ([][]byte, error) {
	if err := g.ready(op); err != nil {
		return nil, err
	}
	var own []byte
	if refused == nil {
		own, refused = e.encode(op, "value", value)
	}
	size := int64(len(own))
	if refused != nil {
		size = refusedSize
	}
	var all [][]byte
	err := g.own(func() error {
		world := int64(len(g.ranks))
		out := torch.Empty(torch.Shape{world}, torch.Int64, torch.CPU)
		if err := g.AllGatherIntoTensor(ctx, out, numbersOf(size)); err != nil {
			return err
		}
		sizes := out.Int64s()
		if err := first(refused, g.refusedBy(op, sizes)); err != nil {
			return err
		}
		widest := max(1, slices.Max(sizes))
		row := make([]byte, widest)
		copy(row, own)
		rows := torch.Empty(torch.Shape{world * widest}, torch.Uint8, torch.CPU)
		if err := g.AllGatherIntoTensor(ctx, rows, bytesOf(row)); err != nil {
			return err
		}
		for row := range slices.Chunk(rows.Uint8s(), int(widest)) {
			all = append(all, row[:sizes[len(all)]])
		}
		return nil
	})
	return all, g.named(op, err)
}

// refusedBy returns the error for ranks that refused, or that announce an impossible
// size.
func (g *ProcessGroup) refusedBy(op string, sizes []int64) error {
	var ranks []int
	for r, n := range sizes {
		switch {
		case n == refusedSize:
			ranks = append(ranks, g.ranks[r])
		case n < 0 || n > mostObject:
			return g.announced(op, g.ranks[r], n)
		}
	}
	if ranks == nil {
		return nil
	}
	return &Error{
		Op: op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks), Ranks: ranks,
		Detail: "refused its arguments",
	}
}

// announced returns the error for a rank that announces an impossible size.
func (g *ProcessGroup) announced(op string, rank int, size int64) *Error {
	return &Error{
		Op: op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks), Ranks: []int{rank},
		Detail: fmt.Sprintf("rank %d announces %d bytes, expected 0 to %d", rank, size, int64(mostObject)),
	}
}

// named returns an error of a part as one of the whole.
func (g *ProcessGroup) named(op string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Op = op
	}
	return err
}

func numbersOf(n ...int64) *torch.Tensor {
	return torch.FromSliceWith(n, torch.Shape{int64(len(n))}, torch.CPU)
}

func bytesOf(b []byte) *torch.Tensor {
	return torch.FromSliceWith(b, torch.Shape{int64(len(b))}, torch.CPU)
}

// BroadcastObject copies the value that value points to on rank src to all other ranks.
// Follows broadcast_object_list.
func (g *ProcessGroup) BroadcastObject(ctx context.Context, value any, src int, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.BroadcastObject"
	if err := g.ready(op); err != nil {
		return err
	}
	e, refused := encoding(op, opts)
	_, stranger := g.member(op, "src", src)
	refused = first(refused, stranger, slot(op, "value", value, 0))
	var b []byte
	if src == g.me && refused == nil {
		b, refused = e.encode(op, "value", value)
	}
	size := int64(len(b))
	if refused != nil {
		size = refusedSize
	}
	err := g.own(func() error {
		// From all, so that all know each rank's refusal.
		out := torch.Empty(torch.Shape{int64(len(g.ranks))}, torch.Int64, torch.CPU)
		if err := g.AllGatherIntoTensor(ctx, out, numbersOf(size)); err != nil {
			return err
		}
		sizes := out.Int64s()
		if err := first(refused, g.refusedBy(op, sizes)); err != nil {
			return err
		}
		x := bytesOf(b)
		if src != g.me {
			x = torch.Empty(torch.Shape{sizes[g.GroupRank(src)]}, torch.Uint8, torch.CPU)
		}
		if err := g.Broadcast(ctx, x, src); err != nil || src == g.me {
			return err
		}
		return e.decode(op, "value", x.Uint8s(), value)
	})
	return g.named(op, err)
}

// ScatterObject copies element r of values, a slice with one element for each rank, to
// what into points to on rank r. values must be nil on ranks other than src. Follows
// scatter_object_list.
func (g *ProcessGroup) ScatterObject(ctx context.Context, into, values any, src int, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.ScatterObject"
	if err := g.ready(op); err != nil {
		return err
	}
	e, refused := encoding(op, opts)
	_, stranger := g.member(op, "src", src)
	refused = first(refused, stranger, slot(op, "into", into, 0))
	sizes, rows := make([]int64, len(g.ranks)), make([][]byte, len(g.ranks))
	if src == g.me && refused == nil {
		rows, refused = e.each(op, values, len(g.ranks))
		for r, b := range rows {
			sizes[r] = int64(len(b))
		}
	}
	err := g.own(func() error {
		state := int64(0)
		if refused != nil {
			state = refusedSize
		}
		out := torch.Empty(torch.Shape{int64(len(g.ranks))}, torch.Int64, torch.CPU)
		if err := g.AllGatherIntoTensor(ctx, out, numbersOf(state)); err != nil {
			return err
		}
		if err := first(refused, g.refusedBy(op, out.Int64s())); err != nil {
			return err
		}
		n := numbersOf(sizes...)
		if err := g.Broadcast(ctx, n, src); err != nil {
			return err
		}
		sizes := n.Int64s()
		for _, size := range sizes {
			if size < 0 || size > mostObject {
				return g.announced(op, src, size)
			}
		}
		widest := max(1, slices.Max(sizes))
		var ins []*torch.Tensor
		for _, b := range rows {
			if src == g.me {
				ins = append(ins, bytesOf(append(b, make([]byte, int(widest)-len(b))...)))
			}
		}
		x := torch.Empty(torch.Shape{widest}, torch.Uint8, torch.CPU)
		if err := g.Scatter(ctx, x, ins, src); err != nil {
			return err
		}
		return e.decode(op, "into", x.Uint8s()[:sizes[g.rank]], into)
	})
	return g.named(op, err)
}

// each encodes the elements of a slice.
func (e Encoding) each(op string, values any, n int) ([][]byte, error) {
	v := reflect.ValueOf(values)
	if v.Kind() != reflect.Slice || v.Len() != n {
		return nil, wrong(op, torch.ErrValue, "values", "expected a slice with %d elements, got %T", n, values)
	}
	rows := make([][]byte, n)
	for i := range rows {
		var err error
		if rows[i], err = e.encode(op, fmt.Sprintf("values[%d]", i), v.Index(i).Interface()); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// A value is sent in two messages: its size, and its bytes. The size has a mark in its
// upper bits, to tell it apart from a number sent by Send.
const (
	sizeBits = 40
	sizeMark = int64(0x4f626a) << sizeBits
)

// SendObject sends a value to rank dst. Follows send_object_list.
func (g *ProcessGroup) SendObject(ctx context.Context, value any, dst int, opts ...ObjectOption) error {
	const op = "distributed.ProcessGroup.SendObject"
	e, err := encoding(op, opts)
	if err != nil {
		return err
	}
	b, err := e.encode(op, "value", value)
	if err := first(g.ready(op), err); err != nil {
		return err
	}
	return g.named(op, g.own(func() error {
		if err := g.Send(ctx, numbersOf(sizeMark|int64(len(b))), dst); err != nil {
			return err
		}
		return g.Send(ctx, bytesOf(b), dst)
	}))
}

// RecvObject receives a value sent by SendObject of rank src, or [AnySource], into what
// into points to, and returns the sender's rank. A message sent by Send is ErrMismatch,
// and is dropped. Follows recv_object_list.
func (g *ProcessGroup) RecvObject(ctx context.Context, into any, src int, opts ...ObjectOption) (int, error) {
	const op = "distributed.ProcessGroup.RecvObject"
	e, err := encoding(op, opts)
	if err := first(g.ready(op), err, slot(op, "into", into, 0)); err != nil {
		return -1, err
	}
	from := -1
	err = g.own(func() error {
		n := numbersOf(0)
		var err error
		if from, err = g.Recv(ctx, n, src); err != nil {
			return err
		}
		size := n.Int64s()[0]
		if size>>sizeBits != sizeMark>>sizeBits {
			return &Error{
				Op: op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks), Ranks: []int{from},
				Detail: fmt.Sprintf("rank %d sent the number %d by Send, expected a value sent by SendObject", from,
					size),
			}
		}
		if size &= 1<<sizeBits - 1; size > mostObject {
			return g.announced(op, from, size)
		}
		x := torch.Empty(torch.Shape{size}, torch.Uint8, torch.CPU)
		if _, err = g.Recv(ctx, x, from); err != nil {
			return err
		}
		return e.decode(op, "into", x.Uint8s(), into)
	})
	return from, g.named(op, err)
}
