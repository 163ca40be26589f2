package distributed

import (
	"encoding/json"
	"runtime"
	"strconv"
	"weak"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	inmemory "github.com/gotorch/gotorch/internal/native/named"
)

// The goroutines of a group refer to it weakly, so that the garbage collector can find
// and close a group that was dropped without Close.

// droppedGroup holds what must be freed when a group is dropped without Close.
type droppedGroup struct {
	raw              native.Group
	rank             int
	store, newsStore *Store // the stores that the group's watch uses
	ended            chan struct{}
	ownStore         *Store // nil if the program owns it
	object           inmemory.Object
}

// closeWhenCollected makes the garbage collector close the group.
func (g *ProcessGroup) closeWhenCollected() {
	g.object = inmemory.Made(inmemory.ProcessGroups)
	d := droppedGroup{
		object: g.object, raw: g.raw, rank: g.rank, store: g.watch.store, newsStore: g.watch.newsStore,
		ended: g.watch.ended,
	}
	if g.ownStore {
		d.ownStore = g.store
	}
	g.cleanup = runtime.AddCleanup(g, func(d droppedGroup) {
		native.Ending.Add(1)
		goRecovering(d.close, func(any) {})
	}, d)
}

// close does what Close does for an idle group. A group with pending calls is not collected,
// because they refer to it.
func (d droppedGroup) close() {
	defer native.Ending.Add(-1)
	rank := strconv.Itoa(d.rank)
	inTime(rollCallTime, func() {
		_ = d.store.Set(keyLeft+rank, []byte{1})
		_ = d.store.Set(keyKnows+rank, []byte{1})
		if d.newsStore != nil {
			text, _ := json.Marshal(news{Rank: -1}) // cannot fail for a struct of basic types
			_ = d.store.Set(keyWake+rank, text)
			<-d.ended
			_ = d.newsStore.Close()
		}
		_ = d.store.Close()
	})
	d.raw.Free()
	_ = d.ownStore.Close()
	d.object.Gone()
}

// goWeakly calls fn on a goroutine that does not keep the group alive.
func (g *ProcessGroup) goWeakly(fn func(group weak.Pointer[ProcessGroup])) {
	group := weak.Make(g)
	goRecovering(func() { fn(group) }, func(p any) {
		if g := group.Value(); g != nil {
			g.endBroken(p)
		}
	})
}
