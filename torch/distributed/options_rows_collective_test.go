package distributed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// These are short names for the types in the tables of functions.
type (
	group      = *distributed.ProcessGroup
	tensor     = *torch.Tensor
	reducing   = []distributed.ReduceOption
	sending    = []distributed.ObjectOption
	splitting  = []distributed.SplitOption
	addressing = []distributed.PairOption
	collective = func(g group, out, x tensor, opts splitting) error
	transfer   = func(g group, x tensor, opts addressing) error
)

// waited waits for the work and returns out.
func waited(out *torch.Tensor, w *distributed.Work, err error) (*torch.Tensor, error) {
	if err != nil {
		return nil, err
	}
	return out, w.Wait(background)
}

// reduceRows returns the functions that reduce. Each rank passes four numbers to them.
func reduceRows(c *crew) map[string]function {
	type reduction func(g group, x tensor, opts reducing) (tensor, error)
	list := func(x *torch.Tensor) []*torch.Tensor { return []*torch.Tensor{x} }
	half := func(x *torch.Tensor) *torch.Tensor { return torch.Zeros(torch.Shape{2}, x.DType()) }
	rows := map[string]function{}
	for name, do := range map[string]reduction{
		"AllReduce": func(g group, x tensor, opts reducing) (tensor, error) {
			return x, g.AllReduce(background, x, opts...)
		},
		"AllReduceAsync": func(g group, x tensor, opts reducing) (tensor, error) {
			w, err := g.AllReduceAsync(background, x, opts...)
			return waited(x, w, err)
		},
		"AllReduceCoalesced": func(g group, x tensor, opts reducing) (tensor, error) {
			return x, g.AllReduceCoalesced(background, list(x), opts...)
		},
		"AllReduceCoalescedAsync": func(g group, x tensor, opts reducing) (tensor, error) {
			w, err := g.AllReduceCoalescedAsync(background, list(x), opts...)
			return waited(x, w, err)
		},
		"Reduce": func(g group, x tensor, opts reducing) (tensor, error) {
			return x, g.Reduce(background, x, 1, opts...)
		},
		"ReduceAsync": func(g group, x tensor, opts reducing) (tensor, error) {
			w, err := g.ReduceAsync(background, x, 1, opts...)
			return waited(x, w, err)
		},
		"ReduceScatter": func(g group, x tensor, opts reducing) (tensor, error) {
			out := half(x)
			return out, g.ReduceScatter(background, out, x.Chunk(2), opts...)
		},
		"ReduceScatterAsync": func(g group, x tensor, opts reducing) (tensor, error) {
			out := half(x)
			w, err := g.ReduceScatterAsync(background, out, x.Chunk(2), opts...)
			return waited(out, w, err)
		},
		"ReduceScatterTensor": func(g group, x tensor, opts reducing) (tensor, error) {
			out := half(x)
			return out, g.ReduceScatterTensor(background, out, x, opts...)
		},
		"ReduceScatterTensorAsync": func(g group, x tensor, opts reducing) (tensor, error) {
			out := half(x)
			w, err := g.ReduceScatterTensorAsync(background, out, x, opts...)
			return waited(out, w, err)
		},
	} {
		name = "ProcessGroup." + name
		rows[name] = with([]distributed.ReduceOption{distributed.Sum},
			func(opts ...distributed.ReduceOption) optiontest.Outcome {
				return c.all(name, func(g *distributed.ProcessGroup) (any, error) {
					x := torch.FromSlice([]float32{2, 3, 5, 6}).AddScalar(float64(4 * g.Rank()))
					if last(opts, distributed.Sum) >= distributed.BAnd {
						x = x.To(torch.Int64)
					}
					out, err := do(g, x, opts)
					if err != nil ||
						g.Rank() == 0 && (name == "ProcessGroup.Reduce" || name == "ProcessGroup.ReduceAsync") {
						return nil, err // compare only the root's result; the other rank's is undefined
					}
					return out.To(torch.Float32).Float32s(), nil
				})
			},
			optiontest.Values(distributed.Avg, distributed.Sum),
			optiontest.Values(distributed.Product, distributed.Min),
			optiontest.Values(distributed.Max, distributed.BAnd), optiontest.Values(distributed.BOr, distributed.BXor),
			optiontest.Refused(distributed.ReduceOp(-1)), optiontest.Refused(distributed.BXor+1))
	}
	return rows
}

// luggage is a text that records the encoding in which it was sent.
type luggage string

func (l luggage) GobEncode() ([]byte, error) { return []byte("gob " + l), nil }

func (l *luggage) GobDecode(b []byte) error {
	*l = luggage(b)
	return nil
}

