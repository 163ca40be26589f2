package retained

import (
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A container that a called function empties keeps nothing.

type episode struct {
	probs []*torch.Tensor
	byID  map[int]*torch.Tensor
	total *torch.Tensor
}

func (e *episode) setNil()  { e.probs = nil }
func (e *episode) shorten() { e.probs = e.probs[:0] }
func (e *episode) clears()  { clear(e.byID) }
func (e *episode) renew()   { *e = episode{} }
func (e *episode) outer()   { e.setNil() }
func (e *episode) record(p *torch.Tensor) {
	e.probs = append(e.probs, p)
}
func (e *episode) drain() {
	for id, p := range e.byID {
		_ = p.Close()
		delete(e.byID, id)
	}
}
func (e *episode) restart() {
	_ = e.total.Close()
	e.total = torch.Rand()
}
func (e *episode) backward() { e.total.Backward() }

func methods(n int, model nn.Layer, x *torch.Tensor) {
	var a, b, c, d, f episode
	for i := range n {
		p := model.Forward(x).Sum()
		p.Backward()
		a.probs = append(a.probs, p)
		b.probs = append(b.probs, p)
		c.byID[i] = p
		d.probs = append(d.probs, p)
		f.record(p)
		if i%20 == 19 {
			a.setNil()
			b.shorten()
			c.clears()
			d.renew()
			f.outer()
		}
	}
}

func drained(n int, model nn.Layer, x *torch.Tensor, e *episode) {
	for i := range n {
		p := model.Forward(x).Sum()
		p.Backward()
		e.byID[i] = p
		if i%20 == 19 {
			e.drain()
		}
	}
}

func totals(n int, model nn.Layer, x *torch.Tensor, e, f *episode) {
	total := torch.Rand()
	for i := range n {
		loss := model.Forward(x).Sum()
		loss.Backward()
		e.total = e.total.Add(loss)
		f.total.Add_(loss)
		total = total.Add(loss)
		if i%20 == 19 {
			e.restart()
			f.backward()
			apply(&total)
		}
	}
}

func apply(total **torch.Tensor) {
	(*total).Backward()
	*total = torch.Rand()
}

func flush(ls *[]*torch.Tensor) { *ls = (*ls)[:0] }

func byAddress(n int, model nn.Layer, x *torch.Tensor) {
	var ls, others []*torch.Tensor
	for i := range n {
		loss := model.Forward(x).Sum()
		loss.Backward()
		ls = append(ls, loss)
		others = append(others, loss) // want `appended in a training loop`
		if i%20 == 19 {
			flush(&ls)
		}
	}
}

func byClosure(n int, model nn.Layer, x *torch.Tensor) {
	var ls []*torch.Tensor
	empty := func() { ls = nil }
	for i := range n {
		loss := model.Forward(x).Sum()
		loss.Backward()
		ls = append(ls, loss)
		if i%20 == 19 {
			empty()
		}
	}
}

var recent, kept []*torch.Tensor

func remember(t *torch.Tensor) { recent = append(recent, t) }
func keep(t *torch.Tensor)     { kept = append(kept, t) }
func forget()                  { recent = nil }

func global(n int, model nn.Layer, x *torch.Tensor) {
	for i := range n {
		loss := model.Forward(x).Sum()
		loss.Backward()
		remember(loss)
		keep(loss) // want `keep keeps a tensor with a graph`
		if i%20 == 19 {
			forget()
		}
	}
}

// Code that is not analyzed may empty a container if it receives the address.
func unknown(n int, model nn.Layer, x *torch.Tensor, f func(*[]*torch.Tensor), done interface{ Done(*episode) }) {
	var ls, sorted []*torch.Tensor
	var e episode
	for range n {
		loss := model.Forward(x).Sum()
		loss.Backward()
		ls = append(ls, loss)
		e.probs = append(e.probs, loss)
		sorted = append(sorted, loss) // want `appended in a training loop`
		f(&ls)
		done.Done(&e)
		slices.Reverse(sorted)
	}
}

// Functions that leave the list alone do not count.
type journal struct{ losses []*torch.Tensor }

func (j *journal) record(p *torch.Tensor) { j.losses = append(j.losses, p) }
func (j *journal) mean() *torch.Tensor    { return torch.Stack(j.losses, 0).Sum() }
func (j *journal) log()                   { j.last() }
func (j *journal) last() *torch.Tensor    { return j.losses[len(j.losses)-1] }

func notEmptied(n int, model nn.Layer, x *torch.Tensor) {
	var e journal
	for range n {
		loss := model.Forward(x).Sum()
		loss.Backward()
		e.losses = append(e.losses, loss) // want `appended in a training loop`
		e.record(loss)                    // want `record keeps a tensor with a graph`
		e.mean()
		e.log()
	}
}

// The loop may be in the caller.
type run struct {
	model         nn.Layer
	x, total, sum *torch.Tensor
	flushed       *torch.Tensor
	number        int
}

func (r *run) step() {
	torch.Scope(func() {
		loss := r.model.Forward(r.x).Sum()
		loss.Backward()
		r.total = torch.Disown(r.total.Add(loss)) // want `added up across iterations`
		r.sum.Add_(loss)                          // want `added up across iterations`
		r.flushed.Add_(loss)
		r.number++
	})
}

func (r *run) flush() {
	r.flushed.Backward()
	r.flushed = torch.Rand()
}

func (r *run) train(n int) {
	for range n {
		r.step()
		if r.number%20 == 0 {
			r.flush()
		}
	}
}
