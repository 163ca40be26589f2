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

// dropped holds what must be freed of such a group.
type dropped struct {
	raw         native.Group
	rank        int
	store, ears *Store // of the watch
	ended       chan struct{}
	own         *Store // nil if the program owns it
	object      inmemory.Object
}

// collected makes the garbage collector close the group.
func (g *ProcessGroup) collected() {
	g.object = inmemory.Made(inmemory.ProcessGroups)
	d := dropped{
		object: g.object, raw: g.raw, rank: g.rank, store: g.watch.store, ears: g.watch.ears,
		ended: g.watch.ended,
	}
	if g.ownStore {
		d.own = g.store
	}
	g.cleanup = runtime.AddCleanup(g, func(d dropped) {
		native.Ending.Add(1)
		beside(d.close, func(any) {})
	}, d)
}

// close does the same as Close for an idle group; pending calls keep the group alive.
func (d dropped) close() {
	defer native.Ending.Add(-1)
	rank := strconv.Itoa(d.rank)
	inTime(patience, func() {
		_ = d.store.Set(keyLeft+rank, []byte{1})
		_ = d.store.Set(keyKnows+rank, []byte{1})
		if d.ears != nil {
			text, _ := json.Marshal(news{Rank: -1}) // it always can
			_ = d.store.Set(keyWake+rank, text)
			<-d.ended
			_ = d.ears.Close()
		}
		_ = d.store.Close()
	})
	d.raw.Free()
	_ = d.own.Close()
	d.object.Gone()
}

// weakly calls fn on a goroutine that does not keep the group alive.
func (g *ProcessGroup) weakly(fn func(group weak.Pointer[ProcessGroup])) {
	group := weak.Make(g)
	beside(func() { fn(group) }, func(p any) {
		if g := group.Value(); g != nil {
			g.broken(p)
		}
	})
}
