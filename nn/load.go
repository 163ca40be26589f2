package nn

import (
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// loader holds the state of one LoadStateDict call, which checks everything before it
// copies.
type loader struct {
	op              string
	settings        loadSettings
	path            string // the source's path, for errors
	report          *LoadReport
	unusedTranspose bool // whether a Transpose pattern matches no name
	source          map[string]*torch.Tensor
	lazy            map[*torch.Tensor]*plannedTensor // for each placeholder in source, the tensor of the file to read
	toClose         map[*torch.Tensor]bool           // tensors made for the load; the method close frees them
	targets         []stateTensor                    // the module's tensors, with their paths
	mayBeMissing    map[string]bool                  // names that sources of older versions may lack
	extraStates     []extraState
	postHooks       []func(keys *IncompatibleKeys)
	copies          []transfer
	problems        []string
	problemKinds    []error
	casts           castCache
}

type transfer struct {
	to   stateTensor
	from *torch.Tensor
}

type transferPair struct{ to, from *torch.Tensor }

type extraState struct {
	name string
	m    ExtraState
}

// load does the work of LoadStateDict. It returns the source's errors; all other errors
// are panics.
func (l *loader) load(b *Base, src StateSource) error {
	sd, err := l.openSource(src)
	if err != nil {
		return err
	}
	l.collectTargets(b, &sd, versionsOf(src))
	l.source = sd.Map()
	l.reportDuplicates(sd)
	keys := &l.report.IncompatibleKeys
	keys.MissingKeys, keys.UnexpectedKeys = l.compareNames(sd)
	if l.settings.strict && len(l.postHooks) == 0 {
		l.reportNames(*keys)
	}
	l.reportUnused()
	l.matchTensors()
	l.mustHaveNoProblems()
	if err := l.apply(); err != nil {
		return err
	}
	for _, run := range l.postHooks {
		run(keys)
	}
	if l.settings.strict {
		l.reportNames(*keys)
		l.mustHaveNoProblems()
	}
	return nil
}

// collectTargets runs the hooks that may change the state dict and collects the tensors to
// load.
func (l *loader) collectTargets(b *Base, sd *StateDict, version func(path string) int64) {
	var visit func(b *Base, path string)
	visit = func(b *Base, path string) {
		if h := b.stateHooks; h != nil {
			prefix := path
			if path != "" {
				prefix += "."
			}
			for _, hook := range h.loadPre {
				hook.state(b.self, sd, prefix)
			}
		}
		l.upgrade(b, path, sd, version)
		from := len(l.targets)
		l.targets = b.appendState(l.targets)
		for i := range l.targets[from:] {
			l.targets[from+i].name = join(path, l.targets[from+i].name)
		}
		if m, ok := b.self.(ExtraState); ok {
			l.extraStates = append(l.extraStates, extraState{join(path, extraStateName), m})
		}
		for _, c := range b.children {
			visit(c.Module.ModuleBase(), join(path, c.Name))
		}
		if h := b.stateHooks; h != nil {
			for _, hook := range h.loadPost {
				l.postHooks = append(l.postHooks, func(keys *IncompatibleKeys) { hook.afterLoad(b.self, keys) })
			}
		}
	}
	visit(b, "")
}

// compareNames returns the names that only the module or only the source has.
func (l *loader) compareNames(sd StateDict) (missing, unexpected []string) {
	var own []string
	for _, n := range l.targets {
		own = append(own, n.name)
	}
	for _, x := range l.extraStates {
		own = append(own, x.name)
	}
	for _, name := range missingFrom(own, sd.Names()) {
		switch {
		case l.findTied(name):
		case l.mayBeMissing[name] || matchAny(l.settings.allowMissing, name):
			l.report.Allowed = append(l.report.Allowed, name)
		default:
			missing = append(missing, name)
		}
	}
	return missing, missingFrom(sd.Names(), own)
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
		err = l.assignLazy()
	case l.settings.assign:
		l.assign()
	case len(l.lazy) > 0:
		err = l.copyLazy()
	default:
		l.copyAll()
	}
	if err != nil {
		return err
	}
	// Record the loaded tensors, unless copyLazy has recorded them one by one.
	if l.report.Loaded == nil {
		for _, c := range l.copies {
			l.report.recordLoaded(c.to.name)
		}
	}
	for _, x := range l.extraStates {
		if t, ok := l.source[x.name]; ok {
			if extra[t] != nil {
				t = extra[t]
			}
			x.m.SetExtraState(t)
		}
	}
	return nil
}

// assign makes the module share the memory of the source's tensors.
func (l *loader) assign() {
	var old []*torch.Tensor
	// put holds the replacement for each pair of a tensor to replace and a source tensor.
	// A tensor with several names gets only one replacement.
	put := map[transferPair]*torch.Tensor{}
	for _, c := range l.copies {
		switch to, pair := c.to.tensor, (transferPair{c.to.tensor, c.from}); {
		case c.from == to:
		case put[pair] != nil:
			c.to.b.setEntry(c.to.e, put[pair])
		case (to.Device() == torch.Meta) == (c.from.Device() == torch.Meta):
			to.SetGrad(nil)
			to.SetData(c.from)
		default:
			t := torch.Disown(c.from.Detach())
			if own.IsParameter(to) {
				own.Parameter(t)
				t.SetRequiresGrad(to.RequiresGrad())
			}
			c.to.b.setEntry(c.to.e, t)
			put[pair] = t
			old = append(old, to)
		}
	}
	for _, t := range old {
		_ = t.Close()
	}
}

// copyAll first does everything that allocates, so the module is unchanged if memory
// runs out.
func (l *loader) copyAll() {
	torch.NoGrad(func() {
		torch.Scope(func() {
			for i, c := range l.copies {
				l.copies[i].from = stageSource(c.to.tensor, c.from)
			}
			for _, c := range l.copies {
				copyInto(c.to.tensor, c.from)
			}
		})
	})
}

// stageSource returns a tensor that copyInto can copy to dst without allocating: src,
// or a converted or contiguous copy. It also copies src if it overlaps dst, because the
// copy to dst would overwrite it.
func stageSource(dst, src *torch.Tensor) *torch.Tensor {
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

// copyInto copies src to dst without recording the copy in the autograd graph.
func copyInto(dst, src *torch.Tensor) {
	const op = "Copy_(self, src)"
	d, s := dst.HandleFor(op, 0), src.HandleFor(op, 1)
	r := torch.BeginRaw(op, dst, src)
	r.Status(aten.Copy_(r.Ctx|abi.CtxNoGrad, d, s, false))
}