func (l luggage) MarshalJSON() ([]byte, error) { return json.Marshal("json " + string(l)) }

func (l *luggage) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*string)(l)) }

// objectRows returns the functions that send Go values.
func objectRows(c *crew) map[string]function {
	type transport func(g group, own luggage, opts sending) (any, error)
	// The options are the same for the rank that sends and the rank that receives.
	between := func(g group, own luggage, opts sending, sender int) (any, error) {
		if g.Rank() == sender {
			return nil, g.SendObject(background, own, 1-sender, opts...)
		}
		from, err := g.RecvObject(background, &own, sender, opts...)
		return fmt.Sprint(own, " from ", from), err
	}
	rows := map[string]function{}
	for name, do := range map[string]transport{
		"AllGatherObject": func(g group, own luggage, opts sending) (any, error) {
			var all []luggage
			err := g.AllGatherObject(background, own, &all, opts...)
			return all, err
		},
		"GatherObject": func(g group, own luggage, opts sending) (any, error) {
			var all []luggage
			var into any
			if g.Rank() == 1 {
				into = &all
			}
			err := g.GatherObject(background, own, into, 1, opts...)
			return all, err
		},
		"BroadcastObject": func(g group, own luggage, opts sending) (any, error) {
			err := g.BroadcastObject(background, &own, 1, opts...)
			return own, err
		},
		"ScatterObject": func(g group, own luggage, opts sending) (any, error) {
			var all any
			if g.Rank() == 1 {
				all = []luggage{"first", "second"}
			}
			err := g.ScatterObject(background, &own, all, 1, opts...)
			return own, err
		},
		"SendObject": func(g group, own luggage, opts sending) (any, error) {
			return between(g, own, opts, 0)
		},
		"RecvObject": func(g group, own luggage, opts sending) (any, error) {
			return between(g, own, opts, 1)
		},
	} {
		name = "ProcessGroup." + name
		rows[name] = with([]distributed.ObjectOption{distributed.EncodingGob},
			func(opts ...distributed.ObjectOption) optiontest.Outcome {
				return c.all(name, func(g *distributed.ProcessGroup) (any, error) {
					return do(g, luggage(fmt.Sprint("of ", g.Rank())), opts)
				})
			}, optiontest.Values(distributed.EncodingJSON, distributed.EncodingGob),
			optiontest.Refused(distributed.Encoding("pickle")), optiontest.Refused(distributed.Encoding("")))
	}
	return rows
}

// splitRows returns the functions that split rows among ranks. Both ranks have the same options.
// If the options set only one kind of sizes, the test adds matching sizes of the other kind.
func splitRows(c *crew) map[string]function {
	row := func(name string, do collective) function {
		return with([]distributed.SplitOption{distributed.OutputSplitSizes(nil), distributed.InputSplitSizes(nil)},
			func(opts ...distributed.SplitOption) optiontest.Outcome {
				return c.all(name, func(g *distributed.ProcessGroup) (any, error) {
					opts, rows, received := opts, int64(4), int64(4)
					if in := last(opts, distributed.InputSplitSizes(nil)); len(in) == 2 {
						n := in[g.Rank()] // rows from each rank
						received = 2 * n
						opts = append([]distributed.SplitOption{distributed.OutputSplitSizes{n, n}}, opts...)
					} else if out := last(opts, distributed.OutputSplitSizes(nil)); len(out) == 2 {
						n := out[g.Rank()] // rows to each rank
						rows = 2 * n
						opts = append([]distributed.SplitOption{distributed.InputSplitSizes{n, n}}, opts...)
					}
					x := torch.Arange(float64(rows)).To(torch.Float32).AddScalar(float64(10 * g.Rank()))
					out := torch.Zeros(torch.Shape{received})
					err := do(g, out, x, opts)
					return out.Float32s(), err
				})
			},
			optiontest.Values(distributed.OutputSplitSizes{1, 3}, distributed.OutputSplitSizes{}),
			optiontest.Values(distributed.InputSplitSizes{1, 3}, distributed.InputSplitSizes(nil)),
			optiontest.Refused(distributed.OutputSplitSizes{4}),
			optiontest.Refused(distributed.InputSplitSizes{5, 0, -1}))
	}
	return map[string]function{
		"ProcessGroup.AllToAllSingle": row("ProcessGroup.AllToAllSingle",
			func(g group, out, x tensor, opts splitting) error {
				return g.AllToAllSingle(background, out, x, opts...)
			}),
		"ProcessGroup.AllToAllSingleAsync": row("ProcessGroup.AllToAllSingleAsync",
			func(g group, out, x tensor, opts splitting) error {
				w, err := g.AllToAllSingleAsync(background, out, x, opts...)
				_, err = waited(nil, w, err)
				return err
			}),
	}
}

