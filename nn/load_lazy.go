package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A source that is read during the load is first represented by a state dict of tensors
// on the meta device. Hooks see this state dict and may rename and remove entries, and
// all checks apply to it.

// openSource returns the source as a state dict with the module's names.
func (l *loader) openSource(src StateSource) (StateDict, error) {
	given, ready := src.(StateDict)
	if ready && !l.settings.changesNames() {
		sd := make(StateDict, len(given)) // hooks may change it
		for i, n := range given {
			sd[i] = n
			l.report.recordSource(n.Name, []string{n.Name})
		}
		return sd, nil
	}
	if ready {
		src = newIndexedState(given)
	}
	plan := newLoadPlan(l.op, src, &l.settings)
	l.report.Ignored = plan.ignored
	l.report.Unused, l.unusedTranspose = l.settings.unusedPatterns(src.Names())
	for _, text := range plan.problems {
		l.addProblem(torch.ErrValue, "%s", text)
	}
	l.mustHaveNoProblems()
	if !ready {
		l.lazy = map[*torch.Tensor]*plannedTensor{}
	}
	sd := make(StateDict, len(plan.tensors))
	for i, e := range plan.tensors {
		t, err := l.newPlaceholder(e, ready)
		if err != nil {
			return nil, err
		}
		sd[i] = NamedTensor{e.name, t}
		l.report.recordSource(e.name, e.from)
	}
	return sd, nil
}

// newPlaceholder returns a placeholder for e, which is read from the file later. If ready
// is true, the source is a state dict, and newPlaceholder reads e immediately, because e
// may share memory with the module.
func (l *loader) newPlaceholder(e *plannedTensor, ready bool) (t *torch.Tensor, err error) {
	if !ready {
		if t, err = e.describeMeta(); err == nil {
			l.lazy[t] = e
		}
		return t, err
	}
	if t, err = l.read(e); err != nil {
		return nil, err
	}
	if own, _ := e.plan.src.Tensor(e.from[0]); t != own {
		l.closeLater(t)
	}
	return t, nil
}

func (l *loader) close() {
	for t := range l.lazy {
		_ = t.Close()
	}
	for t := range l.toClose {
		_ = t.Close()
	}
}

// findTied finds another name for a shared tensor that the source stores once: safetensors
// files save tied weights under one name. Follows safetensors' load_model.
func (l *loader) findTied(name string) bool {
	for _, n := range l.targets {
		if n.name != name {
			continue
		}
		for _, other := range l.targets {
			if t := l.source[other.name]; t != nil && (other.tensor == n.tensor || sameMemory(other.tensor, n.tensor)) {
				l.source[name] = t
				l.report.recordSource(name, l.report.sources[other.name])
				return true
			}
		}
	}
	return false
}

func (l *loader) copyLazy() (err error) {
	done := map[*torch.Tensor]*torch.Tensor{}
	for i, c := range l.copies {
		if done[c.to.tensor] != c.from {
			torch.NoGrad(func() {
				torch.Scope(func() {
					if panicked := torch.Try(func() { err = l.copyOne(c) }); panicked != nil {
						err = panicked
					}
				})
			})
		}
		if err != nil {
			return fmt.Errorf("torch: %s: %s, after %d of %d tensors were loaded: %w", l.op, c.to.name, i,
				len(l.copies), err)
		}
		done[c.to.tensor] = c.from
		l.report.recordLoaded(c.to.name)
	}
	return nil
}

func (l *loader) copyOne(c transfer) error {
	to := c.to.tensor
	e := l.lazy[c.from]
	if e == nil {
		copyInto(to, stageSource(to, c.from))
		return nil
	}
	at := int64(0)
	for _, from := range e.from {
		var err error
		torch.Scope(func() {
			var part *torch.Tensor
			if part, err = e.readPart(from, e.plan.src.Tensor); err != nil {
				return
			}
			place := to
			if e.isJoined {
				place = to.Detach().Narrow(e.dim, at, part.Size(e.dim))
				at += part.Size(e.dim)
			}
			copyInto(place, stageSource(place, part))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// assignLazy reads all tensors and then assigns them to the module.
func (l *loader) assignLazy() (err error) {
	torch.Scope(func() {
		read := map[*torch.Tensor]*torch.Tensor{}
		for i, c := range l.copies {
			e := l.lazy[c.from]
			if e == nil {
				continue
			}
			if read[c.from] == nil {
				if read[c.from], err = l.read(e); err != nil {
					err = fmt.Errorf("torch: %s: %s: %w", l.op, c.to.name, err)
					return
				}
			}
			l.copies[i].from = read[c.from]
		}
		l.assign()
	})
	return err
}

// read reads a tensor and converts it to the form that the module needs.
func (l *loader) read(e *plannedTensor) (t *torch.Tensor, err error) {
	torch.NoGrad(func() {
		t = torch.Tidy(func() *torch.Tensor {
			t, err = e.assemble(e.plan.src.Tensor)
			return t
		})
	})
	return t, err
}

// readExtra reads a file's extra states before the module changes. They are copies,
// since the originals may belong to the source.
func (l *loader) readExtra() (extra map[*torch.Tensor]*torch.Tensor, err error) {
	extra = map[*torch.Tensor]*torch.Tensor{}
	for _, x := range l.extraStates {
		stands := l.source[x.name]
		e := l.lazy[stands]
		if e == nil {
			continue
		}
		torch.NoGrad(func() {
			torch.Scope(func() {
				var t *torch.Tensor
				if t, err = e.assemble(e.plan.src.Tensor); err == nil {
					extra[stands] = torch.Disown(t.Clone())
				}
			})
		})
		if err != nil {
			return extra, fmt.Errorf("torch: %s: %s: %w", l.op, x.name, err)
		}
	}
	return extra, nil
}
