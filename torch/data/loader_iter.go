package data

import (
	"context"
	"runtime"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// Iter is one loop over a loader, step by step. Use it in code that cannot range over
// functions, or to get errors instead of panics:
//
//	it := loader.Iter()
//	defer it.Close()
//	for it.Next() {
//		batch := it.Batch()
//		...
//	}
//	if err := it.Err(); err != nil {
//		return err
//	}
//
// Each batch belongs to the Iter, which frees it at the next call of Next. Tensors that the
// body of the loop makes belong to the caller's scope or to the garbage collector: open a
// [torch.Scope] for each step. An Iter must not be used by several goroutines at once.
type Iter struct {
	r     *loaderRun
	batch Batch
	owned []*torch.Tensor
	err   error
}

// Iter begins an epoch. Call Close to end the loader's workers, even before the last
// batch. Iter panics with ErrNil for a loader that NewLoader did not make.
func (l *Loader) Iter() *Iter { return l.iterate(context.Background(), "Iter") }

// IterContext is Iter with a context: once ctx is done, Next returns false and Err
// returns ctx.Err(). It panics with ErrNil for a nil ctx.
func (l *Loader) IterContext(ctx context.Context) *Iter { return l.iterate(ctx, "IterContext") }

func (l *Loader) iterate(ctx context.Context, method string) *Iter {
	it := &Iter{r: l.begin(ctx, method)}
	runtime.AddCleanup(it, func(r *loaderRun) { go r.close() }, it.r)
	return it
}

// Next frees the previous batch and makes the next one. It returns false at the end of the
// epoch, after Close, and after an error, which the method Err returns.
//
// It panics with ErrNil for an Iter that [Loader.Iter] did not make.
func (it *Iter) Next() bool {
	it.mustBeBegun("Next")
	it.free()
	if it.r.closed {
		return false
	}
	if it.err = it.r.ctx.Err(); it.err != nil {
		it.end()
		return false
	}
	ok := false
	torch.Scope(func() {
		own.Mark(own.Step)
		if it.batch, ok, it.err = it.r.next(); ok {
			it.owned = it.batch.disown()
		}
	})
	if !ok {
		it.batch = Batch{}
		if it.err == nil && !it.r.ended {
			it.err = it.r.ctx.Err()
		}
		it.end()
	}
	return ok
}

// Batch returns the batch that Next made, or the zero Batch if there is none. The next
// call of Next or Close frees its tensors; use [torch.Tensor.Clone] to keep one longer.
func (it *Iter) Batch() Batch {
	it.mustBeBegun("Batch")
	return it.batch
}

// Err returns why Next returned false: nil at the end of the epoch and after Close, the
// error of the context, or the *torch.Error that a loop over [Loader.All] panics with.
func (it *Iter) Err() error {
	it.mustBeBegun("Err")
	return it.err
}

// mustBeBegun panics with ErrNil for an Iter that [Loader.Iter] did not make.
func (it *Iter) mustBeBegun(method string) {
	if it == nil || it.r == nil {
		panic(torch.NewError("data.Iter."+method, torch.ErrNil, "receiver", "the Iter was not made by Loader.Iter"))
	}
}

// Close frees the batch and ends the workers, as leaving a loop over [Loader.All] does.
// It always returns nil. It does nothing for a closed or nil Iter.
func (it *Iter) Close() error {
	if it == nil || it.r == nil {
		return nil
	}
	it.free()
	it.end()
	return nil
}

// end closes the loop. Meanwhile it keeps the Iter reachable: otherwise the Iter's cleanup could
// close the loop at the same time.
func (it *Iter) end() {
	it.r.close()
	runtime.KeepAlive(it)
}

func (it *Iter) free() {
	closeAll(it.owned)
	it.owned, it.batch = nil, Batch{}
}
