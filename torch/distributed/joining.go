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

// join connects a group, of which everything but raw is set, within a time limit.
func (g *ProcessGroup) join(ctx context.Context, op string, left time.Duration) error {
	left, err := within(ctx, op, max(left, time.Millisecond))
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
	interfaces := g.interfaces
	if interfaces == "" {
		interfaces = os.Getenv("GLOO_SOCKET_IFNAME")
	}
	alike, end := g.unlessOdd(ctx, op, own)
	err = g.store.use(op, func(raw native.Store) *Error {
		// Native code may wait longer than the context, and so longer than the store is
		// open. Keep the store alive until then.
		keep, st := native.NewPrefixStore("", raw)
		if err := storeFailure(op, st); err != nil {
			return err
		}
		var group native.Group
		err := apartFor(alike, left, op, func() *Error {
			defer keep.Free()
			var st native.Status
			group, st = native.NewGloo(raw, g.rank, len(g.ranks), left.Milliseconds(), interfaces, g.name)
			return failure(op, st)
		}, func() { group.Free() })
		if err == nil {
			g.raw = group
			return nil
		}
		return g.say(err, op)
	})
	if differ := end(); differ != nil && err != nil {
		err = differ
	}
	if err == nil {
		own.timeout = max(time.Until(until), time.Millisecond)
		err = g.complete(ctx, op, own)
		own.timeout = g.timeout
	}
	if err != nil {
		err = g.missing(err, own)
		g.linger(ctx, err)
		_ = own.Close()
		return err
	}
	g.pending = map[native.Work]*interrupt{}
	g.over = make(chan struct{})
	g.startWatch(own)
	if len(g.ranks) > 1 && !native.LazyGloo() {
		over := g.over
		g.weakly(func(group weak.Pointer[ProcessGroup]) { pulse(group, over) })
	}
	g.collected()
	return nil
}

// missing adds the missing ranks to a timeout error, or says that some ranks have another
// group size. Python ranks do not announce themselves.
func (g *ProcessGroup) missing(err error, own *Store) error {
	var e *Error
	if !errors.As(err, &e) || !errors.Is(e.Kind, ErrTimeout) {
		return err
	}
	if differ := g.odd(e.Op, own); differ != nil {
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
		e.Detail += fmt.Sprintf("; of %d ranks these have not joined, or are Python's: %s", len(g.ranks),
			numbers(e.Ranks))
	}
	return e
}

// complete does the rest once the ranks are connected. If it fails it disconnects them.
func (g *ProcessGroup) complete(ctx context.Context, op string, own *Store) (err error) {
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
		err := g.store.use(op, func(raw native.Store) *Error {
			return failure(op, g.raw.AddNCCL(raw, min(g.timeout, forever).Milliseconds(), g.name))
		})
		if err != nil {
			return g.say(err, op)
		}
	}
	_ = failure(op, g.raw.SetTimeout(min(g.timeout, forever).Milliseconds())) // the context's was for joining
	return g.meet(ctx, op, own)
}

// say returns an error as one of the group's.
func (g *ProcessGroup) say(err error, op string) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Kind: ErrNetwork, Err: err, Detail: err.Error()}
	}
	e.Op, e.Rank, e.World = op, g.rank, len(g.ranks)
	return e
}

// called returns an error of a part as one of op.
func called(err error, op string, rank, world int) error {
	var e *Error
	if errors.As(err, &e) {
		e.Op, e.Rank, e.World = op, rank, world
	}
	return err
}

const keyRank = "gotorch/rank/"

// introduce tells the others that this rank is Go's, before they can connect to it. If the
// rank is already taken, another process has the same number. A rank with another group
// size would never connect.
func (g *ProcessGroup) introduce(op string, own *Store) error {
	n, err := own.Add(keyRank+strconv.Itoa(g.rank)+"/n", 1)
	if err != nil {
		return g.say(err, op)
	}
	if g.used {
		for _, key := range []string{keyWake, keyHere, keyLeft} {
			if _, err := own.DeleteKey(key + strconv.Itoa(g.rank)); err != nil {
				return g.say(err, op)
			}
		}
	} else if n > 1 {
		return &Error{
			Op: op, Kind: ErrInUse, Rank: g.rank, World: len(g.ranks), Ranks: []int{g.me},
			Detail: "another process has this rank",
		}
	}
	if err := g.sized(op, own); err != nil {
		return err
	}
	check := "0"
	if g.wantsCheck && !native.Detail() {
		check = "1"
	}
	if err := own.Set(keyRank+strconv.Itoa(g.rank), []byte(check)); err != nil {
		return g.say(err, op)
	}
	return nil
}

// meet determines which of the others are Go's, once all are connected and have
// introduced themselves.
func (g *ProcessGroup) meet(ctx context.Context, op string, own *Store) error {
	if native.LazyGloo() { // connecting waits for nobody then
		g.ours = []int{g.rank}
		return nil
	}
	g.checked = len(g.ranks) > 1
	for r := range g.ranks {
		key := keyRank + strconv.Itoa(r)
		is, err := own.Check(key)
		if err != nil {
			return g.say(err, op)
		}
		if !is {
			g.checked = false
			continue
		}
		g.ours = append(g.ours, r)
		check, err := own.Get(context.Background(), key)
		if err != nil {
			return g.say(err, op)
		}
		g.checked = g.checked && string(check) == "1"
	}
	g.allOurs = len(g.ours) == len(g.ranks)
	return g.settle(ctx, op, own)
}

// settle waits until all Go ranks have connected: one that closes its group at once would
// break the others' connection.
func (g *ProcessGroup) settle(ctx context.Context, op string, own *Store) error {
	n, err := own.Add("gotorch/joined", 1)
	if err == nil && n == int64(len(g.ours)) {
		err = own.Set("gotorch/settled", []byte{1})
	}
	if err == nil {
		err = own.Wait(ctx, "gotorch/settled")
	}
	if err != nil {
		return g.say(err, op)
	}
	return nil
}
