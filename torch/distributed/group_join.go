package distributed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
	"weak"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
)

// join connects a group, whose fields are set except for raw, within a time limit.
func (g *ProcessGroup) join(ctx context.Context, op string, left time.Duration) error {
	left, err := timeLimit(ctx, op, max(left, time.Millisecond))
	if err != nil {
		return err
	}
	until := time.Now().Add(left)
	own, err := NewPrefixStore(g.name+"/", g.store)
	if err != nil {
		return err
	}
	if err := g.introduce(op, own); err != nil {
		g.linger(ctx, err)
		_ = own.Close()
		return err
	}
	connecting, end := g.withoutOddSize(ctx, op, own)
	err = g.connectGloo(connecting, op, left)
	if differ := end(); differ != nil && err != nil {
		err = differ
	}
	if err == nil {
		own.timeout = max(time.Until(until), time.Millisecond)
		err = g.finishJoin(ctx, op, own)
		own.timeout = g.timeout
	}
	if err != nil {
		err = g.addMissingRanks(err, own)
		g.linger(ctx, err)
		_ = own.Close()
		return err
	}
	g.pending = map[native.Work]*interrupt{}
	g.done = make(chan struct{})
	g.startWatch(own)
	if len(g.ranks) > 1 && !native.LazyGloo() {
		over := g.done
		g.goWeakly(func(group weak.Pointer[ProcessGroup]) { watchConnections(group, over) })
	}
	g.closeWhenCollected()
	return nil
}

// connectGloo connects the group to the other ranks with Gloo.
func (g *ProcessGroup) connectGloo(ctx context.Context, op string, left time.Duration) error {
	interfaces := g.interfaces
	if interfaces == "" {
		interfaces = os.Getenv("GLOO_SOCKET_IFNAME")
	}
	return g.store.withHandle(op, func(raw native.Store) error {
		// Native code may still use the store after the context has ended and the store is closed.
		// Keep the store alive until then.
		keep, st := native.NewPrefixStore("", raw)
		if err := storeError(op, st); err != nil {
			return err
		}
		var group native.Group
		err := abandonableFor(ctx, left, op, func() error {
			defer keep.Free()
			var st native.Status
			group, st = native.NewGloo(raw, g.rank, len(g.ranks), left.Milliseconds(), interfaces, g.name)
			return statusError(op, st)
		}, func() { group.Free() })
		if err == nil {
			g.raw = group
			return nil
		}
		return g.asGroupError(err, op)
	})
}

// addMissingRanks adds the missing ranks to a timeout error. If some ranks have a
// different group size, it returns an error about that instead. Python ranks do not write
// their keys, so they are listed as missing.
func (g *ProcessGroup) addMissingRanks(err error, own *Store) error {
	var e *Error
	if !errors.As(err, &e) || !errors.Is(e.Kind, ErrTimeout) {
		return err
	}
	if differ := g.oddSizeError(e.Op, own); differ != nil {
		return differ
	}
	for r, global := range g.ranks {
		if here, err := own.Check(keyRank + strconv.Itoa(r)); err != nil {
			return e // the store does not answer
		} else if !here {
			e.Ranks = append(e.Ranks, global)
		}
	}
	if len(e.Ranks) > 0 {
		e.Detail += fmt.Sprintf("; of %d ranks, these have not joined or are Python processes: %s", len(g.ranks),
			formatRanks(e.Ranks))
	}
	return e
}

// finishJoin completes the join once the ranks are connected. If it fails, it disconnects them.
func (g *ProcessGroup) finishJoin(ctx context.Context, op string, own *Store) (err error) {
	defer func() {
		if err == nil {
			return
		}
		raw := g.raw
		g.raw = 0
		go func() {
			raw.Abort()
			raw.Free()
		}()
	}()
	if g.backend == NCCL {
		err := g.store.withHandle(op, func(raw native.Store) error {
			return statusError(op, g.raw.AddNCCL(raw, min(g.timeout, longestWait).Milliseconds(), g.name))
		})
		if err != nil {
			return g.asGroupError(err, op)
		}
	}
	// Replaces the timeout for joining.
	_ = statusError(op, g.raw.SetTimeout(min(g.timeout, longestWait).Milliseconds()))
	return g.findGoRanks(ctx, op, own)
}

// asGroupError returns err as an *Error of this group's operation op.
func (g *ProcessGroup) asGroupError(err error, op string) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Kind: ErrNetwork, Err: err, Detail: err.Error()}
	}
	e.Op, e.Rank, e.World = op, g.rank, len(g.ranks)
	return e
}

// withOp replaces the operation, rank and number of ranks in an *Error.
func withOp(err error, op string, rank, world int) error {
	var e *Error
	if errors.As(err, &e) {
		e.Op, e.Rank, e.World = op, rank, world
	}
	return err
}

const keyRank = "gotorch/rank/"

// introduce announces in the store that this rank is a Go process, before other ranks can
// connect to it. It fails if another process has the same rank, or if the group sizes
// differ: a rank with a different group size would never connect.
func (g *ProcessGroup) introduce(op string, own *Store) error {
	n, err := own.Add(keyRank+strconv.Itoa(g.rank)+"/n", 1)
	if err != nil {
		return g.asGroupError(err, op)
	}
	if g.storeIsUsed {
		for _, key := range []string{keyWake, keyHere, keyLeft} {
			if _, err := own.DeleteKey(key + strconv.Itoa(g.rank)); err != nil {
				return g.asGroupError(err, op)
			}
		}
	} else if n > 1 {
		return &Error{
			Op: op, Kind: ErrInUse, Rank: g.rank, World: len(g.ranks), Ranks: []int{g.globalRank},
			Detail: "another process has this rank",
		}
	}
	if err := g.checkSize(op, own); err != nil {
		return err
	}
	check := "0"
	if g.wantsCallCheck && !native.Detail() {
		check = "1"
	}
	if err := own.Set(keyRank+strconv.Itoa(g.rank), []byte(check)); err != nil {
		return g.asGroupError(err, op)
	}
	return nil
}

// findGoRanks determines which ranks are Go processes, once all ranks are connected and have
// introduced themselves.
func (g *ProcessGroup) findGoRanks(ctx context.Context, op string, own *Store) error {
	// With lazy connections, joining does not wait for the other ranks, so it is unknown which are
	// Go processes.
	if native.LazyGloo() {
		g.goRanks = []int{g.rank}
		return nil
	}
	g.checksCalls = len(g.ranks) > 1
	for r := range g.ranks {
		key := keyRank + strconv.Itoa(r)
		is, err := own.Check(key)
		if err != nil {
			return g.asGroupError(err, op)
		}
		if !is {
			g.checksCalls = false
			continue
		}
		g.goRanks = append(g.goRanks, r)
		check, err := own.Get(context.Background(), key)
		if err != nil {
			return g.asGroupError(err, op)
		}
		g.checksCalls = g.checksCalls && string(check) == "1"
	}
	g.allGo = len(g.goRanks) == len(g.ranks)
	return g.waitSettled(ctx, op, own)
}

// waitSettled waits until all Go ranks have connected. A rank that closed its group earlier would
// break the connections of the others.
func (g *ProcessGroup) waitSettled(ctx context.Context, op string, own *Store) error {
	n, err := own.Add("gotorch/joined", 1)
	if err == nil && n == int64(len(g.goRanks)) {
		err = own.Set("gotorch/settled", []byte{1})
	}
	if err == nil {
		err = own.Wait(ctx, "gotorch/settled")
	}
	if err != nil {
		return g.asGroupError(err, op)
	}
	return nil
}
