package nn

import (
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// loader is one LoadStateDict. It checks everything before it copies.
type loader struct {
	op       string
	settings loadSettings
	path     string // of the source, for errors
	report   *LoadReport
	unturned bool // a Transpose pattern matches no name
	given    map[string]*torch.Tensor
	lazy     map[*torch.Tensor]*planned // placeholders in given for the tensors of a file
	made     map[*torch.Tensor]bool     // of the tensors of a state dict
	own      []stateTensor              // with their paths
	since    map[string]bool            // names that sources of older versions lack
	extra    []extraState
	post     []func(keys *IncompatibleKeys)
	copies   []loading
	problems []string
	kinds    []error
	casts    casts
}

type loading struct {
	to   stateTensor
	from *torch.Tensor
}

type loadingPair struct{ to, from *torch.Tensor }

type extraState struct {
	name string
	m    ExtraState
}

// load runs the load. It returns the source's errors; all other errors are panics.
func (l *loader) load(b *Base, src StateSource) error {
	sd, err := l.open(src)
	if err != nil {
		return err
	}
	l.gather(b, &sd, versionsOf(src))
	l.given = sd.Map()
	l.twice(sd)
	keys := &l.report.IncompatibleKeys
	keys.MissingKeys, keys.UnexpectedKeys = l.compare(sd)
	if l.settings.strict && len(l.post) == 0 {
		l.names(*keys)
	}
	l.unused()
	l.check()
	l.fail()
	if err := l.apply(); err != nil {
		return err
	}
	for _, run := range l.post {
		run(keys)
	}
	if l.settings.strict {
		l.names(*keys)
		l.fail()
	}
	return nil
}

// gather runs the hooks that may change the state dict and collects the tensors to
// load.
func (l *loader) gather(b *Base, sd *StateDict, version func(path string) int64) {
	var visit func(b *Base, path string)
	visit = func(b *Base, path string) {
		if h := b.states; h != nil {
			prefix := path
			if path != "" {
				prefix += "."
			}
			for _, hook := range h.loadPre {
				hook.state(b.self, sd, prefix)
			}
		}
		l.upgrade(b, path, sd, version)
		from := len(l.own)
		l.own = b.ownState(l.own)
		for i := range l.own[from:] {
			l.own[from+i].name = join(path, l.own[from+i].name)
		}
		if m, ok := b.self.(ExtraState); ok {
			l.extra = append(l.extra, extraState{join(path, extraStateName), m})
		}
		for _, c := range b.children {
			visit(c.Module.ModuleBase(), join(path, c.Name))
		}
		if h := b.states; h != nil {
			for _, hook := range h.loadPost {
				l.post = append(l.post, func(keys *IncompatibleKeys) { hook.loaded(b.self, keys) })
			}
		}
	}
	visit(b, "")
}

// compare returns the names that only one side has.
func (l *loader) compare(sd StateDict) (missing, unexpected []string) {
	var own []string
	for _, n := range l.own {
		own = append(own, n.name)
	}
	for _, x := range l.extra {
		own = append(own, x.name)
	}
	for _, name := range lacks(own, sd.Names()) {
		switch {
		case l.tie(name):
		case l.since[name] || matchAny(l.settings.allowed, name):
			l.report.Allowed = append(l.report.Allowed, name)
		default:
			missing = append(missing, name)
		}
	}
	return missing, lacks(sd.Names(), own)
}

func (l *loader) apply() error {
	extra, err := l.readExtra()
	defer func() {
		for _, t := range extra {
			_ = t.Close()
		}
	}()
	if err != nil {
		return err
	}
	switch {
	case l.settings.assign && len(l.lazy) > 0:
		err = l.takeLazy()
	case l.settings.assign:
		l.take()
	case len(l.lazy) > 0:
		err = l.copyLazy()
	default:
		l.copy()
	}
	if err != nil {
		return err
	}
	if l.report.Loaded == nil { // copyLazy has noted them
		for _, c := range l.copies {
			l.report.loaded(c.to.name)
		}
	}
	for _, x := range l.extra {
		if t, ok := l.given[x.name]; ok {
			if extra[t] != nil {
				t = extra[t]
			}
			x.m.SetExtraState(t)
		}
	}
	return nil
}

// take makes the module share the memory of the given tensors.
func (l *loader) take() {
	var old []*torch.Tensor
	put := map[loadingPair]*torch.Tensor{} // replacements of tensors that have several names
	for _, c := range l.copies {
		switch to, pair := c.to.tensor, (loadingPair{c.to.tensor, c.from}); {
		case c.from == to:
		case put[pair] != nil:
			c.to.b.put(c.to.e, put[pair])
		case (to.Device() == torch.Meta) == (c.from.Device() == torch.Meta):
			to.SetGrad(nil)
			to.SetData(c.from)
		default:
			t := torch.Disown(c.from.Detach())
			if own.IsParameter(to) {
				own.Parameter(t)
				t.SetRequiresGrad(to.RequiresGrad())
			}
			c.to.b.put(c.to.e, t)
			put[pair] = t
			old = append(old, to)
		}
	}
	for _, t := range old {
		_ = t.Close()
	}
}

// copy first does everything that allocates, so the module is unchanged if memory
// runs out.
func (l *loader) copy() {
	torch.NoGrad(func() {
		torch.Scope(func() {
			for i, c := range l.copies {
				l.copies[i].from = staged(c.to.tensor, c.from)
			}
			for _, c := range l.copies {
				copyInto(c.to.tensor, c.from)
			}
		})
	})
}

// staged returns src, or a copy if writing to dst could overwrite it or needs an
// intermediate tensor.
func staged(dst, src *torch.Tensor) *torch.Tensor {
	switch {
	case src == dst || src.Device() == torch.Meta || src.Layout() != torch.Strided:
	case src.Device() != dst.Device():
		if src.DType() != dst.DType() {
			src = src.To(dst.DType())
		}
		return src.Contiguous()
	case src.SharesStorage(dst) &&
		(src.StorageOffset() != dst.StorageOffset() || !slices.Equal(src.Stride(), dst.Stride())):
		return src.Clone()
	}
	return src
}

// copyInto overwrites dst outside the autograd graph.
func copyInto(dst, src *torch.Tensor) {
	const op = "Copy_(self, src)"
	d, s := dst.HandleFor(op, 0), src.HandleFor(op, 1)
	r := torch.BeginRaw(op, dst, src)
	r.Status(aten.Copy_(r.Ctx|abi.CtxNoGrad, d, s, false))
}