// barrierRows tests MonitoredBarrier, which only one of three ranks calls.
func barrierRows(t *testing.T) map[string]function {
	const name = "ProcessGroup.MonitoredBarrier"
	return map[string]function{name: with([]distributed.BarrierOption{distributed.WaitAllRanks(false)},
		func(opts ...distributed.BarrierOption) optiontest.Outcome {
			gaveUp := make(chan struct{})
			errs := ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
				if g.Rank() > 0 {
					<-gaveUp
					return nil
				}
				defer close(gaveUp)
				ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
				defer cancel()
				return g.MonitoredBarrier(ctx, opts...)
			})
			var e *distributed.Error
			if !errors.As(errs[0], &e) || !errors.Is(e, distributed.ErrTimeout) {
				refused(t, name, errs...)
			}
			return optiontest.Outcome{"missing": fmt.Sprint(e.Ranks)}
		}, optiontest.Values(distributed.WaitAllRanks(true), distributed.WaitAllRanks(false)))}
}

// tagRows returns the functions between two ranks. Rank 1 receives a message with tag 0 and one
// with tag 3. If the call with options does not receive a message, or rejects its options, other
// calls receive the message, so that no rank waits.
func tagRows(c *crew) map[string]function {
	const tag = distributed.Tag(3)
	values := []optiontest.Pair{
		optiontest.Values(tag, distributed.Tag(0)), optiontest.Refused(distributed.Tag(-1)),
		optiontest.Refused(distributed.Tag(1 << 31)),
	}
	rest := func(opts []distributed.PairOption, err error) []distributed.Tag {
		switch {
		case err != nil:
			return []distributed.Tag{0, tag}
		case last(opts, distributed.Tag(0)) == tag:
			return []distributed.Tag{0}
		}
		return []distributed.Tag{tag}
	}
	sends := func(name string, send transfer) function {
		name = "ProcessGroup." + name
		return with([]distributed.PairOption{distributed.Tag(0)},
			func(opts ...distributed.PairOption) optiontest.Outcome {
				return c.all(name, func(g *distributed.ProcessGroup) (any, error) {
					if g.Rank() == 0 {
						err := send(g, full(1, 1), opts)
						for _, t := range rest(opts, err) {
							err = errors.Join(err, g.Send(background, full(2, 1), 1, t))
						}
						return nil, err
					}
					a, b := full(0, 1), full(0, 1)
					first, err := g.IRecv(background, a, 0)
					second, e := g.IRecv(background, b, 0, tag)
					if err = errors.Join(err, e); err == nil {
						err = errors.Join(first.Wait(background), second.Wait(background))
					}
					return torch.Cat([]*torch.Tensor{a, b}).Float32s(), err
				})
			}, values...)
	}
	receives := func(name string, receive transfer) function {
		name = "ProcessGroup." + name
		zero := []distributed.PairOption{distributed.Tag(0)}
		return with(zero, func(opts ...distributed.PairOption) optiontest.Outcome {
			return c.all(name, func(g *distributed.ProcessGroup) (any, error) {
				if g.Rank() == 0 {
					first, err := g.ISend(background, full(1, 1), 1)
					second, e := g.ISend(background, full(2, 1), 1, tag)
					if err = errors.Join(err, e); err == nil {
						err = errors.Join(first.Wait(background), second.Wait(background))
					}
					return nil, err
				}
				x := full(0, 1)
				err := receive(g, x, opts)
				for _, t := range rest(opts, err) {
					_, e := g.Recv(background, full(0, 1), 0, t)
					err = errors.Join(err, e)
				}
				return x.Float32s(), err
			})
		}, values...)
	}
	return map[string]function{
		"ProcessGroup.Send": sends("Send", func(g group, x tensor, opts addressing) error {
			return g.Send(background, x, 1, opts...)
		}),
		"ProcessGroup.ISend": sends("ISend", func(g group, x tensor, opts addressing) error {
			w, err := g.ISend(background, x, 1, opts...)
			_, err = waited(nil, w, err)
			return err
		}),
		"ProcessGroup.Recv": receives("Recv", func(g group, x tensor, opts addressing) error {
			_, err := g.Recv(background, x, 0, opts...)
			return err
		}),
		"ProcessGroup.IRecv": receives("IRecv", func(g group, x tensor, opts addressing) error {
			w, err := g.IRecv(background, x, 0, opts...)
			_, err = waited(nil, w, err)
			return err
		}),
	}
}
