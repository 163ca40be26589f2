package distributed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"weak"
)

// watch waits for the news that another rank has given up. It uses its own connection to
// the store. When a collective fails on one rank, that rank wakes the watches of all
// other ranks and checks which ranks answer. A rank that does not answer is gone. So
// every rank learns of the failure immediately, and learns which rank caused it, which
// Gloo does not report.
//
// File stores have no watch, since waiting for a key reads the file repeatedly.
type watch struct {
	g         *ProcessGroup
	store     *Store // for writing
	newsStore *Store // for waiting, or nil
	ended     chan struct{}

	isLeaving atomic.Bool // this rank is leaving

	mu         sync.Mutex
	rollCalled bool // a rank has asked all ranks to answer
	goneRanks  []int
	storeLost  bool // the store failed before the roll call ended
}

const (
	keyWake = "gotorch/wake/"
	keyHere = "gotorch/here/"
	// keyKnows is set by a rank that knows that the group is ending and will begin no
	// more calls. The other ranks close their connections only then: if a message is on
	// its way to a closing connection, Gloo loses track of it until the group's timeout.
	keyKnows = "gotorch/knows/"
	// rollCallTime is how long ranks have to answer a roll call.
	rollCallTime = 2 * time.Second
	// settleTime is how long Gloo's threads may take to start a collective that has begun.
	settleTime = 100 * time.Millisecond
	// longWait is longer than any rank waits for news.
	longWait = 24 * time.Hour
)

// news is what a rank tells the other ranks when it gives up.
type news struct {
	Rank int // the sender's rank in the group; -1 wakes the rank's own watch
	Text string
}

// startWatch starts the group's watch, which takes over the store.
func (g *ProcessGroup) startWatch(store *Store) {
	w := &watch{g: g, store: store, ended: make(chan struct{})}
	g.watch = w
	if len(g.ranks) > 1 && store.wakesWaiters {
		w.newsStore, _ = store.Clone() // without a clone, errors name no ranks
	}
	if w.newsStore == nil {
		close(w.ended)
		return
	}
	ears, key, ended := w.newsStore, keyWake+strconv.Itoa(g.rank), w.ended
	g.goWeakly(func(group weak.Pointer[ProcessGroup]) {
		defer close(ended)
		hearNews(group, ears, key)
	})
}

// stop announces that this rank leaves, and ends the watch. If the store's server is unreachable,
// stop returns and leaves this to the background.
func (w *watch) stop() {
	inTime(rollCallTime, func() {
		_ = w.setKey(keyLeft) // set keyLeft before the other ranks see the connections close
		w.announceEnd()
		if w.isLeaving.Store(true); w.newsStore != nil {
			w.send(w.g.rank, news{Rank: -1})
			<-w.ended
			_ = w.newsStore.Close()
		}
		_ = w.store.Close()
	})
}

// inTime calls fn and reports whether it returned within a limit. After the limit fn continues in
// the background. Native code waits for an unreachable server as long as the system keeps the
// connection, usually a quarter of an hour.
func inTime(limit time.Duration, fn func()) bool {
	returned := make(chan bool, 1)
	goRecovering(func() {
		fn()
		returned <- true
	}, func(any) { returned <- false })
	select {
	case well := <-returned:
		return well
	case <-time.After(limit):
		return false
	}
}

// setKey sets the key that consists of kind and this rank.
func (w *watch) setKey(kind string) error {
	return w.store.Set(kind+strconv.Itoa(w.g.rank), []byte{1})
}

// announceEnd announces that this rank will begin no more calls. It waits for the store.
func (w *watch) announceEnd() { _ = w.setKey(keyKnows) }

func (w *watch) send(to int, n news) bool {
	text, err := json.Marshal(n)
	return err == nil && w.store.Set(keyWake+strconv.Itoa(to), text) == nil
}

// hearNews waits for news of another rank, without keeping the group alive.
func hearNews(group weak.Pointer[ProcessGroup], ears *Store, key string) {
	for {
		// Without a context, because this wait needs no polling.
		text, err := ears.wait(key)
		var e *Error
		if errors.As(err, &e) && errors.Is(e.Kind, ErrTimeout) {
			continue
		}
		g := group.Value()
		if err != nil || g == nil {
			return // the group is gone, or the store is: it ended with rank 0 or with the launcher
		}
		if n, is := g.watch.readNews(text); is {
			g.watch.learnNews(n)
			return
		}
		_, err = ears.DeleteKey(key) // the value came from no rank, so delete it and wait again
		if err != nil || g.watch.isLeaving.Load() {
			return
		}
	}
}

// learnNews ends the group because another rank has given up.
func (w *watch) learnNews(n news) {
	settled := time.Now().Add(settleTime - w.g.holdNext())
	gone, there := w.roll()
	why := &Error{
		Op: "distributed.ProcessGroup", Kind: ErrPeer, Rank: w.g.rank, World: len(w.g.ranks),
		Ranks: w.globalRanks(gone),
	}
	why.Detail = fmt.Sprintf("rank %d gave up: %s", w.g.ranks[n.Rank], n.Text)
	switch {
	case !there && w.g.storeHost >= 0:
		why.Ranks = []int{w.g.storeHost}
	case len(gone) == 0:
		why.Ranks = []int{w.g.ranks[n.Rank]}
	}
	w.g.endGroup(why)
	if there {
		time.Sleep(time.Until(settled))
		w.announceEnd()
	}
}

