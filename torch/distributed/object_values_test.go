package distributed_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// order has fields of all kinds that a decoder may leave as they were.
type order struct {
	part
	Step   int
	Stop   bool
	Name   string `json:",omitempty"`
	Rates  map[string]float64
	Parts  []part
	Pair   [2]part
	First  *part
	At     time.Time
	Any    any
	Log    func() `json:"-"`
	secret string
}

type part struct{ Size, Weight int }

// objectCalls are the calls that store a value from rank 0 in a variable of rank 1. send is nil on
// rank 1.
var objectCalls = map[string]func(g *distributed.ProcessGroup, send, into any, e distributed.Encoding) error{
	"BroadcastObject": func(g *distributed.ProcessGroup, send, into any, e distributed.Encoding) error {
		if send != nil {
			into = send
		}
		return g.BroadcastObject(background, into, 0, e)
	},
	"ScatterObject": func(g *distributed.ProcessGroup, send, into any, e distributed.Encoding) error {
		if send != nil {
			return g.ScatterObject(background, into, []any{send, send}, 0, e)
		}
		return g.ScatterObject(background, into, nil, 0, e)
	},
	"RecvObject": func(g *distributed.ProcessGroup, send, into any, e distributed.Encoding) error {
		if send != nil {
			return g.SendObject(background, send, 1, e)
		}
		_, err := g.RecvObject(background, into, 0, e)
		return err
	},
}

// newLike returns a pointer to a new variable of the type that v points to.
func newLike(v any) any { return reflect.New(reflect.TypeOf(v).Elem()).Interface() }

// exchangeObject sends the value that send points to from rank 0 to the variable of rank 1 that
// into points to.
func exchangeObject(t *testing.T, call string, e distributed.Encoding, send, into any) {
	t.Helper()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		if g.Rank() == 0 {
			return objectCalls[call](g, send, newLike(send), e)
		}
		return objectCalls[call](g, nil, into, e)
	})
}

// A received value replaces the value of the variable: nothing of an earlier value is left, except
// fields that are not sent.
func TestReceivedValuesReplaceEarlierOnes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for call := range objectCalls {
		for _, e := range []distributed.Encoding{distributed.EncodingGob, distributed.EncodingJSON} {
			log := func() {}
			first := &part{7, 8}
			got := order{
				part: part{1, 2}, Step: 9, Stop: true, Name: "old", Rates: map[string]float64{"a": 1, "b": 2},
				Parts: []part{{1, 1}, {2, 2}}, Pair: [2]part{{1, 2}, {3, 4}}, First: first,
				At: time.Unix(1, 0), Any: 5, Log: log, secret: "kept",
			}
			sent := order{Rates: map[string]float64{"a": 3}, Parts: []part{{Size: 5}}, Pair: [2]part{{}, {Weight: 6}}}
			exchangeObject(t, call, e, &sent, &got)
			assert.NotNil(t, got.Log, "%s %s", call, e)
			got.Log = nil
			sent.secret = "kept"
			assert.Equal(t, sent, got, "%s %s", call, e)
			assert.Equal(t, part{7, 8}, *first, "%s %s: the earlier value changed", call, e)

			rates := map[string]int{"old": 1}
			exchangeObject(t, call, e, &map[string]int{"new": 2}, &rates)
			assert.Equal(t, map[string]int{"new": 2}, rates, "%s %s", call, e)
			parts := []part{{1, 2}, {3, 4}}
			earlier := parts
			exchangeObject(t, call, e, &[]part{{Weight: 6}}, &parts)
			assert.Equal(t, []part{{Weight: 6}}, parts, "%s %s", call, e)
			assert.Equal(t, []part{{1, 2}, {3, 4}}, earlier, "%s %s: the earlier value changed", call, e)
		}
	}
}

// Tensors in a received value are open, and belong to the caller.
func TestReceivedTensorsAreOpen(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type batch struct{ X *torch.Tensor }
	for call := range objectCalls {
		for _, e := range []distributed.Encoding{distributed.EncodingGob, distributed.EncodingJSON} {
			ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
				if g.Rank() == 0 {
					return objectCalls[call](g, &batch{torch.Ones(torch.Shape{2})}, new(batch), e)
				}
				got := batch{torch.Zeros(torch.Shape{2})}
				earlier := got.X
				if err := objectCalls[call](g, nil, &got, e); err != nil {
					return err
				}
				if got.X.IsClosed() || !got.X.Equal(torch.Ones(torch.Shape{2})) || earlier.Sum().Item() != 0 {
					return errors.New(call + " " + string(e) + ": the tensor is not the one that was sent")
				}
				return nil
			})
		}
	}
}

// A variable keeps its value if the received one cannot be decoded.
func TestReceivedValuesOfAnotherType(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for call := range objectCalls {
		for _, e := range []distributed.Encoding{distributed.EncodingGob, distributed.EncodingJSON} {
			got := map[string]int{"old": 1}
			errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
				if g.Rank() == 0 {
					send := &map[string]string{"new": "x"}
					return objectCalls[call](g, send, newLike(send), e)
				}
				return objectCalls[call](g, nil, &got, e)
			})
			require.ErrorIs(t, errs[1], torch.ErrType, "%s %s", call, e)
			assert.Equal(t, map[string]int{"old": 1}, got, "%s %s", call, e)
		}
	}
}
