package nn

import (
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/torch"
)

// While a FunctionalCall runs, its goroutine has a turn, which means exclusive use of the
// modules whose tensors are replaced: other goroutines cannot use these modules.

// functionalCalls is the number of running FunctionalCalls. Each Forward checks it.
var functionalCalls atomic.Int32

var turns = struct {
	mu    sync.Mutex
	ended *sync.Cond
	of    map[*Base]*turn
}{of: map[*Base]*turn{}}

func init() { turns.ended = sync.NewCond(&turns.mu) }

type turn struct {
	goroutine uintptr
	depth     int // the number of FunctionalCalls of the goroutine that are running, one inside the other
}

// takeTurn waits until no other goroutine uses a module of the tree, and returns a
// function that ends this turn. A goroutine that already has a turn with other
// modules panics instead of waiting, since waiting could deadlock.
func (b *Base) takeTurn(op string) (end func()) {
	me := goroutine.ID()
	var tree []*Base
	b.walk(func(b *Base) { tree = append(tree, b) })
	turns.mu.Lock()
	defer turns.mu.Unlock()
	for hasOtherTurn(tree, me) {
		for _, t := range turns.of {
			if t.goroutine == me {
				panic(torch.NewError(op, torch.ErrValue, "m",
					"a FunctionalCall in another goroutine uses the module, and this goroutine cannot wait for it "+
						"inside a FunctionalCall of another module"))
			}
		}
		turns.ended.Wait()
	}
	for _, b := range tree {
		if turns.of[b] == nil {
			turns.of[b] = &turn{goroutine: me}
		}
		turns.of[b].depth++
	}
	functionalCalls.Add(1)
	return func() {
		turns.mu.Lock()
		defer turns.mu.Unlock()
		functionalCalls.Add(-1)
		for _, b := range tree {
			if turns.of[b].depth--; turns.of[b].depth == 0 {
				delete(turns.of, b)
			}
		}
		turns.ended.Broadcast()
	}
}

func hasOtherTurn(tree []*Base, me uintptr) bool {
	for _, b := range tree {
		if t := turns.of[b]; t != nil && t.goroutine != me {
			return true
		}
	}
	return false
}

// mustHaveTurn panics if another goroutine has its turn with the module.
func (b *Base) mustHaveTurn() {
	turns.mu.Lock()
	other := hasOtherTurn([]*Base{b}, goroutine.ID())
	turns.mu.Unlock()
	if other {
		panic(torch.NewError(b.TypeName(), torch.ErrValue, "receiver",
			"a FunctionalCall in another goroutine has replaced the module's parameters"))
	}
}