// mostNews limits the text of an error that is sent to the other ranks. mostRecord limits the same
// text as JSON.
const (
	mostNews   = 4 << 10
	mostRecord = 8 * mostNews
)

// readNews parses news of another rank. It reports whether the news came from a Go rank, because
// anyone who can reach the store can write to it.
func (w *watch) readNews(text []byte) (n news, is bool) {
	if len(text) > mostRecord || json.Unmarshal(text, &n) != nil || n.Rank == w.g.rank ||
		!slices.Contains(w.g.goRanks, n.Rank) {
		return news{}, false
	}
	n.Text = printable(n.Text)
	return n, true
}

// printable returns the beginning of a text from another process for use in an error: one line
// without control characters.
func printable(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), mostNews)], "?")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// wait is Get without a context and without a time limit.
func (s *Store) wait(key string) ([]byte, error) {
	other := &Store{raw: s.raw, timeout: longWait} // do not close this store, because s owns the handle
	return other.Get(context.Background(), key)
}

// roll calls the roll, at most once per watch, and returns the ranks that do not answer. It reports
// whether the store was reachable.
func (w *watch) roll() ([]int, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.rollCalled {
		w.rollCalled = true
		w.goneRanks, w.storeLost = w.callRollInTime()
	}
	return w.goneRanks, !w.storeLost
}

// waitHeard waits, for a limited time, for the other ranks that are not gone. Each of them must
// know that a rank has given up and begin no more calls, or must have left.
func (w *watch) waitHeard() {
	w.mu.Lock()
	gone, lost := w.goneRanks, w.storeLost
	w.mu.Unlock()
	if w.newsStore == nil || lost {
		return
	}
	var keys []string
	for _, r := range w.g.goRanks {
		if r != w.g.rank && !slices.Contains(gone, r) {
			keys = append(keys, keyKnows+strconv.Itoa(r))
		}
	}
	if len(keys) == 0 {
		return
	}
	inTime(rollCallTime+time.Second, func() {
		_ = w.setKey(keyHere) // the other ranks may be checking which ranks answer
		ctx, cancel := context.WithTimeout(context.Background(), rollCallTime)
		defer cancel()
		_ = w.store.Wait(ctx, keys...)
	})
}

// callRollInTime is callRoll with a time limit.
func (w *watch) callRollInTime() (gone []int, lost bool) {
	var who []int
	there := false
	if !inTime(rollCallTime+time.Second, func() { who, there = w.callRoll() }) {
		return nil, true
	}
	return who, !there
}

// callRoll returns the ranks that do not answer, and whether the store was reachable.
func (w *watch) callRoll() (gone []int, there bool) {
	var keys []string
	for _, r := range w.g.goRanks {
		keys = append(keys, keyHere+strconv.Itoa(r))
	}
	if w.setKey(keyHere) != nil {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), rollCallTime)
	defer cancel()
	if w.store.Wait(ctx, keys...) == nil {
		return nil, true
	}
	for i, key := range keys {
		here, err := w.store.Check(key)
		if err != nil {
			return nil, false
		}
		if !here {
			gone = append(gone, w.g.goRanks[i])
		}
	}
	return gone, true
}

func (w *watch) globalRanks(ranks []int) []int {
	var all []int
	for _, r := range ranks {
		all = append(all, w.g.ranks[r])
	}
	return all
}

// addGoneRanks adds the ranks that are gone to an error of this rank.
func (w *watch) addGoneRanks(e *Error) {
	if w.newsStore == nil {
		return
	}
	gone, there := []int(nil), w.tellOthers(e)
	if there { // the store accepted the news, so the roll can be called
		gone, there = w.roll()
	}
	if !there {
		e.Detail += "; the store does not answer either"
		if h := w.g.storeHost; h >= 0 && h != w.g.globalRank {
			e.Ranks = []int{h}
			e.Detail += fmt.Sprintf(", and its server ran on rank %d", h)
		}
		return
	}
	w.announceEnd()
	gone = w.globalRanks(gone)
	e.Ranks = slices.Compact(slices.Sorted(slices.Values(append(gone, e.Ranks...))))
	if len(gone) > 0 && !errors.Is(e.Kind, ErrTimeout) {
		e.Kind = ErrPeer
	}
	if others := len(w.g.ranks) - len(w.g.goRanks); others > 0 && len(gone) == 0 {
		e.Detail += fmt.Sprintf("; %d ranks are not Go processes, and cannot report which ranks are gone", others)
	}
}

// tellOthers wakes the other ranks. It reports whether the store was reachable.
func (w *watch) tellOthers(e *Error) bool {
	if w.newsStore == nil {
		return true
	}
	w.mu.Lock()
	said := w.rollCalled
	w.mu.Unlock()
	if said {
		return true
	}
	text := printable(cmp.Or(e.Call, shortOp(e.Op)) + ": " + e.Kind.Error() + ": " + e.Detail)
	for _, r := range w.g.goRanks {
		if r != w.g.rank && !w.send(r, news{Rank: w.g.rank, Text: text}) {
			return false
		}
	}
	return true
}

func shortOp(op string) string { return op[strings.LastIndexByte(op, '.')+1:] }
