package nn

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// Upgrades of files that older versions of a layer saved, as in Python's
// _load_from_state_dict.

// versionedSource is a source that knows the versions of the layers it was saved from,
// "_metadata" in Python's state dicts. A StateDict has no versions, like a plain dict
// in Python.
type versionedSource interface {
	LayerVersion(path string) (version int64, ok bool)
}

// versionsOf returns a function that returns the version of the layer at a path, or 0
// if the source has none.
func versionsOf(src StateSource) func(path string) int64 {
	v, ok := src.(versionedSource)
	if !ok {
		return func(string) int64 { return 0 }
	}
	return func(path string) int64 {
		n, _ := v.LayerVersion(path)
		return n
	}
}

func (l *NormBase) norm() *NormBase { return l }

// upgrade converts the state dict of an older layer to the current version.
func (l *loader) upgrade(b *Base, path string, sd *StateDict, version func(path string) int64) {
	m, ok := b.self.(interface{ norm() *NormBase })
	if !ok {
		return
	}
	v, stats := version(path), m.norm().TrackRunningStats
	if v < 2 && stats {
		l.allowMissingCount(m.norm(), join(path, "num_batches_tracked"), sd)
	}
	if _, instance := b.self.(interface{ instanceNorm() }); v < 1 && !stats && instance {
		for _, name := range []string{join(path, "running_mean"), join(path, "running_var")} {
			i := slices.IndexFunc(*sd, func(n NamedTensor) bool { return n.Name == name })
			if i < 0 {
				continue
			}
			l.addProblem(torch.ErrValue,
				"%s is a running statistic, which the %s does not track: leave it out with Ignore, or make the "+
					"layer with TrackRunningStats(true)", name, b.TypeName())
			*sd = slices.Delete(*sd, i, i+1)
		}
	}
}

// allowMissingCount lets num_batches_tracked be missing. The count keeps its value, or
// becomes 0 if it is on the meta device.
func (l *loader) allowMissingCount(m *NormBase, name string, sd *StateDict) {
	if l.mayBeMissing == nil {
		l.mayBeMissing = map[string]bool{}
	}
	l.mayBeMissing[name] = true
	if n := m.NumBatchesTracked; n == nil || n.IsClosed() || n.Device() != torch.Meta || sd.Get(name) != nil {
		return
	}
	on := torch.CPU
	if l.settings.device != 0 {
		on = l.settings.device
	}
	*sd = append(*sd, NamedTensor{name, l.closeLater(torch.Zeros(torch.Shape{}, torch.Int64, on))})
}

// closeLater returns t and makes the loader's close method close it.
func (l *loader) closeLater(t *torch.Tensor) *torch.Tensor {
	if l.toClose == nil {
		l.toClose = map[*torch.Tensor]bool{}
	}
	l.toClose[torch.Disown(t)] = true
	return t
}

// addScalar converts a tensor of shape (1), in which PyTorch 0.3 saved single numbers,
// to shape (). It returns false if a [Concat] rule made t.
func (l *loader) addScalar(own stateTensor, t *torch.Tensor) bool {
	if e := l.lazy[t]; e != nil {
		if e.isJoined {
			return false
		}
		e.isScalar = true
		l.addTransfer(own, t)
		return true
	}
	torch.NoGrad(func() { l.addTransfer(own, l.closeLater(t.Select(0, 0))) })
	return true
}

// sameMemory reports whether a and b are views of the same elements.
func sameMemory(a, b *torch.Tensor) bool {
	return !a.IsClosed() && !b.IsClosed() && a.Layout() == torch.Strided && b.Layout() == torch.Strided &&
		a.DType() == b.DType() &&
		a.Numel() > 0 && a.Device() != torch.Meta && a.SharesStorage(b) && a.StorageOffset() == b.StorageOffset() &&
		a.Shape().Equal(b.Shape()) && slices.Equal(a.Stride(), b.Stride())
}
