package growing

import (
	"bufio"
	"fmt"
	"os"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// A list that is also read still grows, in a loop that trains, has no end, or has many
// steps.
func trains(model *nn.Linear, x *torch.Tensor, n int) {
	var seen []*torch.Tensor
	var weights []nn.StateDict
	for range n {
		loss := model.Forward(x).Sum()
		loss.Backward()
		seen = append(seen, loss.Detach())                   // want `seen grows without bound`
		weights = append(weights, model.StateDict().Clone()) // want `weights grows without bound`
		fmt.Println(seen[0].Item())
	}
	fmt.Println(weights[n-1].Clone())
}

func endless(model nn.Layer, jobs chan *torch.Tensor) {
	var outs []*torch.Tensor
	var opts []*optim.SGD
	var models []nn.Module
	for {
		x := <-jobs
		outs = append(outs, model.Forward(x))       // want `outs grows without bound`
		opts = append(opts, optim.NewSGD(nil))      // want `opts grows without bound`
		models = append(models, nn.NewLinear(1, 1)) // want `models grows without bound`
		fmt.Println(outs[len(outs)/2].Item(), opts[0], models[0])
	}
}

func search(model nn.Layer, x *torch.Tensor, good func(*torch.Tensor) bool) *torch.Tensor {
	var tokens []*torch.Tensor
	for {
		x = model.Forward(x)
		tokens = append(tokens, x) // until the end is found
		if good(x) {
			break
		}
	}
	return torch.Stack(tokens, 0)
}

func collects(model nn.Layer, loader *data.Loader) *torch.Tensor {
	var outs []*torch.Tensor
	for batch := range loader.All() {
		outs = append(outs, torch.Disown(model.Forward(batch.Input)))
	}
	return torch.Stack(outs, 0)
}

// Creating the models of a cross-validation is the purpose of the loop.
func folds(k int, x *torch.Tensor) float64 {
	var models []*nn.Linear
	for range k {
		m := nn.NewLinear(1, 1)
		for range 1000 {
			m.Forward(x).Sum().Backward()
		}
		models = append(models, m)
	}
	sum := 0.0
	for _, m := range models {
		sum += m.Forward(x).Sum().Item()
	}
	return sum
}

func bounded(model nn.Layer, x *torch.Tensor) {
	var pool, window, stack, every []*torch.Tensor
	for i := 0; ; i++ {
		y := model.Forward(x)
		if len(pool) < 50 {
			pool = append(pool, y)
		} else {
			pool[i%50] = y
		}
		window = append(window, y)
		if len(window) > 8 {
			window = window[1:]
		}
		if len(stack) == 100 {
			continue
		}
		stack = append(stack, y)
		every = append(every, y)
		if i%100 == 0 {
			fmt.Println(torch.Stack(every, 0).Item(), pool[0].Item(), window[0].Item(), stack[0].Item())
			every = nil
		}
	}
}

type server struct {
	model   nn.Layer
	vectors map[string]*torch.Tensor
	kinds   map[string]*torch.Tensor
	lru     map[string]*torch.Tensor
	graphs  map[int64]*torch.Graph
}

func (s *server) answers() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		text := in.Text()
		v, ok := s.vectors[text]
		if !ok {
			v = s.model.Forward(torch.Rand())
			s.vectors[text] = v // want `vectors grows without bound`
		}
		kind := "short"
		if len(text) > 100 {
			kind = "long"
		}
		s.kinds[kind] = s.model.Forward(v)
		if len(s.lru) > 1000 {
			clear(s.lru)
		}
		s.lru[text] = s.model.Forward(v)
		fmt.Println(s.kinds[kind].Item(), s.lru[text].Item())
	}
}

func (s *server) lines() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		x := torch.Rand(int64(len(in.Text())))
		g := s.graphs[x.Size(0)]
		if g == nil {
			g = torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{s.model.Forward(x)} })
			s.graphs[x.Size(0)] = g // want `graphs grows without bound`
		}
		g.Call(x)
	}
}

// A file has an end.
func vectors(path string) map[string]*torch.Tensor {
	f, _ := os.Open(path)
	in := bufio.NewScanner(f)
	all := map[string]*torch.Tensor{}
	for in.Scan() {
		all[in.Text()] = torch.Rand(3)
	}
	return all
}

