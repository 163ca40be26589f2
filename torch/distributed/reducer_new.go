package distributed

import (
	"context"
	"runtime"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

const (
	mebibyte = 1 << 20
	// pieceSize is how many bytes of a model are broadcast at a time.
	pieceSize = 250 * mebibyte
)

// NewReducer compares the dtypes and shapes of the parameters on all ranks, copies their values
// from rank 0, and returns a reducer for them. All ranks must call it, and it waits for them.
// Parameters must be leaves that require gradients.
func NewReducer(ctx context.Context, g *ProcessGroup, params []*torch.Tensor, c ReducerConfig) (*Reducer, error) {
	if c.Op == "" {
		c.Op = "distributed.Reducer"
	}
	if err := g.checkReady(c.Op); err != nil {
		return nil, err
	}
	refused := c.Refused
	if refused == nil {
		refused = firstError(c.checkParams(params), c.checkSendable(g, params))
	}
	r := &Reducer{relay: &relay{g: g, op: c.Op, ctx: ctx, names: c.Names, mayBeUnused: c.FindUnusedParameters}}
	r.handles.relay, r.handles.names = r.relay, &bucketNames{op: c.Op}
	r.findUnused = c.FindUnusedParameters && !c.StaticGraph
	if g.checksCalls {
		p, err := g.waitTurn(ctx, c.Op, &g.order)
		if err != nil {
			return nil, err
		}
		err = g.checkAgreement(ctx, &call{op: c.Op, text: c.agreementText(params)}, refused)
		p.leave()
		if err != nil {
			return nil, err
		}
	}
	if refused != nil {
		return nil, refused
	}
	var err error
	if r.handles.rawRelay, err = r.relay.newNative(); err != nil {
		return nil, err
	}
	if err := r.build(params, &c); err != nil {
		r.handles.free()
		return nil, err
	}
	r.relay.setContext(context.Background())
	r.cleanup = runtime.AddCleanup(r, reducerHandles.free, r.handles)
	return r, nil
}

// build compares the parameters, broadcasts their values and makes the native reducer.
func (r *Reducer) build(params []*torch.Tensor, c *ReducerConfig) error {
	hs := torch.Handles(c.Op+"(params)", params, false)
	if !c.NoSync {
		if err := callReducer(c.Op, func(cx abi.Ctx) native.Status {
			return native.VerifyParams(cx, r.handles.rawRelay, hs)
		}, params...); err != nil {
			return err
		}
		if err := r.broadcastTensors(c.Op, c.copied(params), 0); err != nil {
			return err
		}
	}
	o := native.ReducerOptions{
		Params: hs, Sparse: c.Sparse, Names: c.Names, Cap: 25 * mebibyte, FirstCap: mebibyte,
		FindUnused: c.FindUnusedParameters, BucketView: c.GradientAsBucketView, StaticGraph: c.StaticGraph,
		SkipUnused: c.SkipAllReduceUnusedParams,
	}
	if o.Sparse == nil {
		o.Sparse = make([]bool, len(params))
	}
	for i := len(o.Names); i < len(params); i++ {
		o.Names = append(o.Names, c.paramName(i))
	}
	if c.BucketCap > 0 {
		o.Cap, o.FirstCap = c.BucketCap, c.BucketCap
	}
	switch {
	case len(c.BucketCaps) > 0:
		o.Caps, o.RebuildCaps = c.BucketCaps, c.BucketCaps
	case c.StaticGraph || !c.FindUnusedParameters:
		o.Caps = []int64{-1} // a single bucket, until the order of gradients is known
	case c.BucketCap > 0:
		o.Caps = []int64{o.Cap}
	default:
		o.Caps = []int64{o.FirstCap, o.Cap}
	}
	err := callReducer(c.Op, func(cx abi.Ctx) (st native.Status) {
		r.handles.reducer, st = native.NewReducer(cx, r.handles.rawRelay, &o)
		return st
	}, params...)
	if err != nil {
		return err
	}
	r.relay.start(r.handles.reducer)
	return r.handles.names.set(r.handles.reducer)
}