// Each epoch uses the same example numbers.
type dataset struct{ examples map[int]*torch.Tensor }

func (d *dataset) get(i int) *torch.Tensor {
	x := d.examples[i]
	if x == nil {
		x = torch.Disown(torch.Rand(3))
		d.examples[i] = x
	}
	return x
}

func epochs(d *dataset, model nn.Layer) {
	for range 100 {
		for i := range 5000 {
			model.Forward(d.get(i)).Sum().Backward()
		}
	}
}

// A different method empties the stack.
type pile []*torch.Tensor

func (p *pile) push(t *torch.Tensor) { *p = append(*p, t) }

func (p *pile) pop() *torch.Tensor {
	t := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return t
}

type heap []*torch.Tensor

func (h *heap) push(t *torch.Tensor) {
	*h = append(*h, t) // want `h grows without bound`
}

func (h heap) top() *torch.Tensor { return h[0] }

func uses(model nn.Layer, x *torch.Tensor) {
	var p pile
	var h heap
	for {
		p.push(model.Forward(x))
		fmt.Println(p.pop().Item())
		h.push(model.Forward(x))
		fmt.Println(h.top().Item())
		var own heap
		own.push(model.Forward(x))
	}
}

func into(out *[]*torch.Tensor, y *torch.Tensor) {
	*out = append(*out, y)
}

func perRequest(model nn.Layer, requests chan []*torch.Tensor) {
	for xs := range requests {
		var answers []*torch.Tensor
		for _, x := range xs {
			into(&answers, model.Forward(x))
		}
		fmt.Println(torch.Stack(answers, 0).Item())
	}
}

func hooked(model *nn.Linear, x *torch.Tensor) {
	var features, once []*torch.Tensor
	model.RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
		once = append(once, out[0])
		return nil
	})
	model.Forward(x)
	other := nn.NewLinear(1, 1)
	h := other.RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
		features = append(features, torch.Disown(out[0].Detach())) // want `features grows without bound`
		return nil
	})
	defer h.Remove()
	for range 100000 {
		fmt.Println(features[0].Item())
		other.Forward(x)
	}
}

// A cache grows if an endless loop concatenates to it. A cache that belongs to one
// request, or is cut, does not grow.
func cache(model nn.Layer, x *torch.Tensor, n int64) {
	keys, window := torch.Rand(), torch.Rand()
	for {
		own := torch.Rand()
		for range n {
			own = torch.Cat([]*torch.Tensor{own, model.Forward(x)}, 1)
		}
		keys = torch.Cat([]*torch.Tensor{keys, model.Forward(x)}, 1) // want `keys gets longer`
		window = torch.Cat([]*torch.Tensor{window, model.Forward(x)}, 1)
		if window.Size(1) > n {
			window = window.Narrow(1, 1, n)
		}
		fmt.Println(own.Item(), keys.Item(), window.Item())
	}
}

// A receiver takes the tensors out of the channels.
func sends(model nn.Layer, x *torch.Tensor) {
	ch := make(chan *torch.Tensor, 4)
	go func() {
		for y := range ch {
			fmt.Println(y.Item())
		}
	}()
	for {
		ch <- model.Forward(x)
	}
}

type hard struct{ batches []data.Batch }

func (h *hard) look(b data.Batch) {
	h.batches = append(h.batches, b) // want `freed at the end of the step`
}

func mines(loader *data.Loader) {
	h := &hard{}
	for batch := range loader.All() {
		h.look(batch)
	}
	for _, b := range h.batches {
		fmt.Println(b.Input.Item())
	}
}

// Copies of parameters in a list of lists, and optimizers that were replaced.
type restarts struct {
	past [][]*torch.Tensor
	old  []optim.Optimizer
	cur  *optim.SGD
}

func (r *restarts) step(m *nn.Linear) {
	var copies []*torch.Tensor
	for _, p := range m.Parameters() {
		copies = append(copies, p.Detach().Clone())
	}
	r.past = append(r.past, copies) // want `past grows without bound`
	r.old = append(r.old, r.cur)    // want `old grows without bound`
	r.cur = optim.NewSGD(nil)
}

func runs(r *restarts, m *nn.Linear) {
	for {
		r.step(m)
		fmt.Println(r.past[0], r.old[0])
	}
}
